"""LevelDB's Bloom filter, hash and CRC-32C as a SQLite extension."""

import inspect
import os
import sqlite3
import sys
from typing import Any

from ._leveldb import leveldb

__all__ = ["advise", "compare", "include_object", "leveldb", "load", "loadable_path"]


def loadable_path() -> str:
    """The file that SQLite loads."""
    suffix = {"win32": "dll", "darwin": "dylib"}.get(sys.platform, "so")
    folder = os.path.dirname(os.path.abspath(__file__))
    return os.path.join(folder, "bloom." + suffix)


# The columns of the tables of kept filters, by the end of their names.
_FILTER_COLUMNS = {
    "_parts": ["part", "parts", "keys", "room", "handle", "f"],
    "_blocks": ["block", "f"],
}


def include_object(
    object: Any, name: Any, type_: str, reflected: bool, compare_to: Any
) -> bool:
    """Keeps Alembic's autogenerate from dropping the tables of kept filters.

    It is for the argument include_object of Alembic's context.configure: False for
    a table that no model has, and whose name and columns are those of such a table.
    """
    if type_ != "table" or not reflected or compare_to is not None:
        return True
    columns = list(object.columns.keys())
    return not any(
        name.endswith(end) and columns == names
        for end, names in _FILTER_COLUMNS.items()
    )


def load(connection: Any, *_: Any, **event: Any) -> None:
    """Gives a connection the functions.

    The connection is one of sqlite3, apsw, Django or SQLAlchemy, aiosqlite's under
    SQLAlchemy included. The function is also a receiver of Django's signal
    connection_created and of SQLAlchemy's event "connect", whose other arguments it
    ignores. As a receiver of Django's it does nothing to a connection to another
    database than SQLite.

    Afterwards the connection loads no other extension until it is told to.
    Raises TypeError if this is not a connection, and sqlite3.NotSupportedError
    where this Python was built so that it cannot load extensions.
    """
    if "signal" in event and connection.vendor != "sqlite":
        return
    driver = _driver_connection(connection)
    if hasattr(driver, "run_async"):  # SQLAlchemy's, of aiosqlite
        driver.run_async(_load_into)
        return
    if hasattr(driver, "enableloadextension"):  # apsw
        enable, load_extension = driver.enableloadextension, driver.loadextension
    elif hasattr(driver, "enable_load_extension") and not inspect.iscoroutinefunction(
        driver.enable_load_extension
    ):
        enable, load_extension = driver.enable_load_extension, driver.load_extension
    elif isinstance(driver, sqlite3.Connection):
        raise sqlite3.NotSupportedError(
            "load: this Python was built without loading of SQLite extensions, as "
            "macOS's own is, and pyenv's is by default: use your distribution's or "
            "Homebrew's, or apsw"
        )
    else:
        kind = type(connection)
        raise TypeError(
            "load: connection must be a connection of sqlite3, apsw, Django (to "
            f"SQLite) or SQLAlchemy, got {kind.__module__}.{kind.__qualname__}"
            + _advice(connection)
        )
    enable(True)
    try:
        load_extension(loadable_path())
    finally:
        enable(False)


async def _load_into(connection: Any) -> None:
    """Loads the extension into a connection of aiosqlite."""
    await connection.enable_load_extension(True)
    try:
        await connection.load_extension(loadable_path())
    finally:
        await connection.enable_load_extension(False)


def _advice(slip: Any) -> str:
    """What to write instead of something that is not a connection."""
    listen = 'sqlalchemy.event.listen({}, "connect", sqlite_bloom.load)'
    if hasattr(slip, "sync_engine") or hasattr(slip, "sync_session"):
        line = listen.format("engine.sync_engine")
        return f": for each connection of an engine, write {line}"
    if hasattr(slip, "raw_connection"):
        return f": for each connection of an engine, write {listen.format('engine')}"
    if hasattr(slip, "enable_load_extension"):  # its functions are coroutines
        return (
            ": write await db.enable_load_extension(True), and then "
            "await db.load_extension(sqlite_bloom.loadable_path())"
        )
    if isinstance(slip, (str, os.PathLike)):
        return f": write db = sqlite3.connect({slip!r}), and then sqlite_bloom.load(db)"
    if inspect.ismethod(getattr(slip, "connection", None)):  # SQLAlchemy's session
        return ": write sqlite_bloom.load(session.connection())"
    if hasattr(slip, "connection"):
        return ": write sqlite_bloom.load(cursor.connection)"
    return ""


def _driver_connection(connection: Any) -> Any:
    """The connection of sqlite3 that one of Django or SQLAlchemy has. Anything
    else is returned as it is."""
    if getattr(connection, "vendor", None) == "sqlite":  # Django
        connection.ensure_connection()
        return connection.connection
    pooled = getattr(connection, "connection", None)
    return getattr(pooled, "dbapi_connection", connection)  # SQLAlchemy


from .advice import advise, compare  # noqa: E402, as it uses what stands above
