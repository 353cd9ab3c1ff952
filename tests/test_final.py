"""There is one final mark: the page, the report, the terminal and every export show the same number."""
from __future__ import annotations

import io
import json
import random
import re
import shutil
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from courses import LESSON, grade_of
from hypothesis import example, given
from hypothesis import strategies as st
from nbgrader.api import Gradebook
from stores import keep
from test_marks import by_hand, points, rows_of

from autograder import cli
from autograder.cli.final_marks import marked
from autograder.cli.last_grades import last_grades
from autograder.course.folder import Course
from autograder.course.handed_in import handed_in
from autograder.course.mark import on_scale, own_mark
from autograder.course.settings import MarkSettings, Settings, SettingsError, read_settings
from autograder.locale.language import translate
from autograder.nbgrader.gradebook import Entry, GradebookWriter
from autograder.nbgrader.pages import write_page
from autograder.output.exports import FORMATS
from autograder.output.final import lateness
from autograder.output.results import print_results
from autograder.output.terminal import console
from autograder.records import Mark, text

DUE = datetime(2026, 10, 24, 18, 0)         # eight in the evening in Amsterdam; the clock changes that night
SCALE = '[mark]\nscale = "1-10"\nrounding = "{}"\n'
LATE = '[late]\nrule = "per-day"\npercent_per_day = 10\nmax_percent = 50\n'


@pytest.fixture
def course(registered, tmp_path, monkeypatch) -> Course:
    shutil.copytree(registered.root, tmp_path / "course")
    monkeypatch.chdir(tmp_path / "course")
    return Course.find(tmp_path / "course")


def graded(course: Course, *grades, handed_in: dict[str, datetime] | None = None) -> None:
    """What `autograder grade` leaves of these grades."""
    keep(course.root, *grades)
    for grade in grades:
        path = course.path("feedback", grade.student, "multihead").with_suffix(".html")
        course.path("submitted", grade.student, "multihead").mkdir(parents=True, exist_ok=True)
        write_page(course, path, grade, "en")
    with GradebookWriter(course, LESSON) as writer:
        writer.write([Entry(grade, (handed_in or {}).get(grade.student)) for grade in grades])


def page_of(course: Course, student: str) -> str:
    return course.path("feedback", student, "multihead").with_suffix(".html").read_text()


def shown(course: Course, student: str) -> tuple[float | None, float | None]:
    """The points and the mark of a student's page, as the student reads them."""
    page = re.sub(r"<[^>]+>", " ", page_of(course, student))
    total = re.search(r"total\s+([\d.?]+) / [\d.]+", page)
    mark = re.search(r"Your mark is ([\d.]+):", page)
    return float(total[1]) if total and total[1] != "?" else None, float(mark[1]) if mark else None


def report_rows() -> dict[str, dict]:
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', Path("report.html").read_text())
    return {row["name"]: row for row in json.loads(data[1])["rows"]}


