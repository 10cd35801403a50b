#!/usr/bin/python3
"""What sqlite_bloom.load takes, and the Python package's page for SQLAlchemy,
Alembic and pandas. django_migrations.py has Django."""
# skip: /usr/lib/python3/dist-packages/django
# skip: /usr/lib/python3/dist-packages/sqlalchemy
# skip: /usr/lib/python3/dist-packages/alembic
# skip: /usr/lib/python3/dist-packages/pandas
# skip: /usr/lib/python3/dist-packages/apsw
# skip: /usr/lib/python3/dist-packages/aiosqlite
import os
import re
import sqlite3
import subprocess
import sys

sys.path[0] = "tests/lib"
from python_package import block, error_of, ok, plan, run_with_each, same, scratch

run_with_each("sqlalchemy")

import asyncio
import datetime

import aiosqlite
import apsw
import django.db
import pandas
import sqlalchemy
from alembic.migration import MigrationContext
from alembic.operations import Operations
from django.conf import settings
from django.db.backends.signals import connection_created
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.orm import Session

import sqlite_bloom as bloom

os.chdir(scratch)
sqlite = {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}
settings.configure(DATABASES={name: sqlite for name in ("default", "other", "late")})
version = "SELECT bloom_version()"

# ---- What load takes

db = sqlite3.connect(":memory:")
bloom.load(db)
expected = db.execute(version).fetchone()
ok(expected[0][0].isdigit(), "load: sqlite3's connection: " + expected[0])

db = apsw.Connection(":memory:")
bloom.load(db)
ok(db.cursor().execute(version).fetchone() == expected, "load: apsw's connection")
refused = error_of(db.loadextension, bloom.loadable_path())
ok("not authorized" in refused, "which loads no other extension: " + refused)


def ask(connection):
    with connection.cursor() as cursor:
        return cursor.execute(version).fetchone()


bloom.load(django.db.connection)
ok(ask(django.db.connection) == expected, "load: Django's connection, not yet open")
bloom.load(django.db.connections["other"].cursor().connection)
ok(ask(django.db.connections["other"]) == expected, "load: what its cursor has")
connection_created.connect(bloom.load)
ok(ask(django.db.connections["late"]) == expected, "load: a receiver of its signal")


class OtherDatabase:
    vendor = "postgresql"


connection_created.send(sender=OtherDatabase, connection=OtherDatabase())
ok(True, "load: the signal of a connection to another database is ignored")

engine = sqlalchemy.create_engine("sqlite://")
with engine.connect() as db:
    bloom.load(db)
    got = db.execute(sqlalchemy.text(version)).fetchone()
ok(tuple(got) == expected, "load: SQLAlchemy's connection")
pooled = sqlalchemy.create_engine("sqlite://").raw_connection()
bloom.load(pooled)
ok(pooled.cursor().execute(version).fetchone() == expected, "load: raw_connection()")

asynchronous = create_async_engine("sqlite+aiosqlite://")
sqlalchemy.event.listen(asynchronous.sync_engine, "connect", bloom.load)


async def ask_aiosqlite():
    async with asynchronous.connect() as db:
        got = (await db.execute(sqlalchemy.text(version))).fetchone()
        pooled = await db.get_raw_connection()
        again = pooled.driver_connection.load_extension(bloom.loadable_path())
        try:
            refused = await again
        except sqlite3.OperationalError as error:
            refused = str(error)
    await asynchronous.dispose()
    return tuple(got), refused


got, refused = asyncio.run(ask_aiosqlite())
ok(got == expected, "load: SQLAlchemy's connection of aiosqlite")
ok("not authorized" in refused, "which loads no other extension: " + refused)

# ---- What it does not take

