"""gradcheck: right gradients are right, wrong ones are placed, and it says what a trial cannot see."""
from importlib import import_module

import numpy as np
import pytest
from editions import EDITIONS, beside, overwritten, solved

NAMES = ("wq", "wk", "wv", "wo")
RIGHT = solved()
KEYS = "over Q en K zegt deze proef niets"


def trial(B=2, T=5, H=3, d=4, seed=0, **more) -> dict:
    """A trial without a blind spot, unless `more` brings one."""
    rng, C = np.random.default_rng(seed), H * d
    allowed = np.tril(np.ones((T, T), dtype=bool))
    return {"x": rng.normal(size=(B, T, C)), "params": {name: rng.normal(size=(C, C)) / 3 for name in NAMES},
            "heads": H, "allowed": allowed} | more


def run(capsys, forward=None, backward=None, language="nl", **case) -> tuple[bool, str]:
    """What gradcheck returns and prints."""
    with beside(language):
        right = import_module("gradcheck").gradcheck(forward or RIGHT["multihead"],
                                                     backward or RIGHT["multihead_backward"], **case)
    return right, capsys.readouterr().out


def test_right_gradients_are_right_and_a_good_trial_has_no_blind_spot(capsys):
    assert run(capsys, **trial()) == (True, " x: klopt\nwq: klopt\nwk: klopt\nwv: klopt\nwo: klopt\n")


def test_the_english_edition_says_it_in_english(capsys):
    assert run(capsys, language="en", **trial(B=1))[1].splitlines()[-2:] == [
        "wo: right", "note: B = 1: a mix-up of sequences, or an average over the batch, goes unnoticed."]


def test_a_matrix_that_is_missing_is_named(capsys):
    given = trial()
    del given["params"]["wk"]
    right, out = run(capsys, **given)
    assert right is False
    assert out == "in params ontbreekt wk.\nGezien: wq, wv, wo. Verwacht: wq, wk, wv, wo.\n"


def test_a_wrong_gradient_is_placed_by_axis(capsys):
    def backward(cache, params, dy):
        dx, grads = RIGHT["multihead_backward"](cache, params, dy)
        grads["wk"][3, 1] += 2
        dx[1, 4, 0] = np.nan
        return dx, grads
    right, out = run(capsys, backward=backward, **trial())
    assert right is False
    assert " x: klopt niet. Op reeks 1, tijdstap 4, kenmerk 0 geeft jouw backward nan" in out
    assert "wk: klopt niet. Op rij 3, kolom 1 geeft jouw backward" in out
    assert "wq: klopt\n" in out


@pytest.mark.parametrize(("code", "words"), [
    ("def multihead(*args): raise NotImplementedError()", "multihead is nog niet geschreven"),
    ("def multihead(*args): return args[0]", "multihead geeft een array terug, verwacht: het paar (y, cache)"),
    ("def multihead(*args): return args[0][0], {}", "y heeft vorm (5, 12), verwacht: (2, 5, 12), dus (B, T, C)"),
    ("def multihead_backward(*args): pass", "multihead_backward geeft None terug"),
    ("def multihead_backward(*args): return args[2], {}", "in grads ontbreekt wq, wk, wv, wo"),
    ("def multihead_backward(*args): return args[2], dict.fromkeys(['wq', 'wk', 'wv', 'wo'], args[2])",
     "de gradiënt van wq heeft vorm (2, 5, 12), verwacht: (12, 12), dus (C, C)"),
    ("def multihead_backward(*args): return 1 / 0", "multihead_backward stopt met ZeroDivisionError"),
])
def test_functions_that_give_no_answer_are_told_so_in_words(capsys, code, words):
    names = overwritten(code)
    right, out = run(capsys, names["multihead"], names["multihead_backward"], **trial())
    assert right is False
    assert words in out


T5 = np.random.default_rng(5).normal(size=(2, 5, 12))
SYMMETRIC = {name: np.eye(12) * 2 for name in NAMES}


