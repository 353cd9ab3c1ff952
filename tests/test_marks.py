"""What a lecturer did in the gradebook comes out of every export; what still waits for a person never does."""
import base64
import csv
import io
import json
import shutil
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree

import pytest
from courses import LESSON, grade_of
from nbgrader.api import Gradebook
from stores import keep

from autograder import cli
from autograder.course.folder import Course
from autograder.nbgrader.gradebook import Entry, GradebookError, GradebookWriter
from autograder.nbgrader.marks import dates_in_gradebook, gradebook_marks
from autograder.output.exports import FORMATS
from autograder.output.jsonl import json_line
from autograder.records import Grade, text

DUE = datetime(2026, 3, 6, 22, 59)
NOTHING = (None,) * 5
CLASS = (grade_of("student-01"), grade_of("student-02", (3, 0, 5, 7, 1)), grade_of("student-03", (0, 2, 5, 7, 3)),
         grade_of("student-04", NOTHING, "unreadable", notices=(text("The file is empty"),)))
WAITING = "student-04 has no points (could not be read; waits for a manual grade in the formgrader); "
INSTEAD = "left empty", "score 0, which says why"


@pytest.fixture
def course(registered, tmp_path, monkeypatch) -> Course:
    """The class as `autograder grade` leaves it."""
    shutil.copytree(registered.root, tmp_path / "course")
    monkeypatch.chdir(tmp_path / "course")
    course = Course.find(tmp_path / "course")
    write(course, CLASS)
    return course


def write(course: Course, grades: Sequence[Grade], handed_in: datetime | None = None) -> None:
    keep(course.root, *grades)
    with GradebookWriter(course, LESSON) as writer:
        writer.write([Entry(grade, handed_in) for grade in grades])


def by_hand(course: Course, student: str, cell: str = "test_multihead", **values) -> None:
    """What the formgrader does when a person fills in a score."""
    with Gradebook(course.db_url) as gradebook:
        row = gradebook.find_grade(cell, "multihead", "multihead", student)
        for name, value in values.items():
            setattr(row, name, value)
        row.needs_manual_grade = row.manual_score is None and row.auto_score is None
        gradebook.db.commit()


def all_by_hand(course: Course, student: str, points: Sequence[float]) -> None:
    for exercise, one in zip(LESSON.exercises, points, strict=True):
        by_hand(course, student, exercise.grade_id, manual_score=one)


def due(course: Course, rule: str = "per-day") -> None:
    (course.root / "autograder.toml").write_text(f'[late]\nrule = "{rule}"\npercent_per_day = 10\n')
    with Gradebook(course.db_url) as gradebook:
        gradebook.update_or_create_assignment("multihead", duedate=DUE)


def export(name: str, *more: str) -> int:
    return cli.run(["export", "--format", name, *more])


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline="")))


def points(name: str) -> dict[str, float | None]:
    """What this format tells others about each student, by the rules of who reads it."""
    assert export(name, "--output", "out") in (0, 1)
    if FORMATS[name].each:
        return {path.name.removesuffix(FORMATS[name].suffix): READERS[name](path.read_bytes())
                for path in Path("out").iterdir()}
    if name == "junit":
        return {suite.get("name"): number(suite.find("properties/property[@name='points']").get("value"))
                for suite in ElementTree.parse("out").iter("testsuite")}
    column = {"csv": "points", "moodle": "Grade"}.get(name)
    who = {"csv": "student", "canvas": "SIS Login ID", "brightspace": "OrgDefinedId", "moodle": "ID number"}[name]
    return {row[who]: number(row[column or next(key for key in row if key.startswith("multihead"))])
            for row in rows_of(Path("out")) if row[who]}


def unread(name: str) -> float | None:
    """What a format says of work that nobody could read: without a score, Gradescope shows its student nothing."""
    return 0 if name == "gradescope" else None


def number(words: str) -> float | None:
    return float(words) if words else None


def gradescope(data: bytes) -> float | None:
    return json.loads(data).get("score")


def github(data: bytes) -> float | None:
    found = json.loads(base64.b64decode(data))
    return sum(test["score"] for test in found["tests"]) if found["max_score"] else None


READERS = {"gradescope": gradescope, "github": github}


# --- the marks ----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", FORMATS)
def test_a_manual_score_comes_out_of_every_format(name, course, capsys):
    by_hand(course, "student-02", manual_score=1.5)
    by_hand(course, "student-03", "test_split_heads", extra_credit=0.25)
    assert points(name) == {"student-01": 20, "student-02": 12.5, "student-03": 17.25, "student-04": unread(name)}
    assert ("the marks are the gradebook's; for 2 of 4 students they differ from the autograder's (student-02, "
            "student-03)") in capsys.readouterr().err


def test_marks_that_nobody_touched_are_said_to_be_the_autograders(course, capsys):
    points("csv")
    assert "the marks are the gradebook's; all equal the autograder's" in capsys.readouterr().err


@pytest.mark.parametrize("name", FORMATS)
def test_a_late_penalty_comes_out_of_every_format(name, course):
    due(course)
    write(course, CLASS[1:2], DUE + timedelta(hours=30))
    assert points(name)["student-02"] == pytest.approx(16 * 0.8)


