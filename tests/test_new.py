"""`autograder new`: what it makes is found, passes the linter, and says itself that it is unfinished."""
from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from autograder.authoring.new import CannotMake, Checkout, new_check, new_exercise, new_lesson, new_mistake
from autograder.authoring.new.editing import appended, before, importing, with_argument, with_mistake
from autograder.cli import run
from autograder.judge.local_subject import LocalSubject
from autograder.proof.unfinished import unfinished

ROOT = Path(__file__).parents[1]
PARTS = {
    "check": (["check", "layer_norm", "zero-gain", "--lesson", "layernorm"], "layernorm",
              ["autograder/lessons/layernorm/checks/layer_norm.py: the words of the check zero-gain say TODO",
               "the check zero-gain is worth nothing"]),
    "mistake": (["mistake", "merge_heads", "merge-halved"], "multihead",
                ["autograder/lessons/multihead/mistakes/merge_heads.py: the mistake merge-halved says TODO"]),
    "exercise": (["exercise", "rms_norm", "--lesson", "layernorm-en", "--parameters", "x, gain, eps"], "layernorm",
                 ["solutions/layernorm.py: write rms_norm", "variants: right ways to write rms_norm",
                  "assignments/layernorm/layernorm.ipynb: these cells say TODO: rms-norm-text, rms-norm"]),
    "lesson": (["lesson", "softmax", "stable_softmax", "--points", "4"], "softmax",
               ["solutions/softmax.py: write stable_softmax", "assignments/softmax-en/softmax.ipynb: these cells"]),
}


def copy_of_repository(folder: Path) -> Path:
    for name in ("autograder", "assignments", "release", "solutions", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", ".*", "submissions"))
    for name in ("pyproject.toml", "nbgrader_config.py"):
        shutil.copy(ROOT / name, folder)
    return folder


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(copy_of_repository(tmp_path))


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts}


# --- what is made -------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("part", [pytest.param(part, marks=() if part == "check" else pytest.mark.slow)
                                  for part in PARTS])
