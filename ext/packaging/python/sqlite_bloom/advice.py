"""Whether a filter makes a query faster: bloom_advise and bloom_compare for queries of
Django, SQLAlchemy, sqlite3 and apsw."""

import itertools
import json
import re
import sqlite3
from typing import Any, Dict, Iterable, List, NamedTuple, NoReturn, Optional, Tuple

from . import _driver_connection, load


class Filter(NamedTuple):
    """What is known of the best filter of one lookup, a row of bloom_advise."""

    advice: str
    faster: Optional[float]
    sql: Optional[str]
    probe: str
    set: str
    share: Optional[float]


class Advice(NamedTuple):
    """What bloom_advise says of a query. The outcome is "advised",
    "no filter needed" (sql is faster without one), "nothing gains" or
    "nothing tried"; sql is the query with all filters that pay, if it is advised."""

    outcome: str
    advice: str
    faster: Optional[float]
    sql: Optional[str]
    filters: Tuple[Filter, ...]


class Comparison(NamedTuple):
    """What bloom_compare says of two queries. If same is None, filtered was stopped."""

    same: Optional[bool]
    faster: Optional[float]
    plain_ms: float
    filtered_ms: float
    plain_rows: int
    filtered_rows: int
    verdict: str


def advise(
    query: Any, connection: Any = None, seconds: Any = None, parameters: Any = None
) -> Advice:
    """Tries which filters make a query faster. It ends after so many seconds, 60 by
    default.

    The query is a queryset of Django, a statement of SQLAlchemy or SQL. With
    SQLAlchemy's and SQL, the connection must be given, which is one that load takes,
    and with SQL the parameters, a list or a dict by name.

    Raises ValueError if the query cannot be analysed or run.
    """
    read = _read("advise", query, connection, parameters, 1)
    call = (
        "SELECT outcome, advice, faster, sql, probe, \"set\", share "
        "FROM bloom_advise(?, ?, ?)"
    )
    (verdict, *others) = _ask(call, read.connection, read.sql, seconds, read.parameters)
    if verdict[0] == "error":
        raise ValueError(f"advise: {verdict[1]}")
    return Advice(*verdict[:4], tuple(Filter(*row[1:]) for row in others))


def compare(
    plain: Any, filtered: Any, connection: Any = None, parameters: Any = None
) -> Comparison:
    """Runs two queries, as advise takes them, and compares their rows and times. Two
    queries in SQL have the same parameters."""
    one = _read("compare", plain, connection, parameters, 1)
    count = 0 if isinstance(plain, str) else len(one.parameters)
    two = _read("compare", filtered, connection, parameters, 1 + count)
    if one.connection is not two.connection:
        raise TypeError("compare: both queries must be for one connection")
    if not isinstance(plain, str) or not isinstance(filtered, str):
        parameters = {**(one.parameters or {}), **(two.parameters or {})}
    call = (
        "SELECT same, faster, plain_ms, filtered_ms, plain_rows, filtered_rows, "
        "verdict FROM bloom_compare(?, ?, ?)"
    )
    ((same, *others),) = _ask(call, one.connection, one.sql, two.sql, parameters)
    return Comparison(None if same is None else bool(same), *others)


class _Query(NamedTuple):
    """A query in SQL, and the connection that it is for."""

    sql: str
    parameters: Any
    connection: Any


# A parameter of SQL, or what may contain a question mark that is none.
_PARAMETER = re.compile(
    r"""'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--.*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/|\?"""
)


def _read(name: str, query: Any, connection: Any, parameters: Any, first: int) -> _Query:
    """Makes SQL of a query of any kind. The parameters of Django's and SQLAlchemy's are
    ?1 and so on, or begin with another number."""
    numbers = itertools.count(first)
    if isinstance(query, str):
        if connection is None:
            raise TypeError(f"{name}: connection must be given with a query in SQL")
        return _Query(query, parameters, connection)
    if parameters is not None:
        raise TypeError(f"{name}: parameters must be given with a query in SQL only")
    if hasattr(getattr(query, "query", None), "get_compiler"):  # Django's
        from django.db import connections

        if connection is None:
            connection = connections[query.db]
        sql, values = query.query.get_compiler(connection=connection).as_sql()
        places = {"%s": lambda: f"?{next(numbers)}", "%%": lambda: "%"}
        sql = re.sub("%[s%]", lambda found: places[found[0]](), sql)
        return _Query(sql, _by_number(values, first), connection)
    statement = getattr(query, "statement", query)  # of SQLAlchemy's session.query()
    if not hasattr(statement, "compile"):
        raise TypeError(
            f"{name}: query must be a queryset of Django, a select of SQLAlchemy, or SQL, "
            f"got {type(query).__module__}.{type(query).__qualname__}"
        )
    if not hasattr(connection, "exec_driver_sql"):
        raise TypeError(
            f"{name}: connection must be SQLAlchemy's, as in {name}(select(...), "
            f"session.connection()), got {type(connection).__qualname__}"
        )
    sql, values = _what_would_run(connection, statement)
    if not isinstance(values, (list, tuple)):
        raise TypeError(f"{name}: the engine's paramstyle must be qmark")

    def numbered(found: Any) -> str:
        return f"?{next(numbers)}" if found[0] == "?" else found[0]

    sql = _PARAMETER.sub(numbered, sql)
    return _Query(sql, _by_number(values, first), connection)


def _by_number(values: Iterable[Any], first: int) -> Dict[str, Any]:
    return {str(number): value for number, value in enumerate(values, first)}


class _Caught(Exception):
    """What SQLAlchemy was about to run."""


def _what_would_run(connection: Any, statement: Any) -> Tuple[str, Any]:
    """The SQL that a connection of SQLAlchemy makes of a statement, and its values, as
    the driver gets them."""
    from sqlalchemy import event

    def catch(
        connection: Any, cursor: Any, sql: str, values: Any, context: Any, many: bool
    ) -> NoReturn:
        raise _Caught(sql, values)

    event.listen(connection, "before_cursor_execute", catch)
    try:
        connection.execute(statement)
    except _Caught as caught:
        return caught.args
    finally:
        event.remove(connection, "before_cursor_execute", catch)
    raise AssertionError(statement)


def _ask(call: str, connection: Any, *values: Any) -> List[Tuple[Any, ...]]:
    """The rows of a query, the last of whose values are parameters."""
    *others, parameters = values
    if parameters is not None:
        parameters = json.dumps(parameters, default=_adapted)
    cursor = _driver_connection(connection).cursor()
    try:
        cursor.execute("SELECT bloom_version()")
    except Exception:  # each driver has its own
        load(connection)
    if hasattr(cursor, "row_factory"):
        cursor.row_factory = None
    cursor.execute(call, (*others, parameters))
    return cursor.fetchall()


def _adapted(value: Any) -> Any:
    """What sqlite3 would bind."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        raise TypeError(f"parameters must have no BLOB, as JSON has none, got {value!r}")
    return sqlite3.adapt(value)
