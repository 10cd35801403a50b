"""Kept filters in a Django project: an application for INSTALLED_APPS.

It loads the extension into every connection to SQLite, and has

- operations of migrations that keep and drop filters: KeepFilter,
  KeepBlockFilters, DropFilter and DropBlockFilters;
- expressions of queries that probe them: MayMatch and Candidates.

At the end of `migrate`, it makes those filters again whose triggers are gone,
because Django alters most columns by making a new table. With another database
than SQLite, the operations do nothing, and the expressions exclude nothing.
"""

import re
import sys

from django.core.exceptions import EmptyResultSet, FieldDoesNotExist
from django.core.management.base import CommandError
from django.db import OperationalError, connections, models
from django.db.backends.signals import connection_created
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.models.expressions import ExpressionList
from django.db.models.signals import post_migrate, pre_migrate

from . import load

__all__ = [
    "KeepFilter",
    "KeepBlockFilters",
    "DropFilter",
    "DropBlockFilters",
    "MayMatch",
    "Candidates",
]

ORDER = (
    "a filter is named after its table and column. A migration that renames or removes "
    "one of them needs sqlite_bloom.django.DropFilter (DropBlockFilters) before that "
    "operation, and after it, if it renames, KeepFilter (KeepBlockFilters) with the new "
    "name"
)
BACK = (
    "If that migration was applied, undo what you edited in it, go back to the migration "
    "before it (migrate APP NAME), and only then add the operations and migrate"
)


# ---- Operations


class KeepFilter(Operation):
    """Calls bloom_create_parts for a model's field, and bloom_drop_parts on the
    way back."""

    kind = "parts"
    filter = "a filter"
    default_bits_per_key = 10

    def __init__(self, model, field, bits_per_key=None, keys=None):
        if bits_per_key is None and keys is not None:
            bits_per_key = self.default_bits_per_key
        self.model = model
        self.field = field
        self.numbers = [n for n in (bits_per_key, keys) if n is not None]

    def state_forwards(self, app_label, state):
        pass

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        self._call("create", self.numbers, app_label, schema_editor, to_state)

    def database_backwards(self, app_label, schema_editor, from_state, to_state):
        self._call("drop", [], app_label, schema_editor, to_state)

    def _call(self, verb, numbers, app_label, schema_editor, state):
        connection = schema_editor.connection
        model = state.apps.get_model(app_label, self.model)
        if connection.vendor == "sqlite" and self.allow_migrate_model(
            connection.alias, model
        ):
            field = model._meta.get_field(self.field)
            arguments = [*_table_and_column(field), *numbers]
            places = ", ".join(["%s"] * len(arguments))
            schema_editor.execute(
                f"SELECT bloom_{verb}_{self.kind}({places})", arguments
            )

    def describe(self):
        return f"Keep {self.filter} of {self.model}.{self.field}"


class DropFilter(KeepFilter):
    """The inverse of KeepFilter. The numbers are for the way back."""

    database_forwards = KeepFilter.database_backwards
    database_backwards = KeepFilter.database_forwards

    def describe(self):
        return f"Drop {self.filter} of {self.model}.{self.field}"


class KeepBlockFilters(KeepFilter):
    """Calls bloom_create_blocks for a model's field, and bloom_drop_blocks on the
    way back."""

    kind = "blocks"
    filter = "block filters"
    default_bits_per_key = 12

    def __init__(self, model, field, bits_per_key=None, rows=None):
        super().__init__(model, field, bits_per_key, rows)


class DropBlockFilters(KeepBlockFilters):
    """The inverse of KeepBlockFilters. The numbers are for the way back."""

    database_forwards = DropFilter.database_forwards
    database_backwards = DropFilter.database_backwards
    describe = DropFilter.describe


def _table_and_column(field):
    """Where a field is stored: in the parent's table, if it is inherited."""
    return field.model._meta.db_table, field.column


# ---- Expressions


class MayMatch(models.Func):
    """Whether the kept filter of a model's field lets a key pass. If it does not,
    no row has the key. The key is the name of a field, or an expression."""

    output_field = models.BooleanField()

    def __init__(self, key, model, field):
        super().__init__(key)
        self.member = _field("MayMatch", model, field)

    def __invert__(self):
        raise TypeError(
            "MayMatch: it must not be negated alone, because it is also true of some keys "
            "that no row has: write exclude(MayMatch(...), key__in=...), with a lookup of "
            "the key in the table"
        )

    def as_sqlite(self, compiler, connection):
        (key,) = self.source_expressions
        lookup = _lookup_of(self, compiler.query.where)
        if lookup and lookup.lhs.output_field.get_internal_type() != "BooleanField":
            raise TypeError(
                "MayMatch: it must be a condition of its own, as in filter(MayMatch("
                f"...), ...), got {lookup.lhs.output_field} compared with its result"
            )
        types = [f.db_type(connection) for f in (self.member, key.output_field)]
        if None not in types and _is_text(types[0]) != _is_text(types[1]):
            raise TypeError(
                f"MayMatch: key must be {types[0]}, as {self.member} is, got {types[1]}"
            )
        sql, params = compiler.compile(key)
        kept = _kept_filter(self.member, connection)
        return f"bloom_may_match({sql}, {kept})", params

    def as_sql(self, compiler, connection):
        return "(1 = 1)", []


