"""Two commands in one course wait for each other, or say so."""
import math
import resource
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from courses import hand_in, new_course, run_nbgrader
from damage import honest
from nbgrader.converters import Autograde
from test_hook import FULL, scores
from waiting import HANGS, eventually

from autograder.course.folder import Course, CourseError
from autograder.course.lock import only_one
from autograder.run import grade_course


def test_a_second_command_says_which_one_is_at_work(tmp_path):
    with only_one(tmp_path, "nbgrader autograde", 0):
        second = only_one(tmp_path, "autograder grade", 0)
        with pytest.raises(CourseError, match=r"`nbgrader autograde`\) is at work in .*wait until it is done"):
            second.__enter__()


def test_who_waits_says_so_once_and_then_gets_its_turn(tmp_path):
    said, held, told = [], threading.Event(), threading.Event()

    def hold():
        with only_one(tmp_path, "autograder grade", 0):
            held.set()
            told.wait(HANGS)

    def tell(line):
        said.append(line)
        told.set()
    other = threading.Thread(target=hold)
    other.start()
    assert held.wait(HANGS)
    with only_one(tmp_path, "nbgrader autograde", math.inf, tell):
        pass
    other.join()
    assert len(said) == 1
    assert "`autograder grade`" in said[0]


def test_a_command_that_was_killed_lets_go(tmp_path):
    code = ("import sys; from pathlib import Path; from autograder.course.lock import only_one\n"
            "with only_one(Path(sys.argv[1]), 'x', 0): print(flush=True); sys.stdin.read()")
    other = subprocess.Popen([sys.executable, "-c", code, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             cwd=Path(__file__).parents[1])
    other.stdout.readline()
    other.kill()
    other.communicate()
    with only_one(tmp_path, "autograder grade", 5):
        pass


def test_grading_a_course_waits_for_nbgrader_and_then_says_so(tmp_path, monkeypatch):
    course = new_course(tmp_path)
    hand_in(course, "student-01", honest())
    monkeypatch.setattr(grade_course, "PATIENCE", 0.2)
    with only_one(course.root, "nbgrader autograde", 0), pytest.raises(CourseError, match="nbgrader autograde"):
        grade_course.grade_course(course.root)


def test_nbgrader_waits_for_a_course_that_is_being_graded(generated, tmp_path):
    course = Course.find(shutil.copytree(generated.root, tmp_path / "course"))
    hand_in(course, "student-01", honest())
    with only_one(course.root, "autograder grade", 0):
        said: list[str] = []
        other = threading.Thread(target=run_nbgrader, args=(Autograde, course), kwargs={"said": said}, daemon=True)
        other.start()
        eventually(lambda: any("`autograder grade`" in line for line in said), lambda: not other.is_alive())
        assert other.is_alive()
    other.join(HANGS)
    assert scores(course) == FULL


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / ".autograder").write_text("a file stands in the way")
    with pytest.raises(CourseError, match=r"cannot write in .*\.autograder: .*must be writable"):
        only_one(tmp_path, "autograder grade", 0).__enter__()


def test_a_full_disk_does_not_keep_the_lock_from_holding(tmp_path):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        with only_one(tmp_path, "autograder grade", 0), pytest.raises(CourseError, match=r"`autograder`\) is at work"):
            only_one(tmp_path, "autograder report", 0).__enter__()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_link_in_the_place_of_the_lock_is_not_followed(tmp_path):
    (tmp_path / ".autograder").mkdir()
    (tmp_path / "mine").write_text("as it was")
    (tmp_path / ".autograder" / "lock").symlink_to(tmp_path / "mine")
    with pytest.raises(CourseError, match=r"cannot write in .*\.autograder"):
        only_one(tmp_path, "autograder grade", 0).__enter__()
    assert (tmp_path / "mine").read_text() == "as it was"
