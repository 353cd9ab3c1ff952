"""The gradebook may be a PostgreSQL database: a real server, private to these tests, that listens on no port."""
import os
import shutil
import subprocess
import tempfile
from datetime import timedelta
from glob import glob
from pathlib import Path

import pytest
from courses import cell_of, hand_in, new_course, run_nbgrader
from damage import honest
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde, GenerateAssignment, GenerateFeedback
from nbgrader.plugins.export import CsvExportPlugin
from sqlalchemy import create_engine, text
from test_hook import FULL
from waiting import HANGS, eventually

from autograder.course.folder import Course, CourseError
from autograder.lessons.installed import load_lesson
from autograder.nbgrader.marks import gradebook_marks
from autograder.run.grade_course import grade_course

pytest.importorskip("psycopg")
BINARIES = [Path(found).parent for found in (*sorted(glob("/usr/lib/postgresql/*/bin/postgres"), reverse=True),
                                             shutil.which("postgres") or "") if found]
pytestmark = [pytest.mark.skipif(not BINARIES, reason="no PostgreSQL server is installed"),
              pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")]
AS = {"user": "nobody"} if os.geteuid() == 0 else {}             # the server refuses to run as root


@pytest.fixture(scope="module")
def server():
    """The folder of a running server's socket."""
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    if AS:
        shutil.chown(folder, "nobody")
    run = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **AS}
    subprocess.run([BINARIES[0] / "initdb", "-D", folder / "data", "-U", "teacher", "-A", "trust", "-E", "UTF8",
                    "--locale=C", "--no-sync"], check=True, **run)
    process = subprocess.Popen([BINARIES[0] / "postgres", "-D", folder / "data", "-k", folder, "-c",
                                "listen_addresses=", "-F"], **run)
    try:
        eventually((folder / ".s.PGSQL.5432").exists, lambda: process.poll() is not None)
        yield folder
    finally:
        process.terminate()
        process.wait(HANGS)
        shutil.rmtree(folder, ignore_errors=True)


def on(server: Path, course: Course, database: str, template: str = "template0") -> Course:
    """This course with a new database on that server, a copy of another one."""
    admin = create_engine(f"postgresql+psycopg://teacher@/postgres?host={server}", isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{template}'"))
        connection.execute(text(f'CREATE DATABASE "{database}" TEMPLATE {template}'))
    admin.dispose()
    config = course.root / "nbgrader_config.py"
    url = f"postgresql+psycopg://teacher@/{database}?host={server}"
    config.write_text(f"{config.read_text()}\nc.CourseDirectory.db_url = {url!r}\n")
    return Course.find(course.root)


@pytest.fixture(scope="module")
def graded(server, tmp_path_factory) -> Course:
    """A course of two whose gradebook was not there before it was graded."""
    course = on(server, new_course(tmp_path_factory.mktemp("graded")), "graded")
    hand_in(course, "student-01", honest())
    hand_in(course, "student-02", b"")
    grade_course(course.root)
    return course


@pytest.fixture
def course(server, graded, tmp_path, request) -> Course:
    """A copy of that course, with its database."""
    name = "".join(letter for letter in request.node.name if letter.isalnum())[:40].lower()
    return on(server, Course.find(shutil.copytree(graded.root, tmp_path / "course")), name, template="graded")


def scores(course: Course, student: str) -> dict[str, float | None]:
    with Gradebook(course.db_url) as gradebook:
        submission = gradebook.find_submission_notebook("multihead", "multihead", student)
        return {grade.name: grade.auto_score for grade in submission.grades if grade.name in FULL}


@pytest.mark.slow
def test_both_ways_write_into_postgresql_and_export_reads_it(server, tmp_path):
    course = on(server, new_course(tmp_path), "both")
    wrong = honest()
    cell_of(wrong, "merge_heads")["source"] = "def merge_heads(h):\n    return h"
    run_nbgrader(GenerateAssignment, course)
    hand_in(course, "student-01", honest())
    hand_in(course, "student-02", wrong, "2025-03-04 05:06:07 UTC")
    grade_course(course.root)
    expected = {"student-01": FULL, "student-02": FULL | {"test_merge_heads": 0.0}}
    assert {student: scores(course, student) for student in expected} == expected
    run_nbgrader(Autograde, course)
    assert {student: scores(course, student) for student in expected} == expected
    run_nbgrader(GenerateFeedback, course)
    with Gradebook(course.db_url) as gradebook:
        CsvExportPlugin(to=str(tmp_path / "grades.csv")).export(gradebook)
    assert "18.0" in (tmp_path / "grades.csv").read_text()


@pytest.mark.slow
def test_a_gradebook_that_is_not_there_yet_is_made_in_postgresql(graded):
    assert scores(graded, "student-01") == FULL
    assert scores(graded, "student-02") == dict.fromkeys(FULL)


@pytest.mark.slow
def test_manual_scores_and_comments_are_kept_in_postgresql(course):
    with Gradebook(course.db_url) as gradebook:
        gradebook.find_grade("test_multihead", "multihead", "multihead", "student-01").manual_score = 1.5
        gradebook.find_comment("multihead", "multihead", "multihead", "student-01").manual_comment = "almost"
        gradebook.db.commit()
    grade_course(course.root, force=True)
    with Gradebook(course.db_url) as gradebook:
        assert gradebook.find_grade("test_multihead", "multihead", "multihead", "student-01").score == 1.5
        assert gradebook.find_comment("multihead", "multihead", "multihead", "student-01").comment == "almost"


@pytest.mark.slow
def test_marks_are_read_from_postgresql(course):
    with Gradebook(course.db_url) as gradebook:
        gradebook.find_grade("test_multihead", "multihead", "multihead", "student-01").manual_score = 1.5
        submission = gradebook.find_submission("multihead", "student-01")
        submission.extension, submission.notebooks[0].late_submission_penalty = timedelta(days=2), 3.25
        gradebook.db.commit()
    marks = gradebook_marks(course, load_lesson("multihead"))
    assert {student: mark.points for student, mark in marks.items()} == {"student-01": 13.25, "student-02": None}
    assert (marks["student-01"].max_points, marks["student-01"].exercises["multihead"]) == (20, (1.5, 5))
    assert len(marks["student-02"].waiting) == 5


def test_a_server_that_is_away_is_told_in_one_line(tmp_path):
    course = new_course(tmp_path)
    hand_in(course, "student-01", honest())
    with (course.root / "nbgrader_config.py").open("a") as config:
        config.write('\nc.CourseDirectory.db_url = "postgresql+psycopg://teacher@/graded?host=/nowhere"\n')
    with pytest.raises(CourseError, match="the gradebook postgresql.* cannot be used") as caught:
        grade_course(course.root)
    assert "\n" not in str(caught.value)
    with pytest.raises(CourseError, match="the gradebook postgresql.* cannot be used"):
        gradebook_marks(Course.find(course.root), load_lesson("multihead"))
