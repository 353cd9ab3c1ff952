"""The journal keeps what is finished, and only what still holds."""
from pathlib import Path

import pytest
from msgspec.structs import replace

from autograder.course.journal import Journal
from autograder.records import Cell, ExerciseGrade, Grade, Submission, Verdict, text

WHY = text("why {not_}", not_=text("inner {n}", n=3))
VERDICT = Verdict("general", text("a title"), "passed", 1.0, 1.0, "own", WHY)
GRADE = Grade("a.ipynb", "student-01", "multihead", "graded", 1.0, 20.0, key="k1", checks="v1", isolation="none",
              exercises=(ExerciseGrade("split_heads", 1.0, 3.0, (VERDICT,)),), notices=(text("cell {cell}", cell=4),))


def submission(**changes: str) -> Submission:
    return Submission(**{"name": "a.ipynb", "student": "student-01", "lesson": "multihead", "key": "k1", **changes})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Journal(tmp_path / "sub" / "journal.jsonl", "multihead", "v1", "none") as journal:
        journal.add(GRADE, submission())
    return tmp_path / "sub" / "journal.jsonl"


def test_a_finished_grade_comes_back_whole(path: Path) -> None:
    with Journal(path, "multihead", "v1", "none") as journal:
        assert journal.find(submission()).grade == GRADE


def test_a_grade_takes_the_name_that_the_file_has_now(path: Path) -> None:
    with Journal(path, "multihead", "v1", "none") as journal:
        assert journal.find(submission(name="b.ipynb")).grade.submission == "b.ipynb"


@pytest.mark.parametrize("changes", [{"key": "k2"}, {"key": ""}, {"cells": (Cell(1, "x = 1"),)}])
def test_other_work_is_not_found(path: Path, changes: dict) -> None:
    with Journal(path, "multihead", "v1", "none") as journal:
        assert journal.find(submission(**changes)) is None


@pytest.mark.parametrize(("checks", "isolation"), [("v2", "none"), ("v1", "namespaces")])
def test_other_checks_or_another_tier_are_not_used(path: Path, checks: str, isolation: str) -> None:
    with Journal(path, "multihead", checks, isolation) as journal:
        assert journal.find(submission()) is None


def test_our_own_fault_is_not_used_again(tmp_path: Path) -> None:
    with Journal(tmp_path / "j", "multihead", "v1", "none") as journal:
        journal.add(Grade("a", "student-01", "multihead", "broken", None, 20.0, key="k1", checks="v1"), submission())
        assert journal.find(submission()) is None


def test_a_cut_off_line_costs_only_itself(path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:50])
    with Journal(path, "multihead", "v1", "none") as journal:
        assert journal.find(submission()).grade == GRADE
        journal.add(GRADE, submission())
    with Journal(path, "multihead", "v1", "none") as journal:
        assert journal.find(submission()).grade == GRADE
    assert path.read_bytes() == whole


def test_a_journal_that_mostly_holds_no_more_is_written_anew(path: Path) -> None:
    with Journal(path, "multihead", "v1", "none") as journal:
        for points in range(2, 50):
            journal.add(replace(GRADE, points=float(points)), submission())
        before = path.stat().st_size
        journal.shrink(too_long=1000)
        journal.add(replace(GRADE, student="student-02"), submission(student="student-02"))
        assert journal.last("student-01").points == 49
    assert path.stat().st_size < before / 10
    with Journal(path, "multihead", "v1", "none") as journal:
        assert journal.find(submission()).grade.points == 49
        assert len(journal.grades(["student-01", "student-02"])) == 2


def test_a_journal_that_mostly_holds_stays(path: Path) -> None:
    whole = path.read_bytes()
    with Journal(path, "multihead", "v1", "none") as journal:
        journal.shrink(too_long=0)
    assert path.read_bytes() == whole


def test_the_same_grade_again_adds_no_line(path: Path) -> None:
    whole = path.read_bytes()
    with Journal(path, "multihead", "v1", "none") as journal:
        journal.add(GRADE, submission())
    assert path.read_bytes() == whole
