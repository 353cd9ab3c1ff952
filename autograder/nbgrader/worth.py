"""Give the cells that carry points the points of the course's settings, when nbgrader makes a release."""
from __future__ import annotations

from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Dict
from traitlets.config import Config

from autograder.course.settings import read_settings
from autograder.lessons.kit.lesson import Lesson


class SetPoints(NbGraderPreprocessor):
    """The first step of a release, so that checksums, students and gradebook see the settings' points."""

    worth = Dict(help="grade_id -> points").tag(config=True)

    def preprocess_cell(self, cell: NotebookNode, resources: dict[str, Any], index: int) -> tuple[NotebookNode, Any]:
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("grade") and marks.get("grade_id") in self.worth:
            marks["points"] = self.worth[marks["grade_id"]]
        return cell, resources


def with_points(config: Config, lesson: Lesson) -> Config:
    """This configuration, with our step before those of GenerateAssignment if the course chose its own points."""
    stock = (GenerateAssignment.preprocessors.default_args or ((),))[0]
    config.GenerateAssignment.preprocessors = [SetPoints, *(config.GenerateAssignment.get("preprocessors") or stock)]
    config.SetPoints.worth = {exercise.grade_id: exercise.worth for exercise in lesson.exercises}
    return config


def course_lesson(course: Path, lesson: Lesson) -> Lesson:
    """This lesson as the course in this folder has it."""
    return read_settings(course).lesson(lesson.name)
