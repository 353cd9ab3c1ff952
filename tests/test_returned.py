"""What nbgrader returns to a student: our page, whole, above nbgrader's own, and nothing of the hidden tests."""
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest
from courses import hand_in, run_nbgrader
from damage import honest
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde, GenerateFeedback
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import ExchangeFetchFeedback, ExchangeReleaseFeedback
from notebooks import code
from test_hook import wrong
from traitlets.config import Config

from autograder.course.folder import Course
from autograder.run.grade_course import grade_course

SECRET, WHEN = "a" * 128, "2026-11-30 20:00:00 UTC"


class Frames(HTMLParser):
    """The pages within a page, as a browser reads them."""

    def __init__(self, page: str):
        super().__init__()
        self.pages: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag == "iframe":
            self.pages.append(dict(attrs)["srcdoc"])


@pytest.fixture
def course(generated, tmp_path) -> Course:
    shutil.copytree(generated.root, tmp_path / "course")
    course = Course.find(tmp_path / "course")
    hand_in(course, "student-01", wrong(), WHEN)
    (course.path("submitted", "student-01", "multihead") / "submission_secret.txt").write_text(SECRET)
    return course


def own_page(course: Course) -> Path:
    return course.path("feedback", "student-01", "multihead").with_suffix(".html")


def feedback(course: Course) -> tuple[str, str]:
    """nbgrader's page, and the copy of ours beside it."""
    run_nbgrader(GenerateFeedback, course)
    folder = course.path("feedback", "student-01", "multihead")
    return (folder / "multihead.html").read_text(), (folder / "autograder.html").read_text()


def fetched(course: Course, tmp_path: Path) -> dict[str, str]:
    """What a student has after release_feedback and fetch_feedback, with nbgrader as it is on the student's side."""
    exchange = {"Exchange": {"root": str(tmp_path / "exchange"), "cache": str(tmp_path / "cache"),
                             "assignment_dir": str(tmp_path / "student")}}
    for folder in ("exchange", "student"):
        (tmp_path / folder).mkdir()
    teachers = course.config.copy()
    teachers.merge(Config(exchange))
    directory = CourseDirectory(config=teachers, root=str(course.root), assignment_id="multihead")
    ExchangeReleaseFeedback(coursedir=directory, config=teachers).start()
    kept = tmp_path / "cache" / "multihead" / f"student-01+multihead+{WHEN}"
    shutil.copytree(course.path("submitted", "student-01", "multihead"), kept)
    own = Config({**exchange, "CourseDirectory": {"course_id": "multihead", "assignment_id": "multihead"}})
    ExchangeFetchFeedback(coursedir=CourseDirectory(config=own, root=str(tmp_path / "student")), config=own).start()
    return {path.name: path.read_text() for path in (tmp_path / "student").rglob("*.html")}


@pytest.mark.slow
def test_a_student_who_fetches_feedback_gets_our_page_in_nbgraders_and_no_hidden_tests(course, tmp_path):
    grade_course(course.root, jobs=1)
    ours = own_page(course).read_text()
    _, copy = feedback(course)
    assert copy == ours == own_page(course).read_text()
    pages = fetched(course, tmp_path)
    assert pages.keys() == {"multihead.html"}
    assert Frames(pages["multihead.html"]).pages == [ours]
    assert "HIDDEN TESTS" not in pages["multihead.html"] + ours
    assert "test_split_heads" in pages["multihead.html"]


@pytest.mark.slow
def test_the_page_shows_the_marks_as_they_are_when_it_is_returned(course):
    grade_course(course.root, jobs=1)
    with Gradebook(course.db_url) as gradebook:
        gradebook.find_grade("test_split_heads", "multihead", "multihead", "student-01").manual_score = 1.25
        gradebook.db.commit()
    page, copy = feedback(course)
    assert "1.25" in copy
    assert Frames(page).pages == [copy]


@pytest.mark.slow
def test_a_course_that_only_nbgrader_graded_returns_our_page_too(course):
    (course.root / "autograder.toml").write_text('[lessons.multihead]\nother_ways = "2020-01-31 20:00"\n')
    run_nbgrader(Autograde, course)
    assert not own_page(course).exists()
    page, copy = feedback(course)
    assert "split_heads" in copy
    assert 'id="merge_heads-ways"' in copy                  # other right ways, as the moment for them is past
    assert Frames(page).pages == [copy]


@pytest.mark.slow
def test_what_a_student_wrote_cannot_end_the_page_within_the_page(course):
    notebook = honest()
    words = r"""raise ValueError('"></iframe><script>x</script> $a$ `b` \n\n # BEGIN HIDDEN TESTS')"""
    notebook["cells"].append(code(words))
    shutil.rmtree(course.path("submitted", "student-01", "multihead"))
    hand_in(course, "student-01", notebook)
    grade_course(course.root, jobs=1)
    page, copy = feedback(course)
    assert Frames(page).pages == [copy]
    assert "<script>x</script>" not in page


@pytest.mark.slow
def test_feedback_is_returned_without_our_page_if_that_cannot_be_made(course):
    run_nbgrader(Autograde, course)
    (course.root / "autograder.toml").write_text("jobs = 0\n")
    said = run_nbgrader(GenerateFeedback, course)
    assert any("student-01: the autograder's own page is left out" in line and "jobs is 0" in line for line in said)
    page = (course.path("feedback", "student-01", "multihead") / "multihead.html").read_text()
    assert Frames(page).pages == []
    assert "HIDDEN TESTS" not in page
