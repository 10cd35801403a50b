"""Runs Django's tests with a kept filter on every CharField:

    keep_every_field.py runtests.py schema migrations

The schema editor keeps and drops filters as migrations do with the operations of
sqlite_bloom.django, and it makes them again as the end of `migrate` does. Before and
after each change of the schema, no filter may have lost a row. After it, each must
exclude a key that is not there. The last line counts."""
import contextlib
import runpy
import sys

from django.core.management.base import CommandError
from django.db import models
from django.db.backends.sqlite3.base import DatabaseWrapper
from django.db.backends.sqlite3.schema import DatabaseSchemaEditor
from django.db.models.signals import post_migrate
from sqlite_bloom.django import _kept_filters, _mend

counts = {"filters": 0, "checks": 0, "lost rows": 0, "excluding nothing": 0}


def check(connection, mended):
    with connection.cursor() as cursor:
        for _, table, column in _kept_filters(cursor):
            t, c, view = map(
                connection.ops.quote_name, (table, column, f"{table}_{column}_filter")
            )
            cursor.execute(
                f"SELECT count(*), (SELECT bloom_may_match(x'00', filter) FROM {view})"
                f" FROM {t} WHERE NOT bloom_may_match({c}, (SELECT filter FROM {view}))"
            )
            lost, passed = cursor.fetchone()
            counts["checks"] += 1
            counts["lost rows"] += lost
            counts["excluding nothing"] += mended and passed


class KeepingEditor(DatabaseSchemaEditor):
    remaking = False

    def __enter__(self):
        if not self.collect_sql and not self.connection.in_atomic_block:
            self.drop_remains()
            check(self.connection, False)
        return super().__enter__()

    def __exit__(self, exc_type, exc_value, traceback):
        super().__exit__(exc_type, exc_value, traceback)
        if not self.collect_sql and not self.connection.in_atomic_block:
            with contextlib.suppress(CommandError):  # for what tests drop by SQL
                _mend(signal=post_migrate, using=self.connection.alias, verbosity=0)
            self.drop_remains()
            check(self.connection, True)

    def drop_remains(self):
        """Drops filters whose tables tests have dropped by SQL."""
        tables = self.connection.introspection.table_names()
        with self.connection.cursor() as cursor:
            for kind, table, column in _kept_filters(cursor):
                if table not in tables:
                    cursor.execute(f"SELECT bloom_drop_{kind}(%s, %s)", [table, column])

    def call(self, verb, table, column):
        if not self.collect_sql and not self.remaking:
            self.execute(f"SELECT bloom_{verb}_parts(%s, %s)", [table, column])
            counts["filters"] += verb == "create"

    def keep(self, model, field):
        if isinstance(field, models.CharField) and not getattr(
            field, "db_collation", None
        ):
            self.call("create", model._meta.db_table, field.column)

    def drop(self, dropped_table, dropped_column=None):
        if self.collect_sql or self.remaking:
            return []
        with self.connection.cursor() as cursor:
            columns = [
                column
                for _, table, column in _kept_filters(cursor)
                if table == dropped_table and dropped_column in (None, column)
            ]
        for column in columns:
            self.call("drop", dropped_table, column)
        return columns

    def _remake_table(self, *arguments, **named):
        self.remaking, before = True, self.remaking
        try:
            super()._remake_table(*arguments, **named)
        finally:
            self.remaking = before

    def create_model(self, model):
        super().create_model(model)
        for field in model._meta.local_fields:
            self.keep(model, field)

    def delete_model(self, model, **named):
        self.drop(model._meta.db_table)
        super().delete_model(model, **named)

    def alter_db_table(self, model, old, new, **named):
        columns = self.drop(old)
        super().alter_db_table(model, old, new, **named)
        for column in columns:
            self.call("create", new, column)

    def add_field(self, model, field):
        super().add_field(model, field)
        self.keep(model, field)

    def remove_field(self, model, field):
        self.drop(model._meta.db_table, field.column)
        super().remove_field(model, field)

    def alter_field(self, model, old, new, strict=False):
        kept = old.column == new.column and not getattr(new, "db_collation", None)
        if not kept:
            self.drop(model._meta.db_table, old.column)
        super().alter_field(model, old, new, strict)
        if not kept:
            self.keep(model, new)


DatabaseWrapper.SchemaEditorClass = KeepingEditor
del sys.argv[0]
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
finally:
    print(counts)