@pytest.mark.parametrize("name", FORMATS)
def test_what_waits_for_a_person_is_left_empty_and_named(name, course, capsys):
    write(course, [grade_of("student-02", (3, 0, None, 7, 1))])
    assert points(name) == {"student-01": 20, "student-02": None, "student-03": 17, "student-04": unread(name)}
    said = capsys.readouterr().err
    assert "student-02 has no points (waits for a manual grade in the formgrader: multihead); left empty" in said
    assert WAITING + INSTEAD[name == "gradescope"] in said


@pytest.mark.parametrize("name", FORMATS)
def test_a_manual_score_on_work_that_was_replaced_counts_and_is_named(name, course, capsys):
    by_hand(course, "student-02", manual_score=1.5)
    write(course, [grade_of("student-02", (3, 0, 4, 7, 1))])
    assert points(name) == {"student-01": 20, "student-02": 12.5, "student-03": 17, "student-04": unread(name)}
    assert ("the work of student-02 or the checks changed after a person gave points for it; those points count: look "
            "again"
            ) in capsys.readouterr().err


@pytest.mark.parametrize("name", FORMATS)
def test_a_person_can_give_a_mark_to_what_nobody_could_read(name, course, capsys):
    all_by_hand(course, "student-04", (3, 2, 0, 0, 1))
    assert points(name)["student-04"] == 6
    assert export(name, "--output", "out") == 0
    assert "student-04 has no points" not in capsys.readouterr().err


def test_a_sheet_has_the_points_of_each_exercise_and_adds_up(course):
    due(course)
    write(course, CLASS[:3], DUE + timedelta(hours=1))
    by_hand(course, "student-02", "test_merge_heads", manual_score=2)
    export("csv", "--output", "out")
    first, second, third, fourth = rows_of(Path("out"))
    assert second["merge_heads"] == "2"
    assert (first["late_penalty"], third["points"], third["max_points"]) == ("2", "15.3", "20")
    for row in (first, second, third):
        cells = sum(float(row[exercise.name]) for exercise in LESSON.exercises)
        assert cells - float(row["late_penalty"]) == pytest.approx(float(row["points"]))
    assert fourth["to_grade"] == ", ".join(exercise.name for exercise in LESSON.exercises)
    assert [fourth[exercise.name] for exercise in LESSON.exercises] == [""] * 5


def test_the_student_reads_why_the_mark_is_lower(course):
    due(course)
    write(course, CLASS[:1], DUE + timedelta(hours=1))
    export("moodle", "--lang", "en", "--output", "out")
    row = rows_of(Path("out"))[0]
    assert "2 points were taken off because this was handed in late." in row["Feedback comments"]


def test_the_student_reads_that_a_teacher_still_looks_unless_the_file_has_to_come_again(course):
    write(course, [grade_of("student-02", (3, 0, None, 7, 1))])
    export("moodle", "--lang", "en", "--output", "out")
    said = [row["Feedback comments"] for row in rows_of(Path("out"))]
    assert "There is no mark yet: your teacher still looks at multihead." in said[1]
    assert "The file is empty" in said[3]
    assert "teacher" not in said[3]


def test_a_gradebook_file_is_read_directly_as_sqlalchemy_reads_it(course):
    due(course)
    write(course, CLASS, DUE + timedelta(hours=30, microseconds=5))
    by_hand(course, "student-02", manual_score=1.5, extra_credit=0.25)
    with Gradebook(course.db_url) as gradebook:
        gradebook.find_submission("multihead", "student-03").extension = timedelta(days=1, microseconds=7)
        gradebook.db.commit()
    found = gradebook_marks(course, LESSON), dates_in_gradebook(course, "multihead")
    assert found[1] == (DUE, [(grade.student, timedelta(days=1, microseconds=7) if grade.student == "student-03"
                               else None) for grade in CLASS])
    course.config.CourseDirectory.db_url = f"{course.db_url}?timeout=5"
    assert (gradebook_marks(course, LESSON), dates_in_gradebook(course, "multihead")) == found


def test_a_mark_is_never_below_zero(course):
    due(course, "zero")
    write(course, CLASS[:1], DUE + timedelta(hours=1))
    for exercise in LESSON.exercises:
        by_hand(course, "student-01", exercise.grade_id, manual_score=0)
    assert points("csv")["student-01"] == 0


def test_a_penalty_that_is_older_than_the_score_or_the_extension_is_named(course, capsys):
    due(course, "zero")
    write(course, CLASS[:3], DUE + timedelta(hours=1))
    export("csv", "--output", "out")
    assert "late penalties" not in capsys.readouterr().err
    by_hand(course, "student-02", manual_score=4)
    with Gradebook(course.db_url) as gradebook:
        gradebook.find_submission("multihead", "student-03").extension = timedelta(days=1)
        gradebook.db.commit()
    export("csv", "--output", "out")
    assert points("csv") == {"student-01": 0, "student-02": 0, "student-03": 17, "student-04": None}
    assert ("the formgrader still shows late penalties that are older than the score, the due date or the extension of "
            "student-02, student-03; `autograder grade` brings them up to date") in capsys.readouterr().err


