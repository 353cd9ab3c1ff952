"""Once nobody can hand in any more, a page shows other right ways to write what its student has right."""
from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from datetime import datetime
from html import unescape
from pathlib import Path

import pytest
from courses import grade_of, hand_in
from nbgrader.api import Gradebook
from test_hook import wrong

from autograder.course.folder import Course
from autograder.course.settings import SettingsError, read_settings
from autograder.judge.engine import Assessor
from autograder.lessons.installed import load_lesson
from autograder.locale.language import translate
from autograder.nbgrader.gradebook import Entry, GradebookWriter
from autograder.nbgrader.pages import update_pages, write_page
from autograder.output.feedback import feedback_page
from autograder.proof.opening import open_local
from autograder.records import Mark, OtherWay, text
from autograder.run.grade_course import grade_course

LESSONS = {name: load_lesson(name) for name in ("multihead", "layernorm")}
WAYS = [(name, exercise, number) for name, lesson in LESSONS.items() for exercise, ways in lesson.other_ways.items()
        for number in range(len(ways))]


@pytest.fixture(scope="module")
def assessors() -> dict[str, Assessor]:
    return {name: Assessor(lesson) for name, lesson in LESSONS.items()}


@pytest.mark.parametrize(("name", "exercise", "number"), WAYS, ids=[f"{way[1]}-{way[2]}" for way in WAYS])
def test_every_way_is_right(name, exercise, number, assessors):
    lesson = LESSONS[name]
    source = f"{lesson.reference_source}\n\n{lesson.other_ways[exercise][number].source}"
    for found in assessors[name].assess(open_local(source)).exercises:
        assert [verdict.check for verdict in found.verdicts if verdict.verdict != "passed" or verdict.world != "own"] \
            == []
        assert found.points == found.max_points


def test_every_exercise_has_two_or_three_ways_that_fit_side_by_side():
    for lesson in LESSONS.values():
        assert [*lesson.other_ways] == [exercise.name for exercise in lesson.exercises]
        for ways in lesson.other_ways.values():
            assert len(ways) in (2, 3)
            assert max(len(line) for way in ways for line in way.source.splitlines()) <= 64
            assert len({way.source for way in ways}) == len(ways)


# --- the page -----------------------------------------------------------------------------------------------------

def test_only_exercises_with_full_marks_show_them():
    page = feedback_page(grade_of("student-01", (3, 1, 5, "skipped", None)), "en", LESSONS["multihead"].other_ways)
    assert re.findall(r'id="(\w+)-ways"', page) == ["split_heads", "multihead"]
    assert page.count("<figure>") == 5


@pytest.mark.parametrize(("points", "shown"), [(7, True), (7.5, True), (6.5, False), (None, False)])
def test_the_points_that_count_decide_who_ever_gave_them(points, shown):
    mark = Mark("student-01", points, 20, {"multihead_backward": (points, 7)})
    for own in (4, 7):
        grade = grade_of("student-01", (0, 0, 0, own, 0), mark=mark)
        page = feedback_page(grade, "en", LESSONS["multihead"].other_ways)
        assert ("multihead_backward-ways" in page) is shown


def test_what_a_course_gives_no_points_for_shows_none():
    mark = Mark("student-01", 13, 13, {"multihead_backward": (0, 0)})
    page = feedback_page(grade_of("student-01", mark=mark), "en", LESSONS["multihead"].other_ways)
    assert "multihead-ways" in page
    assert "multihead_backward-ways" not in page


@pytest.mark.parametrize("language", ["nl", "en"])
def test_each_way_has_its_sentence_in_the_students_language_and_its_source(language):
    ways = LESSONS["multihead"].other_ways
    words = unescape(feedback_page(grade_of("student-01"), language, ways))
    assert ("Zo kan het ook" in words, "It can also be done like this" in words) == (
        language == "nl", language == "en")
    for way in (way for each in ways.values() for way in each):
        assert translate(way.about, language) in words
        assert way.source.strip() in words


def test_what_a_lesson_says_is_escaped():
    way = OtherWay(text("<i>{much}</i>", much="<b>"), "def f(a):\n    return a < 1 and '</pre>'\x1b[2J & \"{{ 1 }}\"\n")
    page = feedback_page(grade_of("student-01"), "en", {"merge_heads": [way]})
    assert "&lt;i&gt;&lt;b&gt;&lt;/i&gt;" in page
    assert "a &lt; 1 and &#39;&lt;/pre&gt;&#39; &amp; &#34;{{ 1 }}&#34;</code>" in page


# --- when ---------------------------------------------------------------------------------------------------------

PAST, FUTURE = '[lessons.multihead]\nother_ways = "2020-01-31 20:00"\n', "2999-01-31 20:00"
LATER = datetime(2999, 1, 31)


@pytest.fixture
def course(registered, tmp_path) -> Course:
    """A student with all points, who had some days more, and another."""
    shutil.copytree(registered.root, tmp_path / "course")
    course, grades = Course.find(tmp_path / "course"), [grade_of("student-01"), grade_of("student-02", (3, 0, 0, 0, 0))]
    for grade in grades:
        write_page(course, page(course, grade.student), grade, "en")
    with GradebookWriter(course, LESSONS["multihead"]) as writer:
        writer.write([Entry(grade, datetime(2020, 1, 1)) for grade in grades])
    with Gradebook(course.db_url) as gradebook:
        gradebook.update_or_create_assignment("multihead", duedate=datetime(2020, 1, 1))
        gradebook.grant_extension("multihead", "student-01", days=7)
    return course


