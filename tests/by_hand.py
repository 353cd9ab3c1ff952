"""Grades made by hand, and an engine that hands them out by the name of the file: for tests of what comes after it.

Run as a program it is the command line on that engine: `python tests/by_hand.py check ok.py`.
"""
from __future__ import annotations

import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import msgspec
from stores import keep

import autograder
from autograder.course.folder import CourseError
from autograder.course.settings import Settings
from autograder.records import CellReport, Diagnosis, ExerciseGrade, Grade, Submission, Verdict, text

GRADE = Grade(
    "student-01/multihead/multihead.ipynb", "student-01", "multihead", "graded", 17.5, 20.0,
    exercises=(
        ExerciseGrade("split_heads", 3.0, 3.0, (
            Verdict("worked-example", text("The worked example comes out"), "passed", 1.0, 1.0, "own"),
            Verdict("general", text("Every head keeps its own channels"), "passed", 2.0, 2.0, "own"))),
        ExerciseGrade("merge_heads", 0.5, 2.0, (
            Verdict("worked-example", text("Merging what was split"), "passed", 0.5, 0.5, "own"),
            Verdict("general", text("Time and heads stay apart"), "wrong", 0.0, 1.5, None,
                    text("{name} has shape {got}, expected {want} = ({axes})", name="h", got="(2, 5)", want="(5, 2)",
                         axes="T, d"), ("merge-no-swap",))),
            Diagnosis(("merge-no-swap",), (text("Which axis should stand right after the batch?"),))),
        ExerciseGrade("multihead", 5.0, 5.0, (
            Verdict("general", text("y is right"), "passed", 5.0, 5.0, "stand-in",
                    text("right; it only failed because of your {functions}", functions="merge_heads")),)),
        ExerciseGrade("multihead_backward", 7.0, 7.0, (
            Verdict("general", text("The routes are added"), "passed", 7.0, 7.0, "own-derivative"),)),
        ExerciseGrade("own_test", 2.0, 3.0, (
            Verdict("accepts", text("Right functions are accepted"), "passed", 2.0, 2.0, "own"),
            Verdict("rejects", text("Wrong functions are rejected"), "timed_out", 0.0, 1.0))),
    ),
    cells=(CellReport(3, "ok", "", "hello"), CellReport(7, "raised", "ModuleNotFoundError: torch", "<b>bold</b>")),
    notices=(text("Given cells were changed: {cells}.", cells="helper"),),
    for_a_person=(text("an attention of its own"),), isolation="namespaces", seconds=0.0143, language="nl",
    key="0123", checks="abcd")
WHY = text("The file is empty")


def changed(grade: Grade = GRADE, **fields) -> Grade:
    """The grade with these fields instead."""
    return msgspec.structs.replace(grade, **fields)


def with_verdict(verdict: str, **fields) -> Grade:
    """GRADE with a single exercise that has a single check, which ended so."""
    points = {"passed": 1.0, "broken": None}.get(verdict, 0.0)
    one = msgspec.structs.replace(Verdict("general", text("y is right"), verdict, points, 1.0), **fields)
    return changed(points=points, max_points=1.0, cells=(), notices=(), for_a_person=(),
                   exercises=(ExerciseGrade("multihead", points, 1.0, (one,)),))


UNREADABLE = changed(status="unreadable", points=None, notices=(WHY,), cells=(), for_a_person=(), exercises=(
    ExerciseGrade("multihead", None, 1.0, (Verdict("general", text("y is right"), "broken", None, 1.0),)),))
BROKEN = changed(with_verdict("broken"), status="broken")


@dataclass(frozen=True)
class Limits:
    seconds: float = 5.0
    memory_mb: int = 1024
    isolation: str = "auto"
    budget: float = 60.0
    cell_seconds: float = 10.0
    wall: tuple[str, str] = ("auto", "")


class Engine:
    """Hands out grades by the name of the file: "unreadable.py", "broken.py", "explodes.py", "slow.py", else GRADE."""

    def __init__(self, lesson, limits=None):
        self.limits = limits or Limits()
        self.isolation = self.limits.isolation

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        pass

    def grade(self, submission: Submission) -> Grade:
        kind = Path(submission.name).stem
        if kind == "explodes":
            raise RuntimeError("no more\nwires")
        if kind == "slow":
            threading.Event().wait()                # until a signal ends it
        isolation = "none" if self.isolation == "none" else "namespaces"
        return changed({"unreadable": UNREADABLE, "broken": BROKEN}.get(kind, GRADE), submission=submission.name,
                       student=submission.student, isolation=isolation)


class Rules:
    """Grades with the engine by hand."""

    def __init__(self, settings, limits):
        self.settings, self.limits = settings, limits

    def engine(self, lesson, told=None):
        return Engine(self.settings.lesson(lesson), self.limits)

    def graded(self, submissions, told=None):
        for submission in submissions:
            with self.engine(submission.lesson, told) as engine:
                yield engine.grade(submission)


def rules_of(course=None, **given):
    return Rules(Settings(), Limits(**given))


def read(paths, lesson):
    for path in paths:
        unreadable = WHY if Path(path).stem == "unreadable" else None
        yield Submission(str(path), Path(path).stem, "multihead", unreadable=unreadable)


def grade_course(work, *, on_grade, students, limits, **choices):
    course = work.course
    if not (course.root / "submitted").is_dir():
        raise CourseError(f"there is no folder submitted/ in {course.root}")
    grades = [changed(submission=path.as_posix(), student=path.stem)
              for path in sorted((course.root / "submitted").iterdir()) if not students or path.stem in students]
    for index, grade in enumerate(grades, start=1):
        on_grade(grade, index, len(grades))
    (course.root / ".autograder" / "store.db").unlink(missing_ok=True)
    keep(course.root, *grades)
    return grades


def modules() -> dict[str, ModuleType]:
    """What stands in for the modules of these names."""
    grade, rules, course, intake = map(ModuleType, (
        "autograder.judge.engine", "autograder.course.rules", "autograder.run.grade_course", "autograder.intake"))
    grade.Limits, grade.Engine, course.grade_course = Limits, Engine, grade_course
    rules.Rules, rules.rules_of, rules.WarmEngine = Rules, rules_of, object
    rules.say_wall = lambda limits, told: None
    intake.read_any = lambda paths, lessons: list(read(paths, lessons[0]))
    intake.__path__ = [str(Path(autograder.__file__).with_name("intake"))]      # its other files are as they are
    intake.read_folder = read
    intake.read_everything = lambda paths, lessons, seconds, others: (intake.read_any(paths, lessons), [])
    return {module.__name__: module for module in (grade, rules, course, intake)}


if __name__ == "__main__":
    from autograder.cli import main
    sys.modules.update(modules())
    main()
