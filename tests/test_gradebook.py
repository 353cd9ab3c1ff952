"""The gradebook after `autograder grade` is the one that `nbgrader autograde` would leave."""
import errno
import logging
import shutil
import sqlite3
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from courses import LESSON, NOTEBOOK, SOURCE, cell_of, grade_of, hand_in, new_course, released, rows
from nbformat.v4 import new_output
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    IgnorePattern,
    LimitOutput,
    NbGraderPreprocessor,
    SaveAutoGrades,
)
from nbgrader.utils import is_grade
from notebooks import data
from sqlalchemy import create_engine

from autograder.course.folder import Course, CourseError
from autograder.course.handed_in import handed_in
from autograder.nbgrader import gradebook
from autograder.nbgrader.empty_gradebook import commands_on_path
from autograder.nbgrader.gradebook import Entry, GradebookError, GradebookWriter
from autograder.nbgrader.new_gradebook import make_gradebook
from autograder.nbgrader.notebook import register

POINTS = {"test_split_heads": 3.0, "test_merge_heads": 1.25, "test_multihead": 0.0, "test_multihead_backward": 6.5,
          "test_own_test": 3.0}
CELLS = """SELECT base_cell.name, base_cell.type, grade_cells.max_score, grade_cells.cell_type FROM base_cell
           LEFT JOIN grade_cells USING (id)"""
SOURCES = "SELECT name, cell_type, locked, source, checksum FROM source_cell"
NOTEBOOKS = """SELECT assignment.name, notebook.name, notebook.kernelspec FROM notebook
               JOIN assignment ON assignment.id = notebook.assignment_id"""
OF_CELLS = """SELECT student_id, base_cell.name, {} FROM {} AS row JOIN base_cell ON base_cell.id = cell_id
              JOIN submitted_notebook ON submitted_notebook.id = row.notebook_id
              JOIN submitted_assignment ON submitted_assignment.id = submitted_notebook.assignment_id"""
GRADES = OF_CELLS.format("auto_score, manual_score, extra_credit, needs_manual_grade", "grade")
COMMENTS = OF_CELLS.format("auto_comment, manual_comment", "comment")
SUBMISSIONS = "SELECT student_id, timestamp, extension FROM submitted_assignment"
SUBMITTED = """SELECT student_id, notebook.name, flagged, late_submission_penalty FROM submitted_notebook
               JOIN submitted_assignment ON submitted_assignment.id = submitted_notebook.assignment_id
               JOIN notebook ON notebook.id = notebook_id"""
STUDENTS = "SELECT * FROM student"


class Scores(NbGraderPreprocessor):
    """Stands in Execute's place and lets each graded cell answer the same points."""

    def preprocess_cell(self, cell, resources, cell_index):
        if is_grade(cell) and cell.metadata.nbgrader.points:
            name = cell.metadata.nbgrader.grade_id
            cell.outputs = [new_output("execute_result", {"text/plain": repr(POINTS[name])})]
        return cell, resources


def run_nbgrader(converter: type, course: Course, **options) -> None:
    log = logging.Logger("quiet", logging.CRITICAL)
    config = course.config.copy()
    config.Autograde.autograde_preprocessors = [Scores, IgnorePattern, LimitOutput, SaveAutoGrades, AssignLatePenalties,
                                                CheckCellMetadata]
    directory = CourseDirectory(config=config, root=str(course.root), assignment_id="multihead", log=log)
    with commands_on_path():
        converter(coursedir=directory, config=config, log=log, **options).start()


def database(course: Course) -> Path:
    return course.root / "gradebook.db"


def scores(course: Course, student: str = "student-01") -> dict[str, tuple]:
    """The rows of the graded cells that bring points: automatic score, manual score, whether a person has to look."""
    found = {row[1]: (row[2], row[3], bool(row[5])) for row in rows(database(course), GRADES) if row[0] == student}
    return {name: found[name] for name in POINTS}


