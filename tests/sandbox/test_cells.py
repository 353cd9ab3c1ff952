"""A student's cells, statement by statement."""
from __future__ import annotations

from ast import PyCF_ALLOW_TOP_LEVEL_AWAIT

import pytest

from autograder.sandbox.inside.cells import Cells
from autograder.sandbox.inside.definitions import only_definitions
from autograder.sandbox.wire.messages import CUT, OUTPUT_CAP, Note, Run


def run(cells, source, mode="all", skip=(), cell=3):
    return cells.run(Run(7, cell, source, mode, list(skip)))


def test_a_cell_fills_the_namespace(cells):
    ran = run(cells, "import math\nx = math.pi\ndef f(): return x")
    assert (ran.nonce, ran.status, ran.error, ran.notes) == (7, "ok", "", [])
    assert cells.namespace["f"]() == 3.141592653589793


def test_definitions_after_a_failure_still_run_and_are_noted(cells):
    ran = run(cells, "import only_mine\nx = 1\nprint('not this')\ndef f(): return x\n")
    assert ran.status == "raised"
    assert ran.error == "ModuleNotFoundError: No module named 'only_mine' (line 1)"
    assert ran.notes == [Note("stopped", ran.error)]
    assert ran.output == ""
    assert cells.namespace["f"]() == 1


def test_a_failure_in_the_last_statement_needs_no_note(cells):
    ran = run(cells, "x = 1\n1 / 0")
    assert (ran.status, ran.error, ran.notes) == ("raised", "ZeroDivisionError: division by zero (line 2)", [])


@pytest.mark.parametrize("statement", ["raise SystemExit", "raise KeyboardInterrupt", "exit()", "raise BaseException"])
def test_nothing_that_a_cell_raises_gets_out(cells, statement):
    assert run(cells, f"{statement}\ndef f(): return 1").status == "raised"
    assert cells.namespace["f"]() == 1


def test_a_memory_error_has_its_own_word(cells):
    assert run(cells, "raise MemoryError").status == "out_of_memory"


def test_a_syntax_error_costs_its_own_piece_only(cells):
    ran = run(cells, "x = 1\ndef f(:\n    pass\nprint(x)\ndef g():\n    return '''\n2\n'''")
    assert (ran.status, ran.error) == ("raised", "SyntaxError: invalid syntax (line 2)")
    assert cells.namespace["g"]() == "\n2\n"
    assert "x" in cells.namespace
    assert "f" not in cells.namespace
    assert ran.output == ""
    assert run(cells, "x = 2").status == "ok"


@pytest.mark.parametrize("source", ["return 1", "(" * 1000, "x = 1\0", "-" * 100_000 + "1", "nonlocal x"])
def test_an_absurd_source_is_a_failure_like_another(cells, source):
    assert run(cells, source).status in ("raised", "out_of_memory")


def test_a_future_import_holds_for_later_cells(cells):
    run(cells, "from __future__ import annotations")
    assert run(cells, "def f(x: Nowhere): return x").status == "ok"


def test_our_own_future_imports_do_not_leak_into_a_cell(cells):
    assert run(cells, "def f(x: Nowhere): return x").status == "raised"


def test_await_outside_a_function_works(cells):
    assert run(cells, "import asyncio\nasync def g(): return 3\nx = await g()\ny = x + 1").status == "ok"
    assert cells.namespace["y"] == 4


def test_classes_and_tracebacks_know_where_they_come_from(cells):
    run(cells, "import inspect\nfrom dataclasses import dataclass\n@dataclass\nclass Cache:\n    x: int\n"
               "def f():\n    return Cache(1)\n")
    assert run(cells, "text = inspect.getsource(f)").status == "raised"           # this cell took the name of that one
    assert cells.namespace["f"]().x == 1
    assert cells.namespace["Cache"].__module__ == "__main__"
    run(cells, "def g():\n    return 5\n", cell=8)
    assert run(cells, "text = inspect.getsource(g)").status == "ok"
    assert cells.namespace["text"] == "def g():\n    return 5\n"


def test_prints_and_warnings_are_kept_in_order(cells):
    ran = run(cells, "import sys\nprint('a')\nprint('b', file=sys.stderr)\n"
                     "sys.stdout.buffer.write(b'c')\nprint('\\ud800')")
    assert ran.output == "a\nb\nc\\ud800\n"


def test_output_over_the_cap_is_cut_with_a_marker(cells):
    ran = run(cells, f"print('é' * {OUTPUT_CAP})")
    assert OUTPUT_CAP - 2 <= len(ran.output.encode()) <= OUTPUT_CAP
    assert ran.output.endswith(CUT)


