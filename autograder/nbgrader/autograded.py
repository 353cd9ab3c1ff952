"""Write autograded/<student>/<assignment>/, from which nbgrader's formgrader, feedback and export continue.

The notebook has the student's cells and, in their places, the course's cells with their hidden tests, as `nbgrader
autograde` would leave it; its outputs are ours (see cell_outputs). Beside it are the course's own files, timestamp.txt,
by which nbgrader knows that this submission was graded, and the secret by which its exchange gives the feedback to the
student alone. No other file of the student's is copied: a numpy.py among them would be imported by anyone who opens the
notebook there.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from autograder.atomic import replace_files
from autograder.course.folder import Course
from autograder.intake.encoding import Unreadable, text_of
from autograder.intake.notebook_json import notebook_cells
from autograder.intake.regions import stubs
from autograder.intake.template import normalised, template_of
from autograder.lessons.kit.lesson import Lesson
from autograder.locale.language import language_for, translate
from autograder.nbgrader.cell_outputs import notice_lines, run_outputs, score_outputs
from autograder.nbgrader.gradebook import cell_points
from autograder.nbgrader.notebook import SourceCell, SourceNotebook
from autograder.nbgrader.placed import Placed, as_letters, placed, unanswered
from autograder.output.rendered import RenderedExercise, exercise_page, exercise_words
from autograder.output.weight import fitted
from autograder.records import CellReport, Grade, NotebookCell, Submission

Made = Mapping[str, RenderedExercise]           # by the names of exercises


class AutogradedWriter:
    """Writes the autograded folders of one assignment. `source` is the notebook as the gradebook knows it."""

    def __init__(self, course: Course, lesson: Lesson, source: SourceNotebook, language: str = "nl"):
        self.course, self.lesson, self.source, self.language = course, lesson, source, language
        self._exercises = {exercise.grade_id: exercise.name for exercise in lesson.exercises}

    def write(self, submission: Submission, grade: Grade, made: Made = MappingProxyType({})) -> frozenset[str]:
        """Write one student's folder. `made`: what was rendered of its exercises already.

        Returns the solution cells that are still as they were released. Each file appears as a whole or not at all,
        the notebook last.
        """
        folder, mode = self.course.path("autograded", submission.student, self.source.assignment), self.course.file_mode
        notebook, unanswered_cells = self.notebook(submission, grade, made)
        files = self.files(submission)
        files[f"{self.source.name}.ipynb"] = msgspec.json.format(msgspec.json.encode(notebook), indent=1) + b"\n"
        replace_files(folder, files, mode)
        return unanswered_cells

    def notebook(self, submission: Submission, grade: Grade, made: Made = MappingProxyType({})
                 ) -> tuple[dict[str, Any], frozenset[str]]:
        """The autograded notebook as plain data, and the solution cells that are still as they were released."""
        cells = self._placed(submission)
        def shown(light: Grade) -> tuple[dict[str, Any], list[str]]:
            lines = self._lines(submission, light)
            return self._notebook(cells, lines, light, made), lines
        notebook, _ = fitted(grade, shown, _weight_of_ours)
        return notebook, unanswered(cells, self._stubs)

    def files(self, submission: Submission) -> dict[str, bytes]:
        """The files beside the notebook, by path: the course's own, and those of nbgrader's exchange."""
        return self._files | submission.handed_in.files

    def _placed(self, submission: Submission) -> list[Placed]:
        code = {cell.index: cell.source for cell in submission.cells}
        return placed(self.source, _cells(submission), code, self._prose)

    def _lines(self, submission: Submission, grade: Grade) -> list[str]:
        """The cell above the first one."""
        language = language_for(grade, self.language)
        why = [] if submission.unreadable is None else [translate(submission.unreadable, language)]
        return [*why, *notice_lines(grade, language)]

    def _notebook(self, cells: Sequence[Placed], lines: Sequence[str], grade: Grade, made: Made) -> dict[str, Any]:
        """A notebook of format 4.5 (nbformat itself takes as long to write it as we take to grade it)."""
        reports = {report.cell: report for report in grade.cells}
        all_of_it = [self._cell(cell, grade, reports, made) for cell in cells]
        if lines:
            all_of_it.insert(0, {"cell_type": "markdown", "metadata": {}, "source": as_letters("\n".join(lines))})
        for number, cell in enumerate(all_of_it):
            cell["id"] = f"cell-{number}"
        metadata: dict[str, Any] = {"language_info": {"name": "python"}}
        if self.source.kernelspec:
            metadata["kernelspec"] = self.source.kernelspec
        return {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": all_of_it}

    def _cell(self, place: Placed, grade: Grade, reports: Mapping[int, CellReport], made: Made) -> dict[str, Any]:
        cell: dict[str, Any] = {"cell_type": place.kind, "metadata": _metadata(place.course), "source": place.source}
        if place.kind == "code":
            cell |= {"execution_count": None, "outputs": self._outputs(place, grade, reports, made)}
        return cell

    def _outputs(self, cell: Placed, grade: Grade, reports: Mapping[int, CellReport], made: Made
                 ) -> list[dict[str, Any]]:
        language = language_for(grade, self.language)
        name = self._exercises.get(cell.course.name) if cell.course is not None else None
        if cell.course is None or cell.course.solution or name is None and not cell.course.takes_a_score:
            return list(run_outputs(None if cell.index is None else reports.get(cell.index), language))
        if name is None:
            return score_outputs(None, "", "", language)
        exercise = next((exercise for exercise in grade.exercises if exercise.name == name), None)
        words, html = ((made[name].words, made[name].cell) if name in made else
                       (exercise_words(exercise, language), exercise_page(exercise, language)))
        return score_outputs(cell_points(grade, name, cell.course.points), words, html, language)

    @cached_property
    def _prose(self) -> frozenset[str]:
        """The texts of the course: of every edition of the lesson, and of the notebook in the course's folder."""
        own = self.course.path("source", ".", self.source.assignment) / f"{self.source.name}.ipynb"
        texts: set[str] = set()
        with suppress(OSError, Unreadable):
            cells, _ = notebook_cells(text_of(own.read_bytes())[0])
            texts = {normalised(cell.source) for cell in cells if cell.kind != "code"}
        return template_of(self.lesson).prose | texts

    @cached_property
    def _stubs(self) -> frozenset[str]:
        return stubs(self.lesson)

    @cached_property
    def _files(self) -> dict[str, bytes]:
        """The course's own files for this assignment, by their path in its folder, without notebooks."""
        folder = self.course.path("source", ".", self.source.assignment)
        files = {f"{module}.py": self.lesson.home.read(path) for module, path in self.lesson.beside.items()}
        for path in _course_files(folder, [*self.course.setting("ignore"), "*.ipynb"]):
            files[path.relative_to(folder).as_posix()] = path.read_bytes()
        return files


