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
from typing import Any, Dict, List

from . import load

EPILOG = """\
Without --check, it says which filters make a query faster, and prints the query with
them. QUERY is a SELECT, a file that contains one, or - for standard input. It is run
several times, with filters and without. With --check, it probes every row of the
tables that have kept filters. Neither writes to the database.

The exit status is 0 if a filter is advised, or the check finds no problem; 1 if not;
2 after an error."""
USAGE = """%(prog)s [--json] DATABASE QUERY
       %(prog)s --check [--json] DATABASE [TABLE [COLUMN]]"""
# How bloom_advise begins if the query itself is wrong.
WRONG_QUERY = r"query\b|the query cannot be run"

Rows = List[Dict[str, Any]]


def main() -> int:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a query cannot be waited for
    parser = argparse.ArgumentParser(
        prog="sqlite-bloom-leveldb",
        usage=USAGE,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", help=argparse.SUPPRESS)
    parser.add_argument("--check", action="store_true", help="check kept filters")
    parser.add_argument(
        "--json", action="store_true", help="print the rows for a program to read"
    )
    options = parser.parse_intermixed_args()
    least, most, form = 2, 2, "DATABASE QUERY"
    if options.check:
        least, most, form = 1, 3, "DATABASE [TABLE [COLUMN]]"
    count = len(options.names)
    if not least <= count <= most:
        parser.error(f"the arguments must be {form}, got {count}")
    file, *names = options.names
    try:
        rows = ask(file, names, options.check)
    except (sqlite3.Error, OSError, UnicodeError, ValueError) as error:
        print(f"sqlite-bloom-leveldb: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        print("\n".join((problems if options.check else advice)(rows)))
    return min(len(rows), 1) if options.check else int(rows[0]["sql"] is None)


def ask(file: str, names: List[str], check: bool) -> Rows:
    """The rows of bloom_check or bloom_advise, from a connection that only reads."""
    if not check and sqlite3.sqlite_version_info < (3, 38):
        raise sqlite3.NotSupportedError(
            f"advice needs SQLite 3.38 or later, and this Python has "
            f"{sqlite3.sqlite_version}: only --check works"
        )
    if not os.path.exists(file):
        raise FileNotFoundError(f"there is no file {file}")
    address = pathlib.Path(file).resolve().as_uri() + "?mode=ro"
    db = sqlite3.connect(address, uri=True)
    load(db)
    function = "bloom_check" if check else "bloom_advise"
    values = names if check else [query_of(names[0])]
    places = ", ".join("?" for _ in values)
    cursor = db.execute(f"SELECT * FROM {function}({places})", values)
    columns = [column for column, *_ in cursor.description]
    rows = [dict(zip(columns, row)) for row in cursor]
    if not check and re.match(WRONG_QUERY, rows[0]["advice"]):
        raise ValueError(rows[0]["advice"])
    return rows


def query_of(name: str) -> str:
    """The text of a query: an argument, a file or standard input."""
    if name == "-":
        return sys.stdin.read()
    if os.path.exists(name):
        return pathlib.Path(name).read_text(encoding="utf-8")
    return name


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