@pytest.fixture
def course(registered, tmp_path) -> Course:
    shutil.copytree(registered.root, tmp_path / "course")
    return Course.find(tmp_path / "course")


def write(course: Course, *entries: Entry) -> None:
    with GradebookWriter(course, LESSON) as writer:
        writer.write(entries)


# --- the same rows as nbgrader's ----------------------------------------------------------------------------------

@pytest.mark.parametrize("query", [CELLS, SOURCES, NOTEBOOKS])
def test_the_writer_registers_what_nbgrader_registers(generated, registered, query):
    assert rows(database(registered), query) == rows(database(generated), query) != []


def test_registering_leaves_no_release_behind(registered):
    assert not registered.path("release", ".", "multihead").exists()


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")         # nbgrader's own way of adding a submission
def test_rows_are_those_that_nbgrader_autograde_leaves(generated, course, tmp_path):
    theirs = Course.find(shutil.copytree(generated.root, tmp_path / "theirs"))
    answered = released()
    cell_of(answered, "split_heads")["source"] = "def split_heads(x, heads):\n    return x"
    for one in (theirs, course):
        hand_in(one, "student-01", answered, "2025-03-04 05:06:07 Europe/Amsterdam")
        hand_in(one, "student-02", released())
    untouched = frozenset(exercise.name for exercise in LESSON.exercises)
    points = list(POINTS.values())
    run_nbgrader(Autograde, theirs)
    came = handed_in(course.path("submitted", "student-01", "multihead"))
    write(course, Entry(grade_of("student-01", points), came.at, untouched - {"split_heads"}),
          Entry(grade_of("student-02", points), None, untouched))
    for query in (GRADES, COMMENTS, SUBMISSIONS, SUBMITTED, STUDENTS):
        assert rows(database(course), query) == rows(database(theirs), query) != []


def test_the_time_of_handing_in_is_kept_in_utc(course):
    hand_in(course, "student-01", released(), "2025-03-04 05:06:07 Europe/Amsterdam")
    write(course, Entry(grade_of("student-01"), handed_in(course.path("submitted", "student-01", "multihead")).at))
    assert rows(database(course), SUBMISSIONS) == [("student-01", "2025-03-04 04:06:07.000000", None)]


def test_the_sum_in_the_gradebook_is_the_grades(course):
    write(course, Entry(grade_of("student-01", (3, 1.25, 0, 6.5, 3))))
    with Gradebook(course.db_url) as gradebook:
        submission = gradebook.find_submission("multihead", "student-01")
        assert (submission.score, submission.max_score, submission.needs_manual_grade) == (13.75, 20.0, False)


# --- what is not known ---------------------------------------------------------------------------------------------

def test_a_broken_exercise_goes_to_a_person_and_its_old_score_is_gone(course):
    write(course, Entry(grade_of("student-01")))
    write(course, Entry(grade_of("student-01", (3, 2, None, 7, 3), "broken")))
    assert scores(course) == {"test_split_heads": (3.0, None, False), "test_merge_heads": (2.0, None, False),
                              "test_multihead": (None, None, True), "test_multihead_backward": (7.0, None, False),
                              "test_own_test": (3.0, None, False)}


def test_an_unreadable_submission_is_no_zero(course):
    write(course, Entry(grade_of("student-01", (None,) * 5, "unreadable")))
    assert set(scores(course).values()) == {(None, None, True)}


def test_a_grade_without_exercises_is_no_zero(course):
    write(course, Entry(grade_of("student-01", (None,) * 5, "broken")))
    assert set(scores(course).values()) == {(None, None, True)}


def test_a_skipped_exercise_is_no_zero(course):
    write(course, Entry(grade_of("student-01", (3, 2, 5, 7, "skipped"))))
    assert scores(course)["test_own_test"] == (None, None, True)


@pytest.mark.parametrize(("points", "kept"), [(99.0, 3.0), (-1.0, 0.0), (float("nan"), None), (float("inf"), None)])
def test_points_stay_within_the_cells_maximum(course, points, kept):
    write(course, Entry(grade_of("student-01", (points, 2, 5, 7, 3))))
    assert scores(course)["test_split_heads"][0] == kept


