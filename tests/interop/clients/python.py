#!/usr/bin/python3
"""Debian's Python."""
# skip: /usr/bin/python3
import os
import sqlite3
import tempfile

count = 0


def ok(passed, name):
    global count
    count += 1
    print("ok" if passed else "not ok", count, "-", name)


db = sqlite3.connect(":memory:")
if not hasattr(db, "enable_load_extension"):
    raise SystemExit("1..0 # skip this Python cannot load extensions")
db.enable_load_extension(True)
db.load_extension(os.environ.get("DIST", "dist") + "/bloom")
db.enable_load_extension(False)

db.execute("CREATE TABLE key(k)")
db.executemany("INSERT INTO key VALUES (?)", [("hello",), ("world",)])
db.execute("CREATE TABLE filter AS SELECT bloom_build(k, 10) AS f FROM key")
(f,) = db.execute("SELECT f FROM filter").fetchone()
ok(f == bytes.fromhex("114000414410401006"), "a filter is bytes")

probe = "SELECT bloom_may_match(?, ?)"
answers = [db.execute(probe, (k, f)).fetchone()[0] for k in ("hello", "foo")]
ok(answers == [1, 0], "a filter bound as a parameter")

opened = "SELECT ? WHERE bloom_may_match(?1, (SELECT bloom_open(f) FROM filter))"
passed = [k for k in ("hello", "x", "world") if db.execute(opened, (k,)).fetchall()]
ok(passed == ["hello", "world"], "a stored filter through bloom_open")

(number,) = db.execute("SELECT bloom_build(42)").fetchone()
answers = [db.execute(probe, (k, number)).fetchone()[0] for k in (42, 42.0)]
ok(answers == [1, 1], "a number, whole or float, is the key that 42 is in SQL")

try:
    db.execute(probe, ("hello", 1)).fetchone()
    message = "none"
except sqlite3.OperationalError as error:
    message = str(error)
ok(
    message == "bloom_may_match: filter must be a BLOB or a bloom_open() handle, got 1, which is not an open handle (a handle ends with its statement, or when that has opened too many others)",
    "an error is sqlite3.OperationalError: " + message,
)

# ---- A kept filter
create = "SELECT bloom_create_parts('page', 'url')"
drop = "SELECT bloom_drop_parts('page', 'url')"
made = "SELECT count(*) FROM sqlite_master WHERE name GLOB 'page_url_*'"
known = "SELECT bloom_may_match(?, filter) FROM page_url_filter"
folder = tempfile.TemporaryDirectory()
file = os.path.join(folder.name, "python.db")


def connect(name, **options):
    db = sqlite3.connect(name, **options)
    db.enable_load_extension(True)
    db.load_extension(os.environ.get("DIST", "dist") + "/bloom")
    db.enable_load_extension(False)
    return db


def message_of(db, sql):
    try:
        db.execute(sql).fetchall()
        return "none"
    except sqlite3.DatabaseError as error:
        return str(error)


db = connect(file)
db.execute("CREATE TABLE page(id INTEGER PRIMARY KEY, url TEXT)")
ok(db.execute(create).fetchone() == ("page_url_filter",), "one call keeps a filter")
ok(not db.in_transaction, "it began no transaction, so there is none to commit")
db.executemany("INSERT INTO page(url) VALUES (?)", [("/",), ("/a",)])
answers = [db.execute(known, (k,)).fetchone()[0] for k in ("/", "/x")]
ok(answers == [1, 0], "a key that was inserted since is in it")
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

read_only = connect("file:" + file + "?mode=ro", uri=True)
message = message_of(read_only, create)
ok(message.endswith("attempt to write a readonly database"), "mode=ro: " + message)
db.execute("PRAGMA query_only = ON")
message = message_of(db, create)
ok(message.endswith("attempt to write a readonly database"), "query_only: " + message)
db.execute("PRAGMA query_only = OFF")
db.set_authorizer(
    lambda action, *names: sqlite3.SQLITE_OK
    if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION)
    else sqlite3.SQLITE_DENY
)
message = message_of(db, create)
ok(message.endswith("not authorized"), "an authorizer: " + message)
db.set_authorizer(
    lambda action, *names: sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_FUNCTION and names[1] == "bloom_create_parts"
    else sqlite3.SQLITE_OK
)
message = message_of(db, create)
ok("not authorized to use function" in message, "of the function: " + message)
db.set_authorizer(None)
db.execute("CREATE VIEW calls AS " + create)
message = message_of(db, "SELECT * FROM calls")
ok(message.startswith("unsafe use of bloom_create_parts"), "a view: " + message)
ok(db.execute(known, ("/b",)).fetchone() == (1,), "and the filter is as it was")
print(f"1..{count}")