def test_a_new_part_is_clean_and_verify_says_what_is_left_to_write(checkout: Checkout, part: str) -> None:
    arguments, lesson, left = PARTS[part]
    done = python(checkout.root, "-m", "autograder", "new", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    *files, _, told = done.stdout.splitlines()
    assert told.endswith(f"What is left to write: autograder verify --lesson {lesson}")
    for path in (line.split()[1] for line in files):
        assert (checkout.root / path).is_file()
    assert_line_to_open_next(checkout, told, arguments[2 if part != "exercise" else 1])
    linted = python(checkout.root, "-m", "ruff", "check", *[
        line.split()[1] for line in files if line.endswith(".py")])
    assert linted.returncode == 0, linted.stdout
    proven = python(checkout.root, "-m", "autograder", "verify", "--quick", "--lesson", lesson)
    assert proven.returncode == 3, proven.stderr
    assert proven.stdout.startswith(f"{lesson} is unfinished, so nothing was tried; write this first:\n")
    for words in left:
        assert words in proven.stdout


def assert_line_to_open_next(checkout: Checkout, told: str, name: str) -> None:
    path, _, line = told.removeprefix("Open ").split(" next.")[0].partition(":")
    named = (checkout.root / path).read_text(encoding="utf-8").splitlines()[int(line) - 1]
    assert name.replace("-", "_") in named.replace("-", "_")


def test_a_lesson_that_is_finished_has_nothing_left(checkout: Checkout) -> None:
    for name in ("multihead", "layernorm"):
        lesson = checkout.lesson(name)
        assert unfinished(lesson, LocalSubject(lesson.reference_source)) == ()


def fill(path: Path, *edits: tuple[str, str]) -> None:
    source = path.read_text(encoding="utf-8")
    for old, new in edits:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    path.write_text(source, encoding="utf-8")


@pytest.mark.integration
def test_a_mistake_that_is_written_is_caught_and_named(checkout: Checkout) -> None:
    folder = checkout.root
    assert python(folder, "-m", "autograder", "new", "mistake", "layer_norm", "gain-halved", "--lesson",
                  "layernorm").returncode == 0
    fill(folder / "autograder/lessons/layernorm/mistakes/layer_norm.py",
         ("TODO: how someone comes to write it", "a factor that was once useful"),
         ("TODO: a question that helps, without the answer?", "What should y be if gain is one and bias zero?"),
         ('("TODO: a line of the reference", "TODO: the same line with the slip")',
          '(Y, "y = gain * x_hat / 2 + bias")'))
    checks = ("worked-example-n1", "worked-example-n2", "general", "eps", "one-token", "far-away", "whole-numbers",
              "single-precision", "constant-tokens")
    fill(folder / "tests/mistakes/test_layernorm_gain_halved.py", ('{"TODO"}', repr(set(checks))))
    tried = python(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/mistakes")
    assert tried.returncode == 0, tried.stdout


@pytest.mark.integration
def test_a_check_that_is_written_passes_and_fails_where_it_should(checkout: Checkout) -> None:
    folder = checkout.root
    assert python(folder, "-m", "autograder", "new", "check", "layer_norm", "zero-gain", "--lesson",
                  "layernorm").returncode == 0
    fill(folder / "autograder/lessons/layernorm/checks/layer_norm.py",
         ("TODO: the fact, as the student reads it", "Without a gain, y is the bias"), ('"0", needs', '"1/8", needs'),
         ('stay as they were"), "1/4"', 'stay as they were"), "1/8"'),      # what the new one is worth
         ("TODO: which case, and what only this check shows.", "All of gain is zero."),
         ('raise NotImplementedError("ask about a case of probes.py, and raise Wrong if the answer is wrong")',
          "right_output(ask, probes.ZERO_GAIN)"))
    fill(folder / "autograder/lessons/layernorm/probes.py",
         ("LARGE = ", 'ZERO_GAIN = replace(OTHER, params={**OTHER.params, "gain": np.zeros(6)})\nLARGE = '))
    fill(folder / "tests/checks/test_layernorm_layer_norm_zero_gain.py",
         ('("TODO", "TODO")', '("y = gain * x_hat + bias", "y = (1 + gain) * x_hat + bias")'))
    tried = python(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/checks")
    assert tried.returncode == 0, tried.stdout


def test_a_new_exercise_stands_after_the_others_in_every_edition(checkout: Checkout) -> None:
    made = new_exercise(checkout, "layernorm", "rms_norm", 3, "x, gain, eps")
    for edition in ("layernorm", "layernorm-en"):
        notebook = nbformat.reads(made.files[f"assignments/{edition}/layernorm.ipynb"], as_version=4)
        nbformat.validate(notebook)
        names = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells]
        assert names.index("example_N4") < names.index("rms_norm") < names.index("test_layer_norm")
        assert names[-1] == "test_rms_norm"


# --- what is refused ----------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("make", "arguments", "said"), [
    (new_check, ("layernorm", "layer_norm", "Zero"), "'Zero' cannot be the name of a check"),
    (new_check, ("layernorm", "layer_norm", "eps"), "already has a check 'eps'"),
    (new_check, ("layernorm", "layernorm", "x"), "layernorm has no exercise 'layernorm'; it has: layer_norm"),
    (new_check, ("multihead", "own_test", "x"), "graded by the implementations"),
    (new_mistake, ("layernorm", "layer_norm", "a b"), "cannot be the name of a mistake"),
    (new_mistake, ("layernorm", "layer_norm", "rms-norm"), "already has a mistake 'rms-norm'"),
    (new_exercise, ("layernorm", "Layer", 2, "x"), "cannot be the name of an exercise"),
    (new_exercise, ("layernorm", "class", 2, "x"), "cannot be the name of an exercise"),
    (new_exercise, ("layernorm", "layer_norm", 2, "x"), "already has an exercise 'layer_norm'"),
    (new_exercise, ("layernorm", "rms_norm", 2, "x y"), "cannot be the parameters of a function"),
    (new_exercise, ("layernorm", "rms_norm", 0, "x"), "cannot be worth 0 points"),
    (new_lesson, ("../escape", "rms_norm", 2, "x"), "cannot be the name of a lesson"),
    (new_lesson, ("layernorm", "rms_norm", 2, "x"), "there is already a lesson 'layernorm'"),
    (new_lesson, ("shared", "rms_norm", 2, "x"), "there is already a lesson 'shared'"),
])
def test_what_cannot_be_made_is_said_in_one_line(make, arguments: tuple, said: str) -> None:
    with pytest.raises(CannotMake, match="(?s).*") as refusal:
        make(Checkout(ROOT), *arguments)
    assert said in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(("make", "arguments", "path"), [
    (new_check, ("layernorm", "layer_norm", "zero-gain"), "tests/checks/test_layernorm_layer_norm_zero_gain.py"),
    (new_mistake, ("layernorm", "layer_norm", "slip"), "tests/mistakes/test_layernorm_slip.py"),
    (new_exercise, ("layernorm", "rms_norm", 2, "x"), "autograder/lessons/layernorm/checks/rms_norm.py"),
    (new_lesson, ("softmax", "stable", 2, "x"), "solutions/softmax.py"),
])
def test_nothing_is_overwritten(checkout: Checkout, make, arguments: tuple, path: str) -> None:
    target = checkout.root / path
    target.parent.mkdir(exist_ok=True)
    target.write_text("mine\n")
    before_that = contents(checkout.root)
    with pytest.raises(CannotMake, match=f"{path} already exists and was left unchanged"):
        make(checkout, *arguments)
    assert contents(checkout.root) == before_that


