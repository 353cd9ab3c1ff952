"""The store keeps what is finished, only what still holds, and nothing about whom it forgot."""
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from autograder import cli
from autograder.course.folder import CourseError
from autograder.course.store import Store, Written, last_grades
from autograder.records import Cell, ExerciseGrade, Grade, Submission, Verdict, text

OLDER = Path(__file__).parent / "older"         # the records of a course of three that version 0.1 graded
WHY = text("why {not_}", not_=text("inner {n}", n=3))
VERDICT = Verdict("general", text("a title"), "passed", 1.0, 1.0, "own", WHY)
GRADE = Grade("a.ipynb", "student-01", "multihead", "graded", 1.0, 20.0, key="k1", checks="v1", isolation="none",
              exercises=(ExerciseGrade("split_heads", 1.0, 3.0, (VERDICT,)),), notices=(text("cell {cell}", cell=4),))
OTHER = replace(GRADE, student="student-02", points=2.0)
BASIS = ("multihead", "v1", "none")


def submission(**changes: str) -> Submission:
    return Submission(**{"name": "a.ipynb", "student": "student-01", "lesson": "multihead", "key": "k1", **changes})


@pytest.fixture
def course(tmp_path: Path) -> Path:
    with Store(tmp_path, *BASIS) as store:
        store.add(GRADE, submission())
    return tmp_path


def rows(course: Path, table: str = "grade") -> list[tuple]:
    with sqlite3.connect(course / ".autograder" / "store.db") as database:
        return database.execute(f"SELECT * FROM {table}").fetchall()


def contents(course: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (course / ".autograder").iterdir()}


# --- what is found ------------------------------------------------------------------------------------------------

def test_a_finished_grade_comes_back_whole(course: Path) -> None:
    with Store(course, *BASIS) as store:
        assert store.find(submission()).grade == GRADE


def test_a_grade_takes_the_name_that_the_file_has_now(course: Path) -> None:
    with Store(course, *BASIS) as store:
        assert store.find(submission(name="b.ipynb")).grade.submission == "b.ipynb"


@pytest.mark.parametrize("changes", [{"key": "k2"}, {"key": ""}, {"cells": (Cell(1, "x = 1"),)},])
def test_other_work_is_not_found(course: Path, changes: dict) -> None:
    with Store(course, *BASIS) as store:
        assert store.find(submission(**changes)) is None


@pytest.mark.parametrize(("lesson", "checks", "isolation"), [
    ("multihead", "v2", "none"), ("multihead", "v1", "namespaces"), ("layernorm", "v1", "none")])
def test_another_lesson_other_checks_or_another_tier_are_not_used(course: Path, lesson: str, checks: str,
                                                                  isolation: str) -> None:
    with Store(course, lesson, checks, isolation) as store:
        assert store.find(submission()) is None


def test_our_own_fault_is_not_used_again(tmp_path: Path) -> None:
    with Store(tmp_path, *BASIS) as store:
        store.add(Grade("a", "student-01", "multihead", "broken", None, 20.0, key="k1", checks="v1"), submission())
        assert store.find(submission()) is None
        assert not store.last("student-01").sound


def test_work_without_a_key_is_nobodys(tmp_path: Path) -> None:
    with Store(tmp_path, *BASIS) as store:
        store.add(replace(GRADE, key=""), submission(key=""))
        assert store.find(submission(key="", student="student-02")) is None


def test_a_students_own_grade_comes_before_a_copy(course: Path) -> None:
    with Store(course, *BASIS) as store:
        store.add(OTHER, submission(student="student-02"))
        assert store.find(submission()).student == "student-01"
        assert store.find(submission(student="student-03")).student == "student-02"


def test_who_goes_back_to_earlier_work_has_its_grade(course: Path) -> None:
    with Store(course, *BASIS) as store:
        store.add(replace(GRADE, key="k2", points=2.0), submission(key="k2"))
        assert (store.find(submission()).grade, store.last("student-01").grade.points) == (GRADE, 2.0)


