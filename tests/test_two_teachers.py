"""Two teachers share a course (`groupshared = True`, umask 002): what one wrote, the other can write again."""
from __future__ import annotations

import os
from pathlib import Path

import pytest
from courses import LESSON, grade_of, hand_in, new_course, released
from test_one_of_ten import FullMarks

from autograder import cli
from autograder.course.extensions import write_extensions
from autograder.course.folder import Course
from autograder.course.lock import only_one
from autograder.course.store import Store
from autograder.nbgrader.gradebook import Entry, GradebookWriter
from autograder.nbgrader.new_gradebook import make_gradebook
from autograder.nbgrader.pages import write_page
from autograder.records import Submission


def written(folder: Path, shared: bool, umask: int) -> Course:
    """A course in which a teacher with this umask did a bit of everything."""
    config = new_course(folder).root / "nbgrader_config.py"
    config.write_text(f"{config.read_text()}\nc.CourseDirectory.groupshared = {shared}\n")
    before = os.umask(umask)
    try:
        course, grade = Course.find(folder), grade_of("student-01")
        with only_one(course.root, "autograder grade", 0), Store(course.root) as store:
            store.add(grade, Submission(grade.submission, grade.student, grade.lesson))
        make_gradebook(course, LESSON)
        with GradebookWriter(course, LESSON) as writer:
            writer.write([Entry(grade)])
        write_page(course, course.path("feedback", "student-01", "multihead").with_suffix(".html"), grade, "en")
        write_extensions(course.root, {("multihead", "student-01"): "2026-11-02 20:00"})
        assert cli.run(["report"]) == cli.run(["report", "--anonymous"]) == 0
    finally:
        os.umask(before)
    return course


def modes(course: Course) -> dict[str, int]:
    """The permissions of everything that is not the course's own source."""
    return {str(path.relative_to(course.root)): path.stat().st_mode & 0o777 for path in course.root.rglob("*")
            if "assignments" not in path.parts and path.name != "nbgrader_config.py"}


@pytest.mark.parametrize(("shared", "umask"), [(True, 0o002), (False, 0o022)])
def test_what_one_teacher_wrote_the_other_can_write_again(shared, umask, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = modes(written(tmp_path, shared, umask))
    assert {".autograder/store.db", ".autograder/lock", "gradebook.db", "feedback/student-01/multihead.html",
            "report.html", "report-anonymous.html", "extensions.csv", ".autograder/anonymous.key"} <= found.keys()
    for name, mode in found.items():
        assert bool(mode & 0o020) == shared, name
        assert not mode & 0o002, name


@pytest.mark.slow
def test_every_file_of_a_shared_course_can_be_written_by_the_whole_group(tmp_path, monkeypatch):
    """Whatever the commands make, wherever it is, after all of them."""
    course = new_course(tmp_path)
    config = course.root / "nbgrader_config.py"
    config.write_text(f"{config.read_text()}\nc.CourseDirectory.groupshared = True\n")
    for student in ("student-01", "student-02"):
        hand_in(course, student, released())
    (course.root / "roster.csv").write_text("student,Identifier\nstudent-01,Participant 1\nstudent-02,Participant 2\n")
    monkeypatch.chdir(course.root)
    monkeypatch.setattr("autograder.run.grade_course.LocalPool", FullMarks)
    monkeypatch.setattr("autograder.cli.course._wall", lambda *_, **__: None)
    before = os.umask(0o002)
    try:
        for command in COMMANDS:
            assert cli.run(command.split()) == 0, command
    finally:
        os.umask(before)
    found = {name: mode for name, mode in modes(course).items() if name.split("/")[0] not in OTHERS}
    assert {name: oct(mode) for name, mode in found.items() if not mode & 0o020} == {}
    assert len(found) > 20


OTHERS = ("submitted", "roster.csv")      # which no command made
COMMANDS = ("grade --log log.jsonl --json grades.jsonl", "extend student-01 --until 2026-11-02T20:00", "grade",
            "report", "report --anonymous", "feedback --lms moodle --roster roster.csv",
            "export --format csv --output marks.csv",
            "export --format junit --output marks.xml", "export --format gradescope --output gradescope",
            "forget student-02 --yes")


@pytest.mark.slow
def test_the_gradebook_that_a_release_makes_can_be_written_by_the_whole_group(tmp_path, monkeypatch):
    course = new_course(tmp_path)
    config, gradebook = course.root / "nbgrader_config.py", course.root / "gradebook.db"
    gradebook.unlink(missing_ok=True)
    config.write_text(f"{config.read_text()}\nc.CourseDirectory.groupshared = True\n")
    monkeypatch.chdir(course.root)
    before = os.umask(0o002)
    try:
        assert cli.run(["release"]) == 0
    finally:
        os.umask(before)
    assert gradebook.stat().st_mode & 0o777 == 0o664
