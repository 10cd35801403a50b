"""Datasette's connections have the functions."""

import sqlite3

from datasette import hookimpl

from . import load


@hookimpl
def prepare_connection(conn: sqlite3.Connection) -> None:
    load(conn)
