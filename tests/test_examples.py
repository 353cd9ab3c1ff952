"""The visible examples: they refuse in words, by axis, and never with a bare assert or an error of someone else's."""
import contextlib
from functools import cache
from types import CodeType

import numpy as np
import pytest
from editions import LESSON, RELEASES, beside, code_cells, overwritten, read, solved

EXAMPLES = [name for name in code_cells(RELEASES["nl"]) if name.startswith("example_")]


@cache
def example_code(language: str, example: str) -> CodeType:
    """What stands in the cell, compiled under its name."""
    return compile(code_cells(RELEASES[language])[example].source, example, "exec")


def said(names: dict, language: str, example: str) -> str:
    """What the example says of these functions; "" where it has nothing to say."""
    with beside(language):
        try:
            exec(example_code(language, example), names)
        except AssertionError as error:
            return str(error) or "an assert without words"
    return ""


SPLIT = "B, T, C = x.shape\n    return x.reshape(B, T, heads, C // heads)"
#: what the student wrote -> (the example, what it says of it) in Dutch
SLIPS = {
    "def split_heads(x, heads): x.reshape(1, 2, 2, 2)": ("example_W1_split", [
        "split_heads geeft None terug, dus niets", "Staat er een return onderaan"]),
    "def split_heads(x, heads): return x": ("example_W1_split", [
        "split_heads(x, 2) heeft vorm (1, 2, 4), verwacht: (1, 2, 2, 2), dus (B, H, T, d)",
        "Dat zijn 3 assen in plaats van 4"]),
    f"def split_heads(x, heads):\n    {SPLIT}": ("example_W1_split", [
        "head 0 is [[0, 1], [2, 3]], verwacht: [[0, 1], [4, 5]]", "op tijdstap 1, kenmerk 0: 2 in plaats van 4",
        "vergeet tijd en heads om te wisselen"]),
    f"def split_heads(x, heads):\n    {SPLIT.replace('B, T, heads', 'B, heads, T')}": ("example_W1_split", [
        "In deze head staat één heel token", "rechtstreeks naar (B, H, T, d) reshapet"]),
    f"def split_heads(x, heads):\n    {SPLIT}.transpose(0, 2, 3, 1)": ("example_W1_split", [
        "Tijd en kenmerken staan verwisseld"]),
    "def split_heads(x, heads): return reference_split_heads(x, heads).swapaxes(0, 2) if len(x) > 1 "
    "else reference_split_heads(x, heads)": ("example_W1_split", [
        "heeft vorm (5, 3, 2, 4), verwacht: (2, 3, 5, 4)",
        "maar ze staan op de verkeerde assen. Welke as hoort vooraan te komen?"]),
    f"def split_heads(x, heads):\n    {SPLIT}.transpose(1, 2)": ("example_W1_split", [
        "split_heads stopt met ValueError: axes don't match array", "op regel 3 van de cel"]),
    "def split_heads(x, heads): return reference_split_heads(x, heads).tolist()": ("example_W1_split", [
        "split_heads(x, 2) is een lijst, verwacht: een NumPy-array met vorm (1, 2, 2, 2)"]),
    "def split_heads(x, heads): return reference_split_heads(x, heads)[:, ::-1]": ("example_W1_split", [
        "Begint head 0 bij kenmerk 0?"]),
    "def split_heads(x, heads): return reference_split_heads(x, int(heads))": ("example_refusals_split", [
        "heads = 2.0, geeft een array terug", "raise of assert, niet met return",
        "want 2.0 is geen geheel getal maar een float"]),
    "def split_heads(x, heads): return 1 / heads if heads == 0 else reference_split_heads(x, heads)": (
        "example_refusals_split", ["heads = 0, stopt met ZeroDivisionError: division by zero",
                                   "in split_heads, op regel 1", "want nul heads bestaan niet"]),
    "def merge_heads(h): return h.reshape(1, 2, 4)": ("example_W1_merge", [
        "is [[[0, 1, 4, 5], [2, 3, 6, 7]]], verwacht: [[[0, 1, 2, 3], [4, 5, 6, 7]]]",
        "op reeks 0, tijdstap 0, kenmerk 2: 4 in plaats van 2", "In elke rij staat nu één head"]),
    "def merge_heads(h): return h.mean(axis=1)": ("example_W1_merge", [
        "heeft vorm (1, 2, 2), verwacht: (1, 2, 4), dus (B, T, C)", "as C heeft lengte 2 in plaats van 4"]),
    "def merge_heads(h): return h": ("example_refusals_merge", ["want h heeft geen vier assen"]),
    "def multihead(x, params, heads, allowed): return x @ wq": ("example_W2", [
        "multihead stopt met NameError: name 'wq' is not defined", "op regel 1 van de cel"]),
    "def merge_heads(h): return reference_merge_heads(h).squeeze(0)[0]": ("example_W1_merge", [
        "heeft vorm (4,), verwacht: (1, 2, 4)", "Dat is 1 as in plaats van 3"]),
    f"def split_heads(x, heads):\n    {SPLIT}.transpose(0, 1, 3, 2)": ("example_W1_merge", [
        "split_heads(x, 3) heeft vorm (1, 4, 2, 3), verwacht: (1, 3, 4, 2), dus (B, H, T, d)",
        "Welke as hoort meteen na B te komen?"]),
    "def split_heads(x, heads):\n    x.shape = (len(x), -1, heads, x.shape[2] // heads)\n"
    "    return x.swapaxes(1, 2)": ("example_W1_split", [
        "split_heads verandert een argument: x had vorm (1, 2, 4) en heeft nu vorm (1, 2, 2, 2)"]),
    "def multihead(x, params, heads, allowed):\n    x += 1\n"
    "    return reference_multihead(x, params, heads, allowed)": ("example_W2", [
        "multihead verandert een argument: in x staan nu andere getallen"]),
    "def multihead(x, params, heads, allowed):\n    wq = params.pop('wq')\n"
    "    return reference_multihead(x, {'wq': wq, **params}, heads, allowed)": (
        "example_W2", ["multihead verandert een argument: params is wq kwijt"]),
    "def multihead_backward(cache, params, dy):\n    cache['joined'] *= 2\n"
    "    return reference_multihead_backward(cache, params, dy)": (
        "example_W3", ["multihead_backward verandert een argument: in cache['joined'] staan nu andere getallen"]),
    "def multihead(x, params, heads, allowed):\n    return reference_split_heads(x, heads) @ params['wq'], {}": (
        "example_W6", ["multihead stopt met ValueError: matmul", "Links van de @ heeft de laatste as lengte 4, "
                       "rechts ervan heeft de voorlaatste as lengte 8"]),
    "def split_heads(x, heads): reference_split_heads(x, heads)": ("example_W2", [
        "gekregen: een q met vorm (). Geeft de functie die q maakt wel een array terug?"]),
    "def multihead(*args): return reference_multihead(*args)[0]": ("example_W2", [
        "multihead geeft een array terug, verwacht: het paar (y, cache)"]),
    "def multihead(*args): return reference_multihead(*args)[0], {'x': args[0]}": ("example_W2", [
        "in de cache ontbreekt heads, attention, joined", "Gezien: x."]),
    "def multihead(*args):\n    y, cache = reference_multihead(*args)\n    return cache['joined'], cache": (
        "example_W2", ["y is [[[2, 4]]], verwacht: [[[2, 6]]]", "Dit is J. De laatste stap ontbreekt nog"]),
    "def multihead(*args):\n    y, cache = reference_multihead(*args)\n    return y * float('nan'), cache": (
        "example_W2", ["y bevat nan, op reeks 0, tijdstap 0, kenmerk 0", "alleen gewone getallen"]),
    "def multihead(*args):\n    y, cache = reference_multihead(*args)\n    return y.tolist(), cache": (
        "example_W2", ["y is een lijst, verwacht: een NumPy-array"]),
    "def attention(q, k, v, allowed): return reference_attention(q * q.shape[-1] ** .5, k, v, allowed)": (
        "example_W6", ["Dit krijg je als je de scores niet deelt. Deel door √d"]),
    "def attention(q, k, v, allowed): return reference_attention(q / 2 ** .5, k, v, allowed)": (
        "example_W6", ["Dit krijg je als je de scores deelt door √C"]),
    "def attention(q, k, v, allowed): return reference_attention(q, k, v, np.ones_like(allowed))": (
        "example_W6", ["y van token 0, causaal masker,", "Geef je het masker door aan attention?"]),
    "def attention(q, k, v, allowed): return reference_attention(q, k, v, allowed.T)": (
        "example_W6", ["Token 2 ziet nu alleen zichzelf"]),
    "def multihead_backward(*args): pass": ("example_W3", ["multihead_backward geeft None terug"]),
    "def multihead_backward(*args): return reference_multihead_backward(*args)[0]": ("example_W3", [
        "multihead_backward geeft een array terug, verwacht: het paar (dx, grads)"]),
    "def multihead_backward(*args): return reference_multihead_backward(*args)[::-1]": ("example_W3", [
        "grads is een array, verwacht: een dict met wq, wk, wv, wo", "in de goede volgorde?"]),
    "def multihead_backward(*args):\n    dx, grads = reference_multihead_backward(*args)\n    del grads['wo']\n"
    "    return dx, grads": ("example_W3", ["in grads ontbreekt wo", "Gezien: wq, wk, wv."]),
    "def multihead_backward(*args):\n    dx, grads = reference_multihead_backward(*args)\n"
    "    return dx, {name: g.T for name, g in grads.items()}": ("example_W3", [
        "de gradiënt van wo is [[6, 12], [10, 20]], verwacht: [[6, 10], [12, 20]]", "op rij 0, kolom 1",
        "Rijen en kolommen staan verwisseld"]),
    "def multihead_backward(*args):\n    dx, grads = reference_multihead_backward(*args)\n"
    "    return dx, {name: g[None] for name, g in grads.items()}": ("example_W3", [
        "heeft vorm (1, 2, 2), verwacht: (2, 2), dus (C, C)"]),
    "def multihead_backward(*args):\n    dx, grads = reference_multihead_backward(*args)\n"
    "    return dx, {name: g / len(args[0]['x'][0]) for name, g in grads.items()}": ("example_W4", [
        "de route via Q naar X[0, 0, 0] is 0.2028, verwacht: 0.4055", "een gemiddelde over de twee tijdstappen"]),
    "def attention(*args): return (reference_attention(*args), {})": ("example_W2", [
        "Er staat een tuple waar een array hoort. Hoeveel dingen geeft de functie terug waar die vandaan komt?"]),
    "def multihead(x, params, heads, allowed):\n    x = x.copy()\n    x *= 1.0\n"
    "    return reference_multihead(x, params, heads, allowed)": (
        "example_W2", ["*= en += veranderen de array zelf, en in een array van gehele getallen past geen kommagetal"]),
    "def multihead(x, params, heads, allowed):\n    q = print()\n    return q.shape, {}": (
        "example_W2", ["Er staat None waar een array hoort"]),
    "def multihead_backward(*args):\n    dx, grads = reference_multihead_backward(*args)\n"
    "    return dx, {**grads, 'wv': args[0]['x'][0].T @ args[2][0]}": (
        "example_W3", ["Dit is outer(X, dY). Welke stap ligt er tussen dY en deze"]),
    "def multihead_backward(*args):\n    dx, grads = reference_multihead_backward(*args)\n"
    "    return dx, {name: np.stack([g, g]) for name, g in grads.items()}": (
        "example_W3", ["De as van de batch staat er nog. Wat hoort er met de reeksen te gebeuren?"]),
    "def attention(q, k, v, allowed): return reference_attention(q / q.shape[-1] ** .5, k, v, allowed)": (
        "example_W6", ["Dit krijg je als je twee keer door √d deelt. Wat doet attention zelf al?"]),
    "def multihead(*args):\n    y, cache = reference_multihead(*args)\n    return 2 * y, cache": (
        "example_W5", ["Je dx klopt in het voorbeeld met drie routes, maar je forward klopt niet. Kijk eerst"]),
    "def multihead_backward(*args):\n    dx, grads = reference_multihead_backward(*args)\n"
    "    return dx, {name: g / 2 ** .5 for name, g in grads.items()}": (
        "example_W4", ["Dat is √2 keer te weinig. Welke functie deelt al door √d?"]),
    "def own_test(multihead, multihead_backward): pass": ("example_own_test", [
        "own_test laat een uitwerking door waarin y half zo groot is"]),
    "def own_test(multihead, multihead_backward): assert False": ("example_own_test", [
        "own_test weigert je eigen functies: een assert zonder uitleg"]),
    "def own_test(multihead, multihead_backward): multihead()": ("example_own_test", [
        "own_test weigert je eigen functies: TypeError"]),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_named_in_words(slip):
    example, words = SLIPS[slip]
    message = said(overwritten(slip), "nl", example)
    for part in words:
        assert part in message


@pytest.mark.slow
@pytest.mark.parametrize("language", RELEASES)
@pytest.mark.parametrize("slip", SLIPS)
def test_no_example_ends_in_a_bare_assert_or_in_someone_elses_error(slip, language):
    names = overwritten(slip)
    messages = [said(names, language, example) for example in EXAMPLES]
    assert any(messages)
    assert "an assert without words" not in messages


@pytest.mark.parametrize("mistake", [pytest.param(mistake, id=mistake.id, marks=[pytest.mark.slow] * (place % 4 > 0))
                                     for place, mistake in enumerate(LESSON.mistakes)])
def test_no_known_mistake_makes_an_example_end_otherwise(mistake):
    names = {"__name__": "__main__"}
    exec(mistake.make(LESSON.reference_source), names)
    with np.errstate(invalid="ignore"):             # some divide nothing by nothing
        for example in EXAMPLES:
            said(names, "nl", example)


@pytest.mark.parametrize(("line", "words"), [
    ("dx = dpart", "is 6.2509, verwacht: 7.0619.\nAlleen de route via V is over"),
    ('dx = dx + dpart @ params[name].T * (name != "wq")', "De route via Q of die via K ontbreekt"),
    ('dx = dx + dpart @ params[name].T * (name != "wv")', "De route via V ontbreekt"),
    ("dx = dx + dpart @ params[name].T / 3", "Je hebt de routes gemiddeld"),
])
def test_a_lost_route_is_named(line, words):
    edit = ("dx = dx + dpart @ params[name].T", line if "@" in line else f"{line} @ params[name].T")
    assert words in said(solved(edit), "nl", "example_W4")


@pytest.mark.parametrize("language", RELEASES)
def test_the_reference_passes_every_example_and_each_says_so(language, capsys):
    names = solved()
    assert [said(names, language, example) for example in EXAMPLES] == [""] * len(EXAMPLES)
    lines = capsys.readouterr().out.splitlines()
    assert lines.pop(-3).startswith("○ ")               # of the score: in this test each example begins anew
    assert len(lines) == 2 * len(EXAMPLES)
    assert all(line.startswith("✓ ") for line in lines[::2])


@pytest.mark.parametrize("language", RELEASES)
def test_each_example_tells_how_many_parts_hold_and_takes_back_what_no_longer_does(language, capsys):
    names, of, told = solved(), {"nl": "van 5 delen", "en": "of 5 parts"}[language], []
    broken = overwritten("def merge_heads(h): return h.reshape(1, 2, 4)")
    with beside(language):
        for example, functions in [*((example, names) for example in EXAMPLES), ("example_W1_merge", broken),
                                   ("example_own_test", names), ("example_W1_merge", names),
                                   ("example_refusals_merge", names)]:
            with contextlib.suppress(AssertionError):
                exec(example_code(language, example), functions)
                told.append(capsys.readouterr().out.splitlines()[-1])
    counts = [0, 1, 1, 2, 2, 3, 3, 3, 4, 5, 4, 4, 5]
    assert told == [f"{'■' * count}{'□' * (5 - count)} {count} {of}" for count in counts]


def test_a_forward_of_nan_is_not_compared():
    names = overwritten("def multihead(*args): return args[0] * np.nan, reference_multihead(*args)[1]")
    assert "uit je forward komt nan" in said(names, "nl", "example_W5")


def test_a_large_array_is_not_written_out():
    names = overwritten(f"def split_heads(x, heads):\n    {SPLIT.replace('B, T, heads', 'B, heads, T')}")
    assert said(names, "nl", "example_W1_merge").splitlines()[:2] == [
        "merge_heads(split_heads(x, 3)) klopt niet.",
        "Het eerste verschil staat op reeks 0, tijdstap 0, kenmerk 2: 8 in plaats van 2."]


def test_what_is_not_written_is_named_wherever_it_is_called():
    names = overwritten("def merge_heads(h): raise NotImplementedError()")
    assert said(names, "nl", "example_W2") == (
        "merge_heads is nog niet geschreven: er staat nog raise NotImplementedError().")


def one_key_only(multihead, multihead_backward):
    """A test with one key: it sees y, and nothing of Q and K."""
    import numpy as np
    params = {name: np.eye(2) for name in ("wq", "wk", "wv", "wo")}
    y, cache = multihead(np.array([[[1, 2]]]), params, 1, np.ones((1, 1), dtype=bool))
    assert np.allclose(y, [[[1, 2]]])
    assert not np.any(multihead_backward(cache, params, y)[1]["wq"])


def test_a_test_with_one_key_is_shown_what_it_misses():
    assert "waarin de gradiënt van wq nul is" in said(solved(own_test=one_key_only), "nl", "example_own_test")


@pytest.mark.slow
def test_a_notebook_shows_the_words_and_nothing_else():
    from nbclient import NotebookClient
    notebook = read(RELEASES["nl"])
    notebook.cells = [cell for cell in notebook.cells if cell.cell_type == "code"
                      and cell.metadata.get("nbgrader", {}).get("grade_id") in ("given", "split_heads",
                                                                               "example_W1_split")]
    NotebookClient(notebook, allow_errors=True,
                   resources={"metadata": {"path": str(RELEASES["nl"].parent)}}).execute()
    shown = notebook.cells[-1].outputs
    assert [(output.output_type, output.traceback) for output in shown] == [
        ("error", ["split_heads is nog niet geschreven: er staat nog raise NotImplementedError()."])]