db = sqlite3.connect(":memory:")
of_cursor = ": write sqlite_bloom.load(cursor.connection)"
listen = (
    ": for each connection of an engine, write sqlalchemy.event.listen({}, "
    '"connect", sqlite_bloom.load)'
)
for name, slip, advice in (
    ("a cursor", db.cursor(), of_cursor),
    ("apsw's cursor", apsw.Connection(":memory:").cursor(), of_cursor),
    ("Django's cursor", django.db.connection.cursor(), of_cursor),
    ("Django's connections", django.db.connections, ""),
    ("another database", OtherDatabase(), ""),
    (
        "a path",
        "my.db",
        ": write db = sqlite3.connect('my.db'), and then sqlite_bloom.load(db)",
    ),
    ("SQLAlchemy's engine", engine, listen.format("engine")),
    ("its engine of aiosqlite", asynchronous, listen.format("engine.sync_engine")),
    ("its session", AsyncSession(asynchronous), listen.format("engine.sync_engine")),
    (
        "SQLAlchemy's session",
        Session(engine),
        ": write sqlite_bloom.load(session.connection())",
    ),
    (
        "aiosqlite's connection",
        aiosqlite.connect(":memory:"),
        ": write await db.enable_load_extension(True), and then "
        "await db.load_extension(sqlite_bloom.loadable_path())",
    ),
    ("nothing", None, ""),
):
    got = f"{type(slip).__module__}.{type(slip).__qualname__}"
    message = error_of(bloom.load, slip)
    ok(
        message.startswith("TypeError: load: connection must be a connection of ")
        and message.endswith(f", got {got}{advice}"),
        f"load: {name}: {message}",
    )


class Refusing(sqlite3.Connection):
    """A connection of a Python that cannot load extensions."""

    @property
    def enable_load_extension(self):
        raise AttributeError


message = error_of(bloom.load, Refusing(":memory:"))
said = "NotSupportedError: load: this Python was built without loading"
ok(message.startswith(said), f"load: a Python that cannot: {message}")

# ---- SQLAlchemy, as the page says

exec(block("create_engine"))
exec(block("outerjoin"))
emails = [{"email": name + "@example.com"} for name in ("ann", "bo", "cy")]
with engine.begin() as db:
    db.execute(customer.insert(), emails[:2])
    db.execute(visit.insert(), emails)
for name in ("the first", "another"):
    with engine.connect() as db:
        passed = db.execute(query).scalars().all()
        answers = db.execute(select(visit.c.id, may_match).order_by(visit.c.id)).all()
        joined_rows = db.execute(visits_and_customers.order_by(visit.c.id)).all()
    engine.dispose()
    same(
        [tuple(row) for row in joined_rows],
        [(1, "ann@example.com"), (2, "bo@example.com"), (3, None)],
        f"SQLAlchemy: a LEFT JOIN, by {name} connection",
    )
    ok(
        (passed, answers[0][1] is True, answers[2][1] is False) == ([1, 2], True, True),
        f"SQLAlchemy: a kept filter in a query, by {name} connection: {answers}",
    )


def made():
    with engine.connect() as db:
        names = db.execute(
            sqlalchemy.text(
                "SELECT name FROM sqlite_master WHERE name GLOB 'customer_email_*'"
            )
        )
        return len(names.all())


ok(made() > 5, "SQLAlchemy: create_all makes the filter")
tables.drop_all(engine)
ok(made() == 0, "SQLAlchemy: drop_all drops it")
tables.create_all(engine)
ok(made() > 5, "SQLAlchemy: and again")

with engine.begin() as db:
    db.execute(customer.insert(), emails)

# ---- Alembic

migration = {}
exec(block("from alembic import op"), migration)
problems = sqlalchemy.text("SELECT count(*) FROM bloom_check('customer', 'email')")
lost = sqlalchemy.text(
    "SELECT count(*) FROM customer WHERE NOT bloom_may_match(email,"
    " (SELECT filter FROM customer_email_filter))"
)
with engine.begin() as db:
    with Operations.context(MigrationContext.configure(db)):
        migration["upgrade"]()
with engine.connect() as db:
    columns = [
        column["name"] for column in sqlalchemy.inspect(db).get_columns("customer")
    ]
    found = columns, db.execute(problems).scalar(), db.execute(lost).scalar()
    name = "Alembic: a migration that makes a new table, and the filter again"
    same(found, (["email", "name"], 0, 0), name)