# --- where store and gradebook differ -----------------------------------------------------------------------------

def test_a_student_whom_the_gradebook_lacks_is_named_and_left_empty(course, capsys):
    keep(course.root, grade_of("student-05"))
    assert points("brightspace")["student-05"] is None
    assert ("the gradebook lacks student-05, whom the autograder graded; left empty (`autograder grade` writes what "
            "is missing)") in capsys.readouterr().err


def test_a_student_whom_only_the_gradebook_has_is_named_and_keeps_the_mark(course, capsys):
    with GradebookWriter(course, LESSON) as writer:
        writer.write([Entry(grade_of("student-00", (1, 1, 1, 1, 1)))])
    assert points("csv") == {"student-00": 5, "student-01": 20, "student-02": 16, "student-03": 17, "student-04": None}
    assert "only the gradebook has student-00; exported with the gradebook's mark" in capsys.readouterr().err


def test_students_of_the_roster_without_a_grade_are_named(course, capsys):
    Path("roster.csv").write_text("student,OrgDefinedId\n" + "".join(f"student-0{n},00{n}\n" for n in range(1, 7)))
    export("brightspace", "--roster", "roster.csv", "--output", "out")
    assert [row["OrgDefinedId"] for row in rows_of(Path("out"))] == ["001", "002", "003", "004"]
    assert "left out, without a grade here: student-05, student-06 of roster.csv" in capsys.readouterr().err


def test_marks_of_nbgraders_own_autograde_need_no_store(course):
    (course.root / ".autograder" / "store.db").unlink()
    assert points("csv") == {"student-01": 20, "student-02": 16, "student-03": 17, "student-04": None}


@pytest.mark.parametrize("name", FORMATS)
def test_the_autograders_own_points_are_to_be_had(name, course, capsys):
    by_hand(course, "student-02", manual_score=1.5)
    assert export(name, "--own-points", "--output", "out") == 1
    said = capsys.readouterr().err
    assert said == f"autograder export: student-04 has no points (could not be read); {INSTEAD[name == 'gradescope']}\n"
    if name == "brightspace":
        assert [row["multihead Points Grade"] for row in rows_of(Path("out"))] == ["20", "16", "17", ""]


def test_json_lines_have_no_gradebook(course, capsys):
    by_hand(course, "student-02", manual_score=1.5)
    Path("class.jsonl").write_text("".join(json_line(grade, "en") + "\n" for grade in CLASS[:3]))
    assert export("csv", "class.jsonl", "--output", "out") == 0
    assert [row["points"] for row in rows_of(Path("out"))] == ["20", "16", "17"]
    assert "late_penalty" not in rows_of(Path("out"))[0]
    assert capsys.readouterr().err == ""


# --- gradebooks that are no good ----------------------------------------------------------------------------------

@pytest.mark.parametrize(("damage", "says"), [
    (lambda path: path.unlink(), "there is no gradebook"),
    (lambda path: path.write_bytes(b"no database at all, but long enough to be taken for one" * 30), "not a database"),
    (lambda path: path.write_bytes(b""), "is an empty file; remove it"),
    (lambda path: path.unlink() or path.mkdir(), "is a folder: move it away"),
    (lambda path: path.unlink() or path.symlink_to("nowhere.db"), "is a link to nowhere.db, which is not there")])
def test_a_gradebook_that_is_no_good_is_one_line_and_nothing_is_made(damage, says, course, capsys):
    database = course.root / "gradebook.db"
    damage(database)
    before = database.read_bytes() if database.is_file() else None
    assert export("csv", "--output", "out") == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert says in said
    assert "--own-points" in said
    assert not Path("out").exists()
    assert (database.read_bytes() if database.is_file() else None) == before


def test_a_gradebook_without_the_assignment_says_so(course):
    with pytest.raises(GradebookError, match="has no assignment 'other'"):
        gradebook_marks(course, LESSON, "other")


@pytest.mark.parametrize(("command", "target", "says"), [
    (["export", "--format", "csv"], ".autograder/store.db", "is the autograder's own"),
    (["export", "--format", "csv"], "gradebook.db", "is a database, such as nbgrader's gradebook"),
    (["report"], ".autograder/store.db", "is the autograder's own"),
    (["report"], "gradebook.db", "is a database, such as nbgrader's gradebook"),
    (["export", "--format", "csv", "class.jsonl"], "class.jsonl", "is what is read for it"),
    (["report", "class.jsonl"], "class.jsonl", "is what is read for it")])
def test_what_holds_the_grades_is_never_overwritten(command, target, says, course, capsys):
    Path("class.jsonl").write_text(json_line(CLASS[0], "en") + "\n")
    before = Path(target).read_bytes()
    assert cli.run([*command, "--output", target]) == 2
    said = capsys.readouterr().err
    assert says in said
    assert "submission" not in said
    assert Path(target).read_bytes() == before
