"""Prove by running a release that nothing in it computes what students have to write, however it is written.

A process of its own runs each module and the notebook's cells, and calls every function that they define, at any
depth, with the arguments that tell the exercise's mistakes apart best, in every order. None may answer what the
reference does.
"""

import ast
import contextlib
import inspect
import io
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from autograder.authoring.leak import Leak
from autograder.lessons.installed import lesson_in, load_lesson
from autograder.lessons.kit.lesson import Lesson
from autograder.records import Call, Result

SECONDS = 120                                   # for all of a release; it takes one or two
CALL_SECONDS = 2
MOST = 5                                        # arguments that are tried in every order


class Question(NamedTuple):
    """What an exercise is asked, and the array that the reference answers first."""

    exercise: str
    args: tuple[Any, ...]
    expected: np.ndarray


def prove_unsolved(folder: Path, files: Sequence[str], lesson: Lesson) -> None:
    """Raise Leak if a function in one of these files computes an exercise."""
    contents = tuple((path.relative_to(folder).as_posix(), path.read_bytes()) for path in sorted(folder.rglob("*"))
                     if path.is_file())
    course = "" if lesson.home.ours else str(lesson.home.roots[-1])
    for file, cell, function, exercise in _solving(lesson.name, tuple(files), contents, course):
        raise Leak(file, cell, "", f"{function} computes {exercise}, which students have to write")


@lru_cache(maxsize=8)
def _solving(lesson: str, names: tuple[str, ...], contents: tuple[tuple[str, bytes], ...], course: str
             ) -> list[list[str]]:
    """(file, cell, function, exercise) of everything that solves an exercise in these files of a folder.

    `contents` are all of that folder; they run in a copy of it. `course` is the folder that has the lesson, if it does
    not come with the autograder.
    """
    with tempfile.TemporaryDirectory(prefix="autograder-") as folder:
        for name, content in contents:
            Path(folder, name).parent.mkdir(parents=True, exist_ok=True)
            Path(folder, name).write_bytes(content)
        return _solving_in(folder, lesson, names, course)


def _solving_in(folder: str, lesson: str, names: Sequence[str], course: str) -> list[list[str]]:
    command = [sys.executable, "-c", "from autograder.authoring.solved import child; child()", lesson, course, *names]
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS,
                              env={**os.environ, "MPLBACKEND": "Agg", "PYTHONDONTWRITEBYTECODE": "1"})
    except subprocess.TimeoutExpired:
        raise ValueError(f"the files of the release were still running after {SECONDS} seconds") from None
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"]
        raise ValueError(f"the files of the release could not be run: {last[-1]}")
    return json.loads(done.stdout)


# --- in the process of its own -------------------------------------------------------------------------------------

def child() -> None:
    """Print what solves an exercise, as JSON; the arguments are the lesson, its course and the files of this folder."""
    lesson, course, *files = sys.argv[1:]
    asked, found = _questions(lesson_in(Path(course), lesson) if course else load_lesson(lesson)), []
    sys.path.insert(0, os.getcwd())
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")   # whatever is called may close or turn the other one
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for file in sorted(files, key=lambda name: name.endswith(".ipynb")):
            for cell, name, function in _functions(Path(file)):
                found += [[file, cell, name, question.exercise] for question in asked if _answers(function, question)]
    print(json.dumps(found), file=out, flush=True)


def _questions(lesson: Lesson) -> list[Question]:
    reference: dict[str, Any] = {"__name__": "reference"}
    exec(lesson.reference_source, reference)

    def asked(call: Call) -> Any:
        return reference[call.function](*map(given, call.args))

    def given(argument: Any) -> Any:
        if not isinstance(argument, Result):
            return argument
        answer = asked(argument.of)
        return answer if argument.part is None else answer[argument.part]

    tellings = [(exercise.name, exercise.telling) for exercise in lesson.exercises if exercise.telling is not None]
    return [Question(name, tuple(map(given, call.args)), array) for name, call in tellings
            for array in itertools.islice(_arrays(asked(call)), 1)]


