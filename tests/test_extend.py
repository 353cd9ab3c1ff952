"""More time for a student, by command or by list: kept in the course, and seen by grade, report and export."""
from __future__ import annotations

import shutil
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from courses import LESSON, grade_of
from nbgrader.api import Gradebook
from stores import keep

from autograder import cli
from autograder.course.extensions import extensions, read_list
from autograder.course.folder import Course
from autograder.nbgrader.gradebook import Entry, GradebookWriter
from autograder.nbgrader.marks import gradebook_marks

DUE = datetime(2026, 10, 24, 18, 0)                     # eight in the evening in Amsterdam
UNTIL = datetime(2026, 10, 26, 19, 0)                   # the same two days later, in winter time


@pytest.fixture
def course(registered, tmp_path, monkeypatch) -> Course:
    """Two students who were both two days late."""
    shutil.copytree(registered.root, tmp_path / "course")
    monkeypatch.chdir(tmp_path / "course")
    course = Course.find(tmp_path / "course")
    Path("autograder.toml").write_text('[late]\nrule = "per-day"\n')
    with Gradebook(course.db_url) as gradebook:
        gradebook.update_or_create_assignment("multihead", duedate=DUE)
    grades = [grade_of("student-01"), grade_of("student-02")]
    keep(course.root, *grades)
    for grade in grades:
        Path("submitted", grade.student, "multihead").mkdir(parents=True)
    write(course, *grades)
    return course


def write(course: Course, *grades) -> None:
    with GradebookWriter(course, LESSON) as writer:
        writer.write([Entry(grade, UNTIL) for grade in grades])


def points(course: Course) -> dict[str, float]:
    return {student: mark.points for student, mark in gradebook_marks(course, LESSON).items()}


def in_nbgrader(course: Course, student: str) -> timedelta | None:
    with Gradebook(course.db_url) as gradebook:
        return gradebook.find_submission("multihead", student).extension


def extend(*arguments: str) -> int:
    return cli.run(["extend", *arguments])


def test_an_extension_is_kept_told_to_nbgrader_and_spares_the_penalty(course, capsys):
    assert points(course) == {"student-01": 16, "student-02": 16}
    assert extend("student-01", "--until", "2026-10-26 20:00") == 0
    assert "student-01: multihead until Mon 26 Oct 2026 20:00 CET (Europe/Amsterdam)" in capsys.readouterr().out
    assert Path("extensions.csv").read_text() == "student,assignment,until\nstudent-01,multihead,2026-10-26 20:00\n"
    assert in_nbgrader(course, "student-01") == UNTIL - DUE
    assert points(course) == {"student-01": 20, "student-02": 16}
    write(course, grade_of("student-01"))
    assert not gradebook_marks(course, LESSON)["student-01"].outdated
    assert extend() == 0
    assert capsys.readouterr().out == "student-01: multihead until Mon 26 Oct 2026 20:00 CET (Europe/Amsterdam)\n"


def test_an_extension_is_taken_back(course, capsys):
    extend("student-01", "--until", "2026-10-26 20:00")
    assert extend("student-01", "--remove") == 0
    assert in_nbgrader(course, "student-01") is None
    assert points(course)["student-01"] == 16
    capsys.readouterr()
    assert extend() == 0
    assert capsys.readouterr().out == "nobody has an extension\n"


@pytest.mark.parametrize("words", ["student,until\nstudent-01,2026-10-26 20:00\nstudent-02,2026-10-25 20:00 CET\n",
                                   "\ufeffname;student;until\r\nOne;student-01;2026-10-26T19:00Z\r\n"
                                   "Two;student-02;2026-10-25 20:00 Europe/Amsterdam\r\n;;\r\n"])
def test_extensions_come_from_a_list(words, course):
    Path("list.csv").write_text(words)
    assert extend("--list", "list.csv") == 0
    assert points(course) == {"student-01": 20, "student-02": 18}
    assert len(extensions(course.root)) == 2


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
@pytest.mark.parametrize("words", ["Student\tUntil\nstudent-01\t2026-10-26 20:00\n",
                                   "sep=;\r\nstudent;UNTIL;Name\r\nstudent-01;2026-10-26 20:00;Zoë\r\n"])
