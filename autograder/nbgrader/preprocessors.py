"""Put our engine into nbgrader's own steps: `nbgrader autograde` and the formgrader's button give our verdicts.

nbgrader_config.py puts these in place of nbgrader's. Anything that is not a notebook of a lesson of ours goes through
nbgrader's own steps, so that a course may hold other assignments as well.

The student's file is read by our intake, which repairs what nbformat refuses; nbgrader reads the score below each
graded cell, which is followed by our feedback.
"""

import os
from dataclasses import replace
from fnmatch import fnmatch
from glob import glob
from pathlib import Path
from typing import Any, TypeAlias, cast

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import Autograde
from nbgrader.converters.base import NbGraderException
from nbgrader.preprocessors import Execute, NbGraderPreprocessor, SaveAutoGrades
from traitlets import Enum, Float, Integer, List, Unicode

from autograder.course.rules import Rules, rules_of
from autograder.course.settings import Settings, read_settings
from autograder.judge.engine import Limits
from autograder.lessons.installed import assignments_of, every_lesson
from autograder.locale.language import LANGUAGES, OWN, translate
from autograder.nbgrader.session import StudentSession, course_of, folder_of, lesson_of, notebooks_of
from autograder.nbgrader.versions import check_nbgrader

check_nbgrader()
Resources: TypeAlias = Any                      # nbconvert's dict of everything about the conversion
Result: TypeAlias = tuple[NotebookNode, Resources]
GRADE = "autograder_grade"                      # among the resources: the engine's grade


class SubmissionExporter(NotebookExporter):
    """Reads what was handed in whatever happened to it: our intake opens the file itself, in the first step.

    nbgrader makes one for each run, after it looked for notebooks. Those that it missed because of their names are
    added then.
    """

    def __init__(self, **options: Any):
        super().__init__(**options)
        if isinstance(self.parent, Autograde):
            self._refuse_other_edition(self.parent.coursedir)
            self._add_what_was_missed(self.parent)

    @property
    def _root(self) -> Path | None:
        """The course's folder."""
        return Path(self.parent.coursedir.root) if self.parent is not None else None

    def _refuse_other_edition(self, directory: Any) -> None:
        """One line, where an edition was named that the gradebook does not know: its work belongs to the assignment."""
        named = directory.assignment_id
        own = next((lesson.name for lesson in every_lesson(self._root) if named in assignments_of(lesson)[1:]), None)
        if own is None:
            return
        with Gradebook(directory.db_url, directory.course_id) as gradebook:
            try:
                gradebook.find_assignment(named)
            except MissingEntry:
                words = (f"{named} is an edition of {own} and has no marks of its own: `autograder grade` grades the "
                         f"work in {named}/ under {own}; nbgrader finds it once the folder is called {own}/")
                self.log.error(words)
                raise NbGraderException(words) from None

    def _add_what_was_missed(self, converter: Any) -> None:
        directory, assignment = converter.coursedir, converter.coursedir.assignment_id
        names = [name for name in notebooks_of(assignment, self._root) if fnmatch(name, directory.notebook_id)]
        for folder in glob(directory.format_path(directory.submitted_directory, directory.student_id, assignment)):
            paths = [os.path.join(folder, f"{name}.ipynb") for name in names]
            if os.path.isdir(folder) and paths:
                found = converter.assignments.setdefault(folder, [])
                found += [path for path in paths if path not in found]

    def from_filename(self, filename: str, resources: Resources = None, **more: Any) -> Result:
        about = (resources or {}).get("nbgrader", {})
        first = getattr(self.parent, "_sanitizing", False)      # the second pass reads the first one's output
        if not first or lesson_of(about.get("assignment", ""), about.get("notebook", ""), self._root) is None:
            return super().from_filename(filename, resources, **more)
        resources["metadata"] = {"name": about["notebook"], "path": os.path.dirname(filename)}
        return self.from_notebook_node(nbformat.v4.new_notebook(), resources, **more)


