"""A course on a JupyterHub, set up by the commands of docs/nbgrader.md: two students, a teacher, and a shared course.

Everything is typed or clicked by the account that the page names, at that account's own server.
"""
from __future__ import annotations

import csv
import fcntl
import json
import os
import platform
import shutil
import stat
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

import pytest
from damage import honest
from documented import Block, blocks
from on_a_hub import Hub, Machine, Person, free_port
from test_formgrader import ARGUMENTS
from test_hook import wrong
from test_returned import Frames
from waiting import HANGS

from autograder.authoring.demo.notebooks import Assignment
from autograder.lessons.installed import load_lesson

ROOT = Path(__file__).parents[1]
PINNED = "jupyterhub==6.1.1\n"
NEEDED = ("unshare", "nsenter", "setpriv", "useradd", "npm")
pytestmark = [pytest.mark.integration,
              pytest.mark.skipif(os.geteuid() != 0, reason="accounts of a machine are made by root"),
              pytest.mark.skipif(not all(map(shutil.which, NEEDED)), reason=f"needs {', '.join(NEEDED)}")]


def of(who: str) -> list[Block]:
    """What the page tells this person to type, in order."""
    return [block for block in blocks("docs/nbgrader.md") if block.hub == who]


@pytest.fixture(scope="module")
def installed() -> Path:
    """What the administrator installs, kept for the next time: only this checkout's wheel is installed anew."""
    constraints = (ROOT / "constraints.txt").read_text() + PINNED
    commands = of("root")[0].code
    key = blake2b(f"{constraints}{commands}{platform.python_version()}".encode(), digest_size=8).hexdigest()
    folder = Path.home() / ".cache" / "multihead-autograder-tests" / f"hub-{key}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
def machine(installed: Path, built_wheel: Path, tmp_path: Path) -> Iterator[Machine]:
    """A machine on which the administrator has done what the page says."""
    if why := Machine.why_not():
        pytest.skip(f"a machine of its own cannot be had here: {why}")
    tmp_path.chmod(0o755)
    with installed.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)    # nobody else installs there meanwhile
        machine = Machine(tmp_path / "machine", installed)
        try:
            set_up(machine, built_wheel, installed)
            yield machine
        finally:
            machine.end()


def set_up(machine: Machine, wheel: Path, installed: Path) -> None:
    packages, configuration, shared = of("root")
    shutil.copy(wheel, machine.folder / "srv")
    (machine.folder / "srv" / "constraints.txt").write_text((ROOT / "constraints.txt").read_text() + PINNED)
    if not (installed / "complete").exists():
        machine.typed("root", f"export PIP_CONSTRAINT=/srv/constraints.txt\n{packages.code}", "/srv")
        (installed / "complete").touch()
    machine.typed("root", "/opt/autograder/bin/pip install --quiet --no-deps --force-reinstall *.whl", "/srv")
    machine.typed("root", f"{configuration.code}\n{shared.code}")
    for name in ("teacher", "student-01", "student-02"):
        machine.typed("root", f"useradd --create-home --shell /bin/bash {name}")
    make = lines(of("teacher")[0], ("init multihead", "init --lesson layernorm layernorm"),
                 ("cd multihead", "cd layernorm"))
    machine.typed("grader-layernorm", "\n".join(make), "")


@pytest.fixture
def hub(machine: Machine) -> Iterator[Hub]:
    (configuration,) = of("configuration")
    hub = Hub(machine, configuration.code.replace(":9999", f":{free_port()}"))
    try:
        yield hub
    finally:
        hub.end()


def lines(block: Block, *others: tuple[str, str]) -> list[str]:
    """The lines of a block, with other words in the places of some."""
    found = block.code.splitlines()
    for old, new in others:
        found = [line.replace(old, new) for line in found]
    return found


def home(hub: Hub, name: str) -> Path:
    return hub.machine.folder / "home" / name


