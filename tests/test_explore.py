"""explore: a head with three cards as text, as tables and with buttons; a wrong function is shown, never a crash."""
import json
import sys
from importlib import import_module
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
from editions import LESSON, beside

from autograder.authoring.demo.notebooks import Assignment
from autograder.intake import read_bytes
from autograder.judge.engine import Limits
from autograder.lessons.kit.course_file import course_file

with beside("nl"):
    explore = import_module("explore")


def solution():
    namespace = {}
    with beside("nl"):
        exec(course_file("solutions/multihead.py").read_text(encoding="utf-8"), namespace)
    return namespace


RIGHT = solution()


def view(*args, **more):
    return explore.View(*args, **more)


# --- the numbers of the three cards ---------------------------------------------------------------------------------

@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("own", [(), (RIGHT["split_heads"], RIGHT["merge_heads"])])
@pytest.mark.parametrize(("heads", "head", "output"), [
    (2, 0, [0.860, 0.769, -0.488, 0.231]), (2, 1, [0.429, 0.429, 0.576, 0.576]),
    (1, 0, [0.913, 0.877, -0.703, 0.123, 0.457, 0.438, 0.666, 0.703]), (4, 0, [0.752, 0.752]), (8, 0, [0.845])])
def test_the_third_token_has_the_numbers_of_the_lesson(heads, head, output, own, causal):
    assert np.abs(view(2, heads, head, causal, *own).output - output).max() < 6e-4


def test_the_weights_are_those_of_the_lesson():
    assert np.abs(view(2, 2, 0, False).weights - [0.231, 0.140, 0.629]).max() < 6e-4


@pytest.mark.parametrize(("token", "heads", "head"), [(0, 4, 3), (1, 2, 1), (2, 8, 5), (1, 1, 0)])
@pytest.mark.parametrize("causal", [False, True])
def test_every_view_is_that_of_the_solution(token, heads, head, causal):
    mine, theirs = view(token, heads, head, causal), view(token, heads, head, causal, RIGHT["split_heads"],
                                                          RIGHT["merge_heads"])
    allowed = np.tril(np.ones((3, 3), dtype=bool)) if causal else np.ones((3, 3), dtype=bool)
    params = {name: np.eye(8) for name in ("wq", "wk", "wv", "wo")}
    y = RIGHT["multihead"](explore.X, params, heads, allowed)[0][0, token]
    for one in (mine, theirs):
        assert np.allclose(one.output, y[one.channels])
    assert theirs.problems == []
    assert theirs.landed == [token * 8 + channel for channel in theirs.channels]


def test_a_causal_mask_hides_what_comes_later():
    words = str(view(0, 2, 0, True))
    assert words.count("mag niet") == 2
    assert "token 0  1.000" in words


def test_the_scores_grow_with_the_heads_and_the_parameters_do_not():
    assert "1·2·3·3 = 18" in str(view(2, 2, 0, False))
    assert "1·8·3·3 = 72" in str(view(2, 8, 0, False))
    for heads in explore.HEADS:
        assert "4C² = 256" in str(view(2, heads, 0, False))


# --- a student's functions ----------------------------------------------------------------------------------------

def direct(x, heads):
    return x.reshape(x.shape[0], heads, x.shape[1], -1)


def strided(x, heads):
    return x.reshape(*x.shape[:2], -1, heads).transpose(0, 3, 1, 2)


def backwards(x, heads):
    return RIGHT["split_heads"](x, heads)[:, ::-1]


def test_a_direct_reshape_is_seen_to_mix_tokens():
    words = str(view(2, 2, 0, False, direct))
    assert "In rij 0 hoort token 0 te staan" in words
    assert "rij 1: token 0 kenmerk 4, token 0 kenmerk 5" in words


@pytest.mark.parametrize("split", [strided, backwards])
def test_a_head_with_other_features_is_seen(split):
    words = str(view(2, 2, 0, False, split))
    assert "Head 0 hoort kenmerken 0 tot en met 3 te krijgen. Hier niet" in words


def test_a_merge_that_puts_the_output_elsewhere_is_seen():
    def merge_heads(h):
        return h.reshape(h.shape[0], h.shape[2], -1)
    assert "op een andere plaats: token 1 kenmerk 0" in str(view(2, 2, 0, False, None, merge_heads))


def unwritten(x, heads):
    raise NotImplementedError


@pytest.mark.parametrize(("split", "words"), [
    (unwritten, "unwritten is nog niet geschreven"),
    (lambda x, heads: None, "geeft None terug"), (lambda x, heads: [1], "geeft een list terug, verwacht: een array"),
    (lambda x, heads: x, "geeft vorm (1, 3, 8), verwacht: (1, 2, 3, 4), dus (B, H, T, d)"),
    (lambda x, heads: np.zeros((1, heads, 3, 4)), "getallen terug die er niet in gingen"),
    (lambda x, heads: np.full((1, heads, 3, 4), np.nan), "getallen terug die er niet in gingen"),
    (lambda x, heads: np.full((1, heads, 3, 4), "a"), "getallen terug die er niet in gingen"),
    (lambda x, heads: np.full((1, heads, 3, 4), None), "getallen terug die er niet in gingen"),
    (lambda x: x, "stopt met TypeError"), (lambda x, heads: 1 / 0, "stopt met ZeroDivisionError: division by zero"),
    ("split_heads", "stopt met TypeError")])
def test_a_function_that_is_of_no_use_is_named_and_the_meant_way_shown(split, words):
    seen = str(view(2, 2, 0, False, split))
    assert words in seen
    assert "Hieronder zie je daarom hoe het hoort" in seen
    assert "[0.860, 0.769, -0.488, 0.231]" in seen