def _functions(path: Path) -> Iterator[tuple[str, str, Callable[..., Any]]]:
    """(cell, name, function) of all that a file defines: in its namespace, in other functions and in classes."""
    namespace: dict[str, Any] = {"__name__": path.stem}
    for cell, source in _sources(path):
        known = set(map(id, namespace.values()))
        try:
            tree = ast.parse(source)
        except SyntaxError:
            continue
        with contextlib.suppress(BaseException), _limited(SECONDS):     # a cell may wait for what is not written
            exec(compile(tree, path.name, "exec"), namespace)
        new = {name: value for name, value in namespace.items() if id(value) not in known}
        yield from ((cell, name, value) for name, value in _callables(new))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name not in new:
                node.decorator_list = []
                apart = dict(namespace)
                with contextlib.suppress(Exception):
                    exec(compile(ast.Module([node], []), path.name, "exec"), apart)
                    yield cell, node.name, apart[node.name]


def _sources(path: Path) -> Iterator[tuple[str, str]]:
    """(cell, code) of a notebook's code cells without what only a notebook understands, or of a whole module."""
    if path.suffix != ".ipynb":
        yield "", path.read_text(encoding="utf-8")
        return
    for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
        source = "".join(cell["source"])
        if cell["cell_type"] == "code" and not source.startswith("%%"):
            name = cell["metadata"].get("nbgrader", {}).get("grade_id", cell.get("id", str(number)))
            yield name, "\n".join(line for line in source.splitlines() if line.lstrip()[:1] not in ("%", "!"))


def _callables(values: Any, name: str = "") -> Iterator[tuple[str, Callable[..., Any]]]:
    """The functions among these values and in their containers."""
    if inspect.isfunction(values):
        yield name or values.__name__, values
    elif isinstance(values, dict):
        for key, value in values.items():
            yield from _callables(value, name or str(key))
    elif isinstance(values, (list, tuple, set)):
        for value in values:
            yield from _callables(value, name)


def _answers(function: Callable[..., Any], question: Question) -> bool:
    """Whether the function answers this with the arguments in some order, or with those of a dict one by one."""
    parameters = list(inspect.signature(function).parameters)
    before = (None,) if parameters[:1] in (["self"], ["cls"]) else ()
    orders = itertools.permutations(question.args) if len(question.args) <= MOST else iter([question.args])
    spread = [value for arg in question.args for value in (arg.values() if isinstance(arg, dict) else [arg])]
    return any(_equal(function, (*before, *args), question.expected) for args in itertools.chain(orders, [spread]))


def _equal(function: Callable[..., Any], args: tuple[Any, ...], expected: np.ndarray) -> bool:
    try:
        inspect.signature(function).bind(*args)
        with _limited(CALL_SECONDS), np.errstate(all="ignore"):
            answer = function(*_copied(args))
            return any(array.shape == expected.shape and np.allclose(array, expected, rtol=1e-6, atol=1e-9)
                       for array in _arrays(answer))
    except BaseException:                               # most of what is called so can do nothing with it
        return False


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(each) for key, each in value.items()}
    if isinstance(value, tuple):
        return tuple(map(_copied, value))
    return value.copy() if isinstance(value, np.ndarray) else value


def _arrays(answer: Any) -> Iterator[np.ndarray]:
    """The arrays of an answer, in order, at any depth."""
    if isinstance(answer, np.ndarray):
        if answer.dtype.kind in "biuf":
            yield answer
    elif isinstance(answer, (tuple, list)):
        for each in answer:
            yield from _arrays(each)
    elif isinstance(answer, dict):
        for each in answer.values():
            yield from _arrays(each)


@contextlib.contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """TimeoutError after so many seconds."""
    def stop(*_: Any) -> None:
        raise TimeoutError
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
