"""`pytest --submission FILE`: run the hidden checks of a submission as items, `student-01::split_heads::general`.

A failed check fails, a skipped one is skipped, and a broken one is an error. The student's code runs behind the wall as
always: pytest imports neither the file nor a conftest.py beside it. One thing this plugin cannot prevent: pytest reads
its configuration before it loads plugins, and takes FILE for a path then. If students can put a pytest.ini beside their
notebook, write `--submission=FILE`, which pytest does not take for a path.
Nothing of ours is imported before the option is used, since every run of pytest loads this plugin.
"""
from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from autograder.lessons.kit.lesson import Lesson
    from autograder.records import ExerciseGrade, Grade, Submission, Verdict


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("autograder", "hidden checks of a lesson")
    group.addoption("--submission", metavar="FILE", action="append", default=[],
                    help="grade this notebook or .py file; each hidden check is a test item (may be repeated)")
    group.addoption("--submission-lesson", metavar="NAME", default=None,
                    help="the lesson with the checks; by default the one whose functions it defines")
    group.addoption("--submission-lang", choices=["nl", "en"], default="nl", help="the language of the messages")
    group.addoption("--submission-seconds", type=float, default=10.0, help="how long one call may take")
    group.addoption("--submission-memory", type=int, default=1024, metavar="MB", help="memory limit of its process")
    group.addoption("--submission-isolation", choices=["auto", "namespaces", "process", "none"], default="auto",
                    help="the wall around the student's code")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Iterator[None]:
    """Without paths only the submission is run, so no conftest.py either: it might be the student's."""
    options = early_config.known_args_namespace
    if options.submission:
        _leave_the_students_folder(early_config)
        options.noconftest |= not options.file_or_dir
    return (yield)


def _leave_the_students_folder(config: pytest.Config) -> None:
    """Refuse a configuration that may be the student's, and keep pytest's cache out of the student's folder.

    pytest looks for both beside the submission, since it reads the option's value as a path before it knows the option.
    """
    here, found = config.invocation_params.dir, config.inipath
    files = [(here / file).resolve() for file in config.known_args_namespace.submission]
    if found is None:
        config._rootpath = here
    elif config.known_args_namespace.inifilename is None and (
            any(found.parent == file.parent for file in files)
            or found.parent not in (here, *here.parents) and any(found.parent in file.parents for file in files)):
        raise pytest.UsageError(f"--submission: {found} is beside the submission and may be the student's; run "
                                "pytest elsewhere, with --submission=FILE, or name a configuration with -c")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "points(max_points): what this check of a submission is worth")
    if not config.option.submission:
        return
    for file in config.option.submission:
        if not config.invocation_params.dir.joinpath(file).is_file():
            raise pytest.UsageError(f"--submission: there is no file {file}")
    if not config.option.file_or_dir:
        config.args = []


def pytest_report_header(config: pytest.Config) -> str | None:
    options = config.option
    if options.submission and options.submission_isolation == "none":
        return "NOT ISOLATED: the submission's code runs without a wall, with all your rights"
    return None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    """Add the submissions beside what pytest collects itself, directly below the session."""
    report = yield
    if isinstance(collector, pytest.Session) and collector.config.option.submission and report.passed:
        report.result.extend(_submissions(collector))
    return report


def _submissions(session: pytest.Session) -> Iterator[SubmissionNode]:
    from autograder.intake import read_any
    paths = [session.config.invocation_params.dir / file for file in session.config.option.submission]
    submissions = read_any(paths, _lessons(session.config))
    students = [submission.student for submission in submissions]
    for submission in submissions:
        unique = submission.student and students.count(submission.student) == 1
        name = (submission.student if unique else submission.name).replace("::", ":")
        yield SubmissionNode.from_parent(session, name=name, nodeid=name, submission=submission)


def _lessons(config: pytest.Config) -> list[Lesson]:
    """The lesson that was named, or all of them; also those of the course in the folder where pytest was started."""
    from autograder.lessons.installed import lesson_called, load_lesson, trusted_names
    name, course = config.option.submission_lesson, config.invocation_params.dir
    try:
        names = [lesson_called(name, course)] if name else trusted_names(course)
        return [load_lesson(each, course) for each in names]
    except ValueError as error:
        raise pytest.UsageError(f"--submission{'-lesson' if name else ''}: {error}") from None


class SubmissionNode(pytest.Collector):
    """One submission; collecting it grades it, once."""

    def __init__(self, *, submission: Submission, **node: Any):
        super().__init__(**node)
        self.submission = submission

    def collect(self) -> Iterator[ExerciseNode]:
        grade = _graded(self.submission, self.config)
        if grade.status == "unreadable":
            raise self.CollectError(self.words(self.submission.unreadable))
        for exercise in grade.exercises:
            yield ExerciseNode.from_parent(self, name=exercise.name, exercise=exercise)

    def words(self, sentence: Any) -> str:
        """The sentence in the chosen language, safe to print at a terminal."""
        from autograder.locale.language import translate
        from autograder.output.plain import plain
        return plain(translate(sentence, self.config.option.submission_lang))


def _graded(submission: Submission, config: pytest.Config) -> Grade:
    from autograder.course.rules import rules_of
    from autograder.course.settings import Settings
    from autograder.sandbox.tiers import NoIsolation
    options = config.option
    rules = rules_of(Settings().at(str(config.invocation_params.dir)), seconds=options.submission_seconds,
                     memory_mb=options.submission_memory, isolation=options.submission_isolation)
    try:
        [grade] = rules.graded([submission])
        return grade
    except NoIsolation as error:
        raise pytest.UsageError(f"--submission: {error}") from None


class ExerciseNode(pytest.Collector):
    """One exercise of a submission."""

    parent: SubmissionNode

    def __init__(self, *, exercise: ExerciseGrade, **node: Any):
        super().__init__(**node)
        self.exercise = exercise

    def collect(self) -> Iterator[CheckItem]:
        for verdict in self.exercise.verdicts:
            yield CheckItem.from_parent(self, name=verdict.check, verdict=verdict)


class CheckItem(pytest.Item):
    """One check. It is already judged; running it only reports the result."""

    parent: ExerciseNode

    def __init__(self, *, verdict: Verdict, **node: Any):
        super().__init__(**node)
        self.verdict = verdict
        self.add_marker(pytest.mark.points(verdict.max_points))
        self.user_properties += [("points", verdict.points), ("max_points", verdict.max_points)]

    def setup(self) -> None:
        if self.verdict.verdict == "broken":                         # pytest reports a failure in setup as an error
            pytest.fail(self._why(), pytrace=False)

    def runtest(self) -> None:
        if self.verdict.verdict == "skipped":
            pytest.skip(self._why())
        if self.verdict.verdict != "passed":
            pytest.fail(self._why(), pytrace=False)

    def _why(self) -> str:
        """The reason as "not true yet: The heads are split", what was seen, and the hints."""
        from autograder.output.marks import begins
        words = self.parent.parent.words
        lines = [f"{words(begins(self.verdict))}: {words(self.verdict.title)}",
                 words(self.verdict.message), *map(words, self.parent.exercise.diagnosis.hints)]
        return "\n".join(filter(None, lines))

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, self.nodeid
