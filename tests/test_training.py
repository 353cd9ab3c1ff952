"""training: a right layer learns, without a route it learns worse, and whatever was written is told in words."""
from importlib import import_module
from xml.etree import ElementTree

import numpy as np
import pytest
from editions import EDITIONS, beside, overwritten, solved


def trained(language: str, names: dict, monkeypatch, **settings) -> None:
    """Train these functions; `settings` are constants of the module."""
    with beside(language):
        training = import_module("training")
        for name, value in settings.items():
            monkeypatch.setattr(training, name, value)
        training.train(names["multihead"], names["multihead_backward"])


def test_the_layer_learns_and_without_the_gradient_of_wq_it_learns_worse():
    names = solved()
    with beside("nl"):
        training = import_module("training")
        full = training._run(names["multihead"], names["multihead_backward"])
        without = training._run(names["multihead"], names["multihead_backward"], left_out="wq")
        words = "\n".join(training._words(full, without))
        picture = training._picture(full, without)
    ElementTree.fromstring(picture)
    assert "head 1, na afloop" in picture
    assert "head 0, vooraf" in picture
    assert len(full.losses) == len(without.losses) == training.STEPS
    assert full.losses[0] > 1.7 > 0.1 > full.losses[-1]
    assert without.losses[-1] > 0.8
    assert (full.hits > 0.98).all()
    assert "uit zichzelf naar het eerste token" in words
    assert "uit zichzelf naar het vorige token" in words
    np.testing.assert_allclose(full.before.sum(axis=-1), 1)
    np.testing.assert_allclose(full.before[:, -1], 1 / training.T, atol=0.1)


@pytest.mark.parametrize("language", EDITIONS)
def test_without_a_notebook_it_is_told_in_text(language, capsys, monkeypatch):
    trained(language, solved(), monkeypatch, STEPS=3)
    out = capsys.readouterr().out
    assert "█" in out
    assert {"nl": "Je laag leert dit nog niet goed", "en": "Your layer does not learn this well yet"}[language] in out


POORLY = "leert dit nog niet goed"
WRONG = {
    "def multihead(x, params, heads, allowed): raise NotImplementedError": "nog niet geschreven",
    "def multihead_backward(cache, params, dy): raise NotImplementedError": "nog niet geschreven",
    "def multihead(x, params, heads, allowed): return x": "De training wacht: multihead stopt met ValueError",
    "def multihead(x, params, heads, allowed): return x, {}": "De training wacht: multihead geeft nog geen y",
    "def multihead(x, params, heads, allowed): return x[0], reference_multihead(x, params, heads, allowed)[1]":
        "De training wacht: multihead geeft nog geen y",
    "def multihead_backward(cache, params, dy): return dy, {}": "nog geen grads met wq",
    "def multihead_backward(cache, params, dy): return None": "multihead_backward stopt met TypeError",
    "def multihead_backward(cache, params, dy): return dy, {n: -9e9 * params[n] for n in params}": POORLY,
    "def multihead_backward(cache, params, dy): return dy, {n: 0 * params[n] for n in params}": POORLY,
    "def multihead(*given): return reference_multihead(*given)[0] * np.nan, reference_multihead(*given)[1]": POORLY,
}


@pytest.mark.parametrize("code", WRONG)
def test_a_wrong_layer_is_told_in_words(code, capsys, monkeypatch):
    trained("nl", overwritten(code), monkeypatch, STEPS=8)
    assert WRONG[code] in capsys.readouterr().out


def test_a_slow_layer_stops_in_time(capsys, monkeypatch):
    trained("nl", solved(), monkeypatch, SECONDS=0.0, STEPS=1000)
    assert "is te langzaam" in capsys.readouterr().out
