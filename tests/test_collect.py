"""Zips as Moodle, Canvas and Brightspace make them: whose each file is, which attempt counts, and what was late."""
import io
import logging
import os
import shutil
import subprocess
import sys
import zipfile
from datetime import datetime
from pathlib import Path, PurePath

import pytest
from courses import run_nbgrader
from damage import honest, saved
from nbgrader.api import Gradebook
from nbgrader.apps.zipcollectapp import ZipCollectApp
from nbgrader.converters import Autograde
from test_hook import FULL, scores, wrong

from autograder.course.folder import Course
from autograder.course.lms import handed_in, students_of
from autograder.nbgrader.collect import LmsCollector
from autograder.nbgrader.students import gradebook_students
from autograder.run.grade_course import grade_course

RIGHT, WRONG = saved(honest()), saved(wrong())
def named(path: PurePath):
    return handed_in([path]).get(path)


NAMES = {
    "zip/Student One_1234567_assignsubmission_file_/multihead.ipynb": ("1234567", "multihead.ipynb", False),
    "zip/Student One_1234567_assignsubmission_file/multihead.ipynb": ("1234567", "multihead.ipynb", False),
    "zip/Student_One_1234567_assignsubmission_file_my_multihead.ipynb": ("1234567", "my_multihead.ipynb", False),
    "zip/Student One_1234567_assignsubmission_file_/a/b.ipynb": ("1234567", "a/b.ipynb", False),
    "zip/onestudent_340934_208490284_multihead.ipynb": ("340934", "multihead.ipynb", False),
    "zip/onestudent_LATE_340934_208490284_multi_head-1.ipynb": ("340934", "multi_head-1.ipynb", True),
    "zip/onestudent_340934_208490284_work/multihead.ipynb": ("340934", "work/multihead.ipynb", False),
    "zip/397063-2557369 - Student-A One - Sep 24, 2024 926 PM/m.ipynb": ("student-a-one", "m.ipynb", False),
    "zip/397063-2557369 - Stúdent 't Five - 24 september 2024 2126/m.ipynb": ("stúdent-t-five", "m.ipynb", False),
}


@pytest.mark.parametrize(("path", "expected"), NAMES.items(), ids=NAMES)
def test_a_name_tells_whose_file_it_is(path, expected):
    found = named(PurePath(path))
    assert (found.student, str(found.below), found.late) == expected


@pytest.mark.parametrize("path", ["multihead.ipynb", "zip/index.html", "zip/student-01/multihead.ipynb",
                                  "12-34 - Student One - Sep 24, 2024 926 PM"])
def test_other_names_tell_nothing(path):
    assert named(PurePath(path)) is None


@pytest.mark.parametrize("words", ["Sep 24, 2024 926 PM", "September 24, 2024 9:26 PM", "24 september 2024 2126",
                                   "24 sep. 2024 21:26"])
def test_brightspace_says_when(words):
    assert named(PurePath(f"1-2 - A - {words}/m.ipynb")).when == datetime(2024, 9, 24, 21, 26)


@pytest.mark.parametrize(("words", "hour"), [("Sep 24, 2024 1200 AM", 0), ("Sep 24, 2024 1200 PM", 12)])
def test_twelve_is_midnight_or_noon(words, hour):
    assert named(PurePath(f"1-2 - A - {words}/m.ipynb")).when.hour == hour


def test_a_date_that_is_none_is_no_date():
    assert named(PurePath("1-2 - A - Sep 44, 2024 926 PM/m.ipynb")).when is None


def test_the_same_name_is_the_same_student_however_its_accents_are_written():
    name = "Zoe\u0308 U\u0308nal"
    assert named(PurePath(f"1-2 - {name} - Sep 24, 2024 926 PM/m.ipynb")).student == "zoë-ünal"


@pytest.mark.parametrize(("words", "says"), [
    ("Sep 44, 2024 926 PM", "is not understood"), ("Oct 25, 2026 224 AM", "as the clock was changed"),
    ("Mar 29, 2026 224 AM", "as the clock was changed")])
