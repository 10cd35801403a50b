"""The program sqlite-bloom-leveldb: which filters make a query faster, and whether kept
filters are right."""

import argparse
import json
import os
import pathlib
import re
import signal
import sqlite3
import sys
from typing import Any, Dict, List, Tuple

from . import load

NAME = "sqlite-bloom-leveldb"
HELP = (pathlib.Path(__file__).parent / "terminal.txt").read_text(encoding="utf-8").rstrip()
USAGE = HELP.split("\n\n")[0]
STATUS = {"advised": 0, "no filter needed": 0, "nothing gains": 1, "error": 2,
          "nothing tried": 3}
# A JSON object of the parameters, from one whose values are all texts.
PARAMETERS = """(SELECT json_group_object(key, CASE WHEN json_valid(value)
    THEN json(value) ELSE value END) FROM json_each(?))"""

Rows = List[Dict[str, Any]]


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> int:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a query cannot be waited for
    parser = argparse.ArgumentParser(
        prog=NAME, usage=USAGE[len("usage: ") :], add_help=False, allow_abbrev=False
    )
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seconds")
    parser.add_argument("--param", action="append", default=[])
    for flag in "--copy", "--check", "--json", "--help", "--version":
        parser.add_argument(flag, action="store_true")
    options = parser.parse_intermixed_args()
    status = 2
    try:
        lines, status = answer(options)
        print("\n".join(lines), flush=True)
    except BrokenPipeError:  # whoever reads has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (sqlite3.Error, OSError, ValueError) as error:
        say(f"{NAME}: {error}")
        return 2
    return status


def answer(options: argparse.Namespace) -> Tuple[List[str], int]:
    """What is printed, and the exit status."""
    if options.help:
        return [HELP], 0
    if options.version:
        db = sqlite3.connect(":memory:")
        load(db)
        (version,) = db.execute("SELECT bloom_version()").fetchone()
        return [f"{NAME} {version}, SQLite {sqlite3.sqlite_version}"], 0
    least, most, form = 2, 2, "DATABASE QUERY"
    if options.check:
        least, most, form = 1, 3, "DATABASE [TABLE [COLUMN]]"
    count = len(options.names)
    if not least <= count <= most:
        raise ValueError(f"the arguments must be {form}, got {count}\n{USAGE}")
    file, *values = options.names
    if options.check:
        call = f"bloom_check({', '.join('?' for _ in values)})"
    else:
        call = f"bloom_advise(?, ?, {PARAMETERS})"
        parameters = json.dumps(dict(map(parameter, options.param)))
        values = [query_of(values[0]), options.seconds, parameters]
    cursor = open_database(file, options.copy).execute(f"SELECT * FROM {call}", values)
    columns = [column for column, *_ in cursor.description]
    rows = [dict(zip(columns, row)) for row in cursor]
    if options.check:
        lines, status = problems(rows), min(len(rows), 1)
    else:
        lines, status = advice(rows), STATUS[rows[0]["outcome"]]
    if status == 2:
        raise ValueError(rows[0]["advice"])
    if options.json:
        lines = [json.dumps(rows, indent=2, ensure_ascii=False)]
    return lines, status


def parameter(text: str) -> List[str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise ValueError(f"--param must be NAME=VALUE, got {text}")
    return [name, value]


def head(file: str) -> bytes:
    """The beginning of a file, or nothing of a pipe."""
    if os.path.isdir(file):
        raise ValueError(f"{file} is a folder")
    if not os.path.exists(file):
        raise ValueError(f"there is no file {file}")
    if not os.path.isfile(file):
        return b""
    with open(file, "rb") as opened:
        return opened.read(20)


def open_database(file: str, copy: bool) -> sqlite3.Connection:
    """A connection that only reads, of a database, or of its copy, which SQLite
    removes."""
    is_wal = head(file)[18:] == b"\2\2"
    address = pathlib.Path(file).resolve().as_uri() + "?mode=ro"
    db = sqlite3.connect(address, uri=True)
    try:
        db.execute("BEGIN")
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if copy:
            say(f"copying {file}")
            of, db = db, sqlite3.connect("")
            of.backup(db)
            of.close()
        else:
            db.execute("COMMIT")
    except sqlite3.Error as error:
        hint = is_wal and re.search("unable to open|readonly", str(error))
        advice = hint and (
            f". It is in WAL mode: reading it needs {file}-wal and {file}-shm, which "
            "SQLite makes and writes. Copy it, with its -wal file, to a folder of yours"
        )
        raise ValueError(f"{file}: {error}{advice or ''}") from None
    if not copy and not is_wal:
        say(
            f"{file} is not in WAL mode: until this ends, programs that write to it "
            "wait, and may fail. --copy reads a copy instead"
        )
    load(db)
    db.create_function("bloom_progress", 1, say)
    return db


def query_of(name: str) -> str:
    """The text of a query: an argument, a file or standard input."""
    if name == "-":
        return sys.stdin.read()
    if not os.path.exists(name) and re.search(r"[\s(]", name):
        return name
    if head(name).startswith(b"SQLite format 3\0"):
        raise ValueError(f"{name} is a database, not a query: name the database first")
    return pathlib.Path(name).read_text(encoding="utf-8")


def advice(rows: Rows) -> List[str]:
    """What bloom_advise says: the verdict, a line for each filter, and the query, which
    may end with a comment."""
    lines = [row["advice"] for row in rows]
    query = rows[0]["sql"]
    return lines if query is None else [*lines, "", query, ";"]


def problems(rows: Rows) -> List[str]:
    """What bloom_check says: a line for each problem."""
    lines = ["{table}.{column} ({form}): {problem}".format(**row) for row in rows]
    return lines or ["the check found no problem"]


if __name__ == "__main__":
    sys.exit(main())
