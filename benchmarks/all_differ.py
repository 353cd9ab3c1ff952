"""A class of which no two notebooks are alike: `make_class`, or `python -m benchmarks.all_differ FOLDER STUDENTS`.

Half of the students are right, each in ways of writing drawn anew; the others have one mistake of the catalogue, every
third of them two. Their own tests are the reference's or a weak one. Each has a comment of its own, so that nothing is
judged once for two. Nobody is damaged, dishonest or slow: what is measured is ordinary work.
"""
from __future__ import annotations

import ast
import random
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

from autograder.authoring.demo.notebooks import Assignment, Notebook, as_bytes
from autograder.lessons.installed import copy_assignments, load_lesson
from autograder.lessons.kit.course_file import course_file
from autograder.lessons.kit.lesson import Lesson
from autograder.lessons.multihead.variants.backward import multihead_backward
from autograder.lessons.multihead.variants.forward import multihead
from autograder.lessons.multihead.variants.heads import merge_heads, split_heads
from autograder.lessons.multihead.variants.imports import IMPORTS
from autograder.lessons.multihead.variants.writing import Plan

LESSON = "multihead"
TRIES = 1000
RARE = re.compile(r"\b(OrderedDict|Answer|BadShape|Cache|Kept|numbers|functools|warnings)\b")
#: whose authors wait for seconds; a class with many of those measures its students' loops
SLOW = frozenset({"bwd-finite-differences"})


class Work(NamedTuple):
    """What one student writes: the functions, what goes above the first, and the body of the own test."""

    functions: dict[str, str]                   # name -> source
    above: str
    own_test: str | None                        # None: the reference's


def works(lesson: Lesson, students: int, seed: int = 1) -> Iterator[Work]:
    """The work of this many students."""
    rng = random.Random(seed)
    tests = (None,) * len(lesson.sample_tests) + lesson.sample_tests
    names = [exercise.name for exercise in lesson.exercises if not exercise.implementations]
    for number in range(students):
        if number % 2:
            code = _wrong(lesson, rng, 2 if number % 6 == 5 else 1)
            own = {ast.unparse(node) for node in ast.parse(lesson.reference_source).body}
        else:
            code, own = _right(rng), set()
        parts = dict.fromkeys(names, "")
        others = []
        for node in ast.parse(code).body:
            if isinstance(node, ast.FunctionDef) and node.name in parts:
                parts[node.name] = ast.unparse(node)
            elif ast.unparse(node) not in own:
                others.append(node)
        yield Work(parts, _needed(others, "\n".join(parts.values())), rng.choice(tests))


def _right(rng: random.Random) -> str:
    """Four functions, each written in a way drawn at random; one author in eight may use classes and named tuples."""
    def pick(*ways: Any) -> Any:
        return rng.choice(ways)
    plain = rng.randrange(8) > 0
    while True:
        plan = Plan.picked(pick)
        code = "\n\n".join([split_heads(pick, plan), merge_heads(pick), multihead(pick, plan),
                            multihead_backward(pick, plan)])
        if not (plain and RARE.search(code)):
            return f"{IMPORTS}\n\n{code}"


def _wrong(lesson: Lesson, rng: random.Random, count: int) -> str:
    """The reference with this many mistakes, in different exercises."""
    mistakes = [mistake for mistake in lesson.mistakes if mistake.advice is None
                and "own_test" not in mistake.exercises and mistake.id not in SLOW]
    for _ in range(TRIES):
        chosen = rng.sample(mistakes, count)
        names = [name for mistake in chosen for name in mistake.exercises]
        with suppress(ValueError):              # both change the same line
            if len(names) == len(set(names)):
                return reduce(lambda code, mistake: mistake.make(code), chosen, lesson.reference_source)
    raise ValueError(f"no {count} mistakes go together")


def _needed(nodes: list[ast.stmt], code: str) -> str:
    """Of these statements, those that the code needs, and what those need."""
    kept: list[str] = []
    for node in reversed(nodes):
        words = set(re.findall(r"\w+", "\n".join([code, *kept])))
        bound = {alias.asname or alias.name for alias in getattr(node, "names", ())} | {getattr(node, "name", "")} | {
            target.id for target in getattr(node, "targets", ()) if isinstance(target, ast.Name)}
        if bound & words:
            kept.append(ast.unparse(node))
    return "\n".join(reversed(kept))


def notebooks(students: int, seed: int = 1) -> Iterator[Notebook]:
    """The notebooks of the class."""
    lesson = load_lesson(LESSON)
    assignment = Assignment.of(lesson)
    for number, work in enumerate(works(lesson, students, seed)):
        notebook = assignment.filled(lesson.reference_source, own_test=work.own_test)
        first = next(iter(work.functions))
        for cell in notebook["cells"]:
            name = cell["metadata"].get("nbgrader", {}).get("grade_id")
            if name in work.functions:
                above = f"# my own work, number {number}\n{work.above}\n\n" if name == first else ""
                cell["source"] = above + work.functions[name]
        yield notebook


def make_class(course: Path, students: int, seed: int = 1) -> None:
    """Write a course folder in which they have handed in."""
    lesson = load_lesson(LESSON)
    course.mkdir(parents=True)
    shutil.copy(course_file("nbgrader_config.py"), course)
    copy_assignments(lesson, course)
    for number, notebook in enumerate(notebooks(students, seed)):
        folder = course / "submitted" / f"student-{number:05}" / LESSON
        folder.mkdir(parents=True)
        (folder / f"{LESSON}.ipynb").write_bytes(as_bytes(notebook))
        for path in lesson.beside.values():
            (folder / Path(path).name).write_bytes(lesson.home.read(path))


if __name__ == "__main__":
    make_class(Path(sys.argv[1]), int(sys.argv[2]))
