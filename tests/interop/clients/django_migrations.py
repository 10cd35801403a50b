#!/usr/bin/python3
"""A project with Django whose migrations make and remove a filter, as the Python
package's README says: forwards, backwards, and through migrations that rebuild
the table."""
# skip: /usr/lib/python3/dist-packages/django
import os
import re
import shutil
import sys
import tempfile

count = 0


def ok(passed, name):
    global count
    count += 1
    print("ok" if passed else "not ok", count, "-", name)


# ---- The project, with the package as it is installed.
scratch = tempfile.TemporaryDirectory()
package = os.path.join(scratch.name, "sqlite_bloom")
shutil.copytree("ext/packaging/python/sqlite_bloom", package)
shutil.copy(os.environ.get("DIST", "dist") + "/bloom.so", package)

with open("ext/packaging/python/README.md") as file:
    blocks = re.findall(r"```python\n(.*?)```", file.read(), re.S)


def block(text):
    (found,) = [block for block in blocks if text in block]
    return found


def write(name, text):
    path = os.path.join(scratch.name, "app", name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def migration(before, *operations):
    return f"""
from django.db import migrations, models

def fail(apps, schema_editor):
    raise RuntimeError("this migration fails")

class Migration(migrations.Migration):
    dependencies = [{f'("app", "{before}")' if before else ""}]
    operations = [{", ".join(operations)}]
"""


key = '("id", models.AutoField(primary_key=True))'
write("__init__.py", "")
write("migrations/__init__.py", "")
write(
    "models.py",
    """
from django.db import models

class Customer(models.Model):
    email = models.CharField(max_length=90)

class Visit(models.Model):
    email = models.TextField()
""",
)
write(
    "migrations/0001_initial.py",
    migration(
        "",
        f'migrations.CreateModel("Customer", [{key}, ("email", models.TextField())])',
    ),
)
write("migrations/0002_filter.py", block("bloom_drop_parts"))
write(
    "migrations/0003_visit.py",
    migration(
        "0002_filter",
        f'migrations.CreateModel("Visit", [{key}, ("email", models.TextField())])',
    ),
)
write("migrations/0004_shorter.py", block("AlterField"))
write(
    "migrations/0005_careless.py",
    migration(
        "0004_shorter",
        'migrations.AlterField("customer", "email", models.CharField(max_length=80))',
    ),
)
write(
    "migrations/0006_fails.py",
    migration(
        "0005_careless",
        """migrations.RunSQL("SELECT bloom_create_parts('app_customer', 'email')")""",
        """migrations.RunSQL("SELECT bloom_create_blocks('app_customer', 'email')")""",
        "migrations.RunPython(fail)",
    ),
)
sys.path[0] = scratch.name
sys.dont_write_bytecode = True

import django
from django.conf import settings
from django.core.management import call_command

settings.configure(
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": os.path.join(scratch.name, "django.db"),
        }
    },
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    INSTALLED_APPS=["app"],
)
django.setup()
import sqlite_bloom as bloom

exec(block("connection_created"))
exec(block("MayMatch"))
from django.db import connection
from app.models import Customer, Visit


def migrate(name):
    call_command("migrate", "app", name, verbosity=0)


def ask(sql):
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return [value for (value,) in cursor.fetchall()]


def kept():
    """The names of the objects of filters."""
    return ask("SELECT name FROM sqlite_master WHERE name LIKE 'app_customer_email_%'")


def problems():
    return ask("SELECT problem FROM app_customer_email_parts_check")


def visits():
    """The names in the visits that pass the filter."""
    passed = Visit.objects.filter(MayMatch("email", known)).order_by("email")
    return " ".join(visit.email.split("@")[0] for visit in passed)


def customers(*names):
    Customer.objects.bulk_create(Customer(email=name + "@a.example") for name in names)


# ---- Forwards
migrate("0001")
customers("ann", "bo")
migrate("0003")
Visit.objects.bulk_create(
    Visit(email=name + "@a.example") for name in ("ann", "bo", "cy", "dee", "eve")
)
ok(visits() == "ann bo", "the filter of a migration in a query: " + visits())
customers("cy")
Customer.objects.filter(email="bo@a.example").update(email="dee@a.example")
ok(visits() == "ann bo cy dee", "keys that the ORM writes: " + visits())

# One customer, whose key is asked for before it is looked up.
one = RawSQL(
    "CASE WHEN bloom_may_match(%s, (SELECT f FROM app_customer_email_part"
    " WHERE part = bloom_part(%s, parts))) THEN %s END",
    ["cy@a.example"] * 3,
)
ok(Customer.objects.get(email=one).email == "cy@a.example", "a lookup by one part")
ok(problems() == [], "nothing is wrong")

# ---- Through migrations that rebuild the table
migrate("0004")
ok(
    (visits(), problems()) == ("ann cy dee", []),
    "a migration that rebuilds the table and makes the filter again: " + visits(),
)
customers("bo")
ok(visits() == "ann bo cy dee", "keys that come then: " + visits())
migrate("0003")
ok(
    (visits(), problems()) == ("ann bo cy dee", []),
    "backwards, where the table is rebuilt, too: " + visits(),
)
migrate("0005")
mend = ": SELECT bloom_create_parts('app_customer', 'email')"
ok(
    visits() == "ann bo cy dee eve" and all(mend in problem for problem in problems()),
    "a migration without the call: no row is excluded, and the check names the "
    f"call in {len(problems())} rows",
)
customers("eve")
before = kept()
try:
    migrate("0006")
    message = "none"
except RuntimeError as error:
    message = str(error)
ok(
    (message, kept()) == ("this migration fails", before),
    "a migration that fails leaves nothing of two calls: " + message,
)

# ---- Backwards
migrate("0002")
ok(problems() == [] and len(kept()) > 5, "backwards to the filter")
migrate("0001")
ok(kept() == [], "and past it: nothing is left")
ok(Customer.objects.count() == 5, "but the customers")
migrate("0003")
Visit.objects.bulk_create([Visit(email="bo@a.example"), Visit(email="x@a.example")])
ok(visits() == "bo", "forwards again: " + visits())
print(f"1..{count}")
