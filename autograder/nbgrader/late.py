"""Apply [late] of autograder.toml as nbgrader's plugin for late work; without a rule, nbgrader's own applies."""

from pathlib import Path
from typing import Any

from nbgrader.plugins import LateSubmissionPlugin

from autograder.course.extensions import DueDates
from autograder.course.late import days_late
from autograder.course.settings import read_settings


class CoursePenalty(LateSubmissionPlugin):
    """`c.AssignLatePenalties.plugin_class` of the course: asked for each notebook that came after the due date."""

    parent: Any                                 # nbgrader's step, which knows gradebook and assignment

    def late_submission_penalty(self, student_id: str, score: float, total_seconds_late: float) -> float | None:
        settings = read_settings(self._course())
        if settings.late.rule == "none":
            return super().late_submission_penalty(student_id, score, total_seconds_late)
        submission = self.parent.gradebook.find_submission(self.parent.assignment_id, student_id)
        due = DueDates(self._course(), self.parent.assignment_id).of(student_id, submission.assignment.duedate,
                                                                     submission.extension)
        return settings.late.penalty(score, days_late(due, submission.timestamp, settings))

    def _course(self) -> Path:
        """The folder that nbgrader works on, known to the converter, a parent of preprocessor and exporter."""
        above = self.parent
        while above is not None and not hasattr(above, "coursedir"):
            above = above.parent
        return Path(above.coursedir.root if above is not None else ".")
