"""Exports, each read by a reader of its own: what others get is what was graded, and never a zero for unknown."""
import base64
import csv
import io
import json
import re
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

import by_hand
import msgspec
import pytest
from by_hand import BROKEN, GRADE, UNREADABLE, changed
from stores import keep

from autograder import cli
from autograder.course.mark import own_mark
from autograder.course.settings import Settings
from autograder.locale.language import VERDICT_WORDS, translate
from autograder.output.class_list import ClassList, Person
from autograder.output.exports import FORMATS, Order
from autograder.output.exports.final import with_marks
from autograder.output.exports.github import as_result, in_markdown, in_two
from autograder.output.exports.order import ExportError
from autograder.output.exports.roster import RosterError, read_roster
from autograder.output.exports.words import comment
from autograder.output.jsonl import json_line
from autograder.records import VERDICTS, Mark, text

EN = Order(language="en")
FIRST, SECOND = changed(student="student-01"), changed(student="student-02", points=0.0)


def written(name: str, grades, order: Order = EN) -> bytes:
    return FORMATS[name].write([changed(grade, mark=own_mark(grade, Settings())) for grade in grades], order)


def table(data: bytes, delimiter: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), delimiter=delimiter, strict=True))


def roster(folder: Path, words: str, match: str = ""):
    (folder / "roster.csv").write_text(words)
    return read_roster(folder / "roster.csv", match)


# --- Gradescope ---------------------------------------------------------------------------------------------------

Visibility = Literal["hidden", "after_due_date", "after_published", "visible"]
Format = Literal["text", "html", "simple_format", "md", "ansi"]


class GradescopeTest(msgspec.Struct, forbid_unknown_fields=True):
    """A test as Gradescope's specification of results.json has it."""

    name: str = ""
    number: str = ""
    score: float | msgspec.UnsetType = msgspec.UNSET
    max_score: float | msgspec.UnsetType = msgspec.UNSET
    status: Literal["passed", "failed"] | msgspec.UnsetType = msgspec.UNSET
    output: str = ""
    output_format: Format = "text"
    visibility: Visibility = "visible"


class GradescopeResults(msgspec.Struct, forbid_unknown_fields=True):
    """results.json as Gradescope's specification has it."""

    tests: list[GradescopeTest]
    execution_time: float
    output: str
    output_format: Format
    visibility: Visibility
    stdout_visibility: Visibility
    extra_data: dict
    score: float | msgspec.UnsetType = msgspec.UNSET


def gradescope(grade) -> GradescopeResults:
    return msgspec.json.decode(written("gradescope", [grade]), type=GradescopeResults)


def test_gradescope_gets_the_score_and_a_test_for_each_check():
    results = gradescope(GRADE)
    shown = [test for test in results.tests if test.visibility == "visible"]
    assert results.score == 17.5
    assert [test.score for test in shown] == [1, 2, 0.5, 0, 5, 7, 2, 0]
    assert sum(test.max_score for test in shown) == 20
    assert [test.status for test in shown].count("failed") == 2
    assert "h has shape (2, 5), expected (5, 2)" in shown[3].output


def test_gradescope_students_do_not_see_what_is_for_the_instructor():
    results = gradescope(GRADE)
    (hidden,) = [test for test in results.tests if test.visibility == "hidden"]
    assert hidden.output == "an attention of its own"
    assert "an attention of its own" not in results.output
    assert results.stdout_visibility == "hidden"


def test_gradescope_shows_why_a_file_was_not_read_with_all_the_points_it_could_have_had():
    results = gradescope(UNREADABLE)
    assert results.score == 0
    (test,) = [test for test in results.tests if test.visibility == "visible"]
    assert (test.score, test.max_score, test.status) == (0, UNREADABLE.max_points, "failed")
    assert "The file is empty" in test.output
    assert "The file is empty" in results.output


@pytest.mark.parametrize("thirds", [1, 2, 7])
def test_gradescopes_maxima_add_up_to_the_total(thirds):
    each = [msgspec.structs.replace(GRADE.exercises[0].verdicts[0], points=0.0, max_points=thirds / 3)] * 3
    exercises = tuple(msgspec.structs.replace(one, verdicts=tuple(each)) for one in GRADE.exercises)
    results = gradescope(changed(exercises=exercises, max_points=5.0 * thirds))
    assert sum(test.max_score for test in results.tests if test.visibility == "visible") == pytest.approx(5 * thirds)
    assert {len(str(test.max_score).partition(".")[2]) <= 4 for test in results.tests
            if test.visibility == "visible"} == {True}


