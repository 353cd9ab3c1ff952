"""Notebooks and a tiny lesson for the tests: two functions, a prelude, an example and two cells that carry points."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from autograder.lessons.kit.lesson import Exercise, Lesson

PRELUDE = "import numpy as np\nfrom attention import attention"
EXAMPLE = "assert double(2) == 4"
POINTS = "# The points for double\n### BEGIN HIDDEN TESTS\npoints('double')\n### END HIDDEN TESTS"
DOUBLE = "def double(x):\n    return 2 * x"
HALVE = "def halve(x):\n    return x / 2"


def code(source: Any, grade_id: str | None = None, **flags: bool) -> dict:
    """A code cell; with a grade_id it has nbgrader's metadata, a solution cell unless told otherwise."""
    return _cell("code", source, grade_id, flags) | {"outputs": [], "execution_count": None}


def markdown(source: Any, grade_id: str | None = None, **flags: bool) -> dict:
    return _cell("markdown", source, grade_id, flags)


def _cell(kind: str, source: Any, grade_id: str | None, flags: dict[str, bool]) -> dict:
    marks = {"grade_id": grade_id, "locked": False, "grade": False, "solution": not flags, "schema_version": 3} | flags
    return {"cell_type": kind, "source": source, "metadata": {} if grade_id is None else {"nbgrader": marks}}


def notebook(*cells: dict, **keys: Any) -> dict:
    return {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5} | keys


def data(document: Any) -> bytes:
    return json.dumps(document).encode()


def handed_in(double: str = DOUBLE, halve: str = HALVE, language: str = "nl") -> list[dict]:
    """The cells of an honest submission: 0 prose, 1 prelude, 2 double, 3 example, 4 halve, 5 points."""
    return [markdown({"nl": "Schrijf twee functies.", "en": "Write two functions."}[language]),
            code(PRELUDE, "prelude", locked=True),
            code(double, "double"),
            code(EXAMPLE, "example", locked=True, grade=True),
            code(halve, "halve"),
            code("# The points for double\n", "test_double", locked=True, grade=True)]


def source_notebook(language: str) -> dict:
    return notebook(*handed_in(language=language)[:-1], code(POINTS, "test_double", locked=False, grade=True))


def tiny_lesson(folder: Path) -> Lesson:
    """A lesson with a Dutch and an English edition, whose source notebooks stand below this folder."""
    editions = {}
    for language, name in (("nl", "tiny"), ("en", "tiny-en")):
        path = folder / "source" / name / "tiny.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(data(source_notebook(language)))
        editions[language] = str(path)
    exercises = (Exercise("double", "test_double", 1, ()), Exercise("halve", "test_halve", 1, ()))
    return Lesson("tiny", exercises, "", {"attention": "attention.py"}, PRELUDE, editions)