@pytest.mark.parametrize("merge", [unwritten, lambda h: None, lambda h: h, lambda h: np.zeros((1, 3, 8))])
def test_a_merge_that_is_of_no_use_is_named_too(merge):
    assert len(view(2, 2, 0, False, None, merge).problems) == 1


def test_a_function_that_changes_its_argument_is_named():
    def split_heads(x, heads):
        answer = RIGHT["split_heads"](x, heads).copy()
        x[:] = 0
        return answer
    assert "split_heads verandert de array die binnenkomt" in str(view(2, 2, 0, False, split_heads))


def test_no_solution_stands_in_it():
    source = course_file("assignments/multihead/explore.py").read_text(encoding="utf-8")
    for word in ("swapaxes", "transpose", "heads, C //", "einsum", "moveaxis"):
        assert word not in source


# --- how it is shown ----------------------------------------------------------------------------------------------

def test_outside_a_notebook_it_is_printed(capsys):
    with beside("nl"):
        explore.explore(direct, language="en")
    out = capsys.readouterr().out
    assert "Row 0 should hold token 0" in out
    assert "See more? Run this in a new cell:" in out


@pytest.mark.parametrize("language", ["nl", "en"])
def test_what_it_says_to_run_works_and_shows_the_same_functions(capsys, language):
    """The lines are run as they are printed, with no other names than those of the notebook."""
    with beside("nl"):
        explore.explore(direct, language=language)
        shown, lines = capsys.readouterr().out.split("from explore import look")
        exec("from explore import look" + lines, {"split_heads": direct})
    again = capsys.readouterr().out
    assert ("Row 0 should hold token 0" if language == "en" else "In rij 0 hoort token 0 te staan") in again
    assert ("Row 0 should" if language == "en" else "In rij 0") in shown


@pytest.mark.parametrize("missing", ["ipywidgets", "IPython"])
def test_it_needs_nothing_but_numpy(monkeypatch, capsys, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    if missing == "IPython":
        monkeypatch.delitem(sys.modules, missing)
    explore.explore()
    assert "[0.860, 0.769, -0.488, 0.231]" in capsys.readouterr().out


@pytest.fixture
def notebook(monkeypatch):
    """As in a notebook whose kernel has no ipywidgets."""
    ipython = pytest.importorskip("IPython")
    monkeypatch.setattr(ipython, "get_ipython", lambda: SimpleNamespace(kernel=True))
    monkeypatch.setitem(sys.modules, "ipywidgets", None)


def test_in_a_notebook_without_ipywidgets_there_are_tables_and_lines_to_run(monkeypatch, capsys, notebook):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda thing: shown.append(thing.data))
    explore.explore(direct, language="en")
    out = capsys.readouterr().out
    assert "See more? Run this in a new cell:" in out
    assert "Row 0 should" not in out                    # that stands in the tables, and nothing is shown twice
    with beside("nl"):
        exec(out[out.index("from explore"):], {"split_heads": direct})
    assert "Row 0 should hold token 0" in shown[0]


@pytest.mark.parametrize(("asked", "words"), [
    ({"token": 3}, "token is 3; kies uit 0, 1, 2"), ({"heads": 3}, "heads is 3; kies uit 1, 2, 4, 8"),
    ({"head": 2}, "head is 2; kies uit 0, 1"), ({"heads": 1, "head": 1}, "head is 1; kies uit 0"),
    ({"token": "a"}, "token is a")])
def test_what_there_is_not_to_see_is_said(capsys, asked, words):
    explore.look(**asked)
    assert words in capsys.readouterr().out


def test_both_languages_say_the_same_things():
    assert set(explore.WORDS["nl"]) == set(explore.WORDS["en"])


@pytest.mark.parametrize("heads", explore.HEADS)
@pytest.mark.parametrize("split", [None, direct, unwritten])
def test_every_view_can_be_shown_as_tables(heads, split):
    page = view(1, heads, heads - 1, True, split).html()
    ElementTree.fromstring(page)                        # whole, and with nothing that has to be escaped
    assert page.count("<table") == 3
    assert page.count("mag niet") == 1


def test_the_tables_say_each_thing_once_and_take_the_colours_of_the_page():
    seen = view(2, 2, 0, False)
    page = seen.html()
    for words in (seen.title, seen.sizes, "0.629", "0.860", "Uitkomst", "Gewichten van token 2 op de keys"):
        assert page.count(words) == 1
    assert "0 tot en met 3" not in page.split("merge_heads")[0]
    assert "color: white" not in page
    assert page.count("background: #") == page.count("color: #111") + 3       # but for the bars


# --- behind the wall ----------------------------------------------------------------------------------------------

def test_a_notebook_that_looks_into_heads_is_graded_like_any_other(engine_with):
    def grade(*cells):
        notebook = Assignment.of(LESSON).filled(LESSON.reference_source, own_test=None)
        new = [{"cell_type": "code", "metadata": {}, "source": cell, "outputs": [], "execution_count": None}
               for cell in cells]
        notebook["cells"][-5:-5] = new
        return engine_with(Limits()).grade(read_bytes("multihead.ipynb", json.dumps(notebook).encode(), LESSON))

    plain = grade()
    looking = grade("from explore import View, explore, look\nexplore(split_heads, merge_heads)\nlook(0, 4, 1, True)",
                    "import explore, selfcheck\nexplore.explore(split_heads)\nimport ipywidgets")
    assert [each.points for each in looking.exercises] == [each.points for each in plain.exercises]
    assert [cell.status for cell in looking.cells][-2:] == ["ok", "raised"]        # there are no widgets there
    assert plain.points == 20