def test_only_a_checkout_that_runs_itself_is_written_into(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new", "check", "split_heads", "slip"]) == 2
    assert "is not a checkout of the autograder" in capsys.readouterr().err
    (tmp_path / "autograder" / "lessons").mkdir(parents=True)
    (tmp_path / "pyproject.toml").touch()
    assert run(["new", "check", "split_heads", "slip"]) == 2
    said = capsys.readouterr().err
    assert "run `python -m autograder`" in said
    assert said.count("\n") == 1


# --- editing ------------------------------------------------------------------------------------------------------

def test_a_name_is_added_on_the_last_line_or_on_a_new_one() -> None:
    assert appended("A = 1\nCHECKS = (a, b)\n", "CHECKS", "c") == "A = 1\nCHECKS = (a, b, c)\n"
    assert appended("CHECKS = (a,)\n", "CHECKS", "c") == "CHECKS = (a, c)\n"
    long = f"CHECKS = ({'a' * 100}, b)\n"
    assert appended(long, "CHECKS", "another_name") == f"{long[:-2]},\n          another_name)\n"


def test_code_stands_before_an_assignment_with_two_blank_lines() -> None:
    assert before("a = 1\n\nCHECKS = ()\n", "CHECKS", "b = 2\n") == "a = 1\n\n\nb = 2\n\n\nCHECKS = ()\n"


def test_an_import_stays_sorted_and_within_the_line() -> None:
    assert importing("from m import b\n", "m", "a") == "from m import a, b\n"
    names = [f"a_very_long_name_{number}" for number in range(8)]
    wide = importing(f"from m import {', '.join(names[:5])}\n", "m", "zz" * 20)
    assert wide.splitlines()[0] == "from m import ("
    assert max(map(len, wide.splitlines())) <= 120


def test_a_mistake_joins_the_last_group() -> None:
    source, entry = "A = (\n    Mistake(1),\n)\n\nMISTAKES = (*A,)\n", "    Mistake(2),\n"
    assert with_mistake(source, entry) == source.replace("Mistake(1),\n", f"Mistake(1),\n{entry}")


def test_an_exercise_joins_the_tuple_of_its_lesson() -> None:
    assert with_argument("L = Lesson(\n    exercises=(\n        E(1),\n    ),\n)\n", "Lesson", "exercises",
                         "        E(2),") == "L = Lesson(\n    exercises=(\n        E(1),\n        E(2),\n    ),\n)\n"


@pytest.mark.parametrize("edit", [lambda: appended("a = 1\n", "CHECKS", "c"), lambda: with_mistake("a = 1\n", "b"),
                                  lambda: importing("a = 1\n", "m", "a"),
                                  lambda: with_argument("a = 1\n", "Lesson", "exercises", "b")])
def test_a_file_that_is_not_as_it_should_be_is_refused(edit) -> None:
    with pytest.raises(CannotMake, match="expected"):
        edit()


def test_a_function_that_is_a_parameter_is_not_called_from_the_lesson(tmp_path, monkeypatch):
    """An own test is handed the function that it tries: nothing takes its place."""
    monkeypatch.chdir(tmp_path)
    Path("solutions").mkdir()
    Path("lessons").mkdir()
    Path("nbgrader_config.py").touch()
    Path("solutions/sums.py").write_text("def double(x):\n    return 2 * x\n\n\ndef four(x):\n    return double(x)\n"
                                         "\n\ndef own_test(double):\n    assert double(1) == 2\n")
    made = new_lesson(Checkout(tmp_path, "lessons"), "sums", "", 2, "x").files["lessons/sums/lesson.py"]
    assert 'four.CHECKS, stand_ins=("double",), proxied=("double",))' in made
    assert 'Exercise("own_test", "test_own_test", 2, own_test.CHECKS)' in made
