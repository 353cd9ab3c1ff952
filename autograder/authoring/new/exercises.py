"""Make a new exercise in an existing lesson, or a new lesson with its first exercise."""
from __future__ import annotations

import ast
from typing import Any

import nbformat

from autograder.authoring.new.checkout import CannotMake, Checkout, Made, rendered, snake
from autograder.authoring.new.editing import appended, importing, with_argument
from autograder.authoring.new.notebooks import Words, new_notebook, with_exercise
from autograder.lessons.installed import lesson_names

EDITIONS = {"nl": "", "en": "-en"}              # language -> suffix of the folder's name


def new_exercise(checkout: Checkout, lesson_name: str, name: str, points: int, parameters: str) -> Made:
    """A function that students write: its checks, mistakes and solution, its cells in each edition, and its test."""
    lesson = checkout.lesson(lesson_name)
    name, words = snake(name, "an exercise"), _words(name, points, parameters)
    if name in [exercise.name for exercise in lesson.exercises]:
        raise CannotMake(f"{lesson.name} already has an exercise {name!r}; choose another name")
    package = f"autograder.lessons.{lesson.name}"
    here = package.replace(".", "/")
    made = _own_files(checkout, lesson.name, name, words)
    made.files |= {
        f"{here}/lesson.py": importing(with_argument(
            checkout.read(f"{here}/lesson.py"), "Lesson", "exercises",
            f'        Exercise("{name}", "test_{name}", {points}, {name}.CHECKS),'), f"{package}.checks", name),
        f"{here}/mistakes/__init__.py": appended(importing(checkout.read(f"{here}/mistakes/__init__.py"),
                                                           f"{package}.mistakes", name),
                                                 "MISTAKES", f"*{name}.MISTAKES"),
        lesson.reference: f"{checkout.read(lesson.reference).rstrip()}\n\n\n{rendered('solution.py', **words)}"}
    for language, path in lesson.editions.items():
        notebook = nbformat.reads(checkout.read(path), as_version=4)
        made.files[path] = _saved(with_exercise(notebook, Words(language, **words)))
    made.opens = made.line_of(lesson.reference, f"def {name}(")
    return made


def new_lesson(checkout: Checkout, lesson_name: str, name: str, points: int, parameters: str) -> Made:
    """A lesson with one exercise: every part that a lesson has, in both languages."""
    lesson_name, name = snake(lesson_name, "a lesson"), snake(name, "an exercise")
    if lesson_name in (*lesson_names(), "shared"):
        raise CannotMake(f"there is already a lesson {lesson_name!r}; choose another name")
    words = _words(name, points, parameters)
    here, solution = f"autograder/lessons/{lesson_name}", f"solutions/{lesson_name}.py"
    made = _own_files(checkout, lesson_name, name, words)
    values = {"lesson": lesson_name, **words}
    for part in ("__init__", "lesson", "probes", "checks/__init__", "mistakes/__init__", "variants/__init__"):
        made.files[f"{here}/{part}.py"] = rendered(f"lesson/{part.replace('/', '_')}.py", **values)
    made.files[f"{here}/proof.toml"] = rendered("lesson/proof.toml", **values)
    made.files[solution] = rendered("lesson/solution.py", **values) + rendered("solution.py", **words)
    for language, ending in EDITIONS.items():
        path = f"assignments/{lesson_name}{ending}/{lesson_name}.ipynb"
        made.files[path] = _saved(with_exercise(new_notebook(lesson_name, language), Words(language, **words)))
    for path in made.files:
        checkout.must_be_new(path)
    made.opens = made.line_of(solution, f"def {name}(")
    return made


def _own_files(checkout: Checkout, lesson: str, name: str, words: dict[str, Any]) -> Made:
    """The files that belong to this exercise alone."""
    files = {f"autograder/lessons/{lesson}/checks/{name}.py": rendered("checks.py", lesson=lesson, **words),
             f"autograder/lessons/{lesson}/mistakes/{name}.py": rendered("mistakes.py", lesson=lesson, **words),
             f"tests/exercises/test_{lesson}_{name}.py": rendered("exercise_test.py", lesson=lesson, **words)}
    for path in files:
        checkout.must_be_new(path)
    return Made(checkout.root, files)


def _words(name: str, points: int, parameters: str) -> dict[str, Any]:
    try:
        ast.parse(f"def {name}({parameters}): pass")
    except SyntaxError:
        raise CannotMake(f"{parameters!r} cannot be the parameters of a function; expected names like \"x, heads\""
                         ) from None
    if points < 1:
        raise CannotMake(f"an exercise cannot be worth {points} points; expected 1 or more")
    return {"name": name, "points": points, "parameters": parameters}


def _saved(notebook: nbformat.NotebookNode) -> str:
    return nbformat.writes(notebook) + "\n"
