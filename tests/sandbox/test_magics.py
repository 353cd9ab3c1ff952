"""IPython's own syntax in a cell."""
from __future__ import annotations

import sys

import pytest

from autograder.sandbox.inside import magics
from autograder.sandbox.wire.messages import Run


def run(cells, source, mode="all", skip=(), cell=3):
    return cells.run(Run(7, cell, source, mode, list(skip)))


@pytest.mark.parametrize(("source", "left_out"), [
    ("%matplotlib inline\n", []),
    ("%load_ext autoreload\n%autoreload 2\n", []),
    ("!pip install torch\n", ["!pip install torch"]),
    ("%pip install torch\n", ["%pip"]),
    ("files = !ls\n", ["!ls"]),
    ("np.zeros?\n", []),
    ("%run other.ipynb\n", ["%run"]),
    ("if True:\n    %matplotlib inline\n", []),
    ("get_ipython().magic('pylab')\n", ["%pylab"]),
    ("%%time\n", []), ("%%timeit -n 3\n", []), ("%%capture out\n", []), ("\n# first\n%%time\n", []),
    ("%%capture\n%%time\n", [])])
def test_magics_never_cost_a_cell_its_definitions(cells, source, left_out):
    ran = run(cells, source + "def f(): return 1\n")
    assert (ran.status, ran.error) == ("ok", "")
    assert [note.detail for note in ran.notes] == left_out
    assert cells.namespace["f"]() == 1


def test_what_matplotlib_asks_of_a_shell_is_there(cells):
    ran = run(cells, "import sys\nshell = sys.modules['IPython'].get_ipython()\n"
              "shell.events.register('post_execute', print)\nshell.enable_gui('agg')\n"
              "newer = sys.modules['IPython'].version_info[:2] >= (8, 24)")
    assert (ran.status, ran.error, cells.namespace["newer"]) == ("ok", "", True)


def test_a_timed_statement_runs(cells):
    run(cells, "def f(n):\n    global ran\n    ran = n\n    return n\nx = %time f(3)\n")
    assert (cells.namespace["x"], cells.namespace["ran"]) == (3, 3)
    run(cells, "%timeit -n 10 -r3 f(4)")
    assert cells.namespace["ran"] == 4
    run(cells, "%time y = f(5)")
    assert cells.namespace["y"] == 5


@pytest.mark.parametrize("name", ["bash", "html", "writefile notes.txt", "javascript"])
def test_a_cell_in_another_language_is_left_out(cells, name):
    ran = run(cells, f"%%{name}\nthis is not Python {{\n")
    assert (ran.status, [note.detail for note in ran.notes]) == ("ok", [f"%%{name.split()[0]}"])


def test_the_lines_of_a_cell_keep_their_numbers_under_a_magic(cells):
    assert run(cells, "%%time\n\n1 / 0").error.endswith("(line 3)")


def test_a_percent_sign_is_no_magic(cells, monkeypatch):
    monkeypatch.setattr(magics, "_transformer", lambda: pytest.fail("IPython is not needed here"))
    assert run(cells, "x = 7 %3\ny = '%s?' % x != 3\n").status == "ok"


def test_without_ipython_a_magic_is_a_syntax_error(cells, monkeypatch):
    monkeypatch.setattr(magics.importlib.util, "find_spec", lambda name: None)
    assert run(cells, "%matplotlib inline").error.startswith("SyntaxError")


def test_the_transformer_comes_without_the_rest_of_ipython():
    before = {name for name in sys.modules if name.partition(".")[0] == "IPython"}
    assert magics.as_python("%time 1\n") == "get_ipython().run_line_magic('time', '1')\n"
    assert {name for name in sys.modules if name.partition(".")[0] == "IPython"} == before


def test_display_prints(cells):
    assert run(cells, "display(1, 'two')").output == "1\n'two'\n"
