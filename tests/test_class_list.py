"""Everyone of the class is accounted for, and called by name where people read."""
from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from courses import LESSON, class_of_roles, grade_of
from nbgrader.api import Gradebook
from stores import keep

from autograder import check, grade_course
from autograder.cli import run
from autograder.course.folder import Course
from autograder.nbgrader.new_gradebook import make_gradebook
from autograder.output.class_list import ClassList, Person
from autograder.output.exports.roster import RosterError, read_class, read_roster
from autograder.records import Grade
from autograder.report.reading import read_grades
from autograder.run import class_list, job

ROSTER = "student,name,email,section\nstudent-01,Jo de Vries,jo@example.org,A\nstudent-02,Mo,mo@example.org,B\n" \
         "student-03,Bo Béyer,bo@example.org,B\n"


def people(folder: Path, content: str | bytes, known: tuple[str, ...] = ()) -> dict[str, Person]:
    path = folder / "students.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_class(path, known)[0]


# --- the roster ---------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("content", [
    ROSTER, "\ufeff" + ROSTER, ROSTER.replace(",", ";"), ROSTER.replace(",", "\t"),
    "sep=;\r\n" + ROSTER.replace(",", ";"),
    ROSTER.replace("\n", "\r\n"), ROSTER.encode("cp1252"), ROSTER.replace(",", "\t").encode("utf-16"),
    ROSTER.replace("student,name,email,section", "Studentnummer,Naam,E-mailadres,Klas"),
    ROSTER.replace("student,name", "ID,Student")])
def test_a_roster_is_read_whatever_saved_it(tmp_path, content) -> None:
    found = people(tmp_path, content)
    assert list(found) == ["student-01", "student-02", "student-03"]
    assert found["student-03"] == Person("student-03", "Bo Béyer", "bo@example.org", "B")


def test_a_name_may_be_in_parts() -> None:
    from autograder.output.exports.roster import _person
    row = {"Voornaam": "Jo", "Tussenvoegsel": "de", "Achternaam": "Vries"}
    assert _person("s", row, {name.casefold(): name for name in row}).name == "Jo de Vries"


def test_of_several_ids_the_one_that_the_course_uses_counts(tmp_path) -> None:
    moodle = "Identifier,Full name,Email address\nParticipant 7,Jo,jo@example.org\nParticipant 8,Mo,mo@example.org\n"
    assert list(people(tmp_path, moodle)) == ["7", "8"]
    assert list(people(tmp_path, moodle, ("jo@example.org",))) == ["jo@example.org", "8"]
    canvas = "Student,ID,SIS Login ID,Section\n\"Vries, Jo de\",101,jo,A\n"
    assert people(tmp_path, canvas, ("jo",)) == {"jo": Person("jo", "Vries, Jo de", "", "A")}


@pytest.mark.parametrize(("content", "says"), [
    (ROSTER + "student-01,Jo,,A\n", "names 'student-01' twice, in line 2 and line 5"), ("", "is empty"),
    ("name,section\nJo,A\n", "has no column 'student'"), (b"PK\x03\x04", "is an Excel file"),
    ("student,student\na,b\n", "two columns 'student'"), ("student,name\n", "no row with a student")])
def test_a_roster_that_cannot_be_used_says_so_in_one_line(tmp_path, content, says) -> None:
    with pytest.raises(RosterError, match=says) as error:
        people(tmp_path, content)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("content", [
    "\n\n" + ROSTER, ROSTER.encode("utf-16-le"), ROSTER.encode("utf-16-be"), ROSTER.replace("student-01", "Student-01"),
    ROSTER.replace("student-0", "#student-0"),
])
def test_a_roster_that_is_nearly_right_is_read_all_the_same(tmp_path, content) -> None:
    found = people(tmp_path, content, ("student-01", "student-02", "student-03"))
    assert [found[student].name for student in sorted(found)] == ["Jo de Vries", "Mo", "Bo Béyer"]
    assert sorted(found) == ["student-01", "student-02", "student-03"]


@pytest.mark.parametrize("folder", ["Zoe\u0308 Mu\u0308ller", "Zoë Müller ", "zoë müller"])
def test_a_roster_finds_a_folder_whose_name_went_through_another_system(tmp_path, folder) -> None:
    roster = "student,name,ID\nZoë Müller,Zoë,1\n"
    assert people(tmp_path, roster, (folder,)) == {folder: Person(folder, "Zoë")}
    assert list(read_roster(tmp_path / "students.csv", known=(folder,)).rows) == [folder]


