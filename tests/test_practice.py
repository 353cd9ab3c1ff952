"""practice: what the cells in which students try something say of what they fill in."""
from contextlib import contextmanager
from importlib import import_module

import numpy as np
import pytest
from editions import EDITIONS, LESSON, beside, code_cells, solved

RIGHT = {1: [1, 0, 3], 2: [0.5, 0, 1.5], 3: [1.65, 1, 4.48], 4: [0.23, 0.14, 0.63], 5: [0.86, 0.77, -0.49, 0.23]}
#: a step, what was filled in, and what the cell says of it
SLIPS = [
    (1, [1, 1, 1, 0], "Tel die vier getallen op"), (1, [0.5, 0, 1.5], "Dat is de volgende stap"),
    (1, 3, "schrijf 3 getallen, bijvoorbeeld [1, 2, 3]"), (1, "drie", "schrijf 3 getallen"),
    (1, None, "getallen"), (1, [1, 0, np.nan], "getal 2 is nan"), (1, [1, 0], "schrijf 3 getallen"),
    (2, [0.25, 0, 0.75], "Je deelt door d."), (2, [0.354, 0, 1.061], "Je deelt door √C"),
    (3, [2.718, 1, 20.09], "Neem die van de geschaalde scores"), (3, [1.65, 0, 4.48], "e⁰ = 1"),
    (4, [0.11, 0.04, 0.84], "zonder de schaling"), (4, [1.65, 1, 4.48], "getal 0 is 1.65"),
    (5, [0.667, 0.667, 0, 0.333], "gewone gemiddelde"), (5, [2, 2, 0, 1], "eigen gewicht"),
]


def said(language: str, capsys, *steps) -> str:
    """What by_hand prints of these steps: pairs (number, what was filled in)."""
    with beside(language):
        practice = import_module("practice")
        for number, mine in steps:
            practice.by_hand(number, mine)
    return capsys.readouterr().out


def test_the_calculation_by_hand_is_that_of_the_given_attention():
    with beside("nl"):
        practice = import_module("practice")
        tokens = np.array(practice.LEFT, dtype=float)
        mixed, cache = import_module("attention").attention(tokens, tokens, tokens, np.ones((3, 3), dtype=bool))
        np.testing.assert_allclose(practice.STEPS[3][1], cache["weights"][2])
        np.testing.assert_allclose(practice.STEPS[4][1], mixed[2])


@pytest.mark.parametrize("language", EDITIONS)
@pytest.mark.parametrize("form", [list, tuple, np.array])
def test_two_decimals_by_hand_are_right(language, form, capsys):
    lines = said(language, capsys, *((number, form(numbers)) for number, numbers in RIGHT.items())).splitlines()
    assert len(lines) == len(RIGHT)
    assert all(line.startswith("✓") for line in lines)


def test_an_open_step_is_only_named(capsys):
    assert said("nl", capsys, (1, ...)) == "○ Stap 1, de scores: nog leeg.\n"


@pytest.mark.parametrize(("number", "mine", "words"), SLIPS)
def test_a_slip_by_hand_is_told_in_words(number, mine, words, capsys):
    out = said("nl", capsys, (number, mine))
    assert out.startswith("✗")
    assert words in out


@pytest.mark.parametrize("language", EDITIONS)
def test_the_steps_in_numpy_are_right_in_the_notebook(language, capsys):
    """The blanks of the cell, filled in as a student would with NumPy."""
    fills = {"scores": "keys_cards @ query_cards", "scaled": "scores_cards / 2", "powers": "np.exp(scaled_cards)",
             "weights": "powers_cards / powers_cards.sum()", "mix": "weights_cards @ values_cards"}
    source = code_cells(EDITIONS[language])["met-de-hand"].source
    for name, fill in fills.items():
        assert f"{name}_cards = ...  " in source
        source = source.replace(f"{name}_cards = ...", f"{name}_cards = {fill}")
    with beside(language):
        exec(source, solved())
    assert capsys.readouterr().out.count("✓") == len(RIGHT)


# --- find the mistake ----------------------------------------------------------------------------------------------

#: for each cell the change after which its mistake shows, and a change after which it still does not
SHOWN = {"zoek-a": ("h_a = np.ones((1, 2, 3, 4))", "h_a = np.arange(24).reshape(1, 2, 3, 4)",
                    "h_a = np.arange(12).reshape(1, 1, 3, 4)"),
         "zoek-b": ("x_b = np.array([[[1, 2]]])",
                    "x_b = np.array([[[1, 2], [0, 1]]])\nallowed_b = np.ones((2, 2), dtype=bool)\n"
                    "params_b['wq'] = np.array([[1, 2], [0, 1]])", "x_b = np.array([[[3, 2]]])"),
         "zoek-c": ("dy_c = np.array([[[1, 1], [1, 1]]])", "x_c, dy_c = np.tile(x_c, (2, 1, 1)), np.ones((2, 2, 2))",
                    "dy_c = np.array([[[1, 3], [0, 1]]])")}


