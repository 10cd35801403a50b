"""The connections of sqlite-utils have the functions, from its version 3.34."""

import sqlite3

from sqlite_utils import hookimpl

from . import load


@hookimpl
def prepare_connection(conn: sqlite3.Connection) -> None:
    load(conn)
