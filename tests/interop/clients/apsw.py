#!/usr/bin/python3
"""apsw, Another Python SQLite Wrapper."""
# skip: /usr/lib/python3/dist-packages/apsw
import os
import sys

# The folder of this script comes first, and the script has the module's name.
del sys.path[0]
import apsw

count = 0


def ok(passed, name):
    global count
    count += 1
    print("ok" if passed else "not ok", count, "-", name)


db = apsw.Connection(":memory:")
db.enableloadextension(True)
db.loadextension(os.environ.get("DIST", "dist") + "/bloom")
db.enableloadextension(False)
sql = db.cursor()

sql.execute("CREATE TABLE key(k)")
sql.executemany("INSERT INTO key VALUES (?)", [("hello",), ("world",)])
sql.execute("CREATE TABLE filter AS SELECT bloom_build(k, 10) AS f FROM key")
((f,),) = sql.execute("SELECT f FROM filter")
ok(f == bytes.fromhex("114000414410401006"), "a filter is bytes")

probe = "SELECT bloom_may_match(?, ?)"
answers = [next(sql.execute(probe, (k, f)))[0] for k in ("hello", "foo")]
ok(answers == [1, 0], "a filter bound as a parameter")

opened = "SELECT ? WHERE bloom_may_match(?1, (SELECT bloom_open(f) FROM filter))"
passed = [k for k in ("hello", "x", "world") if list(sql.execute(opened, (k,)))]
ok(passed == ["hello", "world"], "a stored filter through bloom_open")

((number,),) = sql.execute("SELECT bloom_build(42)")
answers = [next(sql.execute(probe, (k, number)))[0] for k in (42, 42.0)]
ok(answers == [1, 1], "a number, whole or float, is the key that 42 is in SQL")

try:
    list(sql.execute(probe, ("hello", 1)))
    message = "none"
except apsw.SQLError as error:
    message = str(error)
ok(
    message.endswith(
        "bloom_may_match: filter must be a BLOB or a bloom_open() handle, got 1, which is not an open handle (a handle ends with its statement, or when that has opened too many others)"
    ),
    "an error is apsw.SQLError: " + message,
)

create = "SELECT bloom_create_parts('page', 'url')"
sql.execute("CREATE TABLE page(id INTEGER PRIMARY KEY, url TEXT)")
ok(list(sql.execute(create)) == [("page_url_filter",)], "one call keeps a filter")
sql.execute("INSERT INTO page(url) VALUES ('/'), ('/a')")
known = "SELECT bloom_may_match(?, filter) FROM page_url_filter"
answers = [list(sql.execute(known, (k,)))[0][0] for k in ("/", "/x")]
ok(answers == [1, 0], "a key that was inserted since is in it")
rows = db.cursor()
next(rows.execute("SELECT url FROM page"))
try:
    list(sql.execute(create))
    message = "none"
except apsw.BusyError as error:
    message = str(error)
ok(
    "another statement of this connection is running" in message,
    "a cursor that was not read to its end is apsw.BusyError: " + message,
)
rows.close()
ok(list(sql.execute(create)) == [("page_url_filter",)], "closed, it passes")
print(f"1..{count}")
