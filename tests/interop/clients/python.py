#!/usr/bin/python3
"""Debian's Python."""
# skip: /usr/bin/python3
import os
import sqlite3

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
    message == "bloom_may_match: filter must be a BLOB or a bloom_open() handle, got 1, which no open handle has (a handle lives until the statement that opened it ends, or has opened too many others)",
    "an error is sqlite3.OperationalError: " + message,
)
print(f"1..{count}")
