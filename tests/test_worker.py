"""What happens inside the student's process: cells, magics, calls, the plain view, and what a call changed."""
from __future__ import annotations

import builtins
import collections
import sys
import types

import numpy as np
import pytest

from autograder.sandbox import magics
from autograder.sandbox.calling import fresh, perform, proxy
from autograder.sandbox.cells import CUT, OUTPUT_CAP, Cells
from autograder.sandbox.effects import changed_places, copies, places, shared_places
from autograder.sandbox.messages import CallBackAnswer, Note, Run, encode
from autograder.sandbox.plain import MAX_ITEMS, plain
from autograder.sandbox.wire import Unplain, WireError

X = np.arange(6.0).reshape(2, 3)


@pytest.fixture
def cells(monkeypatch):
    for name in ("get_ipython", "display"):
        monkeypatch.setattr(builtins, name, None, raising=False)
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    monkeypatch.setattr(sys, "stderr", sys.stderr)
    main = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", main)
    main.np = np
    return Cells(vars(main))


def run(cells, source, mode="all", skip=(), cell=3):
    return cells.run(Run(7, cell, source, mode, list(skip)))


# --- cells --------------------------------------------------------------------------------------------------------

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


def test_a_syntax_error_costs_its_own_cell_only(cells):
    ran = run(cells, "x = 1\ndef f(:\n    pass")
    assert (ran.status, ran.error) == ("raised", "SyntaxError: invalid syntax (line 2)")
    assert "x" not in cells.namespace
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
    assert len(ran.output.encode()) <= OUTPUT_CAP + len(CUT) + 3
    assert ran.output.endswith(CUT)


def test_slow_statements_are_numbered_but_definitions_are_not(cells, monkeypatch):
    monkeypatch.setattr("autograder.sandbox.cells.SLOW_STATEMENT", -1.0)
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


# --- magics -------------------------------------------------------------------------------------------------------

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


# --- calls --------------------------------------------------------------------------------------------------------

def nothing_special(value):
    pytest.fail(f"{value!r} is plain")


def call(function, *args):
    return perform({"f": function}, "f", args, nothing_special)[1]


def test_fresh_arguments_are_writeable_contiguous_and_disconnected():
    frozen = np.asfortranarray(X)
    frozen.flags.writeable = False
    copy = fresh({"x": (frozen, 1)}, nothing_special)["x"][0]
    assert copy.flags.writeable
    assert copy.flags.c_contiguous
    assert not np.may_share_memory(copy, frozen)


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit, BaseException, RecursionError])
def test_every_exception_is_an_answer(error):
    def f():
        raise error("no")
    answer = call(f)
    assert (answer.status, answer.error, answer.message) == ("raised", error.__name__, "no")


def test_the_judges_own_process_lets_ctrl_c_through():
    def f():
        raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        perform({"f": f}, "f", (), nothing_special, caught=Exception)


def test_a_lone_surrogate_in_a_message_travels():
    def f():
        raise ValueError("\ud800")
    assert encode(call(f))


def test_an_exception_that_pretends_to_be_built_in_is_not_one():
    class ValueError(Exception):        # noqa: A001
        pass

    def f():
        raise ValueError
    assert call(f).kinds == ["Exception", "BaseException"]


# --- the plain view -----------------------------------------------------------------------------------------------

Point = collections.namedtuple("Point", "x y")


class Loud(float):
    def __float__(self):
        raise AssertionError


@pytest.mark.parametrize(("value", "expected"), [
    ([1, [2.5, "a"]], (1, (2.5, "a"))), (Point(1, 2), (1, 2)), (True, True), (None, None), (Loud(2), 2.0),
    (collections.OrderedDict(a=1), {"a": 1}), (collections.ChainMap({"a": 1}), {"a": 1}),
    ({"h": np.int8(3), "b": np.bool_(True), "n": (np.int64(2),)}, {"h": 3, "b": True, "n": (2,)}),
    ({1: 2}, Unplain("dict")), ({1, 2}, Unplain("set")), (2**64, Unplain("int")), (1j, Unplain("complex")),
    (b"x", Unplain("bytes")), (np.array([None]), Unplain("ndarray of object")), (range(3), Unplain("range")),
    (np.zeros((1,) * 9), Unplain("ndarray with 9 axes")),
    (np.datetime64("2026-01-01"), Unplain("ndarray of datetime64[D]")),
    ((x for x in ()), Unplain("generator")), ("\ud800", "?"), (np.str_("a"), "a")])
def test_the_plain_view(value, expected):
    seen = plain(value)
    assert (seen, type(seen)) == (expected, type(expected))


@pytest.mark.parametrize("array", [np.float32(2), np.int64(3), np.ma.masked_array(X), X.view(np.recarray), X.T,
                                   X.astype(">f8"), X.astype(np.longdouble)])
def test_arrays_of_any_kind_are_shown_as_exact_arrays(array):
    seen = plain(array)
    assert type(seen) is np.ndarray
    assert np.array_equal(seen, np.asarray(array))
    assert encode(call(lambda: array))


def test_a_lying_class_gains_nothing():
    class Liar:
        __class__ = np.ndarray
    assert plain(Liar()) == Unplain("ndarray of object")


