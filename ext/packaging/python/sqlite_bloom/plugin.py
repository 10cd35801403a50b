"""The connections of Datasette, and of sqlite-utils from 3.34 on, have the functions."""

import sqlite3

from pluggy import HookimplMarker

from . import load


@HookimplMarker("datasette")
@HookimplMarker("sqlite_utils")
def prepare_connection(conn: sqlite3.Connection) -> None:
    load(conn)
