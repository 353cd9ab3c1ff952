"""Run a student's cells statement by statement in one namespace.

A failing statement does not take the cell's remaining definitions with it; a syntax error costs only its own cell. What
a cell prints is kept, up to a cap.
"""
from __future__ import annotations
import __future__

import ast
import builtins
import importlib
import inspect
import io
import linecache
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any, Literal, NamedTuple

from autograder.sandbox.inside.blocks import readable
from autograder.sandbox.inside.definitions import (
    defines,
    imported_names,
    names_something,
    only_definitions,
    without_absent,
)
from autograder.sandbox.inside.magics import Shell, as_python, display, show_nothing, without_cell_magic
from autograder.sandbox.wire.calling import cell_filename, described
from autograder.sandbox.wire.messages import CUT, NOTES_CAP, OUTPUT_CAP, WORDS_CAP, Note, Ran, Run
from autograder.sandbox.wire.plain import exact_text

SLOW_STATEMENT = 0.5                      # seconds of processor time ...
BEHIND_WALL = 3                           # ... or so many times that by the wall clock: it may have slept
_LAZY = __future__.annotations.compiler_flag
#: quotes and spaces that word processors, PDFs and chats put in the place of those of Python
TYPED = str.maketrans("“”„‟″‘’‚‛′" + "\u00a0\u2007\u202f\u2002\u2003\u2009\u3000", '"' * 5 + "'" * 5 + " " * 7,
                      "\u200b\u2060\ufeff")
_FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names
              if name != "nested_scopes")                   # whose flag now means something else


Kind = Literal["stopped", "left_out", "undecorated", "typed"]


class Failure(NamedTuple):
    """How a statement failed: the cell's status, and one line about it."""

    status: Literal["raised", "out_of_memory"]
    words: str

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        how = described(error)
        line, message = how["where"] and how["where"][1], how["message"]
        if isinstance(error, SyntaxError):
            line, message = error.lineno, error.msg
        words = f"{how['error']}: {message}" if message else how["error"]
        status = "out_of_memory" if isinstance(error, MemoryError) else "raised"
        words = words[:WORDS_CAP - 20]
        return cls(status, f"{words} (line {line})" if line else words)


class Printed(io.RawIOBase):
    """Keeps the first bytes written, but counts as if it kept them all."""

    name = "<stdout>"                     # as in Jupyter

    def __init__(self, cap: int):
        self._cap, self._kept, self._cut = cap, bytearray(), False

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        data = memoryview(data).cast("B")
        room = self._cap - len(self._kept)
        self._cut = self._cut or len(data) > room
        self._kept += data[:room]
        return len(data)

    def text(self) -> str:
        if not self._cut:
            return self._kept.decode("utf-8", "replace")
        return self._kept[:self._cap - len(CUT)].decode("utf-8", "ignore") + CUT


@contextmanager
def printing_to(printed: Printed) -> Iterator[None]:
    """Send standard output and error there, in the order of printing; standard input is empty."""
    stream = io.TextIOWrapper(printed, encoding="utf-8", errors="backslashreplace", write_through=True)
    sys.stdout = sys.stderr = stream
    try:
        yield
    finally:
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__


