"""A run that ends at any moment is gone on with by the next: nothing is lost, nothing is doubled."""
from __future__ import annotations

import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from courses import class_of_roles, hand_in, new_course
from damage import honest
from stores import kept
from test_cluster import same
from waiting import HANGS, eventually

from autograder.output import feedback
from autograder.run.grade_course import grade_course

#: enough for two processes, with little to judge: two files that nobody can read, copies, and a student with a mistake
ROLES = ("half_finished", "right", "cut_off", "half_finished", "stripped", "untouched", "renamed", "one_mistake",
         "half_finished", "empty")
STUDENTS = len(ROLES)
SEED = 20240917


@pytest.fixture(scope="module")
def undisturbed(made_once) -> Path:
    """A class that was graded in one go."""
    def make(folder: Path) -> None:
        class_of_roles(folder / "ungraded", ROLES)
        shutil.copytree(folder / "ungraded", folder / "course")
        finished(folder / "course")
    return made_once("undisturbed", make) / "course"


@pytest.fixture
def course(undisturbed, tmp_path) -> Path:
    """The same class, not graded yet."""
    return shutil.copytree(undisturbed.parent / "ungraded", tmp_path / "course")


def autograder(course: Path, *arguments: str, prepare: Callable[[], None] | None = None) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-m", "autograder", "grade", "--jobs", "2", *arguments], cwd=course,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, preexec_fn=prepare,
                            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])})


def finished(course: Path) -> None:
    """The next run, in this process, where the engine is warm."""
    assert len(grade_course(course)) == STUDENTS


def graded(course: Path) -> int:
    """How many grades the store holds."""
    return kept(course)


def wait_for_grades(run: subprocess.Popen, course: Path, number: int) -> None:
    eventually(lambda: graded(course) >= number, lambda: run.poll() is not None and run.stderr.read())


# --- killed -------------------------------------------------------------------------------------------------------

@pytest.mark.slow
def test_a_run_that_is_killed_at_random_moments_ends_like_an_undisturbed_one(undisturbed, course):
    moments = random.Random(SEED)
    for _ in range(3):
        run, grades = autograder(course), moments.randrange(STUDENTS - 1)
        eventually(lambda run=run, grades=grades: graded(course) >= grades or run.poll() is not None)
        time.sleep(moments.uniform(0, 2))
        children = psutil.Process(run.pid).children(recursive=True)
        run.kill()
        run.communicate()
        assert psutil.wait_procs(children, timeout=HANGS)[1] == []      # nothing of it is left behind
    finished(course)
    same(course, undisturbed)
    assert _doubled(course) == []


@pytest.mark.parametrize("after", [pytest.param(1, marks=pytest.mark.integration),
                                   pytest.param(5, marks=pytest.mark.slow)])
def test_a_run_that_is_killed_after_some_grades_ends_like_an_undisturbed_one(undisturbed, course, after):
    run = autograder(course)
    wait_for_grades(run, course, after)
    run.kill()
    run.communicate()
    before = graded(course)
    finished(course)
    same(course, undisturbed)
    assert before <= graded(course) == STUDENTS


def test_what_is_in_the_store_alone_is_written_by_the_next_run(undisturbed, course):
    (course / ".autograder").mkdir()
    shutil.copy(undisturbed / ".autograder" / "store.db", course / ".autograder")
    finished(course)
    same(course, undisturbed)
    assert graded(course) == STUDENTS


def _doubled(course: Path) -> list:
    with sqlite3.connect(course / "gradebook.db") as gradebook:
        return gradebook.execute("SELECT student_id, count(*) FROM submitted_assignment GROUP BY student_id "
                                 "HAVING count(*) > 1").fetchall()


# --- stopped ------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("number", "code", "words"), [
    pytest.param(signal.SIGINT, 130, rf"stopped: \d+ of {STUDENTS} are graded and kept; the same command continues "
                 "from there", marks=pytest.mark.slow),
    pytest.param(signal.SIGTERM, 143, "", marks=pytest.mark.integration)])
def test_a_run_that_is_stopped_keeps_what_is_done_and_says_how_to_go_on(undisturbed, course, number, code, words):
    run = autograder(course)
    wait_for_grades(run, course, 4)
    run.send_signal(number)
    said = run.communicate()[1]
    assert run.returncode == code
    assert re.fullmatch(words, said.strip())
    if words:
        assert int(re.search(r"\d+", said)[0]) >= 3
    finished(course)
    same(course, undisturbed)


# --- a full disk --------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("share", [pytest.param(0.01, marks=pytest.mark.integration),
                                   pytest.param(0.4, marks=pytest.mark.slow),
                                   pytest.param(0.95, marks=pytest.mark.integration)])
def test_a_disk_that_is_full_loses_nothing(undisturbed, course, share):
    """No file becomes larger than this share of the largest one that a run writes."""
    size = int(share * max(path.stat().st_size for path in undisturbed.rglob("*") if path.is_file()
                           and not (course / path.relative_to(undisturbed)).exists()))

    def small_files_only() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    run = autograder(course, prepare=small_files_only)
    said = run.communicate()[1].splitlines()
    assert run.returncode in (2, 3)
    assert len(said) == 1
    finished(course)
    same(course, undisturbed)
    assert graded(course) == STUDENTS


# --- two at once --------------------------------------------------------------------------------------------------

@pytest.mark.slow
def test_of_two_runs_at_once_one_waits_or_says_who_is_at_work(undisturbed, course):
    runs = [autograder(course), autograder(course)]
    said = [run.communicate()[1] for run in runs]
    codes = sorted(run.returncode for run in runs)
    assert codes in ([1, 1], [1, 2])
    if codes == [1, 2]:
        assert "another command (`autograder grade`) is at work" in "".join(said)
    same(course, undisturbed)
    assert graded(course) == STUDENTS


