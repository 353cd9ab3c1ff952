"""A regrade tells its story before anything is written: who changes, by how much, in which check, and why."""
import os
import shutil
import sqlite3
from collections import Counter
from pathlib import Path

import pytest
from courses import LESSON, grade_of, hand_in, new_course
from damage import honest
from msgspec.structs import replace
from notebooks import code, data
from test_hook import wrong
from waiting import eventually

from autograder import cli
from autograder.course import submitted
from autograder.course.folder import Course
from autograder.course.store import Last, Written
from autograder.judge.engine import Engine
from autograder.nbgrader import standing
from autograder.output.changes import Change, change_lines
from autograder.records import Text
from autograder.run import grade_course, job
from autograder.sandbox.student import Sandbox

FULL = grade_of("student-01", key="k", checks="v1")
PARTLY = grade_of("student-01", (3, 2, 2.5, 7, 3), key="k", checks="v1")
EMPTY = Text("The file is {kind}.", {"kind": "empty"})


def told(*changes) -> list[str]:
    return list(change_lines(changes))


def test_the_same_grade_is_no_change():
    assert not Change(FULL, FULL).changes
    assert told(Change(FULL, FULL)) == ["0 of 1 change, 0 new, 1 unchanged"]


def test_a_change_names_the_points_the_check_and_why():
    assert told(Change(PARTLY, replace(FULL, checks="v2"))) == [
        "student-01  17.5 → 20 / 20 (+2.5): other checks",
        "    multihead/value: wrong 2.5 / 5 → passed 5 / 5",
        "1 of 1 change, 0 new, 0 unchanged"]


@pytest.mark.parametrize(("other", "why"), [({"key": "k2"}, "other work"), ({"checks": "v2"}, "other checks"),
                                            ({"isolation": "process"}, "another wall"),
                                            ({"key": "k2", "checks": "v2"}, "other work, other checks")])
def test_why_it_was_graded_again_is_said(other, why):
    assert told(Change(PARTLY, replace(FULL, **other)))[0].endswith(f": {why}")


def test_a_first_grade_is_new():
    assert told(Change(None, FULL))[0] == "student-01  new: 20 / 20"


def test_a_grade_that_cannot_be_given_any_more_is_a_change():
    lost = grade_of("student-01", (None,) * 5, "unreadable")
    assert told(Change(FULL, lost))[0].startswith("student-01  20 → ? / 20 unreadable")
    assert Change(FULL, lost).by is None


def test_of_a_grade_that_cannot_be_given_the_reason_is_told_and_not_each_check():
    unreadable = grade_of("student-01", (None,) * 5, "unreadable", key="k", checks="v1")
    lost = replace(unreadable, notices=(Text("renamed"), EMPTY))
    assert told(Change(FULL, lost)) == ["student-01  20 → ? / 20 unreadable: the same work and checks",
                                        "    The file is empty.", "1 of 1 change, 0 new, 0 unchanged"]
    assert told(Change(lost, FULL))[0] == "student-01  ? → 20 / 20: the same work and checks"
    assert len(told(Change(lost, FULL))) == 2


def test_a_grade_that_still_cannot_be_given_is_told_though_nothing_changes():
    lost = replace(grade_of("student-01", (None,) * 5, "unreadable", key="k", checks="v1"), notices=(EMPTY,))
    assert told(Change(lost, lost), Change(FULL, FULL)) == ["student-01  stays ? unreadable", "    The file is empty.",
                                                            "0 of 2 change, 0 new, 2 unchanged"]


def test_of_a_fault_of_ours_the_reason_is_told():
    lost = replace(grade_of("student-01", (None,) * 5, "broken", key="k", checks="v1"), for_a_person=(EMPTY,),
                   notices=(Text("renamed"),))
    assert told(Change(FULL, lost))[1] == "    The file is empty."


