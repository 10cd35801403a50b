#!/usr/bin/python3
"""apsw, Another Python SQLite Wrapper."""
# skip: /usr/lib/python3/dist-packages/apsw
import os
import sys

sys.path[0] = "tests/lib"
from python_package import error_of, ok, plan, test_client

import apsw

db = apsw.Connection(":memory:")
db.enableloadextension(True)
db.loadextension(os.environ.get("DIST", "dist") + "/bloom")
db.enableloadextension(False)


def ask(sql, values=()):
    return list(db.cursor().execute(sql, values))


test_client(ask, "SQLError: SQLError")
create = "SELECT bloom_create_parts('page', 'url')"
rows = db.cursor()
next(rows.execute("SELECT url FROM page"))
message = error_of(ask, create)
ok(
    message.startswith("BusyError: ")
    and "another statement of this connection is running" in message,
    "a cursor that was not read to its end: " + message,
)
rows.close()
ok(ask(create) == [("page_url_filter",)], "closed, it passes")
plan()