class Candidates(models.Expression):
    """Those of a list of values that the kept filter of a model's field lets pass,
    for a condition field__in=Candidates(...) on that field and no other."""

    def __init__(self, values, model, field):
        if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
            raise TypeError(f"Candidates: values must be a list of keys, got {values!r}")
        super().__init__(output_field=_field("Candidates", model, field))
        self.values = tuple(values)
        for value in self.values:
            if isinstance(value, (dict, list, tuple, models.Model)):
                raise TypeError(
                    "Candidates: values must be a list of keys, such as "
                    f"values_list({field!r}, flat=True), got {value!r} in it"
                )

    @property
    def conditional(self):
        raise TypeError(
            "Candidates: it must be the value of an __in, as in filter("
            f"{self.output_field.name}__in=Candidates(...)), got a condition"
        )

    def as_sqlite(self, compiler, connection):
        lookup = _lookup_of(self, compiler.query.where)
        column = getattr(getattr(lookup, "lhs", None), "target", self.output_field)
        if lookup and (lookup.lookup_name != "in" or lookup.rhs is not self):
            raise TypeError(
                "Candidates: it must be the value of an __in, as it is a list, got "
                f"__{lookup.lookup_name}="
                + ("" if lookup.rhs is self else "a list with it")
            )
        if _table_and_column(column) != _table_and_column(self.output_field):
            raise TypeError(
                "Candidates: it must stand in an __in of the field that it names, "
                f"{self.output_field}, got {column}__in"
            )
        rows, params = self._list("(%s)", connection)
        kept = _kept_filter(self.output_field, connection)
        return (
            f"(SELECT column1 FROM (VALUES {rows})"
            f" WHERE bloom_may_match(column1, {kept}))",
            params,
        )

    def as_sql(self, compiler, connection):
        values, params = self._list("%s", connection)
        return f"({values})", params

    def _list(self, place, connection):
        # As in a plain list, None is left out.
        values = [value for value in self.values if value is not None]
        if not values:
            raise EmptyResultSet
        prepare = self.output_field.get_db_prep_value
        params = [prepare(value, connection) for value in values]
        return ", ".join([place] * len(params)), params


def _lookup_of(expression, node):
    """The condition of a query whose right side an expression is, or None. The right
    side may also be a list with such expressions, of which Django compiles copies."""
    right = getattr(node, "rhs", None)
    if right is expression:
        return node
    if isinstance(right, ExpressionList):
        right = right.source_expressions
    if isinstance(right, list) and any(type(e) is type(expression) for e in right):
        return node
    for child in getattr(node, "children", []):
        found = _lookup_of(expression, child)
        if found:
            return found
    return None


def _field(expression, model, name):
    if not (isinstance(model, type) and issubclass(model, models.Model)):
        raise TypeError(f"{expression}: model must be a model class, got {model!r}")
    return model._meta.get_field(name)


def _kept_filter(field, connection):
    """SQL for the kept filter of a field."""
    if field.get_internal_type() == "DecimalField":
        raise TypeError(
            "MayMatch and Candidates: field must not be a DecimalField, whose values "
            f"are numbers in SQLite and text in Django's queries, got {field}"
        )
    view = "_".join((*_table_and_column(field), "filter"))
    return f"(SELECT filter FROM {connection.ops.quote_name(view)})"


def _is_text(type_name):
    """Whether SQLite converts numbers to TEXT in a column of this type."""
    return re.search("char|clob|text", type_name, re.IGNORECASE) is not None


# ---- Connections


def _connect(connection, **event):
    load(connection, **event)
    if connection.vendor == "sqlite" and _explain not in connection.execute_wrappers:
        connection.execute_wrappers.append(_explain)


def _explain(execute, sql, params, many, context):
    """Says in SQLite's errors about a filter which operations are needed."""
    try:
        return execute(sql, params, many, context)
    except OperationalError as error:
        of_schema = r"error in (trigger|view) .*_(filter|part|block|span)"
        of_query = re.match("no such table: (.*)_(?:filter|part)$", str(error))
        if "bloom_may_match" in sql and of_query:
            advice = _why_missing(of_query.group(1), context["connection"])
        elif re.match(of_schema, str(error)):
            advice = ORDER
        elif sql.startswith("SELECT bloom_drop_") and "made nothing" in str(error):
            advice = _of_old_name(context["connection"]) or (
                "there is no such filter. If its migration was faked, un-apply it in the "
                "same way, by migrate --fake with the name of the migration before it"
            )
        else:
            raise
        raise OperationalError(f"{error}: {advice}") from error