@pytest.mark.parametrize("grade", [BROKEN, changed(points=None, status="broken")])
def test_gradescope_cannot_add_up_a_score_that_is_not_known(grade):
    results = gradescope(grade)
    assert results.score is msgspec.UNSET
    assert all(test.score is msgspec.UNSET for test in results.tests)
    assert results.output


@pytest.mark.parametrize("verdict", VERDICTS)
def test_gradescope_takes_every_verdict(verdict):
    gradescope(by_hand.with_verdict(verdict))


# --- JUnit --------------------------------------------------------------------------------------------------------

def junit(folder: Path, grades: list):
    """The report of these grades, as a reader of such reports reads it."""
    from junitparser import JUnitXml
    (folder / "report.xml").write_bytes(written("junit", grades))
    return JUnitXml.fromfile(str(folder / "report.xml"))


def test_junit_has_a_suite_for_each_submission_and_a_case_for_each_check(tmp_path):
    suites = list(junit(tmp_path, [FIRST, UNREADABLE, BROKEN]))
    assert [suite.name for suite in suites] == ["student-01", "student-01", "student-01"]
    assert [(suite.tests, suite.failures, suite.errors) for suite in suites] == [(8, 2, 0), (1, 0, 1), (1, 0, 1)]
    for suite in suites:
        claimed = suite.tests, suite.failures, suite.errors, suite.skipped
        suite.update_statistics()
        assert claimed == (suite.tests, suite.failures, suite.errors, suite.skipped)


def test_junit_tells_the_cases_of_students_apart_by_class_and_name():
    cases = list(ElementTree.fromstring(written("junit", [FIRST, changed(student="student-02")])).iter("testcase"))
    assert len({(case.get("classname"), case.get("name")) for case in cases}) == len(cases)
    assert cases[0].get("classname") == "student-01.multihead.split_heads"


def test_junit_uses_no_attribute_that_the_schema_of_jenkins_lacks():
    allowed = {"testsuites": {"name", "time", "tests", "failures", "errors"},
               "testsuite": {"name", "tests", "failures", "errors", "skipped", "time"},
               "testcase": {"name", "classname", "time"}, "failure": {"type", "message"}, "error": {"type", "message"},
               "skipped": {"type", "message"}, "property": {"name", "value"}, "properties": set(), "system-out": set()}
    grades = [FIRST, UNREADABLE, *map(by_hand.with_verdict, VERDICTS)]
    for element in ElementTree.fromstring(written("junit", grades)).iter():
        assert set(element.attrib) <= allowed[element.tag]
        assert re.fullmatch(r"\d{1,3}(\.\d{1,3})?", element.get("time", "0"))


def test_junit_failures_say_what_happened(tmp_path):
    (suite,) = junit(tmp_path, [FIRST])
    failed = {case.name: case.result[0] for case in suite if case.result}
    assert {name.partition(":")[0] for name in failed} == {"general", "rejects"}
    assert {one.type for one in failed.values()} == {"wrong", "timed_out"}
    assert {prop.name: prop.value for prop in suite.properties()}["points"] == "17.5"


def test_junit_survives_what_students_write(tmp_path):
    evil = changed(student="<&\x00\ufffe\ud800\x1b[31m", notices=(text("]]> {x}", x="\x07\ud800"),))
    (suite,) = junit(tmp_path, [evil])
    assert suite.name.startswith("<&")


# --- GitHub Classroom ---------------------------------------------------------------------------------------------

def github(grade) -> dict:
    return json.loads(base64.b64decode(written("github", [grade]), validate=False))


def reported(result: dict) -> tuple[float, float] | None:
    """The points that the grading reporter tells Classroom, by its own rules: a sum, and none without a maximum."""
    if not result["max_score"]:
        return None
    return sum(test["score"] for test in result["tests"]), result["max_score"]


def test_github_reports_the_points():
    assert reported(github(GRADE)) == (17.5, 20)
    assert github(GRADE)["status"] == "fail"
    assert github(changed(points=20.0))["status"] == "pass"
    assert b"\n" not in written("github", [GRADE]).rstrip(b"\n")


@pytest.mark.parametrize("grade", [UNREADABLE, BROKEN])
def test_github_reports_no_points_that_are_not_known(grade):
    assert reported(github(grade)) is None
    assert github(grade)["status"] == "error"