class LessonStep(NbGraderPreprocessor):
    """A step that knows which notebooks are ours, and the course that they are in."""

    parent: Any                                 # the exporter, whose own parent is nbgrader's converter

    language = Enum((OWN, *LANGUAGES), OWN,
                    help="The language of the feedback; '' for that of each student's notebook.").tag(config=True)

    def session(self, resources: Resources) -> StudentSession | None:
        """The grading of this submission; None if it is not a notebook of ours."""
        about = resources["nbgrader"]
        lesson = lesson_of(about["assignment"], about["notebook"], folder_of(self))
        if lesson is None:
            return None
        course = course_of(self.parent.parent.coursedir)
        language = self.language or self.settings.language or OWN
        return StudentSession(course, lesson, about["assignment"], about["student"], language, self.log.warning)

    @property
    def settings(self) -> Settings:
        """The settings of autograder.toml in the course's folder; nbgrader_config.py overrides them."""
        folder = folder_of(self)
        return read_settings(folder) if folder is not None else Settings()


class Sanitize(LessonStep):
    """Restores the course's cells among the student's, each once, and removes anything else that was handed in.

    Until the submission is graded its points are unknown: whatever goes wrong from here on, no old score stays.
    """

    stock = List((Autograde.sanitize_preprocessors.default_args or ((),))[0],
                 help="What other notebooks pass through.")

    def preprocess(self, nb: NotebookNode, resources: Resources) -> Result:
        session = self.session(resources)
        if session is None:
            for step in self.stock:
                nb, resources = step(parent=self.parent)(nb, resources)
            return nb, resources
        for notice in session.submission.notices:
            self.log.warning("%s: %s", session.student, translate(notice, "en"))
        theirs = self.parent.parent.exclude_overwriting.get(session.assignment, [])
        return cast(NotebookNode, nbformat.from_dict(session.prepared(frozenset(theirs)))), resources


class GradeWithEngine(LessonStep, Execute):
    """Replaces Execute: asks the engine, and writes the points and the feedback below the graded cells.

    `c.Execute.timeout` (or --ExecutePreprocessor.timeout) limits the time of a cell, and never lets one call take
    longer. `--no-execute` leaves this step out.
    """

    isolation = Enum(("auto", "namespaces", "process", "none"), "auto",
                     help="The wall around students' code; auto takes the best available.").tag(config=True)
    memory_mb = Integer(Limits.memory_mb, help="Memory limit of a student's process, in MB.").tag(config=True)
    seconds = Float(Limits.seconds, help="Time limit of one call of a student's function.").tag(config=True)
    extra_arguments = List(Unicode(), [])       # of a kernel, which is not started here

    @property
    def rules(self) -> Rules:
        """The course's settings, and what a student's code may use."""
        given = {name: getattr(self, name) for name in ("seconds", "memory_mb", "isolation")
                 if getattr(self, name) != getattr(Limits, name)}
        rules = rules_of(self.settings, **given)
        return rules if self.timeout == Execute.timeout.default_value else replace(
            rules, limits=self._with_timeout(rules.limits))

    def _with_timeout(self, limits: Limits) -> Limits:
        cell = float(self.timeout) if self.timeout and self.timeout > 0 else 3600.0
        return Limits(min(limits.seconds, cell), limits.memory_mb, limits.isolation, cell, max(limits.budget, 6 * cell))

    def preprocess(self, nb: NotebookNode, resources: Resources = None, km: Any = None) -> Result:
        session = self.session(resources)
        if session is None:
            return Execute.preprocess(self, nb, resources, km)
        resources[GRADE] = session.grade(self.rules)
        return nb, resources


class SaveGrades(LessonStep, SaveAutoGrades):
    """Replaces SaveAutoGrades: the rows of `autograder grade`, with a comment for the student.

    What is unknown (a file that cannot be read, a fault of our own, --no-execute) is left to a person.
    """

    def preprocess(self, nb: NotebookNode, resources: Resources) -> Result:
        session = self.session(resources)
        if session is None:
            return SaveAutoGrades.preprocess(self, nb, resources)
        grade = resources.pop(GRADE, None) or session.known(GradeWithEngine(parent=self.parent).rules)
        for reason in grade.for_a_person:
            self.log.warning("%s: %s", session.student, translate(reason, "en"))
        if session.submission.unreadable is not None:
            self.log.error("%s: %s", session.student, translate(session.submission.unreadable, "en"))
        return cast(NotebookNode, nbformat.from_dict(session.written(grade))), resources