def test_a_cycle_ends_and_leaves_the_rest_visible():
    cache = {"x": 1}
    cache["self"] = cache["again"] = cache
    y, seen = plain((X, cache))
    assert np.array_equal(y, X)
    assert seen["x"] == 1


def test_a_crowd_is_unplain_and_leaves_the_rest_visible():
    y, crowd, last = plain((X, list(range(MAX_ITEMS)), [1]))
    assert np.array_equal(y, X)
    assert (crowd, last) == (Unplain("list"), (1,))


def test_a_mapping_that_fails_is_unplain():
    class Broken(collections.UserDict):
        def items(self):
            raise ValueError
    assert call(lambda: Broken(a=1)).value == Unplain("Broken")


# --- changes and shared memory ------------------------------------------------------------------------------------

def changes(value, change):
    before = copies(places([value]))
    change(value)
    return changed_places(before, places([value]))


@pytest.mark.parametrize(("value", "change", "paths"), [
    (X.copy(), lambda x: x.fill(1), ["0"]),
    (X.copy(), lambda x: None, []),
    (np.array([0.0]), lambda x: x.__setitem__(0, -0.0), ["0"]),
    (np.array([np.nan]), lambda x: None, []),
    ({"n": float("nan")}, lambda d: None, []),
    ({"a": X.copy()}, lambda d: d.update(a=d["a"].copy()), []),
    ({"a": X.copy()}, lambda d: d.update(a=d["a"].astype(np.float32)), ["0.a"]),
    ({"a": X.copy()}, lambda d: d.update(a=None), ["0.a"]),
    ({"a": 1}, lambda d: d.update(a=True), ["0.a"]),
    ({"a": object()}, lambda d: d.update(a=object()), []),
    ({"a": object()}, lambda d: d.update(a=1), ["0.a"]),
    ({"a": None}, lambda d: d.update(a=1), ["0.a"]),
    ({"a": {"b": [X.copy(), 1]}}, lambda d: d["a"]["b"].__setitem__(0, 3), ["0.a.b.0"]),
    ({"a": {"b": 1, "c": 2}}, lambda d: d.pop("a"), ["0.a.b", "0.a.c"]),
    ({}, lambda d: d.update({3: 1}), ["0.3"])])
def test_changes_are_found(value, change, paths):
    assert changes(value, change) == paths


def test_a_value_that_holds_itself_can_be_compared():
    knot = {"x": X.copy()}
    knot["a"] = knot["b"] = knot
    assert changes(knot, lambda d: d["x"].fill(7)) == ["0.x"]


def test_views_of_an_argument_are_found():
    assert shared_places((X[0], {"x": X.T, "y": X.copy()}), places([{"a": X}, 3])) == ["0~0.a", "1.x~0.a"]
    assert shared_places(X, places([X])) == ["~0"]
    assert shared_places([X[0]], places([X[1:]])) == []


@pytest.mark.parametrize("view", [
    lambda x: np.frombuffer(x.data), lambda x: np.lib.stride_tricks.as_strided(x, (2,)), lambda x: x.view(np.recarray),
    lambda x: np.asarray(memoryview(x))[0], lambda x: np.broadcast_to(x, (4, 2, 3)), lambda x: x[:, None].T[1:]])
def test_a_view_taken_in_any_way_is_found(view):
    x = X.copy()
    assert shared_places(view(x), places([x])) == ["~0"]
    assert shared_places(view(x.copy()), places([x])) == []


# --- functions of the judge's -------------------------------------------------------------------------------------

def recording(calls, answer=None):
    def ask(name, args):
        calls.append((name, args))
        return answer or CallBackAnswer(0, "answered", None)
    return ask


def test_keyword_arguments_find_their_place_by_the_students_signature():
    calls = []

    def own(x, params, heads, allowed=None):
        pass
    proxy("f", recording(calls), own)(1, heads=3, params=2)
    proxy("f", recording(calls), own)(1, allowed=4, heads=3, params=2)
    proxy("f", recording(calls))(1, b=2, c=3)
    assert [args for _, args in calls] == [[1, 2, 3], [1, 2, 3, 4], [1, 2, 3]]


def test_a_wrong_keyword_is_a_type_error():
    with pytest.raises(TypeError):
        proxy("f", recording([]), lambda x: x)(y=1)


def test_numpy_numbers_travel_as_numbers():
    calls = []
    proxy("f", recording(calls))(np.int64(3), np.float64(0.5), np.bool_(True), X)
    assert [type(arg) for arg in calls[0][1]] == [int, float, bool, np.ndarray]


def test_what_is_not_plain_is_a_type_error_with_its_name():
    with pytest.raises(TypeError, match="set"):
        proxy("f", recording([]))({"a": [{1}]})


def test_a_worker_that_cannot_say_it_says_refused():
    with pytest.raises(WireError):
        encode(call(lambda: np.zeros(2**23)))


def test_objects_that_lie_about_what_they_are_do_no_harm():
    class Liar:
        __class__ = np.ndarray

    class Trap(dict):
        def __len__(self):
            raise ValueError

    def put_in(params):
        params["liar"] = Liar()
        params["trap"] = Trap(a=1)
        return [Liar(), Trap(b=2)]
    answer = call(put_in, {"w": X})
    assert (answer.status, answer.changed, answer.shares) == ("answered", ["0.w"], [])
    assert encode(answer)
