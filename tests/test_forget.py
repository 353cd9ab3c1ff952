"""`autograder forget`: nothing of a student is left, and nothing of anybody else is touched."""
import shutil
import sqlite3
import zipfile
from pathlib import Path

import pytest

from autograder import cli
from autograder.authoring.demo import make_class
from autograder.course.folder import Course, CourseError
from autograder.course.store import Store
from autograder.nbgrader.gradebook import GradebookError
from autograder.nbgrader.removal import folders_of, in_gradebook, mentions

GONE, OTHER = "student-01", "student-02"


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A class of three that was graded."""
    folder = tmp_path_factory.mktemp("graded")
    make_class(folder, 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert cli.run(["grade", "--jobs", "1"]) == 0
    return folder


@pytest.fixture
def course(graded, tmp_path, monkeypatch):
    """A copy of it, to work in."""
    shutil.copytree(graded, tmp_path / "course", copy_function=shutil.copy2)
    monkeypatch.chdir(tmp_path / "course")
    return tmp_path / "course"


def naming(folder: Path, student: str) -> list[str]:
    """The files below a folder whose path or bytes have this name."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()
                  and (student in str(path.relative_to(folder)) or student.encode() in path.read_bytes()))


def contents(folder: Path, student: str) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.glob(f"*/{student}/**/*")
            if path.is_file()}


def test_no_file_of_the_course_has_the_name_any_more(course, capsys):
    assert naming(course, GONE) != []
    assert cli.run(["forget", GONE, "--yes"]) == 0
    assert naming(course, GONE) == []
    assert "still named" not in capsys.readouterr().out


def test_the_others_keep_their_files_rows_and_lines_and_are_not_judged_again(course, capsys):
    before = contents(course, OTHER)
    cli.run(["forget", GONE, "--yes"])
    assert contents(course, OTHER) == before
    events = course.parent / "events.jsonl"
    assert cli.run(["grade", "--jobs", "1", "--log", str(events)]) == 0
    assert events.read_text().count('"source": "known"') == 2
    assert contents(course, OTHER) == before
    with sqlite3.connect(course / "gradebook.db") as gradebook:
        assert gradebook.execute("SELECT id FROM student ORDER BY id").fetchall() == [(OTHER,), ("student-03",)]


def test_the_store_has_no_grade_of_the_student(course):
    cli.run(["forget", GONE, "--yes"])
    with Store.reading(course, "multihead") as store:
        assert store.students() == {OTHER, "student-03"}


def test_of_an_older_course_the_others_grades_stay(course):
    shutil.rmtree(course / ".autograder")
    shutil.copytree(Path(__file__).parent / "older", course / ".autograder")
    assert cli.run(["forget", GONE, "--yes"]) == 0
    assert naming(course, GONE) == []
    with Store.reading(course, "multihead") as store:
        assert store.students() == {OTHER, "student-03"}


def test_where_there_is_no_gradebook_none_is_made(course):
    Path("gradebook.db").unlink()
    assert cli.run(["forget", GONE, "--yes"]) == 0
    assert not Path("gradebook.db").exists()


def test_a_gradebook_that_cannot_be_asked_is_not_one_without_the_student(tmp_path):
    (tmp_path / "nbgrader_config.py").write_text("c.CourseDirectory.db_url = 'postgresql://127.0.0.1:1/course'\n")
    with pytest.raises(GradebookError, match="postgresql"):
        in_gradebook(Course.find(tmp_path), GONE)


def test_nothing_is_removed_before_it_was_agreed_to(course, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", open("/dev/null"))                     # noqa: SIM115
    before = naming(course, GONE)
    assert cli.run(["forget", GONE]) == 2
    out, err = capsys.readouterr()
    assert naming(course, GONE) == before
    assert f"submitted/{GONE}" in out
    assert "--yes" in err


def test_what_a_person_made_is_named_and_stays(course, capsys):
    Path("marks.csv").write_text(f"{GONE},20\n{OTHER},20\n")
    archive = Path("downloaded", "multihead", "archive", "all.zip")
    archive.parent.mkdir(parents=True)
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr(f"one_{GONE}_assignsubmission_file_/multihead.ipynb", "{}")
    assert cli.run(["forget", GONE, "--yes"]) == 0
    listed = capsys.readouterr().out.partition("still named")[2].splitlines()[1:]
    assert [line.strip() for line in listed] == [str(archive), "marks.csv"]
    assert Path("marks.csv").exists()
    assert archive.exists()


def test_a_student_whom_only_other_files_name_is_unknown(course, capsys):
    Path("marks.csv").write_text("student-77,20\n")
    assert cli.run(["forget", "student-77", "--yes"]) == 2
    said = capsys.readouterr().err
    assert "is about student-77" in said
    assert "hold the name, and are kept: marks.csv" in said
    assert said.count("\n") == 1


def test_a_second_time_there_is_nothing_left_and_the_nearest_name_is_told(course, capsys):
    cli.run(["forget", GONE, "--yes"])
    assert cli.run(["forget", GONE, "--yes"]) == 2
    assert f"is about {GONE}; did you mean student-0" in capsys.readouterr().err


@pytest.mark.parametrize("name", [".", "..", "", "a/b"])
def test_what_is_no_name_removes_nobody(name, course):
    before = naming(course, "student")
    assert cli.run(["forget", "--yes", "--", name]) == 2
    assert naming(course, "student") == before


def test_a_pattern_is_a_name_like_any_other(course):
    with pytest.raises(CourseError):
        folders_of(Course.find(course), "..")
    assert folders_of(Course.find(course), "student-*") == []


def test_a_longer_name_is_somebody_else(tmp_path):
    (tmp_path / "submitted" / "student-10" / "multihead").mkdir(parents=True)
    (tmp_path / "submitted" / "student-10" / "multihead" / "work.py").write_text("student-10")
    course = Course.find(tmp_path)
    assert mentions(course, "student-1") == []
    assert folders_of(course, "student-1") == []


def test_folders_are_found_in_a_course_that_names_assignments_first(tmp_path):
    (tmp_path / "nbgrader_config.py").write_text(
        'c = get_config()\nc.CourseDirectory.directory_structure = "{nbgrader_step}/{assignment_id}/{student_id}"\n')
    for student in (GONE, OTHER):
        (tmp_path / "submitted" / "multihead" / student).mkdir(parents=True)
        (tmp_path / "feedback" / "multihead").mkdir(parents=True, exist_ok=True)
        (tmp_path / "feedback" / "multihead" / f"{student}.html").write_text("")
    assert folders_of(Course.find(tmp_path), GONE) == [tmp_path / "feedback" / "multihead" / f"{GONE}.html",
                                                       tmp_path / "submitted" / "multihead" / GONE]


def test_a_link_is_removed_and_what_it_points_at_stays(course):
    elsewhere = course.parent / "elsewhere"
    shutil.move(course / "submitted" / GONE, elsewhere)
    (course / "submitted" / GONE).symlink_to(elsewhere)
    assert cli.run(["forget", GONE, "--yes"]) == 0
    assert not (course / "submitted" / GONE).exists()
    assert (elsewhere / "multihead" / "multihead.ipynb").exists()


def test_a_run_in_progress_is_not_disturbed(course, capsys):
    from autograder.course.lock import only_one
    with only_one(course, "autograder grade", 0), pytest.MonkeyPatch.context() as patch:
        patch.setattr("autograder.cli.forget.PATIENCE", 0)
        assert cli.run(["forget", GONE, "--yes"]) == 2
    assert "autograder grade" in capsys.readouterr().err
    assert naming(course, GONE) != []
