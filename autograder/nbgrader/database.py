"""Read and write a gradebook with plain SQL. SQLAlchemy, which takes longer to import than a class to look at, is
imported only where the gradebook is not simply a SQLite file.
"""
from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from autograder.nbgrader.gradebook_errors import LOCK_SECONDS, GradebookError, in_words, not_a_file, with_patience

if TYPE_CHECKING:
    from sqlalchemy import Connection

_FILE = re.compile(r"sqlite:///([^?%]+)")               # an address that means just this file
_EPOCH = datetime(1970, 1, 1)                           # where nbgrader's spans of time begin in SQLite


class NoGradebook(GradebookError):
    """There is no gradebook yet, or the assignment is not in it."""


class Reader(Protocol):
    """An open gradebook."""

    def rows(self, query: str, values: Mapping[str, object] = {}, moments: Sequence[str] = (),
             spans: Sequence[str] = ()) -> Iterable[Sequence[Any]]:
        """The rows of a query with `:names`; these of their columns are moments or spans of time."""
        ...


class Writer(Reader, Protocol):
    """An open gradebook in which rows can be changed; that is one transaction until it is committed or rolled back."""

    def run(self, statement: str, values: Sequence[Mapping[str, object]]) -> None:
        """Run a statement with `:names` for each of these."""
        ...

    def commit(self) -> None: ...

    def rollback(self) -> None: ...


class _File:
    """A SQLite file."""

    def __init__(self, connection: sqlite3.Connection):
        self._connection = connection

    def rows(self, query: str, values: Mapping[str, object] = {}, moments: Sequence[str] = (),
             spans: Sequence[str] = ()) -> Iterable[Sequence[Any]]:
        cursor = self._connection.execute(query, values)
        if not moments and not spans:
            return cursor
        kinds = [name in moments or name in spans and "span" for name, *_ in cursor.description]
        return [tuple(_timed(value, kind) for value, kind in zip(row, kinds, strict=True)) for row in cursor]

    def run(self, statement: str, values: Sequence[Mapping[str, object]]) -> None:
        self._connection.executemany(statement, [
            {name: _kept(value) for name, value in each.items()} for each in values])

    def commit(self) -> None:
        self._connection.commit()

    def rollback(self) -> None:
        self._connection.rollback()


class _Server:
    """Whatever SQLAlchemy can open."""

    def __init__(self, connection: Connection):
        self._connection = connection

    def rows(self, query: str, values: Mapping[str, object] = {}, moments: Sequence[str] = (),
             spans: Sequence[str] = ()) -> Iterable[Sequence[Any]]:
        import sqlalchemy
        types = {**dict.fromkeys(moments, sqlalchemy.DateTime), **dict.fromkeys(spans, sqlalchemy.Interval)}
        statement = sqlalchemy.text(query)
        if types:
            statement = statement.columns(**types)
        return self._connection.execute(statement, dict(values), execution_options={"yield_per": 1000})

    def run(self, statement: str, values: Sequence[Mapping[str, object]]) -> None:
        import sqlalchemy
        kinds = {datetime: sqlalchemy.DateTime, timedelta: sqlalchemy.Interval}
        types = {name: kinds[type(value)] for each in values for name, value in each.items() if type(value) in kinds}
        self._connection.execute(sqlalchemy.text(statement).bindparams(
            *(sqlalchemy.bindparam(name, type_=kind) for name, kind in types.items())), list(map(dict, values)))

    def commit(self) -> None:
        self._connection.commit()

    def rollback(self) -> None:
        self._connection.rollback()


def _timed(value: Any, kind: bool | str) -> Any:
    if not kind or value is None:
        return value
    return datetime.fromisoformat(value) if kind is True else datetime.fromisoformat(value) - _EPOCH


def _kept(value: Any) -> Any:
    """A value as nbgrader has it in SQLite."""
    if isinstance(value, timedelta):
        value = _EPOCH + value
    return value.isoformat(" ", "microseconds") if isinstance(value, datetime) else value


def file_of(url: str) -> Path | None:
    """The SQLite file that this address names; None for any other kind of gradebook."""
    if plain := _FILE.fullmatch(url):
        named: str | None = plain[1]
    else:
        from sqlalchemy import make_url
        parsed = make_url(url)
        named = parsed.database if parsed.get_backend_name() == "sqlite" else None
    return None if not named or named.startswith("file:") or named == ":memory:" else Path(named)


def reading(url: str) -> AbstractContextManager[Reader]:
    """The gradebook, to read; NoGradebook if there is none, GradebookError if it cannot be read."""
    return writing(url)


@contextmanager
def writing(url: str) -> Iterator[Writer]:
    """The gradebook, to read and write; NoGradebook if there is none, GradebookError if it cannot be used."""
    if plain := _FILE.fullmatch(url):
        if not Path(plain[1]).is_file():
            raise _absent(plain[1], url)
        with in_words(url), closing(sqlite3.connect(plain[1], timeout=LOCK_SECONDS)) as connection:
            yield _File(connection)
    else:
        with connected(url) as connection:
            yield _Server(connection)


@contextmanager
def connected(url: str) -> Iterator[Connection]:
    """A connection to an existing gradebook: nbgrader's own way of opening one would create it."""
    from sqlalchemy import create_engine, make_url
    where = make_url(url)
    if where.get_backend_name() == "sqlite" and not (where.database and Path(where.database).is_file()):
        raise _absent(where.database or "", url)
    engine = create_engine(with_patience(url))
    try:
        with in_words(url), engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


def _absent(path: str, url: str) -> GradebookError:
    if other := not_a_file(Path(path)):
        return GradebookError(f"in the place of the gradebook, {other}")
    return NoGradebook(f"there is no gradebook {shown(url)}; run `autograder grade` first")


def shown(url: str) -> str:
    """The address for people: without a password."""
    if _FILE.fullmatch(url) and url.isascii():
        return url
    from sqlalchemy import make_url
    return make_url(url).set(query={}).render_as_string(hide_password=True)


def one_of(names: Sequence[str]) -> tuple[str, dict[str, object]]:
    """What follows IN for these values, and the values by name."""
    values: dict[str, object] = {f"value{number}": name for number, name in enumerate(names)}
    return f"({', '.join(f':{name}' for name in values)})", values