def history(course: Course, chance: random.Random) -> dict[str, float]:
    """Grade six students, late or not, give some points by hand and some more time; the points that each ends with."""
    expected, handed_in, grades = {}, {}, []
    for number in range(1, 7):
        student = f"student-{number:02}"
        own = [round(exercise.points * chance.choice((0, 0.25, 0.5, 1)), 3) for exercise in LESSON.exercises]
        days = chance.choice((0, 0, 1, 2, 7))
        handed_in[student] = DUE + timedelta(days=days, hours=-3)         # before or after the change: the same day
        grades.append(grade_of(student, own))
        expected[student] = (own, days)
    graded(course, *grades, handed_in=handed_in)
    found = {}
    for student, (own, days) in expected.items():
        place, cells, extra = chance.randrange(5), list(own), chance.choice((0, 0, 0.5))
        if chance.random() < 0.5:
            cells[place] = chance.choice((0, 1, 1.5, 2))
            by_hand(course, student, LESSON.exercises[place].grade_id, manual_score=cells[place])
        if extra:
            by_hand(course, student, LESSON.exercises[4].grade_id, extra_credit=extra)
        if more := chance.choice((0, 0, 1, 3)):
            assert cli.run(["extend", student, "--until", f"2026-10-{24 + more} 20:00"]) == 0
            days = max(0, days - more)
        found[student] = (sum(cells) + extra) * (1 - min(10 * days, 50) / 100)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_whatever_happened_to_a_mark_every_output_shows_the_same(seed, course, capsys):
    rounding = ("tenth", "half", "whole")[seed]
    Path("autograder.toml").write_text(f"pass_percent = 50\n{SCALE.format(rounding)}{LATE}")
    with Gradebook(course.db_url) as gradebook:
        gradebook.update_or_create_assignment("multihead", duedate=DUE)
    want = history(course, random.Random(seed))
    marks = {student: on_scale(one, 20.0, 10.0, MarkSettings("1-10", rounding)) for student, one in want.items()}
    assert cli.run(["report", "--lang", "en"]) == 0
    near = {student: pytest.approx(one, abs=1e-3) for student, one in want.items()}
    assert {student: row["points"] for student, row in report_rows().items()} == near
    assert {student: row["mark"] for student, row in report_rows().items()} == marks
    assert {student: shown(course, student) for student in want} == {
        student: (near[student], marks[student]) for student in want}
    for name in FORMATS:
        wanted = marks if name in ("canvas", "brightspace", "moodle") else near
        assert points(name) == wanted, name
        shutil.rmtree("out") if Path("out").is_dir() else Path("out").unlink()
    passed = {student for student, one in want.items() if one >= 10 - 1e-6}
    cli.run(["export", "--format", "csv", "--output", "out"])
    assert {row["student"] for row in rows_of(Path("out")) if row["passed"] == "yes"} == passed
    assert {row["student"]: float(row["mark"]) for row in rows_of(Path("out"))} == marks
    told = re.sub(r"<[^>]+>", " ", Path("report.html").read_text())
    assert re.search(r"pass \(10 or more\)\s+(\d+)", told)[1] == str(len(passed))
    assert float(re.search(r"mean\s+([\d.]+)\s+of 20", told)[1]) == pytest.approx(sum(want.values()) / 6, rel=0.01)
    capsys.readouterr()
    file = io.StringIO()
    print_results(console(file), list(marked(course, "multihead", last_grades(None, "multihead"))), "en")
    said = " ".join(file.getvalue().split())
    assert f"{len(passed)} of 6 pass (10 or more)" in said
    assert float(re.search(r"final: mean ([\d.]+) / 20", said)[1]) == pytest.approx(sum(want.values()) / 6, abs=0.006)
    assert float(re.search(r"mean mark ([\d.]+)", said)[1]) == pytest.approx(sum(marks.values()) / 6, abs=0.006)


def test_the_terminal_says_the_final_mean_and_who_passes(course):
    Path("autograder.toml").write_text(SCALE.format("half"))
    graded(course, grade_of("student-01"), grade_of("student-02", (0, 0, 5, 5, 0)))
    by_hand(course, "student-02", manual_score=1)
    to = io.StringIO()
    grades = [grade_of("student-01"), grade_of("student-02")]
    print_results(console(to), list(marked(course, "multihead", grades)), "en")
    said = " ".join(to.getvalue().split())
    assert "final: mean 13 / 20, 1 of 2 pass (11 or more)" in said
    assert "1 changed by hand" in said


def test_without_more_than_the_autograders_points_a_page_stays_as_it_was(course):
    graded(course, grade_of("student-01"))
    before = page_of(course, "student-01")
    assert cli.run(["report"]) == 0
    assert page_of(course, "student-01") == before


def test_the_page_says_what_the_points_are_made_of(course):
    Path("autograder.toml").write_text(LATE)
    with Gradebook(course.db_url) as gradebook:
        gradebook.update_or_create_assignment("multihead", duedate=DUE)
    graded(course, grade_of("student-01", (3, 2, 5, 4, 3)), handed_in={"student-01": DUE + timedelta(hours=24)})
    by_hand(course, "student-01", "test_multihead_backward", manual_score=6)
    assert cli.run(["report"]) == 0
    words = " ".join(re.sub(r"<[^>]+>", " ", page_of(course, "student-01")).split())
    assert "the autograder 17 your teacher +2 1 day late −1.9 total 17.1 / 20" in words
    assert "Your teacher gave 6 points here; the autograder gave 4." in words


def test_a_manual_score_on_replaced_work_is_said_by_grade_and_report(course):
    graded(course, grade_of("student-01"))
    by_hand(course, "student-01", manual_score=1)
    graded(course, grade_of("student-01", (3, 2, 0, 7, 3)))
    assert cli.run(["report"]) == 0
    assert "the work or the checks changed after a person gave points for multihead" in Path("report.html").read_text()
    assert ("The points for multihead were given by your teacher before this was graded again."
            in page_of(course, "student-01"))


# --- the scale ----------------------------------------------------------------------------------------------------

SCALES = st.sampled_from(("tenth", "half", "whole"))


@example("whole", 19.5 - 9e-7, 19.5, 0.0)                                # a pass but for what floats lose
@given(SCALES, st.floats(0, 20), st.floats(0.5, 20), st.floats(0, 20))
def test_rounding_never_makes_a_pass_and_more_points_never_a_lower_mark(rounding, earned, enough, more):
    mark = MarkSettings("1-10", rounding)
    value = on_scale(earned, 20.0, enough, mark)
    assert 1 <= value <= 10
    if enough < 20:
        assert (value >= 5.5) == (earned >= enough - 1e-6)
    assert on_scale(min(20.0, earned + more), 20.0, enough, mark) >= value


