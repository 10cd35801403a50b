#!/usr/bin/python3
"""A project as the Python package's page for Django says, on a file: its migrations
keep, alter, rename and drop filters, there and back, and its own tests run. With
Debian's Django, and with the newer ones that tests/tools/install has unpacked."""
# skip: /usr/lib/python3/dist-packages/django
import os
import re
import subprocess
import sys

sys.path[0] = "tests/lib"
from python_package import block, error_of, ok, plan, run_with_each, same, scratch

run_with_each("django")
import contextlib
import io

import django
from django.core.management import call_command

print("#", django.get_version())

# ---- The project


def write(name, text):
    path = os.path.join(scratch, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def manage(*arguments):
    """What manage.py prints, in a process of its own."""
    child = subprocess.run(
        [sys.executable, "-B", "manage.py", *arguments],
        cwd=scratch,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return child.stdout + (
        "" if child.returncode == 0 else f"status {child.returncode}"
    )


def unwrite(*migrations):
    for name in migrations:
        os.remove(f"app/migrations/{name}.py")


def migration(name, before, *operations):
    write(
        f"app/migrations/{name}.py",
        f"""
from django.db import migrations, models
from sqlite_bloom.django import *

class Migration(migrations.Migration):
    dependencies = [("app", "{before}")]
    operations = [{", ".join(operations)}]
""",
    )


os.chdir(scratch)
write(
    "settings.py",
    f"""
SECRET_KEY = "none"
DATABASES = {{"default": {{"ENGINE": "django.db.backends.sqlite3", "NAME": "my.db"}}}}
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
USE_TZ = True
{block("INSTALLED_APPS")}""",
)
write(
    "manage.py",
    """
import os, sys
from django.core.management import execute_from_command_line
os.environ["DJANGO_SETTINGS_MODULE"] = "settings"
execute_from_command_line(sys.argv)
""",
)
MODELS = """
from django.db import models

class Customer(models.Model):
    email = models.CharField(max_length=90, unique=True)

class Visit(models.Model):
    email = models.CharField(max_length=90)
"""
write("app/__init__.py", "")
write("app/migrations/__init__.py", "")
write("app/models.py", MODELS)
write(
    "app/queries.py",
    "from app.models import *\n"
    + block("Exists, OuterRef")
    + block("RawSQL")
    + block("objects.raw"),
)
write(
    "app/tests.py",
    """
from django.db import connection
from django.test import TestCase, TransactionTestCase
from app.models import Customer, Visit
from app.queries import visits_of_customers

class InTransaction(TestCase):
    def test_filter(self):
        Customer.objects.create(email="ann")
        Visit.objects.bulk_create([Visit(email="ann"), Visit(email="bo")])
        with self.assertNumQueries(1):
            self.assertEqual([v.email for v in visits_of_customers()], ["ann"])

class Flushed(TransactionTestCase):
    def test_filter(self):
        self.assertFalse(visits_of_customers().exists())
        Customer.objects.create(email="bo")
        Visit.objects.bulk_create([Visit(email="ann"), Visit(email="bo")])
        self.assertEqual([v.email for v in visits_of_customers()], ["bo"])
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM bloom_check('app_customer')")
            self.assertEqual(cursor.fetchone(), (0,))

    test_again = test_filter
""",
)
manage("makemigrations", "app")
write("app/migrations/0002_filter.py", block("KeepBlockFilters"))

os.environ["DJANGO_SETTINGS_MODULE"] = "settings"
django.setup()
from django.apps import apps
from django.core.management.base import CommandError
from django.db import connection, connections, migrations, models, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.writer import MigrationWriter
from django.db.models import Exists, OuterRef, Value
from django.db.models.expressions import RawSQL
from django.db.models.functions import Lower, Upper
from django.db.models.signals import post_migrate, pre_migrate
import sqlite_bloom.django as filters
from app.models import Customer, Visit
from app.queries import customers_among, visits_and_customers, visits_of_customers
from app.queries import visits_of_others, visits_with


def migrate(name, *options):
    """What migrate prints."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):  # older versions have a line there
        call_command("migrate", "app", name, *options, stdout=output)
    return output.getvalue()


def ask(sql, *params):
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return [value for (value,) in cursor.fetchall()]


def objects(prefix):
    """How many objects have a name that begins so."""
    return len(ask("SELECT name FROM sqlite_master WHERE name GLOB %s", prefix + "*"))


def problems(table):
    return ask(f"SELECT problem FROM bloom_check('{table}')")


def names(rows):
    """The keys of a query, which is asked again."""
    return " ".join(sorted(row.email for row in rows.all()))


def has(name, text, *parts):
    """Tests that a text has all of these parts."""
    ok(all(part in text for part in parts), name + ": " + text)


def state_models(name):
    """The models after a migration."""
    loader = MigrationExecutor(connection).loader
    return loader.project_state([("app", name)]).apps


# ---- Keeping
has(
    "migrate --plan",
    migrate("0002", "--plan"),
    "Keep a filter of customer.email",
    "Keep block filters of visit.email",
)
has(
    "sqlmigrate",
    manage("sqlmigrate", "app", "0002"),
    "SELECT bloom_create_parts('app_customer', 'email');",
    "SELECT bloom_create_blocks('app_visit', 'email');",
)
sql = manage("sqlmigrate", "app", "0002", "--backwards")
has("and backwards", sql, "SELECT bloom_drop_parts('app_customer', 'email');")

migrate("0001")
Customer.objects.bulk_create(Customer(email=name) for name in ("ann", "bo"))
migrate("0002")
same(objects("app_customer_email_parts"), 6, "a filter in parts")
same(objects("app_visit_email_blocks"), 4, "block filters")
Customer.objects.create(email="cy")
Customer.objects.filter(email="bo").update(email="dee")
Visit.objects.bulk_create(
    Visit(email=name) for name in ("ann", "bo", "cy", "dee", "eve")
)
passed = Visit.objects.filter(filters.MayMatch("email", Customer, "email"))
same(names(passed), "ann bo cy dee", "keys that the ORM writes")
ok(problems("app_customer") == [], "nothing is wrong")

# ---- Queries
same(names(visits_of_customers()), "ann cy dee", "the page's join")
same(names(customers_among(["ann", "x", "dee"])), "ann dee", "the page's list of values")
same(names(customers_among([])), "", "an empty list")
same(names(visits_with("cy")), "cy", "the page's block filters")
partners = {visit.email: visit.customer for visit in visits_and_customers()}
expected = {"bo": None, "eve": None, **dict(Customer.objects.values_list("email", "id"))}
same(partners, expected, "the page's LEFT JOIN")
several = filters.Candidates(["ann", "x", None], Customer, "email")
others = Customer.objects.exclude(email__in=several)
same(names(others), "cy dee", "a list of values that is excluded")
many = [f"{number}" for number in range(2000)] + ["ann"]
same(names(customers_among(many)), "ann", "a long list of values")


def sql_of(query):
    return " ".join(query.query.sql_with_params()[0].split())


page = " ".join(block("column1").split())
join, values = page.split(' "app_customer"."email" IN', 1)
has("the page's join", sql_of(visits_of_customers()), join)
among = customers_among(["a", "b"])
has("the page's list", sql_of(among), '"app_customer"."email" IN' + values)
has("the index, after the filter", among.explain(), "SEARCH app_customer USING")

of_value = Visit.objects.filter(filters.MayMatch(Value("ann"), Customer, "email"))
same(of_value.count(), 5, "a key that is a value")
of_function = Visit.objects.filter(filters.MayMatch(Upper("email"), Customer, "email"))
same(of_function.count(), 0, "a key that is an expression")
annotated = Visit.objects.annotate(known=filters.MayMatch("email", Customer, "email"))
known = dict(annotated.values_list("email", "known"))
ok(known["eve"] is False, "an annotation is of type bool")


class Price(models.Model):
    amount = models.DecimalField(max_digits=9, decimal_places=2)

    class Meta:
        app_label = "app"


def rows(model, *conditions, **named):
    return lambda: list(model.objects.filter(*conditions, **named))


decimal = "MayMatch and Candidates: field must not be a DecimalField"
for slip, said in (
    (
        rows(Visit, filters.MayMatch("id", Customer, "email")),
        "MayMatch: key must be varchar(90), as app.Customer.email is, got integer\n",
    ),
    (rows(Price, filters.MayMatch("amount", Price, "amount")), decimal),
    (rows(Price, amount__in=filters.Candidates([1], Price, "amount")), decimal),
    (
        rows(Visit, email=filters.MayMatch("email", Customer, "email")),
        "MayMatch: it must be a condition of its own, as in filter(MayMatch(...), "
        "...), got app.Visit.email compared with its result\n",
    ),
    (
        rows(Customer, models.Q(email=filters.Candidates(["a"], Customer, "email"))),
        "Candidates: it must be the value of an __in, as it is a list, got __exact=\n",
    ),
    (
        rows(Customer, email__in=[filters.Candidates(["a"], Customer, "email")]),
        "Candidates: it must be the value of an __in, as it is a list, got __in=a list "
        "with it\n",
    ),
    (
        lambda: filters.Candidates(Customer.objects.values("email"), Customer, "email"),
        "Candidates: values must be a list of keys, such as "
        "values_list('email', flat=True), got {'email': 'ann'} in it\n",
    ),
    (lambda: filters.Candidates(7, Customer, "email"), "Candidates: values must be a"),
    (
        lambda: Visit.objects.filter(~filters.MayMatch("email", Customer, "email")),
        "MayMatch: it must not be negated alone, because it is also true of some keys "
        "that no row has: write exclude(MayMatch(...), key__in=...), with a lookup",
    ),
    (
        rows(Customer, filters.Candidates(["a"], Customer, "email")),
        "Candidates: it must be the value of an __in, as in filter("
        "email__in=Candidates(...)), got a condition\n",
    ),
    (
        rows(Visit, email__in=filters.Candidates(["a"], Customer, "email")),
        "Candidates: it must stand in an __in of the field that it names, "
        "app.Customer.email, got app.Visit.email__in\n",
    ),
    (lambda: filters.MayMatch("email", "Customer", "email"), "MayMatch: model must be"),
    (lambda: filters.Candidates([], None, "email"), "Candidates: model must be"),
    (lambda: filters.Candidates("ann", Customer, "email"), "Candidates: values must be"),
):
    message = error_of(slip) + "\n"
    ok(message.startswith("TypeError: " + said), message)


same(names(annotated.filter(known=True)), "ann bo cy dee", "a filter by an annotation")

# ---- Where MayMatch loses rows, and the remedy (sql/lost_rows.md)
in_table = Exists(Customer.objects.filter(email=OuterRef("email")))
may_match = filters.MayMatch("email", Customer, "email")
with transaction.atomic():
    Customer.objects.bulk_create(Customer(email=f"customer{n}") for n in range(500))
    Visit.objects.bulk_create(Visit(email=f"visitor{n}") for n in range(2000))
    deleted = Visit.objects.filter(may_match, in_table).delete()[0]
    same(deleted, 3, "filter(MayMatch, Exists).delete() deletes what is in the set")
    deleted = Visit.objects.filter(may_match).delete()[0]
    ok(deleted > 0, f"filter(MayMatch).delete() also deletes others: {deleted}")
    transaction.set_rollback(True)
new = "bo eve"
same(names(Visit.objects.exclude(in_table)), new, "rows without a member")
lost = names(Visit.objects.filter(may_match).exclude(in_table))
same(lost, "bo", "filter(MayMatch).exclude(Exists) has false positives alone")
same(names(visits_of_others()), new, "the page's exclude of both has all")
annotated = Visit.objects.annotate(known=in_table)
same(annotated.filter(may_match).count(), 4, "annotate(known=Exists).filter(MayMatch)")
same(annotated.count(), 5, "loses rows that only the annotation speaks of")
Visit.objects.create(email="CY")
lowered = Exists(Customer.objects.filter(email=Lower(OuterRef("email"))))
of_lower = filters.MayMatch(Lower("email"), Customer, "email")
found = names(Visit.objects.filter(may_match, lowered))
same(found, "ann cy dee", "a join by Lower loses a row if a bare column is probed")
found = names(Visit.objects.filter(of_lower, lowered))
same(found, "CY ann cy dee", "with the same expression, none is")
Visit.objects.filter(email="CY").delete()

# ---- Whether a filter would help
exec(block("bloom.advise("))
said = io.StringIO()
with contextlib.redirect_stdout(said):
    test_visits_of_customers()
ok(re.search("no filter pays|times as fast", said.getvalue()), "advise: " + said.getvalue())
of_a = models.Q(email__startswith="a") | models.Q(email__contains="50%")
plain = Visit.objects.filter(of_a, email__in=Customer.objects.values("email"))
plain = plain.annotate(a=RawSQL("email LIKE 'a%%' AND %s", [1])).filter(a=True)
(row,) = bloom.advise(plain, seconds=5).filters
sides = ("app_visit.email", "app_customer.email")  # either may have the filter
ok(row.probe in sides, f"advise: a queryset: {row.probe}")
has("with its parameters", row.sql, "LIKE 'a%' AND", "?2")
plain = plain.values("email")
other = Visit.objects.filter(email__gte="bo", email__lt="cz").values("email")
found = bloom.compare(plain, other)
found = found.same, found.plain_rows, found.filtered_rows
same(found, (False, 1, 2), "compare: each has its parameters")
message = error_of(bloom.compare, plain, "SELECT 1")
same(message, "TypeError: compare: connection must be given with a query in SQL", "SQL")
same(bloom.compare(plain, "SELECT 1", connection).same, False, "SQL and a queryset")


# ---- Another database
class OtherDatabase(type(connections["default"])):
    vendor = "other"


other = OtherDatabase(connection.settings_dict, "default")


def sql_elsewhere(query):
    return query.query.get_compiler(connection=other).as_sql()


ok(
    "WHERE ((1 = 1) AND EXISTS" in sql_elsewhere(visits_of_customers())[0],
    "another database: MayMatch excludes nothing",
)
same(
    sql_elsewhere(others)[1],
    ("ann", "x"),
    "another database: a list leaves out None",
)
sql, params = sql_elsewhere(customers_among(["a", "b"]))
ok(
    sql.endswith('"email" IN (%s, %s)') and tuple(params) == ("a", "b"),
    "another database: the list itself",
)
state = MigrationExecutor(connection).loader.project_state([("app", "0001_initial")])
operations = (
    filters.KeepFilter("customer", "email", 12),
    filters.KeepFilter("Customer", "email", keys=5000),
    filters.DropFilter("customer", "email", 12, keys=7),
    filters.KeepBlockFilters("visit", "email", rows=512),
    filters.KeepBlockFilters("visit", "email", 8, 512),
    filters.DropBlockFilters("visit", "email"),
)


def sql_of_operations(database):
    """What they run, there and back."""
    with database.schema_editor(collect_sql=True) as editor:
        for operation in operations:
            operation.database_forwards("app", editor, state, state)
            operation.database_backwards("app", editor, state, state)
    return editor.collected_sql


same(sql_of_operations(other), [], "another database: the operations do nothing")
connections["other"] = other
other.connect()
message = error_of(other.connection.execute, "SELECT bloom_version()")
has("another database: nothing is loaded", message, "no such function")
other.close()
for signal in (pre_migrate, post_migrate):
    signal.send(sender=apps.get_app_config("app"), using="other", verbosity=1)
ok(other.connection is None, "another database: migrate asks for no filters")
del connections["other"]

# ---- Numbers, and operations that are written into migrations
calls = [line for line in sql_of_operations(connection) if "_create_" in line]
expected = [
    "SELECT bloom_create_parts('app_customer', 'email', 12);",
    "SELECT bloom_create_parts('app_customer', 'email', 10, 5000);",
    "SELECT bloom_create_parts('app_customer', 'email', 12, 7);",
    "SELECT bloom_create_blocks('app_visit', 'email', 12, 512);",
    "SELECT bloom_create_blocks('app_visit', 'email', 8, 512);",
    "SELECT bloom_create_blocks('app_visit', 'email');",
]
same(calls, expected, "numbers")
written = migrations.Migration("written", "app")
written.operations = [filters.KeepFilter("customer", "email", keys=5000)]
text = MigrationWriter(written).as_string()
namespace = {}
exec(text, namespace)
(operation,) = namespace["Migration"].operations
made = (operation.model, operation.field, operation.numbers)
expected = ("customer", "email", [10, 5000])
same(made, expected, "a migration that squashmigrations writes")

# ---- A column that is altered
migration(
    "0003_longer",
    "0002_filter",
    'migrations.AlterField("customer", "email", models.CharField(max_length=99, unique=True))',
    'migrations.AddField("visit", "n", models.IntegerField(default=0))',
    'migrations.AlterField("visit", "email", models.CharField(max_length=99))',
)
made = sorted(re.findall("Made the filter of (.*) again", migrate("0003")))
both = ["app_customer.email", "app_visit.email"]
same(made, both, "a column that is altered: the filters are made again, once")
same(problems("app_customer"), [], "and nothing is wrong")
same(problems("app_visit"), [], "with block filters neither")
passed = passed.only("email")
same(names(passed), "ann cy dee", "the filter excludes, bo too, which is gone")
ok("again" not in migrate("0003"), "but it is not made again without need")
ok("again" in migrate("0002"), "on the way back, it is")
same(names(passed), "ann cy dee", "and excludes")

# ---- A field and a model that are renamed, the careless way first
unwrite("0003_longer")
migration(
    "0003_careless",
    "0002_filter",
    'migrations.RenameField("customer", "email", "mail")',
)
has(
    "a field that is renamed, without the operations",
    error_of(migrate, "0003"),
    "CommandError: app_customer.email: there is a filter, but no such",
    "DropFilter",
    "KeepFilter",
    "go back to the migration before it",
)
# Whoever edits the migration first cannot go back, and is told why.
careless = 'migrations.RenameField("customer", "email", "mail")'
migration(
    "0003_careless",
    "0002_filter",
    'DropFilter("customer", "email")',
    careless,
    'KeepFilter("customer", "mail")',
)
message = manage("migrate", "app", "0002")
has("back, after an edit", message, "made nothing here", "undo what you edited in it")
ok("faked" not in message, "and nothing is said of faked migrations")
migration("0003_careless", "0002_filter", careless)
Renamed = state_models("0003_careless").get_model("app", "Customer")
has(
    "a query that looks for the new name",
    error_of(list, Visit.objects.filter(filters.MayMatch("email", Renamed, "mail"))),
    "OperationalError: no such table: app_customer_mail_filter: ",
    "KeepFilter",
    "go back to the migration before it",
)
migrate("0002")
same(names(passed), "ann cy dee", "back again, the filter is right")

unwrite("0003_careless")
write("app/migrations/0003_rename.py", block("RenameField("))
migration(
    "0004_client",
    "0003_rename",
    'DropFilter("customer", "mail")',
    'DropBlockFilters("visit", "email")',
    'migrations.RenameModel("Customer", "Client")',
    'migrations.RenameModel("Visit", "Call")',
    'KeepFilter("client", "mail")',
    'KeepBlockFilters("call", "email")',
)
migrate("0004")
Client, Call = (
    state_models("0004_client").get_model("app", name) for name in ("Client", "Call")
)
passed = Call.objects.filter(filters.MayMatch("email", Client, "mail"))
same(names(passed), "ann cy dee", "a field and a model that are renamed")
same(objects("app_customer_"), 0, "nothing has the old name")
same(problems("app_client"), [], "and nothing is wrong")
migrate("0002")
same(objects("app_client"), 0, "renamed back")
same(names(visits_of_customers()), "ann cy dee", "with a filter in parts")
same(names(visits_with("cy")), "cy", "and with block filters")

# ---- A field and a model that are removed
# The way back would have no value for the column of a row.
Customer.objects.all().delete()
unwrite("0003_rename", "0004_client")
migration(
    "0003_removed",
    "0002_filter",
    'migrations.RemoveField("customer", "email")',
)
message = error_of(migrate, "0003")
has("a field that is removed, without them", message, "DropFilter", "KeepFilter")
ok("status" not in manage("migrate", "app", "0002"), "and back")
unwrite("0003_removed")
migration(
    "0003_dropped",
    "0002_filter",
    'DropFilter("customer", "email")',
    'migrations.RemoveField("customer", "email")',
    'DropBlockFilters("visit", "email")',
    'migrations.DeleteModel("Visit")',
)
migrate("0003")
left = objects("app_customer_") + objects("app_visit")
same(left, 0, "a field and a model that are removed")
migrate("0001")
same(objects("app_customer_email"), 0, "and back to the beginning")
unwrite("0003_dropped")

# ---- Tables that are dropped without their views
migrate("0002")
with connection.cursor() as cursor:
    cursor.execute("DROP TABLE app_visit")
    cursor.execute("DROP TABLE app_visit_email_blocks")
output = migrate("0001", "--fake")
name = "tables that are dropped without their views"
has(name, output, "Dropped the rest of a filter of app_visit.email")
same(objects("app_visit"), 0, name)

# ---- By manage.py alone, as a user does
connection.close()
os.remove("my.db")
output = manage("migrate")
ok("OK" in output and "status" not in output, "manage.py migrate: " + output)
write(
    "customers.json",
    '[{"model": "app.customer", "pk": 1, "fields": {"email": "flo"}},'
    ' {"model": "app.visit", "pk": 1, "fields": {"email": "flo"}},'
    ' {"model": "app.visit", "pk": 2, "fields": {"email": "gus"}}]',
)
output = manage("loaddata", "customers.json")
has("manage.py loaddata", output, "Installed 3 object(s)")
same(names(visits_of_customers()), "flo", "its keys are in the filter")
ok("status" not in manage("flush", "--no-input"), "manage.py flush")
same(problems("app_customer"), [], "and nothing is wrong")
has("manage.py test", manage("test"), "Ran 3 tests", "OK")

# ---- A query without its filter: which of the reasons it is
for slip, said in (
    (rows(Customer, filters.MayMatch("id", Customer, "id")), "no migration keeps this"),
    (
        rows(Visit, filters.MayMatch("email", Visit, "email")),
        "this field has block filters (KeepBlockFilters), which are joined in SQL",
    ),
):
    message = error_of(slip)
    missing = "OperationalError: no such table: app_"
    has("no filter", message, missing, said, "KeepFilter")
migrate("0001")
wanted = rows(Visit, filters.MayMatch("email", Customer, "email"))
missing = "OperationalError: no such table: app_customer_email_filter: "
message = error_of(wanted)
not_applied = "the migration app.0002_filter keeps it, and was not applied: migrate"
same(message, missing + not_applied, "no filter")
of_part = Visit.objects.raw(
    "SELECT id FROM app_visit WHERE bloom_may_match(email, (SELECT f "
    "FROM app_customer_email_part WHERE part = bloom_part(email, parts)))"
)
missing_part = "OperationalError: no such table: app_customer_email_part: "
same(error_of(list, of_part), missing_part + not_applied, "no filter, of one part")
migrate("0002", "--fake")
message = error_of(wanted)
said = ("app.0002_filter keeps it", "faked", "app --fake with")
has("no filter", message, missing, *said)
message = error_of(migrate, "0001")
said = "made nothing here: there is no such"
has("a faked migration, on the way back", message, said)
migrate("0001", "--fake")
migrate("0002")
same(error_of(wanted), "no error", "un-applied in the same way, and migrated")
write(
    "unmigrated.py",
    'from settings import *\nDATABASES["default"]["TEST"] = {"MIGRATE": False}\n',
)
output = manage("test", "--settings", "unmigrated")
said = ("was made without migrations", "FAILED")
has("manage.py test, without migrations", output, *said)
plan()