def test_a_grade_that_cannot_be_read_any_more_is_worked_out_again(course: Path) -> None:
    with sqlite3.connect(course / ".autograder" / "store.db") as database:
        database.execute("UPDATE grade SET grade = '{\"of\": \"another version\"}'")
    with Store(course, *BASIS) as store:
        assert store.find(submission()) is None
        assert store.last("student-01").grade is None


# --- what is kept -------------------------------------------------------------------------------------------------

def test_the_same_grade_again_is_the_same(course: Path) -> None:
    with Store(course, *BASIS) as store:
        before = store.newest
        assert store.add(GRADE, submission()) == before == store.newest


def test_of_many_grades_the_last_three_stay(course: Path) -> None:
    with Store(course, *BASIS) as store:
        for points in range(2, 50):
            store.add(replace(GRADE, points=float(points)), submission())
        store.add(OTHER, submission(student="student-02"))
        assert [grade.points for grade in store.grades(["student-01", "student-02"])] == [49.0, 2.0]
    assert len(rows(course)) == 4
    assert (course / ".autograder" / "store.db").stat().st_size < 100_000


def test_grades_are_read_when_the_store_is_closed_and_one_that_was_removed_is_said(course: Path) -> None:
    with Store(course, *BASIS) as store:
        grades = store.grades(["student-01"])
    assert [grades[0], *grades] == [GRADE, GRADE]
    with Store(course) as store:
        store.forget("student-01")
    with pytest.raises(CourseError, match=r"removed from .*store\.db"):
        list(grades)


def test_what_is_in_a_transaction_when_a_process_is_killed_is_not_there(course: Path) -> None:
    code = ("import os, sqlite3, sys\n"
            "database = sqlite3.connect(sys.argv[1]); database.execute('PRAGMA cache_size = 1')\n"
            "database.executemany('INSERT INTO grade (grade) VALUES (?)', [('x' * 9000,)] * 50); os._exit(1)")
    subprocess.run([sys.executable, "-c", code, course / ".autograder" / "store.db"], check=False)
    assert (course / ".autograder" / "store.db-journal").exists()
    assert len(list(last_grades(course / ".autograder" / "store.db"))) == 1
    with Store(course, *BASIS) as store:
        assert store.find(submission()).grade == GRADE
    assert sorted(contents(course)) == ["store.db"]


def test_who_only_reads_makes_no_file_and_changes_none(course: Path, tmp_path_factory) -> None:
    before = contents(course)
    with Store.reading(course, *BASIS) as store:
        assert store.last("student-01").grade == GRADE
    assert contents(course) == before
    nothing = tmp_path_factory.mktemp("nothing")
    with Store.reading(nothing, *BASIS) as store:
        assert (store.last("student-01"), store.students(), store.newest) == (None, set(), 0)
    assert list(nothing.iterdir()) == []


# --- what is forgotten --------------------------------------------------------------------------------------------

@pytest.mark.parametrize("written", [[], [Written("student-01", 1, "m", "h", "s")]])
def test_nothing_of_a_forgotten_student_is_in_the_file(course: Path, written: list[Written]) -> None:
    with Store(course, *BASIS) as store:
        for points in range(9):
            store.add(replace(GRADE, points=float(points)), submission())
        store.add(OTHER, submission(student="student-02"))
        store.wrote(written)
        assert store.count("student-01") == 3
        store.forget("student-01")
        assert (store.count("student-01"), store.students()) == (0, {"student-02"})
        assert store.last("student-01") is None
    assert not any(b"student-01" in content for content in contents(course).values())


def test_what_was_replaced_leaves_no_bytes_behind(course: Path) -> None:
    with Store(course, *BASIS) as store:
        store.add(replace(GRADE, notices=(text("of long ago"),)), submission())
        for points in range(2, 6):
            store.add(replace(GRADE, points=float(points)), submission())
    assert b"of long ago" not in contents(course)["store.db"]


# --- a course that version 0.1 graded -----------------------------------------------------------------------------

@pytest.fixture
def older(tmp_path: Path) -> Path:
    shutil.copytree(OLDER, tmp_path / ".autograder")
    return tmp_path


