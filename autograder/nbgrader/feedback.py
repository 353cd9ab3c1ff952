"""Carry our page to the student in what `nbgrader generate_feedback` and `release_feedback` return.

A student's nbgrader fetches one page for each notebook, and nothing else. So ours is put at the top of nbgrader's, as a
page within the page; a copy of it lies beside nbgrader's, and our own stays where it is.
"""

from collections.abc import Mapping
from contextlib import suppress
from html import escape
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell
from nbgrader.preprocessors import GetGrades, NbGraderPreprocessor
from traitlets import List

from autograder.atomic import replace_file
from autograder.course.folder import Course
from autograder.course.mark import with_mark
from autograder.course.settings import read_settings
from autograder.course.store import Store
from autograder.intake.template import visible
from autograder.lessons.kit.lesson import Lesson
from autograder.nbgrader.marks import NoGradebook, gradebook_marks
from autograder.nbgrader.pages import page_of, update_pages
from autograder.nbgrader.session import course_of, folder_of, lesson_of
from autograder.records import Mark

COPY = "autograder.html"
_FRAME = ('<iframe title="autograder" srcdoc="{page}" style="width: 100%; height: 85vh; border: 1px solid; '
          'resize: vertical"></iframe>')
#: what Markdown would read as something else, or as the end of the HTML
_ENTITIES = {ord(letter): f"&#{ord(letter)};" for letter in "\n\r\\$`*_[]{}"}


class CarryOwnPage(NbGraderPreprocessor):
    """A step of GenerateFeedback. Notebooks that are not a lesson of ours pass as they are."""

    display_data_priority = List(GetGrades().display_data_priority, config=True)       # which nbgrader itself sets
    parent: Any                                 # the exporter, whose own parent is nbgrader's converter

    def __init__(self, **options: Any):
        super().__init__(**options)
        self._marks: dict[str, Mapping[str, Mark]] = {}         # by assignment, then by student

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        about = resources["nbgrader"]
        lesson = lesson_of(about["assignment"], about["notebook"], folder_of(self))
        if lesson is None:
            return nb, resources
        for cell in nb.cells:
            if cell.metadata.get("nbgrader", {}).get("grade"):
                cell.source = visible(cell.source)
        try:
            page = self._carry(course_of(self.parent.parent.coursedir), lesson, about["assignment"], about["student"])
        except (OSError, ValueError) as error:
            self.log.warning("%s: the autograder's own page is left out: %s", about["student"], error)
        else:
            if page:
                nb.cells.insert(0, new_markdown_cell(_FRAME.format(page=escape(page).translate(_ENTITIES))))
        return nb, resources

    def _carry(self, course: Course, lesson: Lesson, assignment: str, student: str) -> str:
        """Copy the student's page, with the marks as they are now, to where nbgrader's will be; "" if there is none."""
        with Store.reading(course.root, lesson.name) as store:
            last = store.last(student)
        if last is None or last.grade is None:
            return ""
        [grade] = with_mark([last.grade], self._marks_in(course, lesson, assignment))
        language = read_settings(course.root).language or ""
        update_pages(course, [grade], language)
        try:
            page = course.path("feedback", student, lesson.name).with_suffix(".html").read_text(encoding="utf-8")
        except FileNotFoundError:               # graded by `nbgrader autograde` alone
            page = page_of(course, grade, language)
        replace_file(course.path("feedback", student, assignment) / COPY, page.encode(), course.own_mode)
        return page

    def _marks_in(self, course: Course, lesson: Lesson, assignment: str) -> Mapping[str, Mark]:
        if assignment not in self._marks:
            self._marks[assignment] = {}
            with suppress(NoGradebook):
                self._marks[assignment] = gradebook_marks(course, lesson, assignment)
        return self._marks[assignment]
