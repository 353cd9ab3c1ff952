"""A lesson whose checks cannot be asked about its own solution is refused: one line with the file and the line."""
from __future__ import annotations

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from own_course import hand_in, softmax_course

from autograder import api, cli
from autograder.faults import Refused
from autograder.judge.local_subject import LocalSubject
from autograder.judge.rehearsal import rehearse
from autograder.lessons.installed import load_lesson, whole
from autograder.lessons.kit import bounded
from autograder.lessons.trust import distrust, trust
from autograder.locale.language import translate
from autograder.proof.fairness import fairness
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
def course(page, tmp_path, monkeypatch, request) -> Path:
    """The lesson of docs/lesson.md, with nothing left to write; what is endless is left sooner."""
    folder = shutil.copytree(page, tmp_path / "course")
    trust(folder)
    monkeypatch.chdir(folder)
    if "endless" in request.node.name:
        monkeypatch.setattr(bounded, "SECONDS", 0.2)
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
        f"{SOLUTION}, line 8: softmax does not end: it was stopped after 0.2 seconds; is that an endless loop?"),
    "an endless loop in a check": (
        CHECKS, "    leaves_", "    while True: pass\n    leaves_",
        f"{CHECKS}, line 24: the check keeps-scores of softmax does not end: it was stopped after 0.2 seconds; is"),
    "an endless loop beside the functions": (
        SOLUTION, "def softmax", "while True: pass\n\n\ndef softmax",
        f"{SOLUTION}, line 5: this does not end: it was stopped after 0.2 seconds"),
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


def test_an_implementation_for_a_test_of_a_students_own_that_cannot_be_made_is_refused():
    lesson = load_lesson("multihead")
    own = next(exercise for exercise in lesson.exercises if exercise.implementations)
    name, made = next(iter(own.implementations.items()))
    alone = replace(own, stand_ins=(), implementations={name: replace(made, make=lambda source: "def (")})
    with pytest.raises(Refused, match=f"the implementation '{name}' of own_test cannot be made: SyntaxError"):
        rehearse(replace(lesson, exercises=(alone,)))


# --- what else is refused -----------------------------------------------------------------------------------------

WORDS = "lessons/softmax/nl.toml"


@pytest.mark.parametrize(("file", "content", "said"), [
    (WORDS, '"Every row of weight is right" = "Elke rij klopt"\n',
     "no text of the lesson is 'Every row of weight is right'; did you mean 'Every row of weights is right'?"),
    (WORDS, '"Quite another thing" = "Iets anders"\n', "'Quite another thing'; write it as it is in the code"),
    (WORDS, '"Large scores give numbers too" = "{grote} getallen"\n', "has a gap {grote}, which 'Large scores give"),
    ("lessons/softmax/dutch.toml", "", "lessons/softmax/dutch.toml is not used; there are: nl.toml, en.toml, proof"),
    ("lessons/softmax/nl.yaml", "", "lessons/softmax/nl.yaml is not used; did you mean 'nl.toml'?"),
    ("lessons/softmax/proof.toml", "kep = []\n", "there is no key 'kep'; did you mean 'kept'?"),
    ("lessons/softmax/proof.toml", 'kept = ["generl"]\n', "kept names the check 'generl'; did you mean 'general'?"),
    ("lessons/softmax/proof.toml", '[[same]]\nwhy = "x"\nmutant = []\n', "there is no key 'same.mutant'; did you mean"),
    ("lessons/softmax/proof.toml", '[[same]]\nwhy = "x"\n', 'expected [[same]] with why = "..." and mutants = ["..."]'),
])
def test_a_table_beside_the_lesson_that_says_something_of_nothing_is_refused(course, capsys, file, content, said):
    Path(file).write_text(content)
    assert run("check", SOLUTION) == 2
    line = capsys.readouterr().err
    assert said in line
    assert file in line
    assert line.count("\n") == 1


def test_a_translation_with_its_gap_and_one_that_was_put_together_are_found(course):
    Path("lessons/softmax/advice.py").write_text(
        "from autograder.kit import text\n\nSAID = text('one {thing} ' + 'or two')\n")
    Path(WORDS).write_text('"one {thing} or two" = "een of twee {thing}"\n')
    assert load_lesson("softmax", course).name == "softmax"


