"""A page, a record and the outputs in a notebook weigh at most a megabyte each, whatever a submission does."""
from __future__ import annotations

import json
from collections.abc import Callable

import msgspec
import pytest
from courses import LESSON, grade_of

from autograder.course.folder import Course
from autograder.intake.reading import from_sources
from autograder.judge.engine import Limits
from autograder.locale.language import translate
from autograder.nbgrader.autograded import AutogradedWriter
from autograder.nbgrader.notebook import SourceNotebook
from autograder.output.feedback import feedback_page
from autograder.output.jsonl import json_line
from autograder.output.weight import CAP, CUT, LEFT_OUT, lighter
from autograder.records import Cell, CellReport, Grade, Submission, text

SAID = translate(LEFT_OUT, "en")
#: how the text of a cell takes most room: escaped, beyond ASCII, made visible
LETTERS = ["'", '"', "\x01", "\U0001F600", "<"]
GROWING: dict[str, Callable[[int, str], Grade]] = {
    "what a cell prints": lambda n, c: grade_of("student-01", cells=(CellReport(0, "raised", "E", c * n),)),
    "what cells print": lambda n, c: grade_of("student-01", cells=tuple(
        CellReport(number, "raised", "E", c * 1000) for number in range(n // 1000))),
    "what cells raise": lambda n, c: grade_of("student-01", cells=tuple(
        CellReport(number, "raised", c * 300) for number in range(n // 300))),
    "cells": lambda n, c: grade_of("student-01", cells=tuple(
        CellReport(number, "raised", c) for number in range(n // 60))),
    "notices": lambda n, c: grade_of("student-01", notices=tuple(
        text("{number}: {what}", number=number, what=c * 80) for number in range(n // 100))),
    "reasons": lambda n, c: grade_of("student-01", for_a_person=tuple(
        text("{number}: {what}", number=number, what=c * 80) for number in range(n // 100))),
    "a name": lambda n, c: msgspec.structs.replace(grade_of("student-01"), submission=c * n),
}


@pytest.mark.parametrize("kind", [kind if kind == "what cells print" else pytest.param(kind, marks=pytest.mark.slow)
                                  for kind in GROWING])
def test_what_is_shown_stops_growing_and_says_so(kind):
    for letter in LETTERS[:1] if kind != "what a cell prints" else LETTERS:
        sizes = []
        for count in (1_000, 1_500_000):
            grade = GROWING[kind](count, letter)
            page, line = feedback_page(grade, "en"), json_line(grade, "en")
            assert max(len(page.encode()), len(line.encode())) <= CAP
            sizes.append(len(line))
        assert SAID in json.loads(line)["notices"]
        assert SAID in page or kind == "reasons"        # which are not for the student
        assert sizes[0] < sizes[-1] or kind == "a name"


def test_what_fits_is_whole():
    grade = GROWING["what a cell prints"](80_000, "'")
    assert json.loads(json_line(grade, "en"))["cells"][0]["output"] == "'" * 80_000
    assert SAID not in feedback_page(grade, "en")


def test_the_first_words_of_what_is_cut_stay():
    cell = lighter(GROWING["what a cell prints"](10**6, "x"), 1000).cells[0]
    assert cell.output.startswith("xxx")
    assert cell.output.endswith(CUT)
    assert len(cell.output) < 1000 + len(CUT)


def test_outputs_in_a_notebook_have_an_end_and_sources_are_never_cut(tmp_path):
    (tmp_path / "nbgrader_config.py").touch()
    numbers = range(2000)
    sources = [f"# {number}\n" + "s" * 1000 for number in numbers]
    work = Submission("multihead.ipynb", "student-01", "multihead", tuple(map(Cell, numbers, sources)))
    reports = tuple(CellReport(number, "raised", "e" * 300, "p" * 900) for number in numbers)
    grade = grade_of("student-01", cells=reports)
    writer = AutogradedWriter(Course.find(tmp_path), LESSON, SourceNotebook("multihead", "multihead", (), {}), "en")
    first, *made = writer.notebook(work, grade)[0]["cells"]
    assert SAID in first["source"]
    assert [cell["source"] for cell in made] == sources
    outputs = [cell["outputs"] for cell in made]
    assert len(msgspec.json.encode(outputs)) <= CAP
    assert outputs[0][0]["text"] == "p" * 900


@pytest.mark.slow
def test_many_cells_that_fail_fit_on_a_page(engine_with):
    """Each fails, prints and warns; half of them cannot be read."""
    cells = ["import warnings\nprint('p' * 60_000)\nwarnings.warn('w' * 1000)\nraise ValueError('q' * 900)", "def ("]
    grade = engine_with(Limits()).grade(from_sources("work.ipynb", "student-01", cells * 100, LESSON))
    assert len(grade.cells) == 200
    assert len(json_line(grade, "en").encode()) <= CAP
    assert len(feedback_page(grade, "en").encode()) <= CAP


def test_there_is_one_room_for_what_all_cells_print_and_raise():
    cells = tuple(CellReport(number, "raised", "e" * 100, "o" * 100) for number in range(50))
    kept = lighter(grade_of("student-01", cells=cells), 1000).cells
    assert 2 < len(kept) < 5
    assert sum(60 + len(cell.error) + len(cell.output) for cell in kept) <= 1000 + len(CUT)
    silent = tuple(CellReport(number, "ok") for number in range(50))
    assert len(lighter(grade_of("student-01", cells=silent), 1000).cells) == 16
