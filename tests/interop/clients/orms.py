#!/usr/bin/python3
"""Django and SQLAlchemy: the hooks of the Python package's README as they stand,
queries by each one's own means, what a migration of Django does to triggers, and
kept filters in transactions of SQLAlchemy. django_migrations.py
has those of Django."""
# skip: /usr/lib/python3/dist-packages/django
# skip: /usr/lib/python3/dist-packages/sqlalchemy
import os
import re
import shutil
import sys
import tempfile
import threading

count = 0


def ok(passed, name):
    global count
    count += 1
    print("ok" if passed else "not ok", count, "-", name)


# The package as it is installed: its source beside the extension.
scratch = tempfile.TemporaryDirectory()
package = os.path.join(scratch.name, "sqlite_bloom")
shutil.copytree("ext/packaging/python/sqlite_bloom", package)
shutil.copy(os.environ.get("DIST", "dist") + "/bloom.so", package)
sys.path.insert(0, scratch.name)
import sqlite_bloom as bloom

with open("ext/packaging/python/README.md") as file:
    blocks = re.findall(r"```python\n(.*?)```", file.read(), re.S)
(django_hook,) = [block for block in blocks if "connection_created" in block]
(sqlalchemy_hook,) = [block for block in blocks if "sqlalchemy" in block]

# ---- Django
import django
from django.conf import settings

database = os.path.join(scratch.name, "django.db")
settings.configure(
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": database}},
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
)
django.setup()
exec(django_hook)
from django.db import connection, models
from django.db.models.expressions import RawSQL


class Visit(models.Model):
    email = models.TextField()

    class Meta:
        app_label = "shop"


with connection.schema_editor() as editor:
    editor.create_model(Visit)
Visit.objects.bulk_create(
    Visit(email=name + "@example.com") for name in ("ann", "bo", "cy")
)
with connection.cursor() as sql:
    sql.execute("CREATE TABLE filters(name TEXT, f BLOB NOT NULL)")
    sql.execute(
        "INSERT INTO filters SELECT 'known', bloom_build(column1) FROM "
        "(VALUES (%s), (%s))",
        ["ann@example.com", "bo@example.com"],
    )
    sql.execute(
        "CREATE TRIGGER visit_filter AFTER INSERT ON shop_visit BEGIN "
        "UPDATE filters SET f = bloom_add(f, NEW.email); END"
    )


class MayMatch(models.Func):
    function = "bloom_may_match"
    output_field = models.BooleanField()


known = RawSQL("(SELECT bloom_open(f) FROM filters WHERE name = %s)", ["known"])
passed = Visit.objects.filter(MayMatch("email", known)).values_list("email", flat=True)
ok(sorted(passed) == ["ann@example.com", "bo@example.com"], "Django: a filter in a query")

found = []
thread = threading.Thread(target=lambda: found.append(Visit.objects.filter(MayMatch("email", known)).count()))
thread.start()
thread.join()
ok(found == [2], "Django: a connection of another thread has it, too")

Visit.objects.create(email="di@example.com")
ok(Visit.objects.filter(MayMatch("email", known)).count() == 3, "Django: a trigger")


# A migration that alters a column makes a new table of it.
def triggers():
    with connection.cursor() as sql:
        sql.execute("SELECT count(*) FROM sqlite_master WHERE type = 'trigger'")
        return sql.fetchone()[0]


before = triggers()
old, new = Visit._meta.get_field("email"), models.CharField(max_length=100)
new.set_attributes_from_name("email")
with connection.schema_editor() as editor:
    editor.alter_field(Visit, old, new)
ok((before, triggers()) == (1, 0), "Django: a migration of a column drops the triggers")

# ---- SQLAlchemy
os.chdir(scratch.name)
exec(sqlalchemy_hook)
from sqlalchemy import Column, LargeBinary, MetaData, Table, Text
from sqlalchemy import column, func, select, table, text
from sqlalchemy.exc import OperationalError

tables = MetaData()
visit = Table("visit", tables, Column("email", Text))
filters = Table("filters", tables, Column("name", Text), Column("f", LargeBinary))
tables.create_all(engine)
with engine.begin() as db:
    emails = [{"email": name + "@example.com"} for name in ("ann", "bo", "cy")]
    db.execute(visit.insert(), emails)
    f = db.execute(
        select(func.bloom_build(visit.c.email)).where(visit.c.email < "c")
    ).scalar()
    ok(isinstance(f, bytes), "SQLAlchemy: a filter is bytes")
    db.execute(filters.insert(), {"name": "known", "f": f})

known = select(func.bloom_open(filters.c.f)).where(filters.c.name == "known")
query = select(visit.c.email).where(
    func.bloom_may_match(visit.c.email, known.scalar_subquery())
)
for engine_connection in ("the first", "another"):
    with engine.connect() as db:
        passed = sorted(db.execute(query).scalars())
    ok(passed == ["ann@example.com", "bo@example.com"],
       "SQLAlchemy: a filter in a query, by " + engine_connection + " connection")
    engine.dispose()

# ---- SQLAlchemy: the call that keeps a filter. A SELECT begins no transaction, so
# the call is one of its own unless something was written before it.
create = select(func.bloom_create_parts("visit", "email"))
drop = select(func.bloom_drop_parts("visit", "email"))


def made():
    with engine.connect() as db:
        return db.execute(
            select(func.count()).select_from(
                text("sqlite_master WHERE name GLOB 'visit_email_*'")
            )
        ).scalar()


with engine.begin() as db:
    view = db.execute(create).scalar()
    db.execute(visit.insert(), {"email": "di@example.com"})
keeps = table("visit_email_filter", column("filter"))
query = select(visit.c.email).where(
    func.bloom_may_match(visit.c.email, select(keeps.c.filter).scalar_subquery())
)
with engine.connect() as db:
    ok(
        (view, len(db.execute(query).all())) == ("visit_email_filter", 4),
        "SQLAlchemy: a kept filter",
    )
with engine.connect() as db:
    ok(db.execute(drop).scalar() > 5, "SQLAlchemy: dropped")
ok(made() == 0, "SQLAlchemy: without a commit, for it began no transaction")
with engine.connect() as db, db.begin() as transaction:
    db.execute(create)
    transaction.rollback()
ok(made() > 5, "SQLAlchemy: its rollback leaves what a call made")
before = made()
with engine.connect() as db, db.begin() as transaction:
    db.execute(visit.insert(), {"email": "eve@example.com"})
    db.execute(drop)
    transaction.rollback()
ok(made() == before, "SQLAlchemy: after an insert, a call is rolled back with it")
with engine.connect() as db:
    rows = db.execute(select(visit.c.email).limit(2))
    rows.fetchone()
    try:
        db.execute(create)
        message = "none"
    except OperationalError as error:
        message = str(error.orig)
    rows.close()
    ok(
        "another statement of this connection is running" in message,
        "SQLAlchemy: rows that were not read to the end: " + message,
    )
    ok(
        db.execute(create).scalar() == "visit_email_filter",
        "SQLAlchemy: once they are closed, the call passes",
    )
print(f"1..{count}")
