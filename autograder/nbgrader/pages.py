"""Write the students' pages, and bring them up to date when a person or a rule has changed a mark."""
from __future__ import annotations

import re
from collections.abc import Iterable
from html import unescape
from pathlib import Path

from autograder.atomic import replace_file
from autograder.course.folder import Course
from autograder.records import Grade

_HEAD = 2048                                    # bytes of a page in which its language and its mark are
_LANGUAGE = re.compile(r'<html lang="(\w+)">')
_MARK = re.compile(r'<meta name="mark" content="([^"]*)">')


def write_page(course: Course, path: Path, grade: Grade, language: str) -> None:
    """The page of this grade."""
    from autograder.output.feedback import feedback_page
    replace_file(path, feedback_page(grade, language).encode(), course.own_mode)


def update_pages(course: Course, grades: Iterable[Grade], language: str = "") -> None:
    """Write the pages again that show another mark than these grades have.

    A page keeps its language. One that does not exist is not made.
    """
    from autograder.output.final import made_of
    for grade in grades:
        path = course.path("feedback", grade.student, grade.lesson).with_suffix(".html")
        try:
            with path.open("rb") as file:
                head = file.read(_HEAD).decode("utf-8", "replace")
        except OSError:
            continue
        said, words = _MARK.search(head), _LANGUAGE.search(head)
        if (unescape(said[1]) if said else "") != made_of(grade):
            write_page(course, path, grade, words[1] if words else language)