class Cells:
    """The namespace that a student's cells fill, one after another."""

    def __init__(self, namespace: dict[str, Any], after: Callable[[], None] = lambda: None):
        self.namespace, self._after = namespace, after      # `after` is called after every statement
        self._flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        self._notes: list[Note] = []
        self._absent: set[str] = set()      # names that failed imports were to bring
        shell = Shell(namespace, lambda what: self._note("left_out", what))
        for name, function in {"get_ipython": lambda: shell, "display": display}.items():
            setattr(builtins, name, function)
        show_nothing()

    def run(self, request: Run) -> Ran:
        """Run one cell. Everything it raises is caught."""
        self._notes, slow = [], []
        printed = Printed(OUTPUT_CAP)
        with printing_to(printed):
            failure = self._run(request, slow)
        status, words = failure or ("ok", "")
        return Ran(request.nonce, status, words, printed.text(), slow, self._notes[:NOTES_CAP])

    def _note(self, kind: Kind, detail: str) -> None:
        self._notes.append(Note(kind, exact_text(detail[:WORDS_CAP])))

    def _run(self, request: Run, slow: list[int]) -> Failure | None:
        """The first failure. After it, only the remaining definitions run."""
        if not request.skip and self._has_defined(request):
            return None
        try:
            statements, unread = self._statements(request.source, cell_filename(request.cell))
        except BaseException as error:
            return Failure.of(error)
        failure, noted = unread and Failure.of(unread), unread is not None
        for number, (statement, code) in enumerate(statements):
            only_definitions = request.mode == "definitions" or failure is not None
            if number in request.skip or only_definitions and not defines(statement, self.namespace):
                continue
            if failure is not None and not noted:
                self._note("stopped", failure.words)
                noted = True
            computed, started = time.process_time(), time.perf_counter()
            try:
                self._execute(code)
            except BaseException as error:
                self._absent |= imported_names(statement)
                if not self._defined_without(statement, error, cell_filename(request.cell)):
                    failure = failure or Failure.of(error)
            self._after()
            slowly = max(time.process_time() - computed, (time.perf_counter() - started) / BEHIND_WALL)
            if slowly > SLOW_STATEMENT and not names_something(statement):
                slow.append(number)
        return failure

    def _has_defined(self, request: Run) -> bool:
        """Whether the cell only defines something, and now has."""
        filename, one_by_one = cell_filename(request.cell), bool(request.replace) or request.mode != "all"
        code = only_definitions(request.source, filename, self._flags, looks_up=not one_by_one)
        if code is None:
            return False
        _show(request.source, filename)
        try:
            eval(code, self.namespace)
        except BaseException:             # statement by statement it may go further
            return False
        self._flags |= code.co_flags & _FUTURE
        self._after()
        return True

    def _statements(self, source: str, filename: str) -> tuple[list[tuple[ast.stmt, CodeType]], SyntaxError | None]:
        """The cell's statements, each compiled, and the syntax error in what could not be read.

        Raises what the parser raises on absurd sources.
        """
        source = without_cell_magic(source, lambda what: self._note("left_out", what))
        body, unread = readable(source, filename)
        if unread:
            source = as_python(source)
            body, unread = readable(source, filename)
        if unread and (plain := source.translate(TYPED)) != source:
            more, still = readable(plain, filename)
            if still is None or len(more) > len(body):
                source, body, unread = plain, more, still
                self._note("typed", "")
        _show(source, filename)
        compiled = []
        for statement in body:
            try:
                compiled.append((statement, self._compiled(statement, filename)))
            except SyntaxError as error:                    # such as a return outside a function
                unread = unread or error
        return compiled, unread

    def _defined_without(self, statement: ast.stmt, error: BaseException, filename: str) -> bool:
        """Whether a definition works without what a failed import was to bring: annotations, and decorators."""
        if not self._absent or not isinstance(error, NameError | AttributeError):
            return False
        bare, gone = without_absent(statement, self._absent - self.namespace.keys())
        if bare is None:
            return False
        code = compile(ast.Module([bare], []), filename, "exec", self._flags | _LAZY, dont_inherit=True)
        try:
            self._execute(code)
        except Exception:
            return False
        for decorator in gone:
            self._note("undecorated", decorator)
        return True

    def _compiled(self, statement: ast.stmt, filename: str) -> CodeType:
        code = compile(ast.Module([statement], []), filename, "exec", self._flags, dont_inherit=True)
        self._flags |= code.co_flags & _FUTURE              # `from __future__` holds for later cells too
        return code

    def _execute(self, code: CodeType) -> None:
        result = eval(code, self.namespace)
        if code.co_flags & inspect.CO_COROUTINE:            # an await outside any function
            importlib.import_module("asyncio").run(result) # 30 ms that hardly any submission needs


def _show(source: str, filename: str) -> None:
    """Let tracebacks and `inspect` find the lines of this cell."""
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