# Alembic itself, in a project whose env.py is without the page's lines at first.
os.mkdir("project")
os.chdir("project")


def alembic(*arguments):
    child = subprocess.run(
        [sys.executable, "-B", "-m", "alembic.config", *arguments],
        env={**os.environ, "PYTHONPATH": f"{scratch}:{os.environ['PYTHONPATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return child.stdout + f"status {child.returncode}"


def write(name, text):
    with open(name, "w") as file:
        file.write(text)


alembic("init", "migrations")
with open("alembic.ini") as file:
    ini = file.read()
url = "sqlalchemy.url = "
write("alembic.ini", re.sub(f"(?m)^{url}.*", url + "sqlite:///my.db", ini))
head = 'revision, down_revision = "1", None\n'
write("migrations/versions/1.py", head + block("from alembic import op"))
project = sqlite3.connect("my.db")
bloom.load(project)
project.execute("CREATE TABLE customer(email TEXT PRIMARY KEY)")
project.execute("SELECT bloom_create_parts('customer', 'email')").fetchone()
project.execute("INSERT INTO customer VALUES ('ann@example.com')")
project.commit()


def rows(sql):
    return [value for (value,) in project.execute(sql)]


output = alembic("upgrade", "head")
refused = "sqlite3.OperationalError" in output and "bloom_" in output
ok(refused, "Alembic: without the page's lines: " + output[-300:])
left = rows("SELECT name FROM sqlite_master WHERE name GLOB '_alembic_tmp_*'")
same(left, ["_alembic_tmp_customer"], "Alembic: a migration that failed leaves a table")
kept = rows("SELECT email FROM customer")
same(kept, ["ann@example.com"], "Alembic: no data is lost")

with open("migrations/env.py") as file:
    env = file.read()
made = r"(?s)    connectable = engine_from_config\(.*?\n    \)\n"
made = re.search(made, env).group()
top, listening = block("event.listen(connectable").split("\n\n")
write("migrations/env.py", f"{top}\n{env.replace(made, made + listening)}")
output = alembic("upgrade", "head")
exists = "_alembic_tmp_customer already exists"
ok(exists in output, "Alembic: the next run: " + output[-200:])
project.execute("DROP TABLE _alembic_tmp_customer")
output = alembic("upgrade", "head")
ok(output.endswith("status 0"), "Alembic: with the page's lines: " + output[-200:])
project.execute("INSERT INTO customer(email) VALUES ('bo@example.com')")
answers = rows(
    "SELECT bloom_may_match(email, (SELECT filter FROM customer_email_filter))"
    " FROM customer"
)
same(answers, [1, 1], "Alembic: the filter is kept")


# Autogenerate, for models that know nothing of the filter.
env = open("migrations/env.py").read()
models = (
    "import sqlalchemy as sa\n"
    "target_metadata = sa.MetaData()\n"
    "sa.Table('customer', target_metadata,\n"
    "         sa.Column('email', sa.Text, primary_key=True), sa.Column('name', sa.Text))\n"
)
env = env.replace("target_metadata = None\n", models)


def proposed(revision):
    """What the migration that Alembic proposes drops."""
    output = alembic("revision", "--autogenerate", "--rev-id", revision, "-m", "next")
    path = f"migrations/versions/{revision}_next.py"
    if not os.path.exists(path):
        return output
    with open(path) as file:
        dropped = re.findall(r"op.drop_\w+\('(\w+)'\)", file.read().split("def down")[0])
    os.remove(path)
    return dropped


project.execute("CREATE TABLE seen_blocks(block INTEGER PRIMARY KEY, f, more)")
project.execute("CREATE TABLE log(id INTEGER PRIMARY KEY, request TEXT)")
project.execute("SELECT bloom_create_blocks('log', 'request')").fetchone()
project.commit()
write("migrations/env.py", env)
drops = sorted(proposed("2"))
ours = ["customer_email_parts", "log_request_blocks"]
others = ["log", "seen_blocks"]
same(drops, sorted(ours + others), "Alembic: autogenerate drops the filters' tables")
argument = block("include_object").strip()
for first in ("connection=connection,", "url=url,"):
    env = env.replace(first, f"{first} {argument}")
write("migrations/env.py", env)
drops = sorted(proposed("3"))
same(drops, others, "Alembic: but not with the page's argument")
output = alembic("stamp", "head", "--sql")
ok("status 0" in output, "Alembic: SQL without a database: " + output[-200:])
project.close()
os.chdir(scratch)

# ---- pandas

exec(block("import numpy"))
frame = pandas.DataFrame(
    {"email": ["ann@example.com", None, "zoe@example.com", "bo@example.com", "Ann"]},
    index=[7, 7, 8, 9, 10],
)
with engine.connect() as connection:
    known, new = known_and_new(connection.connection, frame)
known, new = known["email"].tolist(), new["email"].tolist()
same(known, ["ann@example.com", "bo@example.com"], "pandas: rows of a table")
same(new, [None, "zoe@example.com", "Ann"], "pandas: new rows")

db = sqlite3.connect(":memory:")
bloom.load(db)
db.execute("CREATE TABLE customer(email TEXT)")
keep_filter(db)
db.execute("INSERT INTO customer VALUES ('7'), ('8')")
for column, expected in (
    (pandas.Series([7, 9]), [False, False]),
    (pandas.Series([7, 9]).astype("string"), [True, False]),
    (pandas.Series([7, None]).astype("Int64").astype("string"), [True, False]),
):
    name = f"pandas: {column.dtype} {column.tolist()}"
    same(in_table(db, column).tolist(), expected, name)
for slip, kind in ((frame[["email"]], "DataFrame"), ("email", "str"), (["a"], "list")):
    message = error_of(in_table, db, slip)
    wanted = "TypeError: in_table: emails must be a column, as in frame['email'], got "
    same(message, wanted + kind, "pandas")

# ---- Whether a filter would help

exec(block("bloom.advise("))


def is_of_lookup(advice):
    """What is sure of an advice, whatever the clock measured: it is about visit.email and
    customer.email, of which either may have the filter."""
    (row,) = advice.filters
    said = f"{row.probe} {row.set}"
    return (
        advice.outcome in ("advised", "nothing gains")
        and row.probe.endswith(".email")
        and all(table in said for table in ("visit", "customer"))
    )


for module, name in (sqlite3, "sqlite3"), (apsw, "apsw"):
    db = module.Connection(":memory:")  # to which nothing is loaded
    cursor = db.cursor()
    for sql in (
        "CREATE TABLE customer(email TEXT PRIMARY KEY)",
        "CREATE TABLE visit(id INTEGER PRIMARY KEY, email TEXT)",
        "INSERT INTO customer VALUES ('ann')",
        "INSERT INTO visit VALUES (7, 'ann'), (8, 'bo'), (9, 'ann')",
    ):
        cursor.execute(sql)
    if name == "sqlite3":
        db.row_factory = lambda cursor, row: "a row of another form"
    advice = advice_on_visits_since(7, db)
    ok(is_of_lookup(advice), f"advise: {name}: {advice}")
    sql = advice.filters[0].sql
    ok("visit.id > ?" in sql or "visit.id > /*?1*/ 7" in sql, f"its parameter: {sql}")
    two = "SELECT id FROM visit WHERE id > :a", "SELECT id FROM visit WHERE id > :a + 1"
    found = bloom.compare(*two, db, {"a": 7})
    expected = (False, 2, 1, "not the same rows; 1 row is missing, such as (8)")
    same((found.same, *found[4:]), expected, f"compare: {name}")
    found = bloom.compare(two[0], two[0], db, {"a": 7})
    same((found.same, found.faster > 0), (True, True), f"compare: {name}")

late = datetime.datetime(2020, 5, 17)
at = sqlalchemy.literal(late, sqlalchemy.DateTime)
in_customer = visit.c.email.in_(select(customer.c.email))
plain = select(visit.c.id).where(in_customer, at > datetime.datetime(2020, 1, 1))
two = visit.c.email.in_(["ann@example.com", "bo@example.com"])
with Session(engine) as session:
    session.connection().execute(customer.insert(), [{"email": "dee@example.com"}])
    session.connection().execute(visit.insert(), emails)
    for name, statement in (
        ("a select", plain),
        ("a query", session.query(visit.c.id).filter(in_customer, at > late)),
        ("a delete", visit.delete().where(in_customer, visit.c.email != "?")),
    ):
        advice = advice_on(statement, session)
        ok(is_of_lookup(advice), f"advise: {name}: {advice}")
    found = bloom.compare(
        select(sqlalchemy.literal_column("'?'"), visit.c.id).where(two, visit.c.id > 1),
        select(sqlalchemy.literal_column("'?'"), visit.c.id).where(two, visit.c.id > 0),
        session.connection(),
    )
    same(
        (found.same, found.plain_rows, found.filtered_rows, found.verdict),
        (False, 1, 2, "not the same rows; 1 row is added, such as ('?', 1)"),
        "compare: SQLAlchemy's, each with parameters of its own",
    )
    found = session.connection().execute(select(customer.c.email).order_by("email"))
    same(found.scalars().all()[-1], "dee@example.com", "nothing was rolled back")
    sql = "SELECT 1 FROM customer WHERE email = ?"
    of_select = "TypeError: advise: connection must be SQLAlchemy's, as in "
    for slip, said in (
        ((plain, session), of_select),
        ((plain,), of_select),
        ((sql,), "TypeError: advise: connection must be given with a query in SQL"),
        ((plain, session.connection(), 9, [1]), "TypeError: advise: parameters must be"),
        ((7, db), "TypeError: advise: query must be a queryset of Django, a select of "),
        ((sql, db), "ValueError: advise: query must have a value for each parameter"),
        ((sql, db, 9, [b"x"]), "TypeError: parameters must have no BLOB, as JSON has "),
        ((sql, db, 9, [db]), "ProgrammingError: "),
        ((sql, db, 0, ["a"]), "SQLError: SQLError: bloom_advise: seconds must be a number above 0"),
    ):
        message = error_of(bloom.advise, *slip)
        ok(message.startswith(said), f"advise: {message}")
    message = error_of(bloom.compare, plain, plain, session)
    ok(message.startswith(of_select.replace("advise", "compare")), message)

# ---- A log of statements

exec(block("def django_wrapper"))
with django.db.connection.execute_wrapper(django_wrapper):
    with django.db.connection.cursor() as cursor:
        cursor.execute("SELECT 1 WHERE 7 = %s AND 'a' LIKE 'a%%'", [7])
        error_of(cursor.execute, "SELECT none")
        cursor.execute("SELECT strftime('%%s', '2026-01-01'), %s", ["x"])
        cursor.execute("SELECT strftime('%s', '2026-01-01')")
        cursor.execute("SELECT %s", [b"x"])
        cursor.execute("SELECT %s", [memoryview(b"x")])
        cursor.execute("SELECT %s", [bytearray(b"x")])
        if django.VERSION >= (4, 2):
            cursor.execute("SELECT %(a)s || '%%'", {"a": "x"})
sqlalchemy.event.listen(engine, "before_cursor_execute", before)
sqlalchemy.event.listen(engine, "after_cursor_execute", after)
with engine.connect() as db:
    db.execute(select(visit.c.id).where(visit.c.email == "ann")).all()
found = log.execute("SELECT sql, parameters, ms >= 0 FROM log").fetchall()
expected = [
    ("SELECT 1 WHERE 7 = ? AND 'a' LIKE 'a%'", "[7]", 1),
    ("SELECT none", "[]", 1),
    ("SELECT strftime('%s', '2026-01-01'), ?", '["x"]', 1),
    ("SELECT strftime('%s', '2026-01-01')", "[]", 1),
    *([("SELECT :a || '%'", '{"a": "x"}', 1)] if django.VERSION >= (4, 2) else []),
    ("SELECT visit.id \nFROM visit \nWHERE visit.email = ?", '["ann"]', 1),
]
same(found, expected, "a log of Django's and SQLAlchemy's statements")
plan()