def reporter(*runners: dict) -> tuple[str, float, tuple[float, float] | None, bool]:
    """What the reporter does with these runners: its log, the table's totals, Classroom's points, whether it fails.

    By its source: a runner's score in the table is its maximum times the share of its tests that passed, Classroom gets
    the sum of the tests' scores, and a runner without a maximum is left out there.
    """
    log, table, worth = [], 0.0, 0.0
    for found in runners:
        for test in found["tests"]:
            if test["status"] == "error":
                log.append(f"Error: {test['message']}")
            else:
                log.append(f"{'✅' if test['status'] == 'pass' else '❌'} {test['name']}")
            log += [f"Test code:\n{test['test_code']}"] if test["test_code"] else []
        passed = sum(test["status"] == "pass" for test in found["tests"])
        table += passed / len(found["tests"]) * (found["max_score"] or 0)
        worth += found["max_score"] or 0
    counted = [found for found in runners if found["max_score"]]
    points = sum(test["score"] for found in counted for test in found["tests"])
    most = sum(found["max_score"] for found in counted)
    return "\n".join(log), (table, worth), (points, most) if most else None, any(
        found["status"] in ("fail", "error") for found in runners)


def of(points: float):
    """GRADE with all of its points, or with these of its first exercise alone."""
    exercises = tuple(msgspec.structs.replace(one, points=one.max_points if points == 20 else points * (index == 0))
                      for index, one in enumerate(GRADE.exercises))
    return changed(points=points, exercises=exercises)


@pytest.mark.parametrize("grade", [GRADE, of(20.0), of(0.0), of(0.125), of(2.6667)], ids=lambda one: f"{one.points}")
def test_github_has_one_total_however_the_reporter_counts(grade):
    log, table, points, fails = reporter(*in_two(grade, "en"))
    assert table == pytest.approx((grade.points, 20))
    assert points == pytest.approx((grade.points, 20))
    assert fails == (grade.points < 20)
    assert f"{grade.points:g} / 20" in log


def test_github_shows_students_the_words_and_not_only_at_an_error():
    for runners in (in_two(GRADE, "en"), [as_result(GRADE, "en")]):
        log, *_ = reporter(*runners)
        assert "h has shape (2, 5), expected (5, 2)" in log
        assert "Which axis should stand right after the batch?" in log


@pytest.mark.parametrize("grade", [UNREADABLE, BROKEN])
def test_github_has_no_total_where_there_is_none_and_says_why(grade):
    log, table, points, fails = reporter(*in_two(grade, "en"))
    assert (table, points, fails) == ((0, 0), None, True)
    assert ("The file is empty" if grade is UNREADABLE else "Error: ") in log


def test_no_word_of_a_students_is_a_command_of_the_runner_or_ends_the_block_of_the_summary():
    evil = "::notice title=Autograding report::{}\n##[error]x</pre>\n# big\n```"
    grade = changed(notices=(text("{x}", x=evil),))
    log, *_ = reporter(*in_two(grade, "en"))
    assert not re.search(r"::|##\[", log)
    page = in_markdown(grade, "en")
    assert page.startswith("## multihead: 17.5 / 20\n")
    assert [line for line in page.splitlines() if "notice" in line or "big" in line] == [
        line for line in page.splitlines() if line.startswith("<pre>") and "notice" in line]
    assert "x&lt;/pre&gt;" in page


# --- tables -------------------------------------------------------------------------------------------------------

def test_sections_alone_have_their_columns():
    order = Order(language="en", people=ClassList({"student-01": Person("student-01", section="A")}))
    header, row = table(written("csv", [FIRST], order))
    assert (header[:3], row[:3]) == (["student", "name", "section"], ["student-01", "", "A"])


def test_only_a_submission_that_broke_is_said_to_be_broken():
    said = translate(VERDICT_WORDS["broken"], "en")
    assert (said in comment(BROKEN, "en").splitlines(), said in comment(GRADE, "en").splitlines()) == (True, False)


def test_a_comment_says_what_several_checks_share_once():
    words = text("merge_heads raised ValueError: axes")
    verdicts = [msgspec.structs.replace(each, verdict="raised", points=0.0, message=words)
                for each in GRADE.exercises[0].verdicts]
    same = msgspec.structs.replace(GRADE.exercises[0], points=0.0, verdicts=tuple(verdicts))
    passed = msgspec.structs.replace(same, verdicts=(*verdicts[1:], GRADE.exercises[0].verdicts[0]))
    for exercise in (same, passed):
        said = comment(changed(exercises=(exercise, *GRADE.exercises[1:])), "en")
        assert said.count(words.template) == 1
    assert len(verdicts) > 1
    assert said.count("not true yet") >= len(verdicts) - 1


