"""A course folder: what its configuration says, who handed in, and when."""
import os
import subprocess
import sys
from datetime import datetime

import pytest
from nbgrader.coursedir import CourseDirectory

from autograder.course.folder import Course, CourseError
from autograder.course.handed_in import TIMESTAMP, handed_in

DIRECTORIES = ("source", "release", "submitted", "autograded", "feedback")


def configure(folder, *lines: str) -> Course:
    (folder / "nbgrader_config.py").write_text("\n".join(["c = get_config()", *lines]))
    return Course.find(folder)


@pytest.fixture(autouse=True)
def no_settings_of_this_computer(monkeypatch, tmp_path_factory):
    monkeypatch.setenv("JUPYTER_NO_CONFIG", "1")
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path_factory.mktemp("jupyter")))


# --- configuration -------------------------------------------------------------------------------------------------

def test_an_empty_configuration_means_nbgraders_defaults(tmp_path):
    course = configure(tmp_path)
    theirs = CourseDirectory(root=str(tmp_path))
    assert course.db_url == theirs.db_url
    assert course.course_id == theirs.course_id
    for step in DIRECTORIES:
        assert str(course.path(step, "student-01", "multihead")) == theirs.format_path(
            getattr(theirs, f"{step}_directory"), "student-01", "multihead")
    for option in ("ignore", "groupshared", "student_id_exclude"):
        assert course.setting(option) == getattr(theirs, option)


def test_directories_can_be_renamed(tmp_path):
    course = configure(tmp_path, *(f"c.CourseDirectory.{step}_directory = 'my-{step}'" for step in DIRECTORIES),
                       "c.CourseDirectory.db_url = 'sqlite:////elsewhere/grades.db'",
                       "c.CourseDirectory.course_id = ' la101 '")
    for step in DIRECTORIES:
        assert course.path(step, ".", "multihead") == tmp_path / f"my-{step}" / "multihead"
    assert (course.db_url, course.course_id) == ("sqlite:////elsewhere/grades.db", "la101")


def test_jupyters_own_configuration_counts_but_not_its_folder(tmp_path, monkeypatch):
    everywhere, folder = tmp_path / "jupyter", tmp_path / "course"
    everywhere.mkdir()
    folder.mkdir()
    (everywhere / "nbgrader_config.py").write_text(
        "c = get_config()\nc.CourseDirectory.root = '/elsewhere'\nc.CourseDirectory.submitted_directory = 'in'\n"
        "c.CourseDirectory.autograded_directory = 'marked'")
    monkeypatch.delenv("JUPYTER_NO_CONFIG")
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(everywhere))
    course = configure(folder, "c.CourseDirectory.submitted_directory = 'handed-in'")
    assert course.path("submitted", "a", "b") == folder / "handed-in" / "a" / "b"
    assert course.path("autograded", "a", "b") == folder / "marked" / "a" / "b"


def test_the_courses_configuration_may_name_another_root(tmp_path):
    (tmp_path / "files").mkdir()
    assert configure(tmp_path, "c.CourseDirectory.root = 'files'").root == tmp_path / "files"


def test_a_list_that_is_added_to_keeps_nbgraders_own(tmp_path):
    course = configure(tmp_path, "c.CourseDirectory.ignore.append('*.tmp')")
    assert course.setting("ignore") == [*CourseDirectory().ignore, "*.tmp"]


def test_a_folder_with_submissions_needs_no_configuration(tmp_path):
    (tmp_path / "submitted").mkdir()
    assert Course.find(tmp_path).path("submitted", "a", "b") == tmp_path / "submitted" / "a" / "b"


@pytest.mark.parametrize(("line", "said"), [
    ("c.CourseDirectory.submitted_directory = 7", "submitted_directory is 7, expected a str"),
    ("c.CourseDirectory.directory_structure = '{nbgrader_step}/{student_id}'", "expected the gaps {nbgrader_step}"),
    ("c.CourseDirectory.directory_structure = '{nbgrader_step'", "expected the gaps {nbgrader_step}"),
    ("raise RuntimeError('no licence')", "nbgrader_config.py does not run: RuntimeError: no licence"),
    ("this is no Python", "nbgrader_config.py does not run: SyntaxError"),
])
def test_a_configuration_that_is_no_good_is_told_in_one_line(tmp_path, line, said):
    with pytest.raises(CourseError) as caught:
        configure(tmp_path, line)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_that_is_no_course_says_what_to_do(tmp_path):
    with pytest.raises(CourseError, match="is not a course: it has no nbgrader_config.py and no folder submitted/; go "
                       "to the folder of the course, or make one with `autograder init my-course`"):
        Course.find(tmp_path)
    with pytest.raises(CourseError, match="there is no folder"):
        Course.find(tmp_path / "absent")