def page(course: Course, student: str = "student-01") -> Path:
    return course.path("feedback", student, "multihead").with_suffix(".html")


def settings(course: Course, words: str = PAST) -> None:
    (course.root / "autograder.toml").write_text(words)


def updated(course: Course) -> str:
    """The first student's page after the next command that brings pages up to date."""
    update_pages(course, [grade_of("student-01"), grade_of("student-02", (3, 0, 0, 0, 0))])
    return page(course).read_text()


def due(assignment: str, when: datetime) -> Callable[[Course], None]:
    def of(course: Course) -> None:
        with Gradebook(course.db_url) as gradebook:
            gradebook.update_or_create_assignment(assignment, duedate=when)
    return of


def more_time(course: Course) -> None:
    """What nbgrader alone gave, in its gradebook."""
    with Gradebook(course.db_url) as gradebook:
        gradebook.grant_extension("multihead", "student-02", weeks=50_000)


def listed(words: str) -> Callable[[Course], None]:
    return lambda course: (course.root / "extensions.csv").write_text(f"student,assignment,until\n{words}\n")


def no_gradebook_that_can_be_read(course: Course) -> None:
    Path(course.root, "gradebook.db").write_bytes(b"not a database" * 100)


def test_a_page_shows_them_when_the_moment_and_every_due_date_are_past(course):
    before = page(course).read_text()
    settings(course)
    after = updated(course)
    assert after.count("<figure>") == 12
    assert page(course, "student-02").read_text().count("<figure>") == 3
    assert 'class="ways"' not in before
    changed = page(course).stat().st_mtime_ns
    assert updated(course) == after
    assert page(course).stat().st_mtime_ns == changed                       # written once


def test_without_a_gradebook_the_moment_decides(course):
    Path(course.root, "gradebook.db").unlink()
    settings(course)
    assert 'class="ways"' in updated(course)


@pytest.mark.parametrize(("words", "arrange"), [
    ("", None), ("[lessons.multihead]\n", None), ('[lessons.multihead]\nother_ways = " "\n', None),
    (PAST.replace("multihead", "layernorm"), None), (PAST.replace("2020-01-31 20:00", FUTURE), None),
    (PAST, due("multihead", LATER)), (PAST, due("multihead-en", LATER)), (PAST, more_time),
    (PAST, listed(f"student-02,multihead,{FUTURE}")), (PAST, listed(f"student-99,multihead-en,{FUTURE}")),
    (PAST, no_gradebook_that_can_be_read)],
    ids=["no-setting", "no-moment", "empty", "another-lesson", "before-the-moment", "not-due", "other-edition-not-due",
         "extended-by-nbgrader", "extended-by-the-list", "other-edition-extended", "gradebook-unreadable"])
def test_until_then_no_page_hints_at_them(course, words, arrange):
    before = page(course).read_text()
    if arrange is not None:
        arrange(course)
    settings(course, words)
    assert updated(course) == before
    assert "ways" not in before


def test_an_extension_that_comes_later_takes_them_off_the_page_again(course):
    before = page(course).read_text()
    settings(course)
    assert updated(course) != before
    listed(f"student-02,multihead,{FUTURE}")(course)
    assert updated(course) == before


def test_the_moment_is_one_of_the_courses_clock(tmp_path):
    (tmp_path / "autograder.toml").write_text('timezone = "America/Curacao"\n' + PAST)
    assert read_settings(tmp_path).other_ways("multihead") == datetime(2020, 2, 1)
    assert read_settings(tmp_path).other_ways("layernorm") is None


@pytest.mark.parametrize(("value", "says"), [
    ('"after the exam"', 'is "after the exam"; expected a time such as \'2026-11-02 20:00\''),
    ('"2026-12-20"', 'is "2026-12-20"; expected a time'), ('"31-12-2026 20:00"', "expected a time"),
    ('"2026-10-25 02:30"', "the clock was changed then"), ('"2026-13-01 20:00"', "expected a time"),
    ("true", "is true, expected a time such as '2026-11-02 20:00'"),
    ("2026-12-20T20:00:00", "is 2026-12-20 20:00:00, expected a time"), ('"a\\nb"', r'is "a\nb"; expected')])
def test_a_moment_that_cannot_be_understood_is_one_line(value, says, tmp_path):
    (tmp_path / "autograder.toml").write_text(f"[lessons.multihead]\nother_ways = {value}\n")
    with pytest.raises(SettingsError) as refused:
        read_settings(tmp_path)
    assert "lessons.multihead.other_ways is " in str(refused.value)
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_next_grade_brings_the_pages_up_to_date_without_new_work(generated, tmp_path):
    shutil.copytree(generated.root, tmp_path / "course")
    course = Course.find(tmp_path / "course")
    hand_in(course, "student-01", wrong())
    settings(course)
    listed(f"student-02,multihead,{FUTURE}")(course)
    grade_course(course.root, jobs=1)
    assert 'class="ways"' not in page(course).read_text()
    (course.root / "extensions.csv").unlink()
    [grade] = grade_course(course.root, jobs=1)
    shown = re.findall(r'id="(\w+)-ways"', page(course).read_text())
    assert shown == [each.name for each in grade.exercises if each.points == each.max_points] != []
    changed = page(course).stat().st_mtime_ns
    grade_course(course.root, jobs=1)
    assert page(course).stat().st_mtime_ns == changed