# --- what a person gave --------------------------------------------------------------------------------------------

def test_a_manual_score_and_comment_stay_and_want_a_look(course):
    write(course, Entry(grade_of("student-01")))
    with Gradebook(course.db_url) as gradebook:
        row = gradebook.find_grade("test_multihead", "multihead", "multihead", "student-01")
        row.manual_score, row.extra_credit, row.needs_manual_grade = 4.5, 0.5, False
        gradebook.find_comment("multihead", "multihead", "multihead", "student-01").manual_comment = "see me"
        gradebook.db.commit()
    write(course, Entry(grade_of("student-01", (3, 2, 1, 7, 3)), None, frozenset({"multihead"})))
    assert scores(course)["test_multihead"] == (1.0, 4.5, True)
    assert ("student-01", "multihead", "No response.", "see me") in rows(database(course), COMMENTS)
    with Gradebook(course.db_url) as gradebook:
        assert gradebook.find_submission("multihead", "student-01").score == 3 + 2 + 5.0 + 7 + 3


def test_a_manual_score_wants_no_look_while_the_automatic_one_stays_the_same(course):
    write(course, Entry(grade_of("student-01")))
    with Gradebook(course.db_url) as gradebook:
        row = gradebook.find_grade("test_multihead", "multihead", "multihead", "student-01")
        row.manual_score, row.needs_manual_grade = 4.5, False
        gradebook.db.commit()
    write(course, Entry(grade_of("student-01")))
    assert scores(course)["test_multihead"] == (5.0, 4.5, False)


def test_a_student_who_is_known_keeps_their_name(course):
    with Gradebook(course.db_url) as gradebook:
        gradebook.add_student("student-01", first_name="First", last_name="Last")
    write(course, Entry(grade_of("student-01")))
    assert rows(database(course), "SELECT id, first_name, last_name FROM student") == [("student-01", "First", "Last")]


def test_late_work_loses_what_the_courses_plugin_says(course):
    with Gradebook(course.db_url) as gradebook:
        gradebook.update_or_create_assignment("multihead", duedate=datetime(2025, 1, 1))
    course.config.LateSubmissionPlugin.penalty_method = "zero"
    write(course, Entry(grade_of("student-01", (3, 2, 0, 0, 0)), datetime(2025, 1, 1) + timedelta(hours=1)),
          Entry(grade_of("student-02", (3, 2, 0, 0, 0)), datetime(2025, 1, 1) - timedelta(hours=1)))
    assert [row[3] for row in rows(database(course), SUBMITTED)] == [5.0, None]


def test_late_work_loses_nothing_by_default(course):
    with Gradebook(course.db_url) as gradebook:
        gradebook.update_or_create_assignment("multihead", duedate=datetime(2025, 1, 1))
    write(course, Entry(grade_of("student-01"), datetime(2025, 1, 2)))
    assert [row[3] for row in rows(database(course), SUBMITTED)] == [None]


# --- when it cannot be written -------------------------------------------------------------------------------------

def test_a_batch_is_written_as_a_whole_or_not_at_all(course):
    with GradebookWriter(course, LESSON) as writer:
        with pytest.raises(AttributeError):
            writer.write([Entry(grade_of("student-01")), Entry(None)])
        assert rows(database(course), SUBMISSIONS) == rows(database(course), STUDENTS) == []
        writer.write([Entry(grade_of("student-02"))])
    assert [row[0] for row in rows(database(course), SUBMISSIONS)] == ["student-02"]