def test_a_time_that_is_not_clear_is_said_and_not_guessed(words, says, caplog):
    collector = LmsCollector(timezone="Europe/Amsterdam", log=logging.getLogger("collect"))
    assert collector._when("jo", named(PurePath(f"1-2 - Jo - {words}/m.ipynb"))) is None
    (said,) = caplog.messages
    assert says in said


# --- the command --------------------------------------------------------------------------------------------------

@pytest.fixture
def course(generated, tmp_path):
    return Course.find(shutil.copytree(generated.root, tmp_path / "course"))


def download(course, name: str, files: dict[str, bytes], age: float = 0) -> None:
    """Put a zip into the folder of archives; a larger age is an older one."""
    path = course.root / "downloaded" / "multihead" / "archive" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for member, content in files.items():
            archive.writestr(member, content)
    os.utime(path, (1.7e9 - age, 1.7e9 - age))


def collect(course, monkeypatch, assignment: str = "multihead") -> list[str]:
    """Run the command in this process; what it logged as a warning or worse."""
    monkeypatch.chdir(course.root)
    app, said = ZipCollectApp(), []
    app.initialize([assignment, "--force"])
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: said.append(record.getMessage())
    app.log.addHandler(handler)
    try:
        app.start()
    finally:
        app.log.removeHandler(handler)
    return said


def test_a_time_stamp_in_a_students_folder_of_a_zip_is_named(course, monkeypatch):
    folder = "Student Two_2222222_assignsubmission_file_"
    download(course, "moodle.zip", {f"{folder}/multihead.ipynb": b"{}", f"{folder}/timestamp.txt": b"x" * 300})
    assert [words for words in collect(course, monkeypatch) if f"{folder}/timestamp.txt" in words] == [
        f"moodle.zip holds {folder}/timestamp.txt, which only nbgrader writes; it was left out"]
    assert not any(path.endswith("timestamp.txt") for path in submitted(course))


def submitted(course) -> dict[str, bytes]:
    root = course.root / "submitted"
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


@pytest.mark.slow
def test_a_zip_of_moodle_is_collected_and_graded(course, monkeypatch):
    download(course, "Multihead-1.zip", {
        "Student One_1234567_assignsubmission_file_/multihead.ipynb": RIGHT,
        "Student Two_1234568_assignsubmission_file_/multihead (1).ipynb": WRONG,
        "Student Two_1234568_assignsubmission_file_/attention.py": b"",
        "Student Three_1234569_assignsubmission_file_final.ipynb": RIGHT})
    collect(course, monkeypatch)
    assert {"1234567/multihead/multihead.ipynb", "1234568/multihead/multihead.ipynb",
            "1234569/multihead/final.ipynb"} <= submitted(course).keys()
    assert gradebook_students(course)["1234567"].name == "Student One"
    run_nbgrader(Autograde, course)
    assert scores(course, "1234567") == scores(course, "1234569") == FULL
    assert scores(course, "1234568") == FULL | {"test_split_heads": 0.0}


@pytest.mark.slow
def test_of_brightspaces_attempts_the_last_is_graded_and_the_others_are_kept(course, monkeypatch):
    with Gradebook(course.db_url) as gradebook:
        gradebook.update_or_create_assignment("multihead", duedate="2024-09-24 18:00:00 UTC")
    folder = "397063-2557369 - {} - Sep {}, 2024 {}"
    download(course, "Multihead Download.zip", {
        "index.html": b"<html>",
        folder.format("Student One", 9, "1159 PM") + "/multihead.ipynb": WRONG,
        folder.format("Student One", 24, "756 PM") + "/multihead-final.ipynb": RIGHT,
        folder.format("Student One", 24, "926 AM") + "/multihead.ipynb": WRONG,
        folder.format("Student Two", 24, "926 PM") + "/multihead.ipynb": RIGHT})
    collect(course, monkeypatch)
    found = submitted(course)
    assert found["student-one/multihead/multihead-final.ipynb"] == RIGHT
    assert [path for path, content in found.items() if content == WRONG] == [
        "student-one/multihead/.earlier/1-0/multihead.ipynb", "student-one/multihead/.earlier/2-0/multihead.ipynb"]
    assert found["student-one/multihead/timestamp.txt"].startswith(b"2024-09-24 17:56:00")      # UTC
    run_nbgrader(Autograde, course)
    assert scores(course, "student-one") == FULL
    with Gradebook(course.db_url) as gradebook:
        late = {one.student_id: one.total_seconds_late for one in gradebook.find_assignment("multihead").submissions}
    assert late == {"student-one": 0, "student-two": 86 * 60}


