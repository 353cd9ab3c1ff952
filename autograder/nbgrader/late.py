"""Apply [late] of autograder.toml as nbgrader's plugin for late work; without a rule, nbgrader's own applies."""
from __future__ import annotations

from pathlib import Path

from nbgrader.plugins import LateSubmissionPlugin

from autograder.course.settings import read_settings


class CoursePenalty(LateSubmissionPlugin):
    """`c.AssignLatePenalties.plugin_class` of the course: asked for each notebook that came after the due date."""

    def late_submission_penalty(self, student_id: str, score: float, total_seconds_late: float) -> float | None:
        late = read_settings(self._course()).late
        if late.rule == "none":
            return super().late_submission_penalty(student_id, score, total_seconds_late)
        return late.penalty(score, total_seconds_late)

    def _course(self) -> Path:
        """The folder that nbgrader works on, known to the converter, a parent of preprocessor and exporter."""
        above = self.parent
        while above is not None and not hasattr(above, "coursedir"):
            above = above.parent
        return Path(above.coursedir.root if above is not None else ".")
