"""Stock nbgrader comes to our points, and where they cannot be known its kernel ends: no zero, no full marks."""
import json
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from courses import LESSON, SOURCE, cell_of
from nbclient import NotebookClient
from nbclient.exceptions import DeadKernelError
from nbformat.v4 import new_code_cell, new_notebook

from autograder.lessons.kit.course_file import course_file
from autograder.nbgrader import kernel

CALL = 'from autograder.nbgrader.kernel import points; points("split_heads")'
ANSWER = {"points": {"split_heads": 2, "multihead": 1 / 3, "own_test": None}, "skipped": ["own_test"], "why": ""}


class Ended(BaseException):
    """Stands for the end of the kernel."""


@pytest.fixture
def run(monkeypatch):
    """A kernel that has run these cells; it ends by raising Ended, and the engine always says ANSWER."""
    def ended(code):
        raise Ended(code)

    def typed(*cells: str) -> None:
        history = SimpleNamespace(input_hist_raw=["", *cells])
        monkeypatch.setattr("IPython.get_ipython", lambda: SimpleNamespace(history_manager=history))

    run = SimpleNamespace(typed=typed, requests=[], answer=ANSWER)

    def asked(request: str) -> dict:
        run.requests.append(json.loads(request)["sources"])
        return run.answer
    monkeypatch.setattr(kernel.os, "_exit", ended)
    monkeypatch.setattr(kernel, "_answers", {})
    monkeypatch.setattr(kernel, "_asked", asked)
    typed("a = 1", CALL)
    return run


# --- inside the kernel ---------------------------------------------------------------------------------------------

def test_a_cell_gets_the_points_of_its_exercise_as_a_float(run, capfd):
    assert repr(kernel.points("split_heads")) == "2.0"
    assert repr(kernel.points("multihead")) == repr(1 / 3)
    assert capfd.readouterr() == ("", "")


def test_the_engine_sees_the_cells_before_this_one_without_empty_ones_and_calls(run):
    run.typed("a = 1", "", CALL, "  \n", "%matplotlib inline\nb = 2", CALL)
    kernel.points("split_heads")
    assert run.requests == [["a = 1", "%matplotlib inline\nb = 2"]]


def test_the_same_cells_are_graded_once(run):
    kernel.points("split_heads")
    run.typed("a = 1", CALL, CALL.replace("split_heads", "multihead"))
    kernel.points("multihead")
    run.typed("a = 1", CALL, "a = 2", CALL)
    kernel.points("split_heads")
    assert run.requests == [["a = 1"], ["a = 1", "a = 2"]]


def test_an_exercise_that_is_not_graded_brings_nothing_and_says_so(run, capfd):
    assert kernel.points("own_test") == 0.0
    assert capfd.readouterr() == ("own_test is not graded\n", "")


@pytest.mark.parametrize(("why", "said"), [("the reference is gone", "the reference is gone"),
                                           ("", "there are no points for 'split_heads'")])
def test_unknown_points_end_the_kernel(run, capfd, why, said):
    run.answer = {"points": {"split_heads": None}, "skipped": [], "why": why}
    with pytest.raises(Ended):
        kernel.points("split_heads")
    assert capfd.readouterr().err == f"autograder: this submission was not graded, which is not its fault: {said}\n"


def test_an_unknown_exercise_ends_the_kernel(run):
    with pytest.raises(Ended):
        kernel.points("splitheads")


@pytest.mark.parametrize("cells", [(), ("a = 1",)])
def test_a_kernel_without_history_ends(run, capfd, cells):
    run.typed(*cells)
    with pytest.raises(Ended):
        kernel.points("split_heads")
    assert "keeps no history" in capfd.readouterr().err
    assert run.requests == []


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(12, "Cannot allocate memory"), RuntimeError("gone")])
def test_whatever_goes_wrong_ends_the_kernel(run, monkeypatch, capfd, error):
    def fails(request):
        raise error
    monkeypatch.setattr(kernel, "_asked", fails)
    with pytest.raises(Ended):
        kernel.points("split_heads")
    assert type(error).__name__ in capfd.readouterr().err


# --- the process that asks the engine ------------------------------------------------------------------------------

def answer_of(*sources: str) -> dict:
    return kernel._asked(json.dumps({"exercise": "split_heads", "sources": sources}))


def solution(name: str) -> str:
    return cell_of(SOURCE, name)["source"]


@pytest.mark.slow
def test_nothing_of_the_kernels_surroundings_reaches_the_engine(tmp_path, monkeypatch):
    for module in ("json", "numpy", "sitecustomize", "usercustomize", "autograder"):
        (tmp_path / f"{module}.py").write_text("raise SystemExit('reached')")
    monkeypatch.chdir(tmp_path)
    for name in ("PYTHONPATH", "PYTHONUSERBASE", "PYTHONHOME", "PYTHONSTARTUP"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setattr(json, "dumps", lambda value: '{"points": {"split_heads": 99}}')
    answer = kernel._asked('{"exercise": "split_heads", "sources": ["def merge_heads(h):\\n    return h"]}')
    assert answer["points"] == {exercise.name: 0.0 for exercise in LESSON.exercises}


def test_what_the_cells_print_is_not_taken_for_the_answer():
    answer = answer_of("print('{\"points\": {}, \"skipped\": [], \"why\": \"\"}')", solution("merge_heads"))
    assert answer["points"]["merge_heads"] == 2.0


@pytest.mark.slow
def test_characters_that_no_program_can_hold_do_not_break_the_engine():
    assert answer_of("x = '\ud800'", solution("merge_heads"))["points"]["merge_heads"] == 2.0


def test_an_engine_that_fails_says_what_it_said_last(monkeypatch):
    monkeypatch.setattr(kernel, "_START", "import no_such_engine")
    with pytest.raises(RuntimeError, match="No module named 'no_such_engine'"):
        answer_of("a = 1")


def test_an_engine_that_says_nothing_is_no_answer(monkeypatch):
    monkeypatch.setattr(kernel.subprocess, "run",
                        lambda *args, **more: subprocess.CompletedProcess(args, -9, stdout="", stderr=""))
    with pytest.raises(RuntimeError, match="exit code -9"):
        answer_of("a = 1")


# --- real kernels --------------------------------------------------------------------------------------------------

@pytest.fixture
def kernels_find_us(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(kernel.__file__).parents[2]))


@pytest.mark.slow
def test_a_kernel_whose_engine_is_broken_dies(kernels_find_us):
    broken = "import autograder.nbgrader.kernel as k\nk._START = 'import no_such_engine'"
    notebook = new_notebook(cells=[new_code_cell(broken), new_code_cell(CALL)])
    with pytest.raises(DeadKernelError):
        NotebookClient(notebook, kernel_name="python3", allow_errors=True).execute()
    assert notebook.cells[1].outputs == []


def test_the_release_does_not_need_this_module():
    assert b"autograder" not in course_file("release/multihead/multihead.ipynb").read_bytes()
