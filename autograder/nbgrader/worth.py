"""Give the cells that carry points the points of the course's settings, when nbgrader makes a release.

The text that tells students what they can earn follows: its table, and the total in the same cell.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Dict, Float
from traitlets.config import Config

from autograder.course.settings import read_settings
from autograder.lessons.installed import load_lesson
from autograder.lessons.kit.lesson import Lesson
from autograder.nbgrader.registered import AsRegistered
from autograder.output.marks import number

_ROW = re.compile(r"^(\|\s*`(\w+)`\s*\|\s*)([\d.,]+)(\s*\|\s*)$", re.MULTILINE)


class SetPoints(NbGraderPreprocessor):
    """The first step of a release, so that checksums, students and gradebook see the settings' points."""

    worth = Dict(help="grade_id -> points").tag(config=True)
    told = Dict(help="exercise -> points").tag(config=True)
    total = Float(help="the points of the lesson as it comes").tag(config=True)

    def preprocess_cell(self, cell: NotebookNode, resources: dict[str, Any], index: int) -> tuple[NotebookNode, Any]:
        marks = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "markdown":
            cell.source = told(cell.source, self.told, self.total)
        if marks.get("grade") and marks.get("grade_id") in self.worth:
            marks["points"] = self.worth[marks["grade_id"]]
        return cell, resources


def told(words: str, worth: Mapping[str, float], total: float) -> str:
    """The text with these points: in the table's row of each exercise, and as the total beside such a table."""
    def row(match: re.Match[str]) -> str:
        return f"{match[1]}{number(worth[match[2]])}{match[4]}" if match[2] in worth else match[0]

    if not any(match[2] in worth for match in _ROW.finditer(words)):
        return words
    new = _ROW.sub(row, words)
    return re.sub(rf"(?<![\d.,]){number(total)}(?= (?:punten|points)\b)", f"{number(sum(worth.values()))}", new)


def with_points(config: Config, course: Path, lesson: Lesson) -> Config:
    """The configuration of the course in this folder, with our steps before those of GenerateAssignment."""
    stock = (GenerateAssignment.preprocessors.default_args or ((),))[0]
    config.GenerateAssignment.preprocessors = [
        SetPoints, AsRegistered, *(config.GenerateAssignment.get("preprocessors") or stock)]
    config.SetPoints.worth = {exercise.grade_id: exercise.worth for exercise in lesson.exercises}
    config.SetPoints.told = {exercise.name: exercise.worth for exercise in lesson.exercises}
    config.SetPoints.total = float(sum(exercise.points for exercise in load_lesson(lesson.name, course).exercises))
    return config


def course_lesson(course: Path, lesson: Lesson) -> Lesson:
    """This lesson as the course in this folder has it."""
    return read_settings(course).lesson(lesson.name)