def test_reading_a_course_does_not_import_nbgrader(tmp_path):
    (tmp_path / "submitted" / "student-01" / "multihead").mkdir(parents=True)
    code = ("import sys; from pathlib import Path; from autograder.course.folder import Course;"
            "found = Course.find(Path(sys.argv[1])).submissions('multihead');"
            "assert len(found) == 1; assert not {'nbgrader', 'nbformat'} & set(sys.modules)")
    subprocess.run([sys.executable, "-c", code, tmp_path], check=True)


# --- what was handed in --------------------------------------------------------------------------------------------

def test_submissions_are_the_students_folders_by_name(tmp_path):
    for folder in ("b/multihead", "a/multihead", "c/other", "d", "e/multihead/more"):
        (tmp_path / "submitted" / folder).mkdir(parents=True)
    (tmp_path / "submitted" / "f").mkdir()
    (tmp_path / "submitted" / "f" / "multihead").write_text("a file")
    course = Course.find(tmp_path)
    assert course.submissions("multihead") == [(name, tmp_path / "submitted" / name / "multihead") for name in "abe"]


@pytest.mark.parametrize("structure", ["{nbgrader_step}/{assignment_id}/{student_id}",
                                       "all/{student_id}+{assignment_id}/{nbgrader_step}"])
def test_students_are_found_in_any_structure(tmp_path, structure):
    course = configure(tmp_path, f"c.CourseDirectory.directory_structure = {structure!r}")
    for student in ("x[1]", "y.z"):
        course.path("submitted", student, "multihead").mkdir(parents=True)
    assert course.submissions("multihead") == [
        (student, course.path("submitted", student, "multihead")) for student in ("x[1]", "y.z")]


def test_excluded_students_are_left_out(tmp_path):
    course = configure(tmp_path, "c.CourseDirectory.student_id_exclude = 'a, c'")
    for student in "abc":
        course.path("submitted", student, "multihead").mkdir(parents=True)
    assert [student for student, _ in course.submissions("multihead")] == ["b"]


@pytest.mark.parametrize("student", ["../b", "..", "a/b"])
def test_no_students_name_leads_out_of_the_course(tmp_path, student):
    (tmp_path / "submitted").mkdir()
    with pytest.raises(CourseError, match="cannot be the name"):
        Course.find(tmp_path).path("autograded", student, "multihead")


# --- when ----------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("words", "expected"), [
    ("2025-03-04 05:06:07 UTC", datetime(2025, 3, 4, 5, 6, 7)),
    ("2025-03-04 05:06:07.5 Europe/Amsterdam\n", datetime(2025, 3, 4, 4, 6, 7, 500000)),
    ("2025-03-04T05:06:07+0200", datetime(2025, 3, 4, 3, 6, 7)),
    ("2025-03-04 05:06:07", datetime(2025, 3, 4, 5, 6, 7)),
    ("yesterday, more or less", None), ("", None), ("\0\ufeff", None), ("99999-99-99", None),
])
def test_timestamps_are_read_as_nbgrader_reads_them(tmp_path, words, expected):
    (tmp_path / TIMESTAMP).write_text(words)
    assert handed_in(tmp_path).at == expected


def test_without_a_file_there_is_no_timestamp(tmp_path):
    assert handed_in(tmp_path).at is None


@pytest.mark.parametrize("make", [
    lambda path, secret: path.symlink_to(secret),
    lambda path, secret: os.mkfifo(path),
    lambda path, secret: path.mkdir(),
], ids=["link", "pipe", "folder"])
def test_only_a_regular_file_is_read_as_a_timestamp(tmp_path, make):
    secret = tmp_path / "secret"
    secret.write_text("2025-03-04 05:06:07")
    make(tmp_path / TIMESTAMP, secret)
    assert (handed_in(tmp_path).stamp, handed_in(tmp_path).at) == (b"", None)


@pytest.mark.slow
def test_the_grammar_of_international_addresses_is_loaded_when_it_is_used():
    code = ("import sys, autograder.nbgrader, nbformat, jsonschema\nassert 'lark' not in sys.modules\n"
            "checks = jsonschema.FormatChecker()\n"
            "print([checks.conforms(value, 'iri') for value in ('https://example.org/\\u00e9', 'no address')])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[True, False]"