def played(language: str, cell: str, old: str, new: str, capsys, names: dict | None = None) -> str:
    """What this cell prints with a line changed; a change of more lines goes above the call."""
    source = code_cells(EDITIONS[language])[cell].source
    assert old in source
    source = source.replace(old, "") if "\n" in new else source.replace(old, new)
    head, call = source.rsplit("\n", 1)
    with beside(language):
        exec(f"{head}\n{new}\n{call}" if "\n" in new else source, solved() if names is None else names)
    return capsys.readouterr().out


@pytest.mark.parametrize("language", EDITIONS)
@pytest.mark.parametrize("cell", SHOWN)
def test_a_mistake_shows_with_the_right_input_only(language, cell, capsys):
    line, telling, silent = SHOWN[cell]
    assert played(language, cell, line, line, capsys).startswith("✗")
    assert played(language, cell, line, silent, capsys).startswith("✗")
    assert played(language, cell, line, telling, capsys).startswith("✓")


def test_an_input_that_the_own_function_refuses_is_named(capsys):
    out = played("nl", "zoek-a", SHOWN["zoek-a"][0], "h_a = np.ones((2, 3, 4))", capsys)
    assert out.startswith("✗ Je eigen merge_heads neemt deze invoer niet aan. Hij zegt ValueError:")


def test_the_cells_wait_for_the_own_functions(capsys):
    def merge_heads(h):
        raise NotImplementedError

    out = played("nl", "zoek-a", "h_a = ", "h_a = ", capsys, solved(merge_heads=merge_heads))
    assert out == "○ Dit wacht op je eigen functies: schrijf die eerst.\n"


# --- a score for own_test ------------------------------------------------------------------------------------------

@contextmanager
def practising(language: str, every_example_holds: bool = True):
    """The module, as after the examples of the four functions."""
    with beside(language):
        examples, practice = import_module("examples"), import_module("practice")
        if every_example_holds:
            examples._held.update({part: set(range(count)) for part, count in examples.PARTS.items()})
        yield practice


def scored(capsys, names: dict, language: str = "nl", **how) -> list[str]:
    with practising(language, **how) as practice:
        practice.score(names["own_test"], names["multihead"], names["multihead_backward"])
    return capsys.readouterr().out.splitlines()


def sample_test(body: str) -> dict:
    """Right functions with an own_test of this body."""
    names = solved()
    exec(f"def own_test(multihead, multihead_backward):\n{body}", names)
    return names


@pytest.mark.parametrize(("language", "caught"), [("nl", "12 van 12 gevangen"), ("en", "12 of 12 caught")])
def test_a_strong_test_catches_all_twelve(language, caught, capsys):
    assert scored(capsys, solved(), language) == [f"{'■' * 12} {caught}"]


def test_a_weak_test_is_told_which_groups_it_misses(capsys):
    lines = scored(capsys, sample_test(LESSON.sample_tests[0]))
    assert lines[0].endswith(" van 12 gevangen")
    assert "  Nog niet gevangen (2 van 2): een gemiddelde over batch of tijd waar een som hoort." in lines
    assert not lines[0].startswith("■" * 8)
    assert scored(capsys, sample_test("    pass"))[0] == f"{'□' * 12} 0 van 12 gevangen"
    assert len(scored(capsys, sample_test("    pass"))) == 7


def test_the_score_waits_until_the_own_functions_are_right(capsys):
    [line] = scored(capsys, solved(), every_example_holds=False)
    assert line.startswith("○ De score wacht op je eigen functies")


def test_a_slow_test_is_stopped_and_told_so(capsys, monkeypatch):
    with practising("nl") as practice:
        monkeypatch.setattr(practice, "SECONDS", 0.0)
        practice.score(lambda *functions: None, None, None)
    assert "je test is traag" in capsys.readouterr().out


def test_each_wrong_version_differs_from_the_right_one_and_from_every_other():
    names, rng = solved(), np.random.default_rng(3)
    x, dy = rng.normal(size=(2, 5, 6)), rng.integers(-3, 4, size=(2, 5, 6))
    params = {name: rng.integers(-2, 3, size=(6, 6)) for name in ("wq", "wk", "wv", "wo")}
    mask = np.tril(np.ones((5, 5), dtype=bool))
    mask[3, 1] = False
    right, seen = (names["multihead"], names["multihead_backward"]), []
    with practising("nl") as practice:
        for forward, backward in [right, *(wrong(*right) for wrong_ones in practice.WRONG.values()
                                           for wrong in wrong_ones)]:
            with np.errstate(all="ignore"):
                y, cache = forward(x, params, 3, mask)
                dx, grads = backward(cache, params, dy)
            seen.append(np.concatenate([np.ravel(part) for part in (y, dx, *grads.values())]))
    assert len(seen) == 13
    for place, one in enumerate(seen):
        assert not any(np.allclose(one, other) for other in seen[:place])