def test_a_student_who_has_nothing_there_any_more_is_told():
    gone = Change(PARTLY, None)
    assert (gone.student, gone.changes, gone.by) == ("student-01", False, None)
    assert told(gone, Change(FULL, FULL)) == ["student-01  17.5 stays: the submission is gone",
                                              "0 of 1 change, 0 new, 1 unchanged, 1 with no submission left"]


def test_a_check_that_is_new_or_gone_is_a_change():
    fewer = replace(FULL, exercises=FULL.exercises[1:])
    assert "    split_heads/value: absent → passed 3 / 3" in told(Change(fewer, FULL))
    assert "    split_heads/value: passed 3 / 3 → absent" in told(Change(FULL, fewer))


# --- a real course ------------------------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def graded(tmp_path_factory) -> Course:
    course = new_course(tmp_path_factory.mktemp("graded"))
    hand_in(course, "student-01", honest())
    hand_in(course, "student-02", wrong())
    grade_course.grade_course(course.root)
    return course


@pytest.fixture
def course(graded, tmp_path, monkeypatch) -> Course:
    shutil.copytree(graded.root, tmp_path / "course")
    monkeypatch.chdir(tmp_path / "course")
    return Course.find(tmp_path / "course")


def contents(folder: Path) -> dict[Path, tuple[int, bytes]]:
    return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("command", [["diff"], ["grade", "--dry-run"]])
def test_it_is_told_and_nothing_is_written(course, capsys, command):
    path = course.path("submitted", "student-02", "multihead") / "multihead.ipynb"
    path.write_bytes(data(honest()))
    hand_in(course, "student-03", honest())
    before = contents(course.root)
    assert cli.run(command) == 0
    assert contents(course.root) == before
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "student-02  17 → 20 / 20 (+3): other work"
    assert said[1].startswith("    split_heads/")
    assert said[-2:] == ["student-03  new: 20 / 20", "1 of 3 change, 1 new, 1 unchanged"]


@pytest.mark.parametrize(("asked", "told"), [([], True), (["--student", "student-02"], False)])
def test_a_student_whose_work_was_taken_away_is_told_when_the_class_is_asked_for(course, capsys, asked, told):
    shutil.rmtree(course.path("submitted", "student-01", "multihead"))
    assert cli.run(["diff", *asked, "--json", "grades.jsonl"]) == 0
    assert ("student-01  20 stays: the submission is gone" in capsys.readouterr().out) is told
    assert Path("grades.jsonl").read_text().count("\n") == 1


def test_a_course_that_was_never_graded_gets_no_store(tmp_path, monkeypatch):
    course = new_course(tmp_path)
    hand_in(course, "student-01", honest())
    monkeypatch.chdir(tmp_path)
    before = contents(tmp_path)
    assert cli.run(["diff"]) == 0
    assert contents(tmp_path) == before


def test_only_what_changed_is_graded_again(course):
    (course.path("submitted", "student-02", "multihead") / "multihead.ipynb").write_bytes(data(honest()))
    found = []

    def watch(event, **facts):
        if event == "graded":
            found.append((facts["judged"].submission.student, facts["judged"].source))
    grade_course.grade_course(course.root, on_event=watch)
    assert sorted(found) == [("student-01", "known"), ("student-02", "copied")]


def test_a_run_looks_once_and_starts_only_what_grades(course, monkeypatch):
    """One look for the course and one walk below submitted/, whatever comes of it; an engine only for new work."""
    job.warm.close()                    # which judges single submissions in these tests
    done = Counter()

    def counted(owner, name, what):
        original = getattr(owner, name)
        monkeypatch.setattr(owner, name, lambda *given, **more: (done.update([what]), original(*given, **more))[1])
    counted(Course, "find", "course")
    counted(submitted, "_listing", "walk")
    counted(Sandbox, "__init__", "sandbox")
    counted(Engine, "__enter__", "engine")
    assert cli.run(["grade"]) == 0
    assert done == {"course": 1, "walk": 1}
    other = honest()
    other["cells"].append(code("another = 1"))
    hand_in(course, "student-03", other)
    assert cli.run(["grade"]) == 0
    assert done == {"course": 2, "walk": 2, "sandbox": 1, "engine": 1}


