"""A lesson whose checks cannot be asked about its own solution is refused: one line with the file and the line."""
from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from own_course import hand_in, softmax_course

from autograder import api, cli
from autograder.judge.rehearsal import rehearse
from autograder.lessons.installed import load_lesson, whole
from autograder.lessons.kit import bounded
from autograder.lessons.trust import trust
from autograder.testing import facts_of

PROBES, SOLUTION = "lessons/softmax/probes.py", "solutions/softmax.py"
CHECKS, MISTAKES = "lessons/softmax/checks/softmax.py", "lessons/softmax/mistakes/softmax.py"
GENERAL, POWERS = 'Call("softmax", (rng.normal(size=(3, 5)),))', "    powers ="


@pytest.fixture(scope="module")
def page(made_once) -> Path:
    here = Path.cwd()
    try:
        return made_once("softmax-course", softmax_course)
    finally:
        os.chdir(here)


@pytest.fixture
def course(page, tmp_path, monkeypatch) -> Path:
    """The lesson of docs/lesson.md, with nothing left to write."""
    folder = shutil.copytree(page, tmp_path / "course")
    trust(folder)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(bounded, "SECONDS", 0.05)
    return folder


def run(*arguments: str) -> int:
    return cli.run([*map(str, arguments)])


def edit(file: str, old: str, new: str) -> None:
    text = Path(file).read_text()
    assert text.count(old) == 1, (file, old)
    Path(file).write_text(text.replace(old, new))


FAULTS = {
    "a typo in a probe": (
        PROBES, GENERAL, GENERAL.replace("softmax", "sofmax"),
        f"{PROBES}, line 7: {SOLUTION} has no function 'sofmax'; did you mean 'softmax'?"),
    "too many arguments": (
        PROBES, GENERAL, 'Call("softmax", (rng.normal(size=(3, 5)), 3))',
        f"{PROBES}, line 7: softmax cannot be asked this: TypeError: softmax() takes 1 positional argument but 2"),
    "arguments that are no tuple": (
        PROBES, GENERAL, 'Call("softmax", rng.normal(size=(3, 5)))', f"{PROBES}, line 7: softmax cannot be asked this"),
    "a probe that is not there": (
        CHECKS, "probes.LARGE), ask", "probes.LARG), ask",
        f"{CHECKS}, line 18: the check large of softmax fails by itself: AttributeError: module 'probes' has no"),
    "a solution that raises": (
        SOLUTION, POWERS, f"    scores.nothing()\n{POWERS}", f"{SOLUTION}, line 8: softmax gives no answer to what is "
        f"asked in {PROBES}, line 7: AttributeError: 'numpy.ndarray' object has no attribute 'nothing'"),
    "a solution that raises for one input": (
        SOLUTION, POWERS, f"    assert np.max(scores) < 100\n{POWERS}",
        f"{SOLUTION}, line 8: softmax gives no answer to what is asked in {PROBES}, line 8: AssertionError"),
    "a solution that ends the program": (
        SOLUTION, POWERS, f"    exit()\n{POWERS}", f"{SOLUTION}, line 8: softmax gives no answer"),
    "a solution without a return": (
        SOLUTION, "return powers", "powers", f"{SOLUTION}: what it answers cannot be judged by the check general of "
        "softmax: softmax(scores) should be an array, but it is None (is there a return?)"),
    "an endless loop": (
        SOLUTION, POWERS, f"    while True: pass\n{POWERS}",
        f"{SOLUTION}, line 8: softmax does not end: it was stopped after 0.05 seconds; is that an endless loop?"),
    "an endless loop in a check": (
        CHECKS, "    leaves_", "    while True: pass\n    leaves_",
        f"{CHECKS}, line 24: the check keeps-scores of softmax does not end: it was stopped after 0.05 seconds; is"),
    "an endless loop beside the functions": (
        SOLUTION, "def softmax", "while True: pass\n\n\ndef softmax",
        f"{SOLUTION}, line 5: this does not end: it was stopped after 0.05 seconds"),
    "an endless loop in the lesson": (
        PROBES, "rng =", "while True: pass\nrng =", f"{PROBES}, line 6: this does not end"),
    "a solution that ends the program at once": (
        SOLUTION, "def softmax", "raise SystemExit(3)\n\n\ndef softmax", f"{SOLUTION}, line 5: this ends the program"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_lesson_that_cannot_be_graded_is_refused_by_every_command(course, capsys, fault):
    file, old, new, said = FAULTS[fault]
    Path("work.py").write_bytes(Path(SOLUTION).read_bytes())
    edit(file, old, new)
    hand_in(course, "student-01", b"{}", "softmax")
    capsys.readouterr()
    commands = (["check", "work.py"], ["verify", "--quick"], ["release"], ["grade"])
    for arguments in commands[:2] if "endless" in fault else commands:
        assert run(*arguments) == 2, arguments
        line = capsys.readouterr().err
        assert said in line
        assert line.count("\n") == 1
    assert not Path("release").exists()


def test_a_solution_that_is_not_written_is_not_graded(course, capsys):
    edit(SOLUTION, POWERS, f"    raise NotImplementedError\n{POWERS}")
    Path("work.py").write_bytes(Path(SOLUTION).read_bytes())
    assert run("check", "work.py") == 2
    assert f"{SOLUTION}, line 8: softmax is not written; write it" in capsys.readouterr().err


def test_the_tests_of_a_course_say_it_in_one_line(course):
    edit(SOLUTION, POWERS, "    powers (=")
    [fact] = facts_of("softmax", str(course / "tests" / "test_softmax.py"))
    with pytest.raises(pytest.fail.Exception, match=rf"^{SOLUTION}, line 8: SyntaxError: [^\n]*$"):
        fact.check()


def test_an_own_interface_says_it_too(course):
    edit(PROBES, GENERAL, GENERAL.replace("softmax", "sofmax"))
    for call in (lambda: api.check(SOLUTION, course=course), lambda: api.verify(course=course, quick=True)):
        with pytest.raises(ValueError, match="has no function 'sofmax'"):
            call()


def test_an_endless_mistake_is_a_wrong_one_and_stops_nobody(course, capsys):
    edit(MISTAKES, '"np.sum(powers)")', '"[None for each in iter(int, 1)]")')
    Path("work.py").write_text(Path(SOLUTION).read_text().replace("powers / np", "powers * np"))
    assert run("check", "work.py") == 0
    assert "0 / 4" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["multihead", "layernorm"])
def test_the_lessons_that_are_installed_come_through_the_same_door(name):
    rehearse(whole(load_lesson(name)))


def test_whoever_waits_for_something_else_is_not_stopped():
    with bounded.bounded(30):
        with bounded.bounded(20):
            pass
        import signal
        left, _ = signal.getitimer(signal.ITIMER_REAL)
    assert 20 < left <= 30
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