def test_what_is_not_written_is_not_released(course, capsys):
    notebook = Path("assignments/softmax/softmax.ipynb")
    words = "what the function has to do"
    notebook.write_text(notebook.read_text().replace(words, f"TODO: {words}"))
    assert run("release") == 2
    line = capsys.readouterr().err
    assert f"softmax is not finished: {notebook}: these cells say TODO: softmax-text; autograder verify" in line
    assert line.count("\n") == 1
    assert not Path("release").exists()


def test_what_students_have_to_do_may_be_a_todo_of_theirs(course, capsys):
    notebook = Path("assignments/softmax/softmax.ipynb")
    notebook.write_text(notebook.read_text().replace("# Write: replace", "# TODO: replace"))
    assert run("release") == 0


def test_a_lesson_in_english_is_spoken_of_in_english(course, capsys):
    for name in ("one", "two"):
        Path(f"{name}.py").write_text(Path(SOLUTION).read_text().replace("powers / np", "powers * np"))
    assert run("check", "one.py", "two.py") == 0
    said = capsys.readouterr().out
    assert "wrong" in said
    assert "2 of 2 submissions" in said
    assert "punten" not in said
    assert run("check", "one.py", "--lang", "nl") == 0
    assert "punten" in capsys.readouterr().out


def test_all_lessons_of_a_course_are_proven_or_the_one_that_is_named(course, capsys):
    for name in ("second", "third"):
        Path(f"solutions/{name}.py").write_text(f'def {name}(x):\n    """The same."""\n    return x\n')
        assert run("new", "lesson", name) == 0
    notebook = Path("assignments/softmax/softmax.ipynb")
    notebook.write_text(notebook.read_text().replace("# softmax", "# TODO: softmax"))
    capsys.readouterr()
    assert run("verify", "--quick") == 3
    said = capsys.readouterr().out
    for name in ("second", "softmax", "third"):
        assert f"{name} is unfinished" in said
    assert run("verify", "--quick", "--lesson", "third") == 3
    said = capsys.readouterr().out
    assert "third is unfinished" in said
    assert "second" not in said


def test_an_own_interface_uses_no_other_lesson_where_they_are_not_trusted(course):
    distrust(course)
    for call in (lambda: api.check(SOLUTION, course=course), lambda: api.verify(course=course, quick=True),
                 lambda: api.grade_course(course)):
        with pytest.raises(ValueError, match=f"autograder trust {course}"):
            call()
    [grade] = api.check(SOLUTION, course=course, lesson="layernorm")
    assert grade.lesson == "layernorm"


def second_softmax(name: str) -> None:
    """Another lesson with the same function."""
    shutil.copytree("lessons/softmax", f"lessons/{name}")
    shutil.copytree("assignments/softmax", f"assignments/{name}")
    Path(f"assignments/{name}/softmax.ipynb").rename(f"assignments/{name}/{name}.ipynb")
    shutil.copy(SOLUTION, f"solutions/{name}.py")
    edit(f"lessons/{name}/lesson.py", 'name="softmax"', f'name="{name}"')
    edit(f"lessons/{name}/lesson.py", "solutions/softmax", f"solutions/{name}")
    edit(f"lessons/{name}/lesson.py", "assignments/softmax/softmax", f"assignments/{name}/{name}")


def test_work_for_another_lesson_than_the_named_one_is_said_to_be(course):
    said = "This is work for softmax, and it was graded for layernorm, of which it has no function."
    [grade] = api.check(SOLUTION, course=course, lesson="layernorm")
    assert (grade.lesson, grade.points) == ("layernorm", 0)
    for texts in (grade.notices, grade.for_a_person):
        assert said in [translate(each, "en") for each in texts]
    [grade] = api.check(SOLUTION, course=course, lesson="softmax")
    assert (grade.notices, grade.for_a_person) == ((), ())


@pytest.mark.slow
def test_work_that_fits_two_lessons_is_said_to(course):
    second_softmax("other")
    shutil.copy(SOLUTION, "work.py")
    [grade] = api.check("work.py", course=course)
    assert (grade.lesson, grade.points) == ("other", 4)
    assert [translate(each, "en") for each in grade.for_a_person] == [
        "its functions are those of softmax as well; it was graded for other, and --lesson chooses another"]
    [grade] = api.check("work.py", course=course, lesson="softmax")
    assert (grade.lesson, grade.for_a_person) == ("softmax", ())
    shutil.copy("assignments/softmax/softmax.ipynb", "softmax.ipynb")      # its name tells
    [grade] = api.check("softmax.ipynb", course=course)
    assert (grade.lesson, grade.for_a_person) == ("softmax", ())