def old_grades() -> dict[str, Grade]:
    grades = [msgspec.json.decode(line, type=Grade) for line in (OLDER / "journal.jsonl").read_bytes().splitlines()]
    return {grade.student: grade for grade in grades}


def test_an_older_course_is_taken_over_once_and_its_files_go(older: Path) -> None:
    old = old_grades()
    with Store(older, "multihead", old["student-01"].checks, old["student-01"].isolation) as store:
        assert {student: store.last(student).grade for student in old} == old
        assert [store.last(student).sound for student in sorted(old)] == [True, True, True]
    assert sorted(contents(older)) == ["store.db"]


def test_work_that_an_older_version_judged_is_known(older: Path) -> None:
    line = next(line for line in (OLDER / "journal.jsonl").read_bytes().splitlines() if b'"student-01"' in line)
    with Store(older):
        pass
    work = msgspec.json.decode(line)["work"]
    assert work in {row[3] for row in rows(older)}


def test_who_only_reads_an_older_course_leaves_it_as_it_is(older: Path) -> None:
    before = contents(older)
    with Store.reading(older, "multihead") as store:
        assert store.students() == {"student-01", "student-02", "student-03"}
    assert contents(older) == before


@pytest.mark.parametrize("more", [b'{"submission":"cut o', b"\xff\n", b"[]\n", b"\n"])
def test_a_line_that_was_cut_off_costs_only_itself(older: Path, more: bytes) -> None:
    with (older / ".autograder" / "journal.jsonl").open("ab") as journal:
        journal.write(more)
    with Store(older, "multihead") as store:
        assert store.students() == {"student-01", "student-02", "student-03"}


def test_a_take_over_that_was_ended_begins_again(older: Path) -> None:
    (older / ".autograder" / ".store.db.part").write_bytes(b"half a database")
    with Store(older, "multihead") as store:
        assert len(store.students()) == 3
    assert sorted(contents(older)) == ["store.db"]


def test_what_was_taken_over_already_is_not_taken_over_again(older: Path) -> None:
    with Store(older, "multihead", "v1", "none") as store:
        store.add(GRADE, submission())
    shutil.copy(OLDER / "journal.jsonl", older / ".autograder")         # as a kill before its removal leaves it
    with Store(older, "multihead", "v1", "none") as store:
        assert store.last("student-01").grade == GRADE
    assert sorted(contents(older)) == ["store.db"]


# --- a file that is no good ---------------------------------------------------------------------------------------

@pytest.mark.parametrize(("content", "says"), [
    (b"no database at all, but long enough to be taken for one" * 30, "is damaged .*; move it away"),
    (b"", "holds no grades of this version of the autograder")])
def test_a_store_that_is_no_good_is_one_line(course: Path, content: bytes, says: str) -> None:
    (course / ".autograder" / "store.db").write_bytes(content)
    with pytest.raises(CourseError, match=says), Store(course, *BASIS) as store:
        store.find(submission())
    assert contents(course) == {"store.db": content}


def test_a_page_that_was_damaged_is_one_line(course: Path) -> None:
    path = course / ".autograder" / "store.db"
    with Store(course, *BASIS) as store:
        for number in range(40):
            store.add(replace(GRADE, student=f"student-{number}"), submission(student=f"student-{number}"))
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xaa" * (len(whole) - 4096))
    with pytest.raises(CourseError, match="is damaged"), Store(course, *BASIS) as store:
        store.last("student-1")


@pytest.mark.parametrize("command", [["report"], ["export", "--format", "csv"]])
def test_a_store_that_is_damaged_is_said_to_be_so_by_whoever_reads_it(tmp_path, monkeypatch, capsys, command):
    monkeypatch.chdir(tmp_path)
    Path(".autograder").mkdir()
    Path(".autograder/store.db").write_text("nothing that SQLite wrote")
    assert cli.run(command) == 2
    assert ".autograder/store.db is damaged (file is not a database); move it away" in capsys.readouterr().err
