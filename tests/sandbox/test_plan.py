"""Cells that hang, crash or take long, and what that means for the next child."""
from __future__ import annotations

import pytest

from autograder.records import Call, Cell
from autograder.sandbox.plan import How
from autograder.sandbox.student import Allowance, Sandbox, ZygoteLost


def templates(student) -> list[str]:
    return [notice.template for notice in student.notices]


CELL_ENDS = {"timed_out": "while True: pass", "crashed": "import ctypes; ctypes.string_at(0)",
             "quit": "import os; os._exit(0)", "refused": "import os; os.write(3, b'garbage')"}


@pytest.mark.parametrize("status", CELL_ENDS)
def test_a_cell_that_ends_the_child_keeps_its_definitions(request, status):
    open_student = request.getfixturevalue("hurried" if status == "timed_out" else "student")
    one = open_student("a = 1", f"def f(): return a + b\nb = 2\n{CELL_ENDS[status]}\ndef g(): return 4", "c = 3")
    assert [report.status for report in one.reports] == ["ok", status, "ok"]
    assert one.answer(Call("f", ())).value == 3
    assert one.answer(Call("g", ())).value == 4
    assert templates(one) == ["Cell {cell} was started again for its definitions only: {reason}."]
    assert one.plan.cells == {1: How("definitions")}


def test_a_cell_whose_definitions_end_the_child_is_left_out(hurried):
    one = hurried("a = 1", "class Endless:\n    while True: pass", "def f(): return a")
    assert [report.status for report in one.reports] == ["ok", "timed_out", "ok"]
    assert one.answer(Call("f", ())).value == 1
    assert "left out" in templates(one)[-1]
    assert one.plan.cells == {1: How("left_out")}


def test_a_later_child_follows_the_plan(hurried):
    source = "import time\ndef f(): return 1\nx = 3\ny = time.sleep(0.35)\ntime.sleep(0.35)\nz = 4\n"
    first = hurried(source)
    assert first.reports[0].status == "timed_out"
    again = hurried(source, plan=first.plan)
    assert again.reports[0].status == "ok"
    assert again.answer(Call("f", ())).value == 1


def test_a_slow_cell_runs_for_its_definitions_only_in_later_children():
    source = "import time, os\ndef f(): return x, y\nx = 1\ny = None\ny = time.sleep(1.6)\nx += 1\n"
    with Sandbox(cell_seconds=5.0) as box:
        first = box.open([Cell(0, source)], modules={}, prelude="")
        assert first.answer(Call("f", ())).value == (2, None)
        assert first.plan.cells == {0: How("definitions", (4,), slow=True)}
        later = box.open([Cell(0, source)], modules={}, prelude="", plan=first.plan)
        assert later.answer(Call("f", ())).value == (1, None)
        assert "slow" in templates(later)[0]


def test_the_given_modules_win_over_the_students_files(student):
    one = student("import sys\nsys.path.insert(0, '/tmp')\nimport given\ndef f(x): return given.double(double(x))")
    assert one.answer(Call("f", (1,))).value == 4


def test_a_prelude_that_fails_is_our_fault(student):
    with pytest.raises(ZygoteLost, match="NameError"):
        student("", prelude="nothing")


def test_prints_of_100_mb_are_cut(student):
    one = student("for _ in range(1000):\n    print('x' * 100_000)\ndef f(): return 1")
    assert one.answer(Call("f", ())).value == 1
    assert len(one.reports[0].output) == 64 * 2**10
    assert one.reports[0].output.endswith("[...]")


def test_what_c_code_prints_is_swallowed(student):
    one = student("import os, ctypes\nos.write(1, b'loud')\nos.write(2, b'loud')\nprint('kept')")
    assert one.reports[0].output == "kept\n"


def test_when_the_time_of_a_submission_is_up_the_rest_is_not_tried():
    hang = "while True: pass"
    with (Sandbox() as box,
          box.open([Cell(i, hang) for i in range(50)], modules={}, prelude="", allowance=Allowance(1.5)) as one):
        outcome = one.answer(Call("f", ()))
    assert [report.status for report in one.reports] == ["timed_out"]
    assert outcome.status == "timed_out"
    assert any("time for one submission" in notice.template for notice in one.notices)


def test_the_line_at_which_a_cell_stopped_is_a_number_apart(student):
    one = student("a = 1\n\nraise KeyError('b')\ndef f(): return a")
    assert [(report.error, report.line) for report in one.reports] == [("KeyError: 'b'", 3)]
    assert one.notices[0].values["error"].values["line"] == 3