def test_where_lessons_would_lie_is_a_file(course, capsys):
    shutil.rmtree("lessons")
    Path("lessons").touch()
    assert run("new", "lesson", "other") == 2
    line = capsys.readouterr().err
    assert "cannot write lessons/other/" in line
    assert line.count("\n") == 1
    assert not Path("solutions/other.py").exists()


def test_lessons_may_lie_behind_a_link(course, tmp_path, capsys):
    Path("lessons").rename(tmp_path / "elsewhere")
    Path("lessons").symlink_to(tmp_path / "elsewhere")
    edit(PROBES, GENERAL, GENERAL.replace("softmax", "sofmax"))
    assert run("check", SOLUTION) == 2
    assert f"{PROBES}, line 7: " in capsys.readouterr().err


def test_an_empty_course_says_that_it_has_a_place_for_assignments(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run("init", "--empty", "mine") == 0
    assert capsys.readouterr().out == "mine: nbgrader_config.py, autograder.toml, README.md, assignments/\n"


@pytest.mark.parametrize(("body", "code", "said"), [
    ("while True: pass", 2, "lessons/softmax/variants: right solution 0 cannot be composed: TooLong: stopped"),
    ("return pick()", 2, "lessons/softmax/variants: right solution 0 cannot be composed: ValueError: "),
    ("return 'def softmax(x)'", 3, "variant 0: it does not run: SyntaxError: expected ':'")])
def test_right_solutions_that_cannot_be_composed_are_said(course, capsys, body, code, said):
    Path("lessons/softmax/variants").mkdir()
    Path("lessons/softmax/variants/__init__.py").write_text(f"def variant(pick):\n    {body}  # softmax(\n")
    if code == 3:
        lesson = load_lesson("softmax", course)
        assert said in str(fairness(lesson, LocalSubject(lesson.reference_source), 1, lambda *_: None).exceptions)
    else:
        assert run("verify", "--quick") == code
        line = capsys.readouterr().err
        assert said in line
        assert line.count("\n") == 1


@pytest.mark.parametrize("mistakes", ["MISTAKES = ()", None])
def test_a_lesson_without_a_mistake_that_can_be_made_grades_what_is_wrong(course, mistakes):
    """None is written yet, or the solution has changed since."""
    if mistakes is None:
        edit(SOLUTION, "    powers = np.exp", "    powers = 1 * np.exp")
        edit(MISTAKES, '"np.sum(powers, axis', '"np.sum(power, axis')
        edit(MISTAKES, '(("np.exp(scores - np.max', '(("np.exp(score - np.max')
    else:
        Path(MISTAKES).write_text(mistakes)
    Path("work.py").write_text(Path(SOLUTION).read_text().replace("powers / np", "powers * np"))
    [grade] = api.check("work.py", course=course)
    assert (grade.status, grade.points) == ("graded", 0)


def test_implementations_that_the_lesson_does_not_name_are_said_to_be_missing():
    lesson = load_lesson("multihead")
    one = next(exercise for exercise in lesson.exercises if exercise.implementations)
    with pytest.raises(Refused, match="there is no implementation '.*'; the Exercise in lesson.py gives none: add"):
        rehearse(replace(lesson, exercises=(replace(one, implementations={}),)))


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


def test_a_stop_that_a_finaliser_loses_is_made_again_without_a_word(monkeypatch):
    said, ours = [], []
    monkeypatch.setattr(sys, "unraisablehook", said.append)

    class Slow:
        def __del__(self):
            while not ours:                                  # until the first stop is lost here
                pass

    class Faulty:
        def __del__(self):
            raise ValueError

    def endless():
        Faulty()
        Slow()
        ours.append("stopped once")
        while True:
            pass

    with pytest.raises(bounded.TooLong), bounded.bounded(0.05):
        endless()
    assert ours == ["stopped once"]
    assert [what.exc_type for what in said] == [ValueError]
    assert sys.unraisablehook == said.append