def test_a_list_is_read_whatever_saved_it(words, encoding, tmp_path):
    path = tmp_path / "list.csv"
    path.write_bytes(words.encode(encoding))
    assert read_list(path, "multihead") == {("multihead", "student-01"): "2026-10-26 20:00"}


def test_an_extension_comes_before_the_work(course, capsys):
    assert extend("student-03", "--until", "2026-10-26 20:00") == 0
    assert "student-03 has not handed in multihead yet; did you mean student-0" in capsys.readouterr().err
    write(course, grade_of("student-03"))
    assert points(course)["student-03"] == 20
    assert in_nbgrader(course, "student-03") == UNTIL - DUE


def test_an_extension_of_nbgraders_own_counts_too(course):
    with Gradebook(course.db_url) as gradebook:
        gradebook.grant_extension("multihead", "student-02", days=1)
    assert points(course) == {"student-01": 16, "student-02": 18}


@pytest.mark.parametrize(("arguments", "says"), [
    (["student-01", "--until", "tomorrow"], "says 'tomorrow'; expected a time such as '2026-11-02 20:00'"),
    (["student-01", "--until", "2026-10-25 02:30"], "the clock was changed then, so that this came twice or never"),
    (["student-01", "--until", "2027-03-28 02:30"], "the clock was changed then"),
    (["student-01", "--until", "2026-11-02 20:00 EST"], "says '2026-11-02 20:00 EST'"),
    (["student-01", "--until", "2026-10-24 20:00"], "is not later than the due date of multihead, Sat 24 Oct"),
    (["student-01"], "name the students and --until TIME"), (["--until", "2026-11-02 20:00"], "name the students"),
    (["student-01", "--remove"], "student-01 has no extension for multihead"),
    (["student-01", "--until", "2026-11-02 20:00", "--remove"], "choose one"),
    (["student-01", "--list", "list.csv"], "leave out the rest"), (["--list", "none.csv"], "cannot read none.csv"),
    (["--list", "list.csv"], "list.csv has the columns who, when; expected student, until")])
def test_what_cannot_be_is_one_line_and_changes_nothing(arguments, says, course, capsys):
    Path("list.csv").write_text("who,when\nstudent-01,2026-11-02 20:00\n")
    assert extend(*arguments) == 2
    said = capsys.readouterr().err
    assert says in said
    assert said.count("\n") == 1
    assert not Path("extensions.csv").exists()
    assert points(course) == {"student-01": 16, "student-02": 16}


@pytest.mark.parametrize(("words", "says"), [
    ("student,assignment,until\nstudent-01,multihead,soon\n", "line 2 says 'soon'"), ("x\n", "has the columns x;"),
    ("student,assignment,until\nstudent-01,multihead,2026-11-02 20:00\nstudent-01,multihead,2026-11-03 20:00\n",
     "line 3: student-01 is there twice"),
    ("student,assignment,until\n,multihead,2026-11-02 20:00\n", "line 2: expected"),
    ("PK\x03\x04", "is an Excel file"), ("student,student,assignment,until\n", "two columns 'student'"),
    ("student,assignment,until\nstudent-01,multihead,\"2026-11-02 20:00\n", "is not CSV: unexpected end of data")])
def test_a_list_that_was_edited_wrongly_is_one_line_wherever_it_is_read(words, says, course, capsys):
    Path("extensions.csv").write_text(words)
    for command in (["extend"], ["export", "--format", "csv"]):
        assert cli.run(command) == 2
        said = capsys.readouterr().err
        assert says in said
        assert said.count("\n") == 1


def test_a_student_who_is_forgotten_is_not_in_the_list_either(course, capsys):
    extend("student-01", "--until", "2026-10-26 20:00")
    extend("student-02", "--until", "2026-10-26 20:00")
    assert cli.run(["forget", "student-01", "--yes"]) == 0
    assert list(extensions(course.root)) == [("multihead", "student-02")]
    assert "extensions.csv: an extension" in capsys.readouterr().out