def test_a_sheet_has_a_row_for_each_submission_and_no_zero_for_unknown():
    header, first, second, third, fourth = table(written("csv", [FIRST, SECOND, UNREADABLE, BROKEN]))
    points = header.index("points")
    assert [row[points] for row in (first, second, third, fourth)] == ["17.5", "0", "", ""]
    assert first[header.index("merge_heads")] == "0.5"
    assert third[header.index("multihead")] == fourth[header.index("multihead")] == ""
    assert [row[header.index("passed")] for row in (first, second, third)] == ["yes", "no", ""]


def test_excel_knows_the_encoding_and_the_comma():
    data = written("csv", [FIRST], EN._replace(decimal=","))
    assert data.startswith("\ufeff".encode())
    header, row = table(data, ";")
    assert row[header.index("points")] == "17,5"


@pytest.mark.parametrize("name", [
    "=1+1", "+SUM(A1)", "-2+3", "@SUM(1)", "\t=1", " =1", "=cmd|' /C calc'!A0", "\uff1d1"])
def test_no_word_is_run_as_a_formula(name, tmp_path):
    people = roster(tmp_path, f'student,Student,ID,SIS Login ID,Section\nstudent-01,"{name}",1,a,b\n')
    grade = changed(student="student-01", for_a_person=(text(name),))
    for data in (written("csv", [grade]), written("canvas", [grade], EN._replace(roster=people))):
        for cell in (cell for row in table(data) for cell in row):
            assert not cell.lstrip().startswith(("=", "+", "-", "@", "\uff1d")), cell


def test_ids_are_never_changed(tmp_path):
    people = roster(tmp_path, "student;OrgDefinedId;Username\nstudent-01;0012345;+jan\nstudent-02;#0007;b.de-vries\n")
    rows = table(written("brightspace", [FIRST, SECOND], EN._replace(roster=people, item="Week 5")))
    assert rows == [["OrgDefinedId", "Username", "Week 5 Points Grade", "End-of-Line Indicator"],
                    ["0012345", "+jan", "17.5", "#"], ["#0007", "b.de-vries", "0", "#"]]


@pytest.mark.parametrize("identity", ["o'neil@example.org", "Zoe\u0308 Mu\u0308ller", "jo/2026", "R&D (Jo)"])
def test_an_id_that_begins_with_a_letter_is_written_as_it_is(identity, tmp_path):
    people = roster(tmp_path, f'student,Username\nstudent-01,"{identity}"\n')
    assert table(written("brightspace", [FIRST], EN._replace(roster=people)))[1][0] == identity


@pytest.mark.parametrize("identity", ["a;=1+1", "a,=1+1", "=1", "@SUM(1)", "-2+3|x!A1", "a\tb"])
def test_an_id_that_would_run_is_refused_rather_than_changed(identity, tmp_path):
    people = roster(tmp_path, f'student,OrgDefinedId\nstudent-01,"{identity}"\n')
    with pytest.raises(ExportError, match="student-01 would run as a formula"):
        written("brightspace", [FIRST], EN._replace(roster=people))


def test_canvas_has_its_columns_and_the_points_possible(tmp_path):
    people = roster(tmp_path, "student,Student,ID,SIS Login ID,Section\n"
                              'student-01,"Müller, Zoë",007,zoe@example.org,A\nstudent-02,"Ångström, Bo",8,bo,A\n')
    rows = table(written("canvas", [FIRST, SECOND], EN._replace(roster=people, item="Attention (1234)")))
    assert rows == [["Student", "ID", "SIS Login ID", "Section", "Attention (1234)"],
                    ["    Points Possible", "", "", "", "20"],
                    ["Müller, Zoë", "007", "zoe@example.org", "A", "17.5"],
                    ["Ångström, Bo", "8", "bo", "A", "0"]]


def test_canvas_reads_its_own_export_by_its_numbers(tmp_path):
    people = roster(tmp_path, "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Old (1)\n"
                              '    Points Possible,,,,,10\n"Jansen, An",42,s1,an,A,3\n')
    rows = table(written("canvas", [changed(student="42")], EN._replace(roster=people)))
    assert rows[-1] == ["Jansen, An", "42", "s1", "an", "A", "17.5"]