def test_slow_statements_are_numbered_but_definitions_are_not(cells, monkeypatch):
    monkeypatch.setattr("autograder.sandbox.inside.cells.SLOW_STATEMENT", -1.0)
    assert run(cells, "import math\nx = 1\ndef f(): pass\nx + 1").slow == [1, 3]


def test_statements_to_skip_are_skipped(cells):
    run(cells, "x = 1\nx = 2\ny = x", skip=[1])
    assert cells.namespace["y"] == 1


DEFINITIONS = """
import math
try:
    import only_mine
except ImportError:
    only_mine = None
    print('not there')
if True:
    def g(): return 2
SCALE = np.sqrt(math.pi) * len([1, 2])
ones = np.ones((2, 3)).astype(int).tolist()
name = "{}".format(3)
class Model:
    def run(self): return 1
def f(): return 1
"""


def test_definitions_mode_runs_definitions_imports_and_plain_assignments(cells):
    assert run(cells, DEFINITIONS, "definitions").status == "ok"
    assert set(cells.namespace) >= {"math", "only_mine", "g", "SCALE", "ones", "name", "Model", "f"}


@pytest.mark.parametrize("statement", ["x = f()", "x = Model().run()", "x = [f() for _ in range(3)]", "print(1)", "f()",
                                       "for i in range(3): x = i", "x = model.run()", "while True: pass",
                                       "if True: x = f()", "if __name__ == '__main__': f()", "x = eval('f()')"])
def test_definitions_mode_leaves_out_what_may_hang(cells, statement):
    run(cells, DEFINITIONS)
    run(cells, "model = Model()")
    cells.namespace.pop("x", None)
    assert run(cells, f"{statement}\ndef later(): return 1", "definitions").output == ""
    assert "x" not in cells.namespace
    assert "later" in cells.namespace


# --- cells that are compiled at once ------------------------------------------------------------------------------

@pytest.mark.parametrize(("source", "looks_up"), [
    ("def f(x, y=1):\n    return x\nK = 3\ng = lambda: K", False), ("async def f(): await g()", False),
    ("import math\nfrom math import pi as p\ndef f(x: math.e = p): pass", True), ("from math import pi\nx = pi", True),
    ("from __future__ import annotations\ndef f(x: nothing): pass", True)])
def test_what_only_defines_something_is_compiled_at_once(source, looks_up):
    assert only_definitions(source, "cell 1", 0, looks_up=True) is not None
    assert (only_definitions(source, "cell 1", 0, looks_up=False) is None) == looks_up


@pytest.mark.parametrize("source", [
    "f()", "x = f()", "def f(x=g()): pass", "@g\ndef f(): pass", "class A: pass", "x = y + 1", "x = f'{y}'",
    "x: int = y", "x[0] = 1", "x.y = 1", "del x", "for i in x: pass", "while x: pass", "if x: pass",
    "try:\n    pass\nexcept y: pass",
    "assert x", "raise x", "with x: pass", "[y for y in x]", "x, y = z", "from math import *", "global x\nx = 1",
    "await g()", "return", "def f(:", "'''text'''\nx = 1", "x = '\\d'", "x = 1 is 2", f"x = '{'y' * 2**16}'"])
def test_what_may_fail_or_take_long_runs_statement_by_statement(source):
    assert only_definitions(source, "cell 1", PyCF_ALLOW_TOP_LEVEL_AWAIT, looks_up=True) is None


def test_a_cell_of_imports_that_fails_goes_on_with_its_definitions(cells):
    ran = run(cells, "import math\nimport only_mine\ndef f(): return math.pi\nfrom only_mine import g\nx = math.e")
    assert (ran.status, ran.error) == ("raised", "ModuleNotFoundError: No module named 'only_mine' (line 2)")
    assert ran.notes == [Note("stopped", ran.error)]
    assert (cells.namespace["f"]() < 4, cells.namespace["x"] < 3) == (True, True)


def test_lazy_annotations_of_a_cell_hold_for_later_ones(cells):
    assert run(cells, "from __future__ import annotations\ndef f(x: nothing): pass").status == "ok"
    assert run(cells, "def g(x: nothing): pass", cell=4).status == "ok"


def test_a_source_warns_once(cells):
    with pytest.warns(SyntaxWarning) as warned:
        run(cells, "def f(): return 1 is 2")
    assert len(warned) == 1


def test_a_stand_in_is_there_for_what_the_same_cell_binds_to_it(cells):
    bound = {}
    cells = Cells(bound, lambda: bound.update(f="stand-in"))
    cells.run(Run(7, 0, "def f(): pass\ndef h(): pass\ng = f", replace=["f"]))
    assert (bound["f"], bound["g"]) == ("stand-in", "stand-in")