def test_namesakes_in_brightspace_stay_two_students(course, monkeypatch):
    download(course, "d.zip", {"11-9 - Student One - Sep 9, 2024 926 PM/multihead.ipynb": RIGHT,
                               "12-9 - Student One - Sep 8, 2024 926 PM/multihead.ipynb": WRONG})
    collect(course, monkeypatch)
    assert submitted(course).keys() >= {f"student-one-{number}/multihead/multihead.ipynb" for number in (11, 12)}


@pytest.mark.slow
def test_what_canvas_calls_late_is_late(course, monkeypatch):
    with Gradebook(course.db_url) as gradebook:
        gradebook.update_or_create_assignment("multihead", duedate="2024-09-24 18:00:00 UTC")
    download(course, "submissions.zip", {
        "onestudent_340934_208490284_multihead.ipynb": WRONG,
        "onestudent_340934_208490299_multihead-1.ipynb": RIGHT,
        "twostudent_LATE_340935_208490290_multihead-2.ipynb": RIGHT})
    said = collect(course, monkeypatch)
    assert "340934 handed in more than once; the last attempt is graded, the others are in .earlier/" in said
    assert "340935 handed in late, but it is not known how late" in said
    found = submitted(course)
    assert found["340934/multihead/multihead.ipynb"] == RIGHT
    assert WRONG in found.values()
    assert "340934/multihead/timestamp.txt" not in found
    assert found["340935/multihead/timestamp.txt"].startswith(b"2024-09-24 18:00:01")
    run_nbgrader(Autograde, course)
    with Gradebook(course.db_url) as gradebook:
        assert gradebook.find_submission("multihead", "340935").total_seconds_late == 1


def test_a_later_zip_is_a_later_attempt(course, monkeypatch):
    name = "Student One_1234567_assignsubmission_file_/multihead.ipynb"
    download(course, "b-old.zip", {name: WRONG}, age=1000)
    download(course, "a-new.zip", {name: RIGHT})
    collect(course, monkeypatch)
    found = submitted(course)
    assert found["1234567/multihead/multihead.ipynb"] == RIGHT
    assert found["1234567/multihead/.earlier/1-0/multihead.ipynb"] == WRONG


def moodle(number: int, name: str = "multihead.ipynb") -> str:
    return f"Student {number}_{number}_assignsubmission_file_/{name}"