def test_moodles_worksheet_comes_back_filled_in_and_otherwise_as_it_was(tmp_path):
    people = roster(tmp_path, "Identifier,Full name,Grade,Maximum Grade,Last modified (grade),Feedback comments\n"
                              "Participant 1234,Zoë Müller,,20.00,-,\nParticipant 99,Bo,,20.00,-,\n")
    rows = table(written("moodle", [changed(student="1234")], EN._replace(roster=people)))
    assert rows[0] == ["Identifier", "Full name", "Grade", "Maximum Grade", "Last modified (grade)",
                       "Feedback comments"]
    assert [row[:5] for row in rows[1:]] == [["Participant 1234", "Zoë Müller", "17.5", "20.00", "-"]]
    assert "merge_heads: 0.5 / 2<br>" in rows[1][5]
    assert "\n" not in rows[1][5]


def test_moodles_comments_are_html_in_which_nothing_of_a_students_is_a_tag():
    grade = changed(notices=(text("<script>alert(1)</script>"),))
    assert "<script" not in table(written("moodle", [grade]))[1][-1]


@pytest.mark.parametrize("name", ["canvas", "brightspace", "moodle"])
def test_unknown_points_are_an_empty_cell_for_a_learning_environment(name):
    broken = changed(BROKEN, student="student-08", max_points=20.0)
    rows = table(written(name, [changed(UNREADABLE, student="student-07"), broken, FIRST]))
    column = next(place for place, cell in enumerate(rows[-1]) if cell == "17.5")
    assert [row[column] for row in rows[-3:]] == ["", "", "17.5"]


# --- who is who ---------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("words", "says"), [
    ("", "is empty"),
    ("name,OrgDefinedIds\nx,1\n", "no column 'student' .* only: name, OrgDefinedIds; .* --match"),
    ("student,ID,ID\nx,1,2\n", "two columns 'ID'"),
    ("student,ID\nstudent-01,1\nstudent-01,2\n", "names 'student-01' twice, in line 2 and line 3"),
    ("student,ID\n", "no row"),
    ("PK\x03\x04", "is an Excel file; save it as CSV")])
def test_a_roster_that_is_no_good_is_refused_in_one_line(words, says, tmp_path):
    with pytest.raises(RosterError, match=says) as refused:
        roster(tmp_path, words)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("words", "says"), [
    ("student,OrgDefinedId\nstudent-01,1\n", "student-02 is not in the column 'student'"),
    ("student,OrgDefinedId\nstudent-01,1\nstudent-02,\n", "student-02 has no OrgDefinedId"),
    ("student,OrgDefinedId\nstudent-01,1\nstudent-02,1\n", "student-01 and student-02 have the same OrgDefinedId '1'"),
    ("student,Email\nstudent-01,1\nstudent-02,1\n", "none of the columns OrgDefinedId; it has student, Email")])
def test_a_student_who_cannot_be_told_is_named(words, says, tmp_path):
    with pytest.raises((ExportError, RosterError), match=says):
        written("brightspace", [FIRST, SECOND], EN._replace(roster=roster(tmp_path, words)))


def test_two_grades_of_one_student_are_refused():
    with pytest.raises(ExportError, match="student-01 has more than one grade"):
        written("canvas", [FIRST, FIRST])


@pytest.mark.parametrize("name", ["canvas", "brightspace", "moodle"])
def test_a_grade_of_nobody_known_is_refused(name):
    with pytest.raises(ExportError, match="work.ipynb has no student's name"):
        written(name, [changed(student="", submission="work.ipynb")])


def test_a_roster_in_windows_own_encoding_is_read_and_mentioned(tmp_path):
    (tmp_path / "roster.csv").write_bytes("student;Student\nstudent-01;Zoë\n".encode("cp1252"))
    people = read_roster(tmp_path / "roster.csv")
    assert people.row("student-01")["Student"] == "Zoë"
    assert "Windows-1252" in people.notes[0]


# --- the command --------------------------------------------------------------------------------------------------

@pytest.fixture
def course(tmp_path, monkeypatch):
    """A folder with a store of three students; the first was graded twice."""
    monkeypatch.chdir(tmp_path)
    grades = (changed(FIRST, points=3.0), SECOND, changed(UNREADABLE, student="student-03"), FIRST)
    keep(tmp_path, *grades)
    return tmp_path


def run(*arguments: str) -> int:
    return cli.run(["export", *arguments])