def test_other_checks_are_a_reason_to_grade_again(course):
    with sqlite3.connect(course.root / ".autograder" / "store.db") as store:
        store.execute("UPDATE grade SET checks = 'others', grade = json_set(grade, '$.checks', 'others')")
    changes = [Change(*pair) for pair in grade_course.changes_of_course(course.root)]
    assert [(one.changes, one.why) for one in changes] == [(False, ["other checks"])] * 2


def test_other_points_are_one_line_and_other_changes_are_told_as_before():
    before = [grade_of("student-01"), grade_of("student-02", (3, 0, 5, 7, 0)), grade_of("student-03")]
    worth = (4, 2, 5, 8, 3)

    def other(grade, points):
        exercises = tuple(replace(
            exercise, points=mine, max_points=most, verdicts=tuple(replace(verdict, points=mine, max_points=most)
                                                                   for verdict in exercise.verdicts))
            for exercise, mine, most in zip(grade.exercises, points, worth, strict=True))
        return replace(grade, exercises=exercises, points=sum(points), max_points=22.0, checks="other")

    third = grade_of("student-03", (3, 0, 5, 7, 3))
    after = [other(before[0], worth), other(before[1], (4, 0, 5, 8, 0)), other(third, (4, 0, 5, 8, 3))]
    lines = list(change_lines([Change(*pair) for pair in zip(before, after, strict=True)]))
    assert lines[0] == ("other points: multihead_backward 7 → 8, split_heads 3 → 4; for 2 of 3 students nothing else "
                        "changes (+2 to +2)")
    assert lines[1].startswith("student-03  20 → 20 / 22")
    assert lines[2:] == ["    merge_heads/value: passed 2 / 2 → wrong 0 / 2", "3 of 3 change, 0 new, 0 unchanged"]


def test_a_folder_counts_as_looked_at_only_where_any_change_would_be_seen(tmp_path, monkeypatch):
    file = tmp_path / "work.ipynb"
    file.write_text("1")
    monkeypatch.setattr(standing, "JUST_NOW", 10**15)
    assert standing._handed_in(tmp_path) == ""
    monkeypatch.setattr(standing, "JUST_NOW", -10**15)
    known, before = standing._handed_in(tmp_path), file.stat()
    assert known == standing._handed_in(tmp_path) != ""
    eventually(lambda: file.write_text("2") and file.stat().st_ctime_ns > before.st_ctime_ns)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert standing._handed_in(tmp_path) not in (known, "")
    (tmp_path / "link.ipynb").symlink_to(file)
    assert standing._handed_in(tmp_path) == ""


def test_a_grade_stays_as_it_is_only_by_the_same_checks_for_the_same_work_where_that_is_known(tmp_path, monkeypatch):
    one = standing.Standing(new_course(tmp_path), LESSON, "en", store=None)
    monkeypatch.setattr(one, "_now", lambda student, paths: "now")

    def stays(sound: bool, found: str, known: str, number: int, now: str = "now") -> bool:
        one._handed_in = {"student-01": found}
        last = Last(number, None, sound, Written("student-01", 4, "mark", known, now))
        return one.untouched(last, "student-01", [])
    assert stays(True, "work", "work", 4)
    assert not stays(False, "work", "work", 4)                  # by other checks, or a fault of ours
    assert not stays(True, "", "", 4)                           # nobody knows whether it changed
    assert not stays(True, "other", "work", 4)
    assert not stays(True, "work", "work", 5)                   # the last grade was not written
    assert not stays(True, "work", "work", 4, now="otherwise")
    assert not one.untouched(Last(4, None, True), "student-01", [])