# --- nothing new --------------------------------------------------------------------------------------------------

@pytest.fixture
def small(made_once, tmp_path) -> Path:
    """A course of two, graded."""
    def make(folder: Path) -> None:
        course = new_course(folder)
        hand_in(course, "student-01", honest())
        hand_in(course, "student-02", b"")
        grade_course(course.root)
    course = shutil.copytree(made_once("small", make), tmp_path / "course")
    grade_course(course)                            # which writes all of it where it is now
    return course


def written(course: Path, **choices) -> set[str]:
    """Which files another run writes."""
    before = _states(course)
    grade_course(course, **choices)
    return {path for path, state in _states(course).items() if state != before.get(path)} - {".autograder/lock"}


def _states(course: Path) -> dict[str, tuple[int, int]]:
    return {path.relative_to(course).as_posix(): (path.stat().st_mtime_ns, path.stat().st_ino)
            for path in course.rglob("*") if path.is_file()}


def test_a_run_with_nothing_new_writes_nothing(small):
    assert written(small) <= {".autograder/store.db"}


def test_a_run_with_nothing_new_needs_neither_nbgrader_nor_sqlalchemy_nor_workers(small):
    code = ("import sys; from pathlib import Path; from autograder.run.grade_course import grade_course\n"
            "from autograder.run.local_pool import LocalPool; LocalPool.submit = None\n"
            "grade_course(Path(sys.argv[1]))\n"
            "sys.exit(bool({'nbgrader.api', 'sqlalchemy', 'jinja2'} & set(sys.modules)))")
    subprocess.run([sys.executable, "-c", code, small], check=True, cwd=Path(__file__).parents[1])


def changed(query: str) -> Callable[[Path], None]:
    def change(course: Path) -> None:
        with sqlite3.connect(course / "gradebook.db") as gradebook:
            gradebook.execute(query)
    return change


AGAIN = {
    "no-page": lambda course: (course / "feedback" / "student-01" / "multihead.html").unlink(),
    "handed-in": lambda course: (course / "submitted" / "student-01" / "multihead" / "timestamp.txt").write_text(
        "2024-09-01 12:00:00 UTC"),
    "a-score": changed("UPDATE grade SET auto_score = 1.5 WHERE auto_score = 3"),
    "no-gradebook": lambda course: (course / "gradebook.db").unlink(),
    "no-notebook": lambda course: (course / "autograded" / "student-01" / "multihead" / "multihead.ipynb").unlink(),
    "a-comment": changed("UPDATE comment SET auto_comment = 'other words'"),
    "no-rows": changed("DELETE FROM grade"),
    "a-due-date": changed("UPDATE assignment SET duedate = '2024-01-01 00:00:00.000000'"),
}


@pytest.mark.parametrize("change", [pytest.param(change, id=name, marks=[pytest.mark.slow] * (place > 2))
                                    for place, (name, change) in enumerate(AGAIN.items())])
def test_what_does_not_stand_any_more_is_written_again(small, change):
    change(small)
    assert "feedback/student-01/multihead.html" in written(small)
    assert written(small) <= {".autograder/store.db"}


def test_a_page_is_made_once_with_the_final_mark_on_it(small, monkeypatch):
    made, page = [], feedback.feedback_page
    monkeypatch.setattr(feedback, "feedback_page", lambda grade, *more: made.append(grade.mark) or page(grade, *more))
    (small / "autograder.toml").write_text('[mark]\nscale = "1-10"\n')
    grade_course(small)
    assert sorted((mark.student, mark.value) for mark in made) == [("student-01", 10.0), ("student-02", None)]


def test_another_language_is_written_again(small):
    assert "feedback/student-01/multihead.html" in written(small, language="en")


@pytest.mark.parametrize("change", [
    changed("UPDATE grade SET manual_score = 2"), *(pytest.param(changed(query), marks=pytest.mark.slow) for query in (
        "UPDATE grade SET extra_credit = 1",
        "UPDATE submitted_assignment SET extension = '1970-01-08 00:00:00.000000'"))])
def test_the_penalty_of_late_work_follows_what_a_person_gave(small, change):
    (small / "autograder.toml").write_text('[late]\nrule = "per-day"\n')
    (small / "submitted" / "student-01" / "multihead" / "timestamp.txt").write_text("2024-01-02 12:00:00 UTC")
    changed("UPDATE assignment SET duedate = '2024-01-01 13:00:00.000000'")(small)
    grade_course(small)
    assert penalties(small) == [None, 2.0]
    change(small)
    grade_course(small)
    assert penalties(small) != [None, 2.0]


def penalties(course: Path) -> list[float | None]:
    with sqlite3.connect(course / "gradebook.db") as gradebook:
        return [row[0] for row in gradebook.execute(
            "SELECT late_submission_penalty FROM submitted_notebook ORDER BY late_submission_penalty")]


def test_what_a_person_wrote_is_no_reason_to_write_again(small):
    changed("UPDATE comment SET manual_comment = 'well done'")(small)
    assert written(small) <= {".autograder/store.db"}


def test_the_page_follows_what_a_person_gave(small):
    changed("UPDATE grade SET manual_score = 2, extra_credit = 1, needs_manual_grade = 0")(small)
    assert "feedback/student-01/multihead.html" in written(small)
    assert "<td class=\"points\">15 / 20</td>" in (small / "feedback" / "student-01" / "multihead.html").read_text()
    assert written(small) <= {".autograder/store.db"}
    with sqlite3.connect(small / "gradebook.db") as gradebook:
        assert set(gradebook.execute("SELECT manual_score, extra_credit FROM grade")) == {(2.0, 1.0)}