def test_a_locked_gradebook_is_told_in_one_line(course):
    other = sqlite3.connect(database(course), isolation_level=None)
    course.config.CourseDirectory.db_url = f"sqlite:///{database(course)}?timeout=0.1"
    with GradebookWriter(course, LESSON) as writer:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(GradebookError, match="another program is writing to the gradebook .*try again") as caught:
            writer.write([Entry(grade_of("student-01"))])
        other.execute("ROLLBACK")
        writer.write([Entry(grade_of("student-01"))])
    other.close()
    assert "\n" not in str(caught.value)
    assert scores(course)["test_multihead"] == (5.0, None, False)


def test_a_gradebook_that_is_none_is_told_in_one_line(course, caplog):
    database(course).write_bytes(b"this is no database" * 100)
    with pytest.raises(GradebookError, match="gradebook.db cannot be used: file is not a database") as caught:
        write(course)
    assert "\n" not in str(caught.value)
    assert caplog.records == []


def test_a_gradebook_of_an_older_nbgrader_asks_for_an_upgrade(course):
    with sqlite3.connect(database(course)) as connection:
        connection.execute("ALTER TABLE submitted_notebook DROP COLUMN late_submission_penalty")
    with pytest.raises(GradebookError, match="nbgrader db upgrade"):
        write(course, Entry(grade_of("student-01")))


def test_a_gradebook_of_a_newer_nbgrader_does_not_ask_for_an_upgrade(course):
    with sqlite3.connect(database(course)) as connection:
        connection.execute("ALTER TABLE submitted_notebook DROP COLUMN late_submission_penalty")
        connection.execute("UPDATE alembic_version SET version_num = 'of tomorrow'")
    with pytest.raises(GradebookError, match="its version of tomorrow, so a newer nbgrader made it") as caught:
        write(course, Entry(grade_of("student-01")))
    assert "upgrade" not in str(caught.value)