def zipped(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for member, content in files.items():
            archive.writestr(member, content)
    return made.getvalue()


def test_whatever_a_student_handed_in_is_collected_and_nobody_stops_the_others(course, monkeypatch):
    download(course, "d.zip", {
        moodle(1, "work.zip"): zipped({"multihead/multihead.ipynb": RIGHT}), moodle(2, "work.zip"): b"PK\3\4 broken",
        moodle(3, "work.pdf"): b"%PDF-1.7", moodle(4, "multihead.ipynb.gz"): b"\x1f\x8b broken",
        moodle(5, "multihead"): RIGHT, moodle(6): RIGHT, moodle(6, "sub/picture.png"): b"\x89PNG"})
    collect(course, monkeypatch)
    assert {path.split("/multihead/", 1)[0]: path.split("/multihead/", 1)[1] for path in submitted(course)} == {
        "1": "work.zip", "2": "work.zip", "3": "work.pdf", "4": "multihead.ipynb.gz", "5": "multihead",
        "6": "sub/picture.png"}
    grades = {grade.student: grade for grade in grade_course(course.root)}
    assert {student: grade.points for student, grade in grades.items()} == {
        "1": 20.0, "2": None, "3": None, "4": None, "5": 20.0, "6": 20.0}
    assert [grades[student].status for student in "234"] == ["unreadable"] * 3


def test_members_that_lead_outside_are_left_out_and_said(course, monkeypatch):
    download(course, "d.zip", {"../" + moodle(1): WRONG, moodle(2): RIGHT, "/etc/" + moodle(3): WRONG})
    said = collect(course, monkeypatch)
    assert submitted(course).keys() == {"2/multihead/multihead.ipynb"}
    assert not list(course.root.rglob("Student 1*"))
    assert [line for line in said if "lead outside it" in line and "Student 1" in line and "Student 3" in line]


def test_a_name_that_fits_no_pattern_is_said_in_one_line_and_stays_where_it_was(course, monkeypatch):
    download(course, "d.zip", {moodle(1): RIGHT, "multihead.ipynb": WRONG})
    said = collect(course, monkeypatch)
    assert submitted(course).keys() == {"1/multihead/multihead.ipynb"}
    assert sum("d/multihead.ipynb" in line for line in said) == 1
    assert (course.root / "downloaded/multihead/extracted/d/multihead.ipynb").read_bytes() == WRONG


def test_an_archive_that_is_damaged_is_said_and_the_next_one_is_read(course, monkeypatch):
    download(course, "b.zip", {moodle(1): RIGHT})
    (course.root / "downloaded/multihead/archive/a.zip").write_bytes(b"PK")
    said = collect(course, monkeypatch)
    assert submitted(course).keys() == {"1/multihead/multihead.ipynb"}
    assert any(line.startswith("a.zip was left out: The zip archive is damaged") for line in said)


@pytest.mark.parametrize("name", ["x" * 300 + ".ipynb", "multihead.ipynb/deeper.ipynb"])
def test_a_member_with_an_impossible_name_is_said_and_the_next_one_is_read(course, monkeypatch, name):
    download(course, "d.zip", {moodle(1): RIGHT, moodle(1, name): WRONG, moodle(2): RIGHT})
    said = collect(course, monkeypatch)
    assert {"1/multihead/multihead.ipynb", "2/multihead/multihead.ipynb"} == submitted(course).keys()
    assert [line for line in said if line.startswith("d.zip, ") and "was left out: " in line and name in line]


def test_the_course_says_in_which_time_zone_the_learning_environment_writes(course, monkeypatch):
    with (course.root / "nbgrader_config.py").open("a") as config:
        config.write('\nc.LmsCollector.timezone = "America/New_York"\n')
    download(course, "d.zip", {"1-2 - Student One - Sep 24, 2024 926 PM/multihead.ipynb": RIGHT})
    collect(course, monkeypatch)
    assert submitted(course)["student-one/multihead/timestamp.txt"].startswith(b"2024-09-25 01:26:00")


def test_the_time_zone_is_the_courses_own_unless_the_learning_environment_has_another(course, monkeypatch):
    (course.root / "autograder.toml").write_text('timezone = "Asia/Tokyo"\n')
    download(course, "d.zip", {"1-2 - Student One - Sep 24, 2024 926 PM/multihead.ipynb": RIGHT})
    collect(course, monkeypatch)
    assert submitted(course)["student-one/multihead/timestamp.txt"].startswith(b"2024-09-24 12:26:00")


def test_windows_separators_are_read(course, monkeypatch):
    download(course, "d.zip", {moodle(1).replace("/", "\\"): RIGHT, moodle(2, "a\\multihead.ipynb"): RIGHT})
    collect(course, monkeypatch)
    assert submitted(course).keys() == {"1/multihead/multihead.ipynb", "2/multihead/a/multihead.ipynb"}


@pytest.mark.parametrize("flagged", [True, False], ids=["flag", "no flag"])
def test_accents_in_names_are_read_whether_or_not_the_zip_says_how_they_are_written(course, monkeypatch, flagged):
    name = "12-9 - Stúdent Één - Sep 9, 2024 926 PM/multihead.ipynb"
    content = zipped({name: RIGHT})
    if not flagged:
        info = zipfile.ZipFile(io.BytesIO(content)).infolist()[0]
        assert info.flag_bits & 0x800
        central = content.index(b"PK\1\2")
        content = bytearray(content)
        content[7] &= ~0x08
        content[central + 9] &= ~0x08
    path = course.root / "downloaded/multihead/archive/d.zip"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    collect(course, monkeypatch)
    assert [path.split("/")[0] for path in submitted(course)] == ["stúdent-één"] * 2


def test_of_two_files_of_one_attempt_both_keep_their_names(course, monkeypatch):
    download(course, "d.zip", {moodle(1): WRONG, moodle(1, "multihead (1).ipynb"): RIGHT})
    collect(course, monkeypatch)
    found = submitted(course)
    assert found == {"1/multihead/multihead.ipynb": WRONG, "1/multihead/multihead (1).ipynb": RIGHT}


def test_collecting_again_takes_what_is_in_the_archives_then(course, monkeypatch):
    download(course, "a.zip", {moodle(1): WRONG, moodle(2): RIGHT}, age=1000)
    collect(course, monkeypatch)
    download(course, "b.zip", {moodle(1): RIGHT})
    collect(course, monkeypatch)
    assert submitted(course) == {"1/multihead/multihead.ipynb": RIGHT, "2/multihead/multihead.ipynb": RIGHT,
                                 "1/multihead/.earlier/1-0/multihead.ipynb": WRONG}


@pytest.mark.slow
def test_the_command_itself_collects(course):
    download(course, "d.zip", {"Student One_1234567_assignsubmission_file_/multihead.ipynb": RIGHT})
    done = subprocess.run([sys.executable, "-m", "nbgrader", "zip_collect", "multihead"], cwd=course.root,
                          env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "1234567/multihead/multihead.ipynb" in submitted(course)


@pytest.mark.parametrize(("assignment", "believed"), [("multihead", False), ("essay", True)])
def test_a_pattern_of_the_courses_own_collects_other_assignments_as_nbgrader_always_did(course, monkeypatch, assignment,
                                                                                        believed):
    with (course.root / "nbgrader_config.py").open("a") as config:
        config.write("\nc.FileNameCollectorPlugin.valid_ext = ['.ipynb', '.txt']\n" "c.FileNameCollectorPlugin."
                     r"named_regexp = r'.+/work_(?P<student_id>\w+)/(?P<file_id>.+)'" "\n")
    folder = course.root / "downloaded" / assignment / "archive" / "work_one"
    folder.mkdir(parents=True)
    (folder / "multihead.ipynb").write_bytes(RIGHT)
    (folder / "timestamp.txt").write_text("1970-01-01 00:00:00 UTC")
    collect(course, monkeypatch, assignment)
    assert submitted(course).keys() == {f"one/{assignment}/multihead.ipynb"} | (
        {f"one/{assignment}/timestamp.txt"} if believed else set())


# --- what students would have us believe --------------------------------------------------------------------------

FORGED = {
    "moodle": ("Student One_1111111_assignsubmission_file_/multihead.ipynb", [
        "Student Two_2222222_assignsubmission_file_/x_1111111_assignsubmission_file_/multihead.ipynb",
        "Student Two_2222222_assignsubmission_file_/1111111_1_2_multihead.ipynb"]),
    "moodle, flat": ("Student One_1111111_assignsubmission_file_multihead.ipynb", [
        "Student Two_2222222_assignsubmission_file_x_1111111_assignsubmission_file_multihead.ipynb",
        "Student Two_2222222_assignsubmission_file_x_LATE_1111111_2_multihead.ipynb"]),
    "canvas": ("studentone_1111111_208490284_multihead.ipynb", [
        "studenttwo_2222222_208490285_x_1111111_assignsubmission_file_multihead.ipynb",
        "studenttwo_LATE_2222222_208490285_x_1111111_assignsubmission_file_/multihead.ipynb",
        "studenttwo_2222222_208490285_studentone_1111111_208490299_multihead.ipynb"]),
    "brightspace": ("1-2 - Student One - Sep 24, 2024 926 PM/multihead.ipynb", [
        "3-4 - Student Two - Sep 24, 2024 926 PM/x_1111111_assignsubmission_file_/multihead.ipynb",
        "3-4 - Student Two - Sep 24, 2024 926 PM/1-2 - Student One - Sep 20, 2024 926 PM/multihead.ipynb"]),
}


@pytest.mark.parametrize("kind", FORGED)
def test_no_name_of_a_file_files_the_work_under_another_student(kind):
    honest, forged = FORGED[kind]
    for name in forged:
        for paths in ([PurePath("zip", honest), PurePath("zip", name)], [PurePath("zip", name)]):
            found = handed_in(paths)
            assert found[PurePath("zip", name)].student in ("2222222", "student-two"), name


FORGED_NAMES = ["Eva_2222222", "Eva_2222222_assignsubmission_file_", "Eva_2222222_assignsubmission_file_x", "2222222",
                "Student One_2222222_assignsubmission_file", "_", "..", "1-2 - A - Sep 24, 2024 926 PM"]


@pytest.mark.parametrize("name", FORGED_NAMES)
def test_no_name_of_a_person_files_the_work_under_another_student(name):
    own, other = (PurePath("zip", f"{who}_assignsubmission_file_", "multihead.ipynb")
                  for who in (f"{name}_1111111", "Student Two_2222222"))
    like_canvas = PurePath("zip", "x_2222222_3_y_1111111_assignsubmission_file_", "multihead.ipynb")
    for paths in ([own], [own, other], [like_canvas, own, other]):
        found = handed_in(paths)
        assert {found[path].student for path in paths} == ({"1111111", "2222222"} if other in paths else {"1111111"})
        assert found[own].student == "1111111"
    flat, other = (PurePath("zip", f"{who}_assignsubmission_file_multihead.ipynb")
                   for who in (f"{name}_1111111", "Student Two_2222222"))
    assert handed_in([flat, other]).get(other).student == "2222222"
    assert flat not in handed_in([flat, other]) or handed_in([flat, other])[flat].student == "1111111"


@pytest.mark.parametrize(("one", "two"), [
    ("Jan Vis", "Jan-Vis"), ("Jan Vis", "JAN VIS"), ("Jan Vis", "Jan Vis "), ("...", "!!!"), ("Jan Vis", "Jan  Vis")])
def test_two_names_that_become_one_folder_stay_two_students(one, two):
    for numbers in ((1, 1), (1, 2)):
        found = handed_in([PurePath("zip", f"{number}-9 - {name} - Sep 24, 2024 926 PM", "multihead.ipynb")
                           for number, name in zip(numbers, (one, two), strict=True)])
        students = set(students_of(found).values())
        assert len(students) == 2
        assert all(student.strip("-.") for student in students)


def test_a_folder_that_is_called_like_a_file_of_nbgraders_is_collected_and_graded(course, monkeypatch):
    entries = {f"1-2 - Student {who} - Sep 24, 2024 926 PM/{below}": RIGHT for who, below in (
        ("One", "timestamp.txt/multihead.ipynb"), ("Two", "Timestamp.TXT /multihead.ipynb"),
        ("Three", "multihead.ipynb"))}
    download(course, "class.zip", entries)
    said = collect(course, monkeypatch)
    assert not [line for line in said if "left out" in line]
    grades = {grade.student: grade.points for grade in grade_course(course.root)}
    assert {grades[f"student-{who}"] for who in ("one", "two", "three")} == {grades["student-three"]}


def test_an_entry_without_a_students_name_is_nobodys_whatever_lies_below_it():
    below = PurePath("zip/Student Two_2222222_assignsubmission_onlinetext_/x_1111111_assignsubmission_file_/m.ipynb")
    assert handed_in([PurePath("zip/Student One_1111111_assignsubmission_file_/m.ipynb"), below]).get(below) is None


@pytest.mark.parametrize("name", ["timestamp.txt", "TimeStamp.TXT", "submission_secret.txt"])
def test_a_file_that_only_nbgrader_writes_is_left_out_and_said(course, monkeypatch, name):
    with Gradebook(course.db_url) as gradebook:
        gradebook.update_or_create_assignment("multihead", duedate="2024-09-24 18:00:00 UTC")
    download(course, "canvas.zip", {
        "studentthree_LATE_340934_1_multihead.ipynb": RIGHT, f"studentthree_LATE_340934_2_{name}": b"1970-01-01 UTC",
        "studentfour_LATE_340935_3_multihead.ipynb": RIGHT})
    said = collect(course, monkeypatch)
    assert any(name in line and "340934" in line and "left out" in line for line in said)
    late = {student: (course.root / "submitted" / student / "multihead" / "timestamp.txt").read_text()
            for student in ("340934", "340935")}
    assert len(set(late.values())) == 1
    assert "submission_secret.txt" not in "".join(submitted(course))
