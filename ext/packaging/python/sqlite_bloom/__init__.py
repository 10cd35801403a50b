"""LevelDB's Bloom filter, hash and CRC-32C as a SQLite extension."""

import os
import sqlite3

__all__ = ["load", "loadable_path"]


def loadable_path() -> str:
    """The file that SQLite loads."""
    name = "bloom.dll" if os.name == "nt" else "bloom.so"
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), name)


def load(connection: sqlite3.Connection) -> None:
    """Gives a connection the functions.

    Afterwards the connection loads no other extension until it is told to.
    Raises sqlite3.NotSupportedError where this Python was built so that it
    cannot load extensions.
    """
    if not hasattr(connection, "enable_load_extension"):
        raise sqlite3.NotSupportedError(
            "this Python was built without loading of SQLite extensions, as "
            "macOS's own and by default pyenv's are: use your distribution's "
            "or Homebrew's, or apsw with sqlite_bloom.loadable_path()"
        )
    connection.enable_load_extension(True)
    try:
        connection.load_extension(loadable_path())
    finally:
        connection.enable_load_extension(False)
