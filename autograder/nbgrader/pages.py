"""Write the students' pages, and bring them up to date when a person, a rule or the time has changed what they show."""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import unescape
from pathlib import Path

from autograder.atomic import replace_file
from autograder.course.folder import Course
from autograder.nbgrader.afterwards import other_ways
from autograder.records import Grade, OtherWay

_HEAD = 2048                                    # bytes of a page in which its language and what may change are
_LANGUAGE = re.compile(r'<html lang="(\w+)">')
_MARK = re.compile(r'<meta name="mark" content="([^"]*)">')
_WAYS = re.compile(r'<meta name="other-ways" content="([^"]*)">')


def page_of(course: Course, grade: Grade, language: str) -> str:
    """The page of this grade, with its mark and as much as may be shown by now."""
    from autograder.output.feedback import feedback_page
    return feedback_page(grade, language, other_ways(course, grade.lesson))


def write_page(course: Course, path: Path, grade: Grade, language: str,
               ways: Mapping[str, Sequence[OtherWay]] | None = None, sections: Mapping[str, str] | None = None) -> None:
    """The page of this grade, with these other ways, and the sections that were rendered already."""
    from autograder.output.feedback import feedback_page
    replace_file(path, feedback_page(grade, language, ways or {}, sections or {}).encode(), course.own_mode)


def update_pages(course: Course, grades: Iterable[Grade], language: str = "") -> None:
    """Write the pages again that show another mark than these grades have, or other ways than may be shown now.

    A page keeps its language. One that does not exist is not made.
    """
    from autograder.output.final import made_of, with_other_ways
    known: dict[str, Mapping[str, Sequence[OtherWay]]] = {}
    for grade in grades:
        path = course.path("feedback", grade.student, grade.lesson).with_suffix(".html")
        try:
            with path.open("rb") as file:
                head = file.read(_HEAD).decode("utf-8", "replace")
        except OSError:
            continue
        if grade.lesson not in known:
            known[grade.lesson] = other_ways(course, grade.lesson)
        ways = known[grade.lesson]
        shows = [unescape(found[1]) if (found := said.search(head)) else "" for said in (_MARK, _WAYS)]
        if shows != [made_of(grade), with_other_ways(grade, ways)]:
            words = _LANGUAGE.search(head)
            write_page(course, path, grade, words[1] if words else language, ways)
