"""The formgrader in a real browser: grade at the press of a button, read our feedback, overrule it, find that kept.

Skips itself where Chromium or Playwright is not installed. SCREENSHOTS=folder keeps what was on the screen.
"""
import os
import re
import shutil
import socket
import subprocess
import sys
from importlib.util import find_spec

import pytest
from courses import hand_in, released
from damage import honest
from nbgrader.api import Gradebook
from test_hook import scores, wrong
from waiting import HANGS, answers, eventually

from autograder.course.folder import Course
from autograder.lessons.installed import load_lesson
from autograder.nbgrader.marks import formgrader_pages

CHROMIUM = shutil.which("chromium")
pytestmark = [pytest.mark.integration,
              pytest.mark.skipif(not CHROMIUM or not find_spec("playwright"), reason="no Chromium, or no Playwright")]
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync"]
ATTACK = "<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script>"


@pytest.fixture(scope="module")
def course(generated, tmp_path_factory) -> Course:
    """A course of three: a wrong one that also tries to draw on the page, a right one, an untouched one."""
    course = Course.find(shutil.copytree(generated.root, tmp_path_factory.mktemp("formgrader") / "course"))
    attack = wrong()
    attack["cells"].append({"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None,
                            "source": f"print({ATTACK!r})\nraise ValueError({ATTACK!r})"})
    attack["cells"].append({"cell_type": "markdown", "metadata": {}, "source": ATTACK})
    for student, notebook in {"student-01": attack, "student-02": honest(), "student-03": released()}.items():
        hand_in(course, student, notebook)
    return course


@pytest.fixture(scope="module")
def server(course, tmp_path_factory):
    """The address of a Jupyter server in the course's folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home = tmp_path_factory.mktemp("home")
    environment = os.environ | {"HOME": str(home), "PYTHONPATH": os.path.dirname(os.path.dirname(__file__)),
                                "PATH": os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])}
    with (home / "log").open("w") as log:
        process = subprocess.Popen([sys.executable, "-m", "jupyter_server", f"--ServerApp.port={port}", "--no-browser",
                                    "--ServerApp.ip=127.0.0.1", "--IdentityProvider.token=t", "--allow-root"],
                                   cwd=course.root, env=environment, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"
    try:
        eventually(lambda: answers(f"{address}/formgrader/manage_assignments?token=t"),
                   lambda: process.poll() is not None)
        yield address
    finally:
        process.terminate()
        process.wait(HANGS)


@pytest.fixture(scope="module")
def window(server, tmp_path_factory):
    from playwright.sync_api import sync_playwright  # slow to import
    with sync_playwright() as driver:
        browser = driver.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"), executable_path=CHROMIUM, headless=True, args=ARGUMENTS,
            viewport={"width": 1200, "height": 1000})
        page = browser.pages[0]
        page.set_default_timeout(1000 * HANGS)
        page.goto(f"{server}/formgrader/manage_assignments?token=t")
        yield page
        browser.close()


@pytest.fixture(scope="module")
def page(window, server):
    """The formgrader, once its button has graded all three: no test waits for another one's grades."""
    window.goto(f"{server}/formgrader/manage_submissions/multihead")
    for student, score in {"student-01": "17 / 20", "student-02": "20 / 20", "student-03": "0 / 20"}.items():
        row_of(window, student).locator(".autograde a").click()
        window.get_by_text(f"Successfully autograded 'multihead' for student '{student}'").wait_for()
        shot(window, f"graded-{student}")
        window.locator(".modal.in .modal-footer button").last.click()
        row_of(window, student).locator(".score", has_text=score).wait_for()
        window.locator(".modal-backdrop").wait_for(state="detached")
    shot(window, "scores")
    return window


def shot(page, name: str) -> None:
    if "SCREENSHOTS" in os.environ:
        page.screenshot(path=f"{os.environ['SCREENSHOTS']}/{name}.png")


def row_of(page, words: str):
    return page.locator("tr", has_text=words)