def test_a_damaged_gradebook_is_told_without_a_class_name_where_nbgrader_meets_it(course):
    content = database(course).read_bytes()
    database(course).write_bytes(content[:len(content) // 3])
    with pytest.raises(GradebookError, match="gradebook.db cannot be used: .* put an earlier copy") as caught:
        register(course, LESSON, "multihead", course.db_url)
    assert ("Error" in str(caught.value), caught.value.no_room) == (False, False)


def test_cells_worth_something_else_than_in_the_lesson_are_refused(course):
    with sqlite3.connect(database(course)) as connection:
        connection.execute("UPDATE grade_cells SET max_score = 6 WHERE max_score = 3")
    with pytest.raises(GradebookError, match="'test_split_heads' is worth 6 in the gradebook and 3 in the lesson"):
        write(course)


def test_a_gradebook_of_another_notebook_is_refused_once_work_is_in_it(course):
    write(course, Entry(grade_of("student-01")))
    with sqlite3.connect(database(course)) as connection:
        connection.execute("UPDATE source_cell SET name = 'other' WHERE name = 'test_multihead'")
    with pytest.raises(GradebookError, match="no graded cell 'test_multihead'"):
        write(course)


# --- where the notebook comes from ---------------------------------------------------------------------------------

def test_a_course_without_a_source_gets_the_lessons_notebook(registered, tmp_path):
    (tmp_path / "submitted").mkdir()
    course = Course.find(tmp_path)
    write(course)
    assert rows(database(course), SOURCES) == rows(database(registered), SOURCES)


def test_the_courses_own_notebook_goes_before_the_lessons(tmp_path):
    course = new_course(tmp_path)
    changed = {**SOURCE, "cells": [*SOURCE["cells"]]}
    place = SOURCE["cells"].index(cell_of(SOURCE, "example_W2"))
    changed["cells"][place] = {**SOURCE["cells"][place], "source": "assert multihead"}
    (tmp_path / NOTEBOOK).write_bytes(data(changed))
    with GradebookWriter(course, LESSON) as writer:
        assert writer.source.by_name["example_W2"].source == "assert multihead"


def test_a_source_that_nbgrader_refuses_is_told_in_one_line(tmp_path):
    course = new_course(tmp_path)
    (tmp_path / NOTEBOOK).write_bytes(data(SOURCE).replace(b"### END SOLUTION", b"### end"))
    with pytest.raises(CourseError, match="nbgrader cannot register 'multihead': ") as caught:
        write(course)
    assert "\n" not in str(caught.value)


def test_a_second_notebook_of_the_assignment_stays(course):
    with Gradebook(course.db_url) as gradebook:
        gradebook.add_notebook("bonus", "multihead")
    write(course, Entry(grade_of("student-01")))
    assert [row[1] for row in rows(database(course), SUBMITTED)] == ["bonus", "multihead"]


def test_a_submission_from_before_the_notebook_gets_its_rows(course):
    write(course, Entry(grade_of("student-01")))
    with sqlite3.connect(database(course)) as connection:
        connection.executescript("DELETE FROM grade; DELETE FROM comment; DELETE FROM submitted_notebook;")
    write(course, Entry(grade_of("student-01", (1, 1, 1, 1, 1))))
    assert {row[0] for row in scores(course).values()} == {1.0}


def test_the_notebook_is_known_as_plain_data(course):
    with GradebookWriter(course, LESSON) as writer:
        cell = writer.source.by_name["test_multihead"]
    assert (cell.points, cell.locked, cell.grade, cell.solution) == (5.0, True, True, False)
    assert 'points("multihead")' in cell.source
    assert "BEGIN SOLUTION" not in writer.source.by_name["multihead"].source
    assert writer.source.kernelspec["name"] == "python3"
    with Gradebook(course.db_url) as gradebook:
        notebook = gradebook.find_notebook("multihead", "multihead")
        assert [(cell.name, cell.checksum) for cell in notebook.source_cells] == [
            (cell.name, cell.checksum) for cell in writer.source.cells]


@pytest.mark.parametrize("lost", ["grade_cells", "solution_cells", "source_cell"])
def test_a_registration_that_was_cut_off_is_made_again(lost, course):
    whole = [rows(database(course), query) for query in (CELLS, SOURCES)]
    with sqlite3.connect(database(course)) as connection:
        names = "'test_multihead', 'test_own_test', 'own_test'"
        if lost == "source_cell":
            connection.execute(f"DELETE FROM source_cell WHERE name IN ({names})")
        else:
            ids = f"SELECT id FROM {lost} JOIN base_cell USING (id) WHERE name IN ({names})"
            gone = [row[0] for row in connection.execute(ids)]
            for table in (lost, "base_cell"):
                connection.executemany(f"DELETE FROM {table} WHERE id = ?", [(one,) for one in gone])
    with GradebookWriter(course, LESSON):
        pass
    assert [sorted(rows(database(course), query)) for query in (CELLS, SOURCES)] == list(map(sorted, whole))


@pytest.mark.parametrize(("table", "query"), [("grade", GRADES), ("comment", COMMENTS)])
def test_a_row_that_somebody_deleted_is_made_again(table, query, course):
    write(course, Entry(grade_of("student-01")))
    before = sorted(map(repr, rows(database(course), query)))
    with sqlite3.connect(database(course)) as connection:
        connection.execute(f"DELETE FROM {table} WHERE id = (SELECT min(id) FROM {table})")
    write(course, Entry(grade_of("student-01")))
    assert sorted(map(repr, rows(database(course), query))) == before


def test_a_new_gradebook_that_cannot_be_opened_means_too_many_open_files(tmp_path, monkeypatch):
    """The file is one of our own beside it: in a folder that can be written, nothing else can be wrong with it."""
    course = new_course(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))       # where one with the assignment may be kept
    monkeypatch.setattr(gradebook, "put_empty_gradebook",
                        lambda url, mode: create_engine(f"sqlite:///{tmp_path}/nowhere/gradebook.db").connect())
    with pytest.raises(OSError, match="too many open files") as caught:
        make_gradebook(course, LESSON)
    assert (caught.value.errno, database(course).exists()) == (errno.EMFILE, False)
    with pytest.raises(GradebookError, match="cannot be used: unable to open"):       # an older one may be anywhere
        write(course)