def solve(notebook: Path, by: dict) -> None:
    """Write these solutions into the notebook that a student has fetched."""
    found = json.loads(notebook.read_text())
    solutions = {name_of(cell): cell["source"] for cell in by["cells"] if name_of(cell)}
    for cell in found["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("solution"):
            cell["source"] = solutions[name_of(cell)]
    notebook.write_text(json.dumps(found))


def name_of(cell: dict) -> str:
    return cell["metadata"].get("nbgrader", {}).get("grade_id", "")


def feedback_of(shown: list[dict], assignment: str) -> str:
    """Where the tab Assignments shows the feedback."""
    (submitted,) = [each for each in shown if each["status"] == "submitted" and each["assignment_id"] == assignment]
    return submitted["submissions"][-1]["notebooks"][0]["local_feedback_path"]


def test_a_course_is_taught_on_a_hub_as_the_page_says(hub: Hub) -> None:
    teacher, dutch, english = map(hub.person, ("teacher", "student-01", "student-02"))
    teacher = taught(hub, teacher, dutch, english)
    returned(hub, dutch, english)
    shared_course(hub, teacher.at("/services/layernorm"), dutch)


def taught(hub: Hub, teacher: Person, dutch: Person, english: Person) -> Person:
    """From an empty home to feedback that is released; the teacher, at the server that was started again."""
    make, hand_out, collect = of("teacher")
    fetch, submit = lines(of("student")[0], ("_assignment multihead", "_assignment multihead-en"),
                          ("submit multihead", "submit multihead-en"))
    assert "Nothing is missing" in teacher.type(*lines(make))
    teacher.type("cd multihead", *lines(hand_out))
    assert teacher.ask("/formgrader/api/assignments") == []         # as the page says
    teacher = hub.restart(teacher)
    assert "multihead" in {each["name"] for each in teacher.ask("/formgrader/api/assignments")}

    dutch.assignments("fetch", "multihead", "multihead")
    solve(home(hub, "student-01") / "multihead" / "multihead.ipynb", wrong())
    dutch.assignments("submit", "multihead", "multihead")
    english.type(fetch)
    solve(home(hub, "student-02") / "multihead-en" / "multihead.ipynb", honest())
    english.type(submit)

    course = home(hub, "teacher") / "multihead"
    assert "Nothing is missing" in teacher.type("cd multihead", "umask 077", *lines(collect), "autograder doctor",
                                                "autograder export --format csv --output marks.csv")
    with (course / "marks.csv").open(encoding="utf-8-sig") as file:
        assert {row["student"]: row["points"] for row in csv.DictReader(file)} == {"student-01": "17",
                                                                                  "student-02": "20"}
    assert (course / "submitted" / "student-01" / "multihead").stat().st_mode & stat.S_IWOTH        # as the page says
    dutch.type("test ! -r /home/teacher/multihead/submitted", "test ! -r /home/teacher/multihead/gradebook.db")
    return teacher


def returned(hub: Hub, dutch: Person, english: Person) -> None:
    """Each student has our page, in the language of the notebook, and a browser shows it."""
    places = {}
    for student, assignment, language in ((dutch, "multihead", "nl"), (english, "multihead-en", "en")):
        place = feedback_of(student.assignments("fetch_feedback", "multihead", assignment), assignment)
        (page,) = Frames(hub.ask(student.address(place), token=student.token)).pages
        assert f'<html lang="{language}"' in page
        places[language] = student.address(place)
    playwright = pytest.importorskip("playwright.sync_api") if shutil.which("chromium") else None
    if playwright is None:
        return
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
        window = browser.new_page(extra_http_headers={"Authorization": f"token {dutch.token}"})
        window.set_default_timeout(1000 * HANGS)
        window.goto(hub.address + places["nl"])
        window.frame_locator("iframe[title=autograder]").get_by_text("split_heads").first.wait_for()
        browser.close()


def shared_course(hub: Hub, teachers: Person, student: Person) -> None:
    """The service's formgrader collects and grades for the teachers, and nobody else enters it."""
    teachers.type("cd layernorm", "autograder release", "nbgrader release_assignment layernorm")
    assert student.at(teachers.server).refused("/formgrader/api/assignments") == 403
    student.assignments("fetch", "layernorm", "layernorm")
    lesson = load_lesson("layernorm")
    solve(home(hub, "student-01") / "layernorm" / "layernorm.ipynb",
          Assignment.of(lesson).filled(lesson.reference_source, own_test=None))
    student.assignments("submit", "layernorm", "layernorm")
    for button in ("assignment/layernorm/collect", "submission/layernorm/student-01/autograde"):
        done = teachers.ask(f"/formgrader/api/{button}", {})
        assert done["success"], done
    (submission,) = teachers.ask("/formgrader/api/submissions/layernorm")
    assert (submission["student"], submission["score"], submission["max_score"]) == ("student-01", 10, 10)