def _cells(submission: Submission) -> Sequence[NotebookCell]:
    """All cells of the student's notebook; if there is none, the cells that were graded."""
    return submission.notebook or [NotebookCell(cell.index, "code", cell.source, cell.grade_id)
                                   for cell in submission.cells]


def _weight_of_ours(made: tuple[dict[str, Any], list[str]]) -> int:
    """The bytes of what is ours in a notebook: the outputs, and the lines above the first cell."""
    notebook, lines = made
    return len(msgspec.json.encode([lines, [cell.get("outputs") for cell in notebook["cells"]]]))


def _metadata(course: SourceCell | None) -> dict[str, Any]:
    """nbgrader's metadata of a course cell, as the gradebook knows it; the student's own is not trusted."""
    if course is None:
        return {}
    marks = {"schema_version": 3, "grade_id": course.name, "grade": course.takes_a_score, "solution": course.solution,
             "task": course.task, "locked": course.locked, "cell_type": course.cell_type}
    if course.checksum is not None:
        marks["checksum"] = course.checksum
    if course.takes_a_score or course.task:
        marks["points"] = course.points
    return {"nbgrader": marks} | ({"deletable": False, "editable": False} if course.locked else {})


def _course_files(folder: Path, ignore: list[str]) -> Iterator[Path]:
    for where, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not any(fnmatch(name, pattern) for pattern in ignore)]
        for name in names:
            if not any(fnmatch(name, pattern) for pattern in ignore):
                yield Path(where, name)
