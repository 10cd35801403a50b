"""The connections of Datasette, and of sqlite-utils from 3.34 on, have the functions."""

import sqlite3
import warnings

from pluggy import HookimplMarker

from . import load


@HookimplMarker("datasette")
@HookimplMarker("sqlite_utils")
def prepare_connection(conn: sqlite3.Connection) -> None:
    try:
        load(conn)
    except sqlite3.NotSupportedError as error:  # the program is of use all the same
        warnings.warn(str(error), stacklevel=1)
