#!/usr/bin/python3
"""Debian's Python."""
# skip: /usr/bin/python3
import os
import sqlite3
import sys

sys.path[0] = "tests/lib"
from python_package import error_of, ok, plan, scratch, test_client

if not hasattr(sqlite3.Connection, "enable_load_extension"):
    raise SystemExit("1..0 # skip this Python cannot load extensions")
create = "SELECT bloom_create_parts('page', 'url')"
drop = "SELECT bloom_drop_parts('page', 'url')"
made = "SELECT count(*) FROM sqlite_master WHERE name GLOB 'page_url_*'"
known = "SELECT bloom_may_match(?, filter) FROM page_url_filter"
file = os.path.join(scratch, "python.db")


def connect(name, **options):
    db = sqlite3.connect(name, **options)
    db.enable_load_extension(True)
    db.load_extension(os.environ.get("DIST", "dist") + "/bloom")
    db.enable_load_extension(False)
    return db


def message_of(db, sql):
    return error_of(lambda: db.execute(sql).fetchall()).partition(": ")[2]


db = connect(":memory:")
test_client(lambda *asked: db.execute(*asked).fetchall(), "OperationalError")

# ---- A kept filter, and transactions
db = connect(file)
db.execute("CREATE TABLE page(id INTEGER PRIMARY KEY, url TEXT)")
db.execute(create).fetchone()
ok(not db.in_transaction, "it began no transaction, so there is none to commit")
db.executemany("INSERT INTO page(url) VALUES (?)", [("/",), ("/a",)])
(objects,) = db.execute(drop).fetchone()
db.rollback()
ok(
    db.execute(made).fetchone() == (objects,) and objects > 5,
    "a call after an insert is part of its transaction, and is rolled back with it",
)
db.execute("INSERT INTO page(url) VALUES ('/b')")
db.execute(create).fetchone()
db.commit()
ok(connect(file).execute(known, ("/b",)).fetchone() == (1,), "or committed with it")

cursor = db.execute("SELECT url FROM page UNION ALL SELECT url FROM page")
cursor.fetchone()
message = message_of(db, create)
ok(
    message.endswith(
        "another statement of this connection is running: read its rows to the end, "
        "or close its cursor, and call again"
    ),
    "a cursor that was not read to its end: " + message,
)
cursor.close()
ok(db.execute(create).fetchone() == ("page_url_filter",), "closed, it passes")
plan()