def _why_missing(name, connection):
    """Why there is no filter in parts of this name, TABLE_COLUMN, and what to do."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM sqlite_master WHERE name = %s", [name + "_spans"]
        )
        if cursor.fetchone() != (0,):
            return (
                "this field has block filters (KeepBlockFilters), which are joined in "
                "SQL. MayMatch and Candidates need sqlite_bloom.django.KeepFilter in a "
                "migration"
            )
    old = _of_old_name(connection)
    if old:
        return old
    loader = MigrationLoader(connection)
    keeping = [key for key in loader.graph.nodes if name in _keeps(loader, key)]
    if not keeping:
        return (
            "no migration keeps this filter, or its application has no migrations "
            f"here. Add sqlite_bloom.django.KeepFilter to one, and migrate; {ORDER}"
        )
    app, migration = max(keeping)
    if (app, migration) in loader.applied_migrations:
        return (
            f"the migration {app}.{migration} keeps it and is recorded as applied, but "
            "it was faked, or the filter was dropped. Un-apply it by migrate "
            f"{app} --fake with the name of the migration before it, and migrate; "
            + ORDER
        )
    if connection.settings_dict.get("TEST", {}).get("MIGRATE") is False:
        return (
            'this database was made without migrations ("TEST": {"MIGRATE": False}). '
            f"Remove that, or keep the filter as {app}.{migration} does, by "
            "SELECT bloom_create_parts(table, column)"
        )
    return f"the migration {app}.{migration} keeps it, and was not applied: migrate"


def _keeps(loader, key):
    """The filters in parts that a migration keeps, as TABLE_COLUMN."""
    names = []
    for operation in loader.graph.nodes[key].operations:
        if type(operation) is not KeepFilter:
            continue
        try:
            model = loader.project_state(key).apps.get_model(key[0], operation.model)
            field = model._meta.get_field(operation.field)
        except (LookupError, FieldDoesNotExist):  # it was renamed or removed after it
            continue
        names.append("_".join(_table_and_column(field)))
    return names


# ---- migrate

# The call that made a filter, as it stands in the SQL of the view for queries.
_MARK = re.compile(
    r""""bloom_create_(parts|blocks)\('((?:[^']|'')*)', '((?:[^']|'')*)'"""
)


def _kept_filters(cursor):
    """The kind, table and column of each kept filter of a database."""
    cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'view'")
    for view, sql in cursor.fetchall():
        mark = _MARK.search(sql)
        if mark:
            kind, *names = mark.groups()
            names = [name.replace('""', '"').replace("''", "'") for name in names]
            if view == "_".join((*names, "filter" if kind == "parts" else "spans")):
                yield (kind, *names)


def _exists(cursor, table, column):
    cursor.execute(
        "SELECT count(*) FROM pragma_table_xinfo(%s) WHERE name = %s COLLATE NOCASE",
        [table, column],
    )
    return cursor.fetchone() != (0,)


def _of_old_name(connection):
    """What to do about filters whose column is gone, or None if there are none."""
    with connection.cursor() as cursor:
        old = [
            f"{table}.{column}"
            for _, table, column in list(_kept_filters(cursor))
            if not _exists(cursor, table, column)
        ]
    if not old:
        return None
    return f"{', '.join(old)}: there is a filter, but no such column: {ORDER}. {BACK}"


def _mend(signal, using, verbosity, **event):
    """Before and after `migrate`, drops filters whose own table somebody dropped
    with the model's, because their views make every ALTER TABLE ... RENAME an
    error. After it, also makes filters again that exclude nothing, since their
    triggers are gone, and raises CommandError for filters under an old name."""
    connection = connections[using]
    if connection.vendor != "sqlite":
        return

    def say(message):
        if verbosity > 0:
            (event.get("stdout") or sys.stdout).write(f"  {message}\n")

    def value(sql, *params):
        cursor.execute(sql, params)
        return cursor.fetchone()[0]

    with connection.cursor() as cursor:
        for kind, table, column in _kept_filters(cursor):
            own = f"{table}_{column}_{kind}"
            kept = value("SELECT count(*) FROM sqlite_master WHERE name = %s", own)
            exists = _exists(cursor, table, column)
            if not kept and not exists:
                value(f"SELECT bloom_drop_{kind}(%s, %s)", table, column)
                say(f"Dropped the rest of a filter of {table}.{column}")
            elif signal is pre_migrate:
                pass
            elif exists and not value("SELECT bloom_is_kept(%s, %s, %s)", kind, table, column):
                value(f"SELECT bloom_create_{kind}(%s, %s)", table, column)
                say(f"Made the filter of {table}.{column} again")
    old = _of_old_name(connection) if signal is post_migrate else None
    if old:
        raise CommandError(
            f"{old}. If there is no way back, call bloom_drop_parts or "
            "bloom_drop_blocks with these names."
        )


connection_created.connect(_connect)
pre_migrate.connect(_mend)
post_migrate.connect(_mend)