BLIND = [
    (trial(T=1), f"naar maar één key kijken. Het gewicht is dan altijd 1, wat de score ook is: {KEYS}"),
    (trial(allowed=np.eye(5, dtype=bool)), KEYS),
    (trial(x=np.broadcast_to(T5[:, :1], T5.shape)), f"alle tokens van een reeks zijn gelijk. Dan maakt het niet uit "
                                                    f"hoe je ze mengt: {KEYS}"),
    (trial(x=np.zeros((2, 5, 12))), KEYS),
    (trial(x=60 * T5), "bijna alle gewichten zijn 0 of 1. Een duwtje aan een score verandert dan niets: over Q en K "
                       "zegt deze proef bijna niets. Kies kleinere getallen in x."),
    (trial(allowed=np.ones((5, 5), dtype=bool)), "het masker is overal True"),
    (trial(allowed=np.eye(5, dtype=bool) | np.eye(5, dtype=bool)[::-1]), "het masker is symmetrisch"),
    (trial(B=1), "B = 1: een fout tussen de reeksen"), (trial(T=1), "T = 1: een fout tussen de tijdstappen"),
    (trial(H=1), "H = 1: een fout bij het splitsen of samenvoegen"), (trial(d=1), "d = 1: een fout binnen een head"),
    (trial(T=3), "T en H zijn allebei 3"), (trial(T=2), "B en T zijn allebei 2"), (trial(T=4), "T en d zijn allebei 4"),
    (trial(H=2), "B en H zijn allebei 2"), (trial(d=3), "H en d zijn allebei 3"),
    (trial(params=SYMMETRIC), "symmetrische matrices (wq, wk, wv, wo): een vergeten of overbodige .T"),
    (trial(params=SYMMETRIC), "wq en wk zijn gelijk: verwissel je ze"),
]


@pytest.mark.parametrize(("case", "words"), [pytest.param(*spot, marks=[pytest.mark.slow] * (place % 9 > 0))
                                             for place, spot in enumerate(BLIND)])
def test_a_blind_spot_is_named(capsys, case, words):
    right, out = run(capsys, **case)
    assert right is True
    assert any(line.startswith("let op: ") and words in line for line in out.splitlines())


def test_the_spots_are_blind_indeed(capsys):
    """With one key per query a backward that knows nothing of Q and K passes; with more it does not."""
    names = overwritten("def multihead_backward(cache, params, dy):\n"
                        "    dx, grads = reference_multihead_backward(cache, {**params, 'wq': 0 * params['wq']}, dy)\n"
                        "    return dx, {**grads, 'wq': 0 * grads['wq'], 'wk': 0 * grads['wk']}")
    backward = names["multihead_backward"]
    assert run(capsys, backward=backward, **trial(allowed=np.eye(5, dtype=bool)))[0] is True
    assert run(capsys, backward=backward, **trial())[0] is False


def test_large_numbers_hide_what_is_wrong_with_q_and_k(capsys):
    """Where the softmax is saturated, a dx with the route through V alone passes: then gradcheck says so."""
    names = overwritten("def multihead_backward(cache, params, dy):\n"
                        "    dx, grads = reference_multihead_backward(cache, {**params, 'wq': 0 * params['wq'], "
                        "'wk': 0 * params['wk']}, dy)\n"
                        "    return dx, {**grads, 'wq': 0 * grads['wq'], 'wk': 0 * grads['wk']}")
    right, out = run(capsys, backward=names["multihead_backward"], **trial(x=300 * T5))
    assert right is True
    assert "bijna alle gewichten zijn 0 of 1" in out
    assert "bijna alle gewichten" not in run(capsys, **trial(x=T5))[1]


def test_the_trial_is_left_as_it_was(capsys):
    case = trial()
    before = {**case, "x": case["x"].copy(), "params": {name: w.copy() for name, w in case["params"].items()}}

    def spoil(x, params, heads, allowed):
        answer = RIGHT["multihead"](x, params, heads, allowed)
        x[:], allowed[:] = 0, False
        params.clear()
        return answer
    run(capsys, forward=spoil, **case)
    assert np.array_equal(case["x"], before["x"])
    assert case["allowed"].any()
    assert all(np.array_equal(case["params"][name], before["params"][name]) for name in NAMES)


@pytest.mark.parametrize("language", EDITIONS)
def test_only_numpy_is_needed(language):
    lines = [line for name in ("slips.py", "examples.py", "gradcheck.py", "attention.py")
             for line in (EDITIONS[language].parent / name).read_text(encoding="utf-8").splitlines()]
    imported = {line.split()[1] for line in lines if line.startswith(("import ", "from "))}
    assert imported <= {"numpy", "inspect", "re", "traceback", "examples", "slips"}