def test_of_two_folders_that_differ_in_case_each_has_its_own_row(tmp_path) -> None:
    roster = "student,name\nJo,Jo\njo,Johan\n"
    assert [person.name for person in people(tmp_path, roster, ("Jo", "jo")).values()] == ["Jo", "Johan"]


def test_the_rows_of_canvas_that_are_nobody_are_left_out(tmp_path) -> None:
    found = people(tmp_path, 'Student,ID,SIS Login ID,Section\n    Points Possible,,,\n"Vries, Jo de",12,jdv,A\n'
                             '"Student, Test",13,abc,A\n')
    assert list(found) == ["12"]


@pytest.mark.parametrize("row", ['student-01,"Jo\nstudent-02,Mo\n', "student-01," + 200_000 * "x" + "\n"])
def test_a_quote_that_is_not_closed_is_one_line_and_swallows_nobody(tmp_path, row) -> None:
    with pytest.raises(RosterError, match=r"line \d is not CSV: .*; look for a quote") as caught:
        people(tmp_path, "student,name\n" + row)
    assert "\n" not in str(caught.value)


def test_a_row_without_a_student_is_a_note(tmp_path) -> None:
    (tmp_path / "students.csv").write_text("student,name\nstudent-01,Jo\n,Mo\n")
    found, notes = read_class(tmp_path / "students.csv", ())
    assert (list(found), len(notes)) == (["student-01"], 1)
    assert "line 3" in notes[0]


def test_sections_are_found_in_any_case_and_named_if_they_are_not() -> None:
    whole = ClassList({"a": Person("a", section="Groep 1"), "b": Person("b", section="Groep 2")})
    assert list(whole.section("groep 1").people) == ["a"]
    with pytest.raises(ValueError, match="did you mean 'Groep 2'"):
        whole.section("Groep2")


# --- where people read --------------------------------------------------------------------------------------------

@pytest.fixture
def course(tmp_path, monkeypatch) -> Course:
    """Two students handed in; the roster has a third."""
    course = class_of_roles(tmp_path, ["right", "empty"])
    keep(course.root, *map(graded, ("student-01", "student-02")))
    (tmp_path / "students.csv").write_text(ROSTER)
    (tmp_path / "autograder.toml").write_text('roster = "students.csv"\n')
    monkeypatch.chdir(tmp_path)
    return course


def graded(student: str) -> Grade:
    return grade_of(student)


def rows(*options: str, capsys) -> list[dict[str, str]]:
    capsys.readouterr()
    run(["export", "--format", "csv", "--own-points", *options])
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out.removeprefix("\ufeff"))))


def test_an_export_has_everyone_with_their_names_and_a_section_only_its_own(course, capsys) -> None:
    assert [(row["student"], row["name"], row["section"], row["status"], row["points"])
            for row in rows(capsys=capsys)] == [
        ("student-01", "Jo de Vries", "A", "graded", "20"), ("student-02", "Mo", "B", "graded", "20"),
        ("student-03", "Bo Béyer", "B", "nothing handed in", "")]
    assert [row["student"] for row in rows("--section", "b", capsys=capsys)] == ["student-02", "student-03"]
    assert run(["export", "--format", "csv", "--own-points", "--section", "C"]) == 2
    assert "there is no section 'C'; there are: A, B" in capsys.readouterr().err


def test_without_a_class_list_an_export_has_no_other_columns(course, capsys) -> None:
    Path("autograder.toml").unlink()
    assert list(rows(capsys=capsys)[0])[:2] == ["student", "lesson"]


def test_the_report_names_everyone_and_an_anonymous_one_nobody(course) -> None:
    assert run(["report"]) == 0
    page = Path("report.html").read_text()
    assert all(name in page for name in ("student-01 (Jo de Vries)", "Handed in nothing", "Bo Béyer"))
    assert run(["report", "--section", "A", "--output", "a.html"]) == 0
    assert "student-02" not in Path("a.html").read_text()
    assert run(["report", "--anonymous"]) == 0
    hidden = Path("report-anonymous.html").read_text()
    assert "Handed in nothing" in hidden
    assert not any(name in hidden for name in ("Vries", "Béyer", "student-0"))