def test_the_last_grade_of_each_student_is_written(course, capsys):
    assert run("--own-points", "--format", "csv", "--output", "marks.csv") == 1
    rows = table((course / "marks.csv").read_bytes())
    assert [(row[0], row[3]) for row in rows[1:]] == [("student-01", "17.5"), ("student-02", "0"), ("student-03", "")]
    assert capsys.readouterr() == ("", "autograder export: student-03 has no points (could not be read); left empty\n")


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_written_from_json_lines(name, tmp_path, monkeypatch, capfdbinary):
    monkeypatch.chdir(tmp_path)
    Path("one.jsonl").write_text(json_line(GRADE, "en") + "\n")
    assert run("--format", name, "one.jsonl") == 0
    out, err = capfdbinary.readouterr()
    assert out
    assert not err


def test_each_submission_has_a_file_in_a_folder(course):
    assert run("--own-points", "--format", "gradescope", "--output", "results") == 1
    assert sorted(path.name for path in (course / "results").iterdir()) == [
        "student-01.json", "student-02.json", "student-03.json"]


@pytest.mark.parametrize(("arguments", "says"), [
    (("--format", "gradescope"), "name a folder with --output"),
    (("--format", "csv", "--roster", "x.csv"), "--roster is for canvas, brightspace, moodle"),
    (("--format", "canvas", "--roster", "x.csv"), "cannot read x.csv"),
    (("--format", "csv", "nowhere.jsonl"), "cannot read nowhere.jsonl"),
    (("--format", "csv", "--lesson", "layernorm"), "no grades of 'layernorm', only of multihead"),
    (("--format", "csv", "--output", "nowhere/x.csv"), "cannot write nowhere/x.csv"),
    (("--format", "cvs"), "cvs")])
def test_what_cannot_be_done_is_one_line_and_writes_nothing(arguments, says, course, capsys):
    before = sorted(course.rglob("*"))
    assert run("--own-points", *arguments) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert says in err
    assert sorted(course.rglob("*")) == before


def test_without_a_store_the_way_out_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run("--format", "csv") == 2
    assert "run `autograder grade` first" in capsys.readouterr().err


def test_a_late_rule_is_mentioned_since_it_is_not_in_the_points(course, capsys):
    (course / "autograder.toml").write_text('[late]\nrule = "zero"\n')
    run("--own-points", "--format", "csv", "--output", "marks.csv")
    assert "late penalties are in nbgrader's gradebook" in capsys.readouterr().err


def test_the_marks_of_the_gradebook_replace_the_points_cell_by_cell():
    """What only the gradebook has, a cell or a student, is there too; what it does not have is left out or unknown."""
    own = changed(student="student-01")
    first, second = (exercise.name for exercise in own.exercises[:2])
    marks = {"student-01": Mark("student-01", 4.5, 9, {first: (1.5, 2), "essay": (3, 7)}),
             "student-02": Mark("student-02", 2, 9, {"essay": (2, 7)})}
    found = {grade.student: grade for grade in with_marks([own, changed(student="student-03")], marks, own.lesson)}
    assert [*found] == ["student-01", "student-02", "student-03"]
    cells = {each.name: (each.points, each.max_points, each.skipped) for each in found["student-01"].exercises}
    assert (found["student-01"].points, found["student-01"].max_points) == (4.5, 9)
    assert (cells[first], cells["essay"], cells[second]) == ((1.5, 2, False), (3, 7, False), (None, 0, True))
    assert len(cells) == len(own.exercises) + 1
    assert [each.name for each in found["student-02"].exercises] == ["essay"]
    assert (found["student-03"].points, found["student-03"].max_points) == (None, 9)
    assert {each.points for each in found["student-03"].exercises} == {None}


@pytest.mark.parametrize(("waiting", "told"), [((), 1), (("essay",), 0)])
def test_what_lateness_took_off_is_said_once_the_mark_is_known(waiting, told):
    own = changed(student="student-01")
    mark = Mark("student-01", None if waiting else 3, 9, late_penalty=1.5, waiting=waiting)
    [grade] = with_marks([own], {"student-01": mark}, own.lesson)
    said = [translate(notice, "en") for notice in grade.notices]
    assert said.count("1.5 points were taken off because this was handed in late.") == told


def test_a_table_says_whom_to_look_at_and_why_a_file_cannot_be_read_and_no_more():
    grades = [changed(student="student-01"), msgspec.structs.replace(UNREADABLE, student="student-02")]
    written = FORMATS["csv"].write(grades, Order("en"))
    found = {row["student"]: row["look_at"] for row in csv.DictReader(io.StringIO(written.decode("utf-8-sig")))}
    assert found == {"student-01": "an attention of its own", "student-02": "The file is empty"}
