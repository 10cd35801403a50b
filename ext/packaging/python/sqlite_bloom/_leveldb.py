"""Reads LevelDB folders, by the SQL that the recipe leveldb_newest.sql runs."""

import os
import re
import sqlite3
import warnings
import zlib
from typing import Any, Iterator, Optional, Tuple, Union

_NAME = re.compile(r"CURRENT|MANIFEST-\d+|\d+\.(?:ldb|sst|log)")
_TABLES = ("newest", "newest_text", "record", "damage")
_MOST = 1 << 28  # bytes of a block


def leveldb(
    folder: Union[str, "os.PathLike[str]"],
    prefix: Union[bytes, str, None] = None,
    *,
    key: Union[bytes, str, None] = None,
    table: str = "newest",
) -> Iterator[Tuple[Any, ...]]:
    """Yields the rows of a LevelDB folder, which is not changed.

    By default they are (key, value, doubt), of the newest value of each key, both
    bytes; doubt is 1 where damage may touch the row, and a warning then says so. With
    a prefix, only of the keys that begin with it, and with key= of this key, for which
    the rest is not read. table= names another of the SQL tables: "newest_text" (the
    same as text), "record" (name, live, level, block, sequence, type, key, value: each
    entry in each file) or "damage" (name, offset, what, effect, first, last).

    Blocks that are compressed with zlib are read, and so are those with zstd from
    Python 3.14 on. Raises FileNotFoundError if it is no LevelDB folder.
    """
    if table not in _TABLES:
        raise ValueError(f"leveldb: table must be one of {_TABLES}, got {table!r}")
    if prefix is not None and key is not None:
        raise ValueError("leveldb: prefix and key must not both be given")
    with os.scandir(folder) as entries:
        files = [
            (entry.name, entry.path)
            for entry in entries
            if _NAME.fullmatch(entry.name) and entry.is_file()
        ]
    if not files:
        raise FileNotFoundError(f"leveldb: no LevelDB folder: {os.fspath(folder)}")
    wanted = prefix if key is None else key
    if isinstance(wanted, str):
        wanted = wanted.encode()
    return _rows(files, "table" if key is None else "get", wanted, table)


def _rows(
    files: Any, form: str, wanted: Optional[bytes], table: str
) -> Iterator[Tuple[Any, ...]]:
    from . import load

    db = sqlite3.connect("", isolation_level=None)
    try:
        load(db)
        db.create_function("readfile", 1, _read_file)
        db.create_function("leveldb_inflate", 2, _inflate)
        db.execute("CREATE TEMP TABLE file(name TEXT PRIMARY KEY, path TEXT, content BLOB)")
        db.executemany("INSERT INTO file(name, path) VALUES (?, ?)", files)
        db.execute("CREATE TEMP TABLE wanted(form TEXT, key BLOB)")
        db.execute("INSERT INTO wanted VALUES (?, ?)", (form, wanted))
        script = os.path.join(os.path.dirname(__file__), "leveldb_folder.sql")
        with open(script, encoding="utf-8") as file:
            db.executescript(file.read())
        (harm,) = db.execute("SELECT count(*) FROM damage WHERE effect <> 'none'").fetchone()
        if harm and table != "damage":
            warnings.warn(
                f"leveldb: {harm} rows of damage: see leveldb(folder, table='damage')",
                stacklevel=2,
            )
        yield from db.execute("SELECT * FROM " + table)
    finally:
        db.close()


def _read_file(path: str) -> Optional[bytes]:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def _inflate(type: int, stored: bytes) -> Optional[bytes]:
    """A block of type 2 (zlib, or zstd in LevelDB 1.24) or 4 (raw deflate), or None."""
    if type == 2 and stored[:4] == b"\x28\xb5\x2f\xfd":
        try:
            from compression import zstd
        except ImportError:
            return None
        inflater: Any = zstd.ZstdDecompressor()
    elif type in (2, 4):
        inflater = zlib.decompressobj(15 if type == 2 else -15)
    else:
        return None
    contents: bytes = inflater.decompress(stored, _MOST)
    return contents if inflater.eof else None