def open_submission(page, server: str, number: int = 0) -> None:
    """Through the pages for manual grading, as a teacher goes there; ready once its scripts know scores and comments.

    Until then a box is there, but nothing listens to what is typed in it.
    """
    page.goto(f"{server}/formgrader/gradebook/multihead/multihead")
    page.locator("table a", has_text=re.compile("Submission")).nth(number).click()
    for box in ("#test_split_heads", "#split_heads-comment"):
        page.locator(f"{box}[placeholder]").wait_for()


def save(page, box: str, words: str, url: str) -> None:
    """Type these words, leave the box, and wait until the server has them."""
    with page.expect_response(lambda answer: url in answer.url and answer.request.method == "PUT") as saved:
        page.locator(box).fill(words)
        page.locator(box).press("Tab")
    assert saved.value.ok


def test_the_button_grades_with_the_engine(page, course):
    assert scores(course)["test_split_heads"] == 0.0
    assert scores(course)["test_merge_heads"] == 2.0


def test_the_assignment_and_its_scores_are_shown(page, server):
    page.goto(f"{server}/formgrader/manage_assignments")
    row_of(page, "multihead").locator(".num-submissions", has_text="3").wait_for()
    shot(page, "assignments")
    page.goto(f"{server}/formgrader/gradebook/multihead/multihead")
    page.locator("td", has_text="17").first.wait_for()
    shot(page, "submissions")


def test_the_reports_link_leads_to_the_boxes_and_only_points_have_one(page, server, course):
    address = formgrader_pages(course, load_lesson("multihead"))["student-02"].removeprefix("http://localhost:8888")
    page.goto(server + address)
    page.locator("#test_split_heads[placeholder]").wait_for()
    assert page.locator("input.score").count() == 5
    shot(page, "by-hand")


def open_scored(page, server, split: str, merge: str) -> None:
    """Open the submission with these scores: the formgrader keeps names away from who grades."""
    for number in range(3):
        open_submission(page, server, number)
        boxes = page.locator("#test_split_heads"), page.locator("#test_merge_heads")
        if [box.get_attribute("placeholder") for box in boxes] == [split, merge]:
            return
    raise AssertionError(f"no submission has {split} points for split_heads and {merge} for merge_heads")


def test_our_feedback_stands_below_the_cell_and_nothing_of_the_students_is_drawn(page, server):
    open_scored(page, server, "0", "2")
    feedback = page.locator(".autograder-feedback", has_text="split_heads: 0 / 3")
    feedback.scroll_into_view_if_needed()
    shot(page, "feedback")
    assert feedback.locator("li").count() > 3
    assert page.locator("#test_split_heads").input_value() == ""
    assert page.locator("#test_split_heads").get_attribute("placeholder") == "0"
    assert "taken" not in page.title()
    assert page.locator("img[src=x]").count() == 0


def test_a_comment_for_the_student_stands_in_the_box_of_the_solution(page, server):
    open_scored(page, server, "0", "2")
    box = page.locator("#split_heads-comment")
    box.scroll_into_view_if_needed()
    shot(page, "comment")
    assert len(box.get_attribute("placeholder")) > 20
    assert "Markdown" not in box.get_attribute("placeholder")


def test_a_manual_score_is_kept_by_feedback_and_by_the_next_grading(page, server, course):
    open_scored(page, server, "3", "2")
    save(page, "#test_split_heads", "1.5", "/api/grade/")
    save(page, "#split_heads-comment", "Almost: look at the order of the axes.", "/api/comment/")
    shot(page, "manual")
    page.goto(f"{server}/formgrader/manage_submissions/multihead")
    row_of(page, "student-02").locator(".autograde a").click()
    page.get_by_text("Successfully autograded").wait_for()
    page.goto(f"{server}/formgrader/manage_submissions/multihead")
    row_of(page, "student-02").locator(".generate-feedback a").click()
    page.get_by_text("Successfully generated feedback").wait_for()
    with Gradebook(course.db_url) as gradebook:
        assert gradebook.find_grade("test_split_heads", "multihead", "multihead", "student-02").score == 1.5
    path = course.path("feedback", "student-02", "multihead") / "multihead.html"
    assert "Almost: look at the order of the axes." in path.read_text()
    page.goto(path.as_uri())
    assert page.get_by_text("(Score: 18.5 / 20.0)").count()
    assert "taken" not in page.title()
    shot(page, "feedback-page")