def test_grade_and_diff_say_who_handed_in_nothing(course, capsys) -> None:
    assert run(["diff"]) in (0, 1)
    assert "student-03 (Bo Béyer)  handed in nothing" in capsys.readouterr().out
    assert run(["grade", "--lang", "en"]) in (0, 1)
    said = capsys.readouterr().out
    assert "1 of the class handed in nothing:\n student-03 (Bo Béyer)" in said
    assert "student-02 (Mo)" in said
    assert run(["grade", "--lang", "nl"]) in (0, 1)
    assert "1 uit de klas leverde niets in:\n" in capsys.readouterr().out


def test_json_lines_have_who_handed_in_nothing_and_every_reader_passes_over_it(course, capsys) -> None:
    assert run(["grade", "--json", "all.jsonl"]) in (0, 1)
    lines = [json.loads(line) for line in Path("all.jsonl").read_text().splitlines()]
    assert [(line["student"], line["status"], line["points"]) for line in lines][-1] == (
        "student-03", "handed_in_nothing", None)
    assert {frozenset(line) for line in lines} == {frozenset(lines[0])}
    assert not any(name in Path("all.jsonl").read_text() for name in ("Vries", "Béyer"))
    assert [grade.student for grade in read_grades(Path("all.jsonl"))] == ["student-01", "student-02"]


def test_the_python_interface_has_who_handed_in_nothing_and_what_was_not_looked_at(course) -> None:
    (course.root / "submitted" / "student-77.ipynb").write_text("{}")
    grades = grade_course(course.root)
    assert ([grade.student for grade in grades], grades.absent, [left.path for left in grades.left]) == (
        ["student-01", "student-02"], ("student-03",), ["student-77.ipynb"])
    assert grade_course(course.root, students=["student-01"]).absent == ()
    (course.root / "notes.pdf").write_bytes(b"%PDF-1.4")
    (course.root / "submitted" / "student-01" / "multihead" / "notes.pdf").write_bytes(b"%PDF-1.4")
    checked = check(course.root / "submitted" / "student-01")
    assert (len(checked), [Path(left.path).name for left in checked.left]) == (1, ["notes.pdf"])


def test_no_name_reaches_a_worker(course, monkeypatch) -> None:
    jobs: list[bytes] = []
    judge = job.judge

    def seen(work: bytes) -> bytes:
        jobs.append(work)
        return judge(work)
    monkeypatch.setattr(job, "judge", seen)
    assert run(["grade", "--force", "--jobs", "1"]) in (0, 1)
    assert jobs
    assert not any(name.encode() in work for work in jobs for name in ("Vries", "Béyer", "student-0"))


def test_check_and_forget_show_names(course, capsys) -> None:
    assert run(["check", "submitted", "--lang", "en"]) in (0, 1)
    assert "student-01 (Jo de Vries)" in capsys.readouterr().out
    assert run(["forget", "student-01", "--yes"]) == 0
    assert "of student-01 (Jo de Vries):" in capsys.readouterr().out


def test_names_of_the_gradebook_are_used_and_its_students_expected(course, capsys) -> None:
    Path("autograder.toml").unlink()
    make_gradebook(course, LESSON)
    with Gradebook(course.db_url) as gradebook:
        gradebook.add_student("student-01", first_name="Jo", last_name="Gradebook")
        gradebook.add_student("student-09", first_name="Ko", last_name="Nothing")
    found = {row["student"]: (row["name"], row["status"]) for row in rows(capsys=capsys)}
    assert found == {"student-01": ("Jo Gradebook", "graded"), "student-02": ("", "graded"),
                     "student-09": ("Ko Nothing", "nothing handed in")}


def test_a_roster_that_is_not_there_is_one_line(course, capsys) -> None:
    Path("students.csv").unlink()
    assert run(["report"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_only_a_roster_says_who_is_expected_and_its_names_go_before_those_of_the_gradebook(course, monkeypatch):
    known = {"student-02": Person("student-02", "Maurits", "m@example.org"), "student-09": Person("student-09", "Ko")}
    monkeypatch.setattr(class_list, "gradebook_students", lambda course: known)
    found = class_list.class_of_course(course).people
    assert {student: (person.name, person.expected) for student, person in found.items()} == {
        "student-01": ("Jo de Vries", True), "student-02": ("Mo", True), "student-03": ("Bo Béyer", True),
        "student-09": ("Ko", False)}
    assert found["student-02"].email == "mo@example.org"
    course.config.CourseDirectory.student_id_exclude = "student-09, student-01"
    assert {*class_list.class_of_course(course).people} == {"student-02", "student-03"}