@pytest.mark.parametrize(("earned", "rounding", "value"), [
    (0, "tenth", 1), (20, "tenth", 10), (11, "tenth", 5.5), (11, "half", 5.5), (11, "whole", 6), (10.99, "tenth", 5.4),
    (10.99, "half", 5), (10.99, "whole", 5), (15.5, "tenth", 7.8), (15.5, "half", 8), (21, "tenth", 10)])
def test_a_mark_on_the_scale(earned, rounding, value):
    assert on_scale(earned, 20.0, 11.0, MarkSettings("1-10", rounding)) == value


@pytest.mark.parametrize(("days", "words"), [(0, "handed in late"), (1, "1 day late"), (2, "2 days late")])
def test_how_late_the_work_was_is_said_where_it_is_known(days, words):
    """nbgrader's own rule takes points off without counting days."""
    assert translate(lateness(Mark("student-01", 10, 20, late_penalty=2, days_late=days)), "en") == words


def test_without_a_scale_there_are_points_alone():
    assert own_mark(grade_of("student-01"), Settings()).value is None


@pytest.mark.parametrize(("words", "says"), [
    ('[lessons.multihead]\npass_points = 21', "lessons.multihead.pass_points is 21, and there are only 20 points; "
                                              "expected at most 20"),
    ('[lessons.multihead]\npass_points = 18\nskip = ["own_test"]', "there are only 17 points"),
    ('[lessons.multihead]\npass_points = 0', "expected a number"), ("pass_percent = 101", "expected a number <= 100"),
    ('[mark]\nscale = "0-20"', 'mark.scale is "0-20", expected "none" or "1-10"'),
    ('[mark]\nrounding = 0.3', "mark.rounding is 0.3, expected a text"),
    ('[mark]\nround = "half"', "there is no setting 'mark.round'; did you mean 'rounding'?"),
    ('timezone = "Europe/Amsterdm"', "timezone is \"Europe/Amsterdm\", which is not a time zone; did you mean "
                                     "'Europe/Amsterdam'?"),
    ('timezone = "../../etc/passwd"', "which is not a time zone"), ('timezone = ""', "which is not a time zone")])
def test_a_setting_that_cannot_be_is_one_line(words, says, tmp_path):
    (tmp_path / "autograder.toml").write_text(words)
    with pytest.raises(SettingsError) as error:
        read_settings(tmp_path)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("scale", "arguments", "says"), [
    ("", ["--pass-mark", "20.5"], "--pass-mark is 20.5, and there are only 20 points; name at most 20"),
    (SCALE.format("half"), ["--pass-mark", "12"], "--pass-mark cannot differ from the pass mark of the scale")])
def test_a_pass_mark_that_cannot_be_is_one_line(scale, arguments, says, course, capsys):
    Path("autograder.toml").write_text(scale)
    graded(course, grade_of("student-01"))
    assert cli.run(["report", *arguments]) == 2
    said = capsys.readouterr().err
    assert says in said
    assert said.count("\n") == 1


def test_an_export_says_whose_lateness_is_not_known(course, capsys):
    grade = grade_of("student-01", for_a_person=handed_in(
        course.path("submitted", "student-01", "multihead"), matters=True).asks)
    graded(course, grade)
    assert cli.run(["export", "--format", "csv", "--output", "out"]) == 0
    assert "it is not clear when student-01 handed in, so nothing was taken off" in capsys.readouterr().err


def test_the_report_leads_to_the_page_where_a_person_gives_points(course):
    (course.root / "autograder.toml").write_text('formgrader = "https://hub.example.org/user/me/formgrader/"\n')
    graded(course, grade_of("student-01", for_a_person=(text("an attention of its own"),)))
    with Gradebook(course.db_url) as gradebook:
        submitted = gradebook.find_submission_notebook("multihead", "multihead", "student-01").id
    address = f'<a href="https://hub.example.org/user/me/formgrader/submissions/{submitted}/">give points</a>'
    assert cli.run(["report"]) == 0
    assert address in Path("report.html").read_text()
    assert cli.run(["report", "--anonymous"]) == 0
    assert "submissions/" not in Path("report-anonymous.html").read_text()


@pytest.mark.parametrize("address", ["javascript:alert(1)", "localhost:8888", "https://a b", 'https://a"b'])
def test_an_address_that_is_none_is_one_line(address, tmp_path):
    (tmp_path / "autograder.toml").write_text(f"formgrader = '{address}'\n")
    with pytest.raises(SettingsError, match="formgrader") as caught:
        read_settings(tmp_path)
    assert "\n" not in str(caught.value)
