"""practice: what the cells in which students try something say of what they fill in."""
from importlib import import_module

import numpy as np
import pytest
from editions import EDITIONS, beside, code_cells, solved

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
    fills = {"scores": "keys_w6 @ query_w6", "scaled": "scores_w6 / 2", "powers": "np.exp(scaled_w6)",
             "weights": "powers_w6 / powers_w6.sum()", "mix": "weights_w6 @ values_w6"}
    source = code_cells(EDITIONS[language])["met-de-hand"].source
    for name, fill in fills.items():
        assert f"{name}_w6 = ...  " in source
        source = source.replace(f"{name}_w6 = ...", f"{name}_w6 = {fill}")
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
