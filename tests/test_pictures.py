"""The notebook's pictures: drawn anew they are the same, they speak, and they show on a light and a dark page."""
import base64
import re
from html import unescape
from xml.etree import ElementTree

import numpy as np
import pytest
from editions import EDITIONS, LESSON, beside, read, solved

from autograder.authoring.pictures import outdated, picture_cells, sync
from autograder.lessons.kit.canvas import DARK
from autograder.lessons.multihead.pictures import PICTURES, WORDS, picture

EVERY = [(name, language) for language in EDITIONS for name in PICTURES]


def test_the_notebooks_hold_the_pictures_as_they_are_drawn_now():
    assert outdated(LESSON) == []


def test_an_outdated_picture_is_named_and_mended(tmp_path, monkeypatch):
    path = tmp_path / "multihead.ipynb"
    text = EDITIONS["nl"].read_text(encoding="utf-8")
    path.write_text(re.sub(r'(<img src=\\"data:image/svg\+xml;base64,)\w+', r"\1AAAA", text, count=1), encoding="utf-8")
    monkeypatch.setattr("autograder.authoring.pictures._editions", lambda lesson: [("nl", path)])
    assert len(outdated(LESSON)) == 1
    assert sync(LESSON) == [path]
    assert path.read_bytes() == EDITIONS["nl"].read_bytes()
    assert sync(LESSON) == []


@pytest.mark.parametrize("language", EDITIONS)
def test_every_part_has_one_picture_right_after_its_question(language):
    cells = [cell.source for cell in read(EDITIONS[language]).cells]
    parts = [i for i, source in enumerate(cells) if re.match(r"## \d", source)]
    assert len(parts) == 5
    assert all(re.fullmatch(r"## \d\. `\w+`\n\n\*\*.*\?\*\*", cells[i]) for i in parts)
    assert all(cells[i + 1].startswith("<img ") for i in parts)


@pytest.mark.parametrize("language", EDITIONS)
def test_every_picture_says_what_it_shows_in_the_language_of_its_notebook(language):
    for name, source in zip(PICTURES, picture_cells(LESSON, language).values(), strict=True):
        alt = unescape(re.search(r'alt="([^"]*)"', source)[1])
        assert alt == WORDS[language][name]["alt"]
        assert 80 < len(alt) < 500


def test_the_languages_have_the_same_words_to_fill():
    assert {name: set(words) for name, words in WORDS["nl"].items()} == {
        name: set(words) for name, words in WORDS["en"].items()}


@pytest.mark.parametrize(("name", "language"), EVERY)
def test_a_picture_draws_itself_and_fetches_nothing(name, language):
    svg, _ = picture(name, language)
    root = ElementTree.fromstring(svg)
    assert not re.findall(rb"<script|<image|<foreignObject|\bon\w+=|url\((?!#)", svg)
    assert all(value.startswith("#") for element in root.iter() for key, value in element.attrib.items()
               if key.endswith("href"))
    assert len(svg) < 20_000


@pytest.mark.parametrize(("name", "language"), EVERY)
def test_every_colour_of_a_picture_has_its_dark_one(name, language):
    drawing, rules = picture(name, language)[0].decode(), ""
    for style in re.findall(r"<style>.*?</style>", drawing):
        rules, drawing = rules + style, drawing.replace(style, "")
    used = set(re.findall(r"(fill|stroke): (#\w{6})", drawing))
    assert {colour for _, colour in used} <= set(DARK)
    assert all(f'[style*="{kind}: {light}"]{{{kind}:{DARK[light]}!important}}' in rules for kind, light in used)


@pytest.mark.parametrize("texts", [["0.4055", "0.4055", "6.2509", "dX[0, 0, 0] = 7.0619"]])
def test_the_routes_carry_their_numbers(texts):
    root = ElementTree.fromstring(picture("backward", "nl")[0])
    shown = [element.text for element in root.iter() if element.tag.endswith("text")]
    assert [text for text in shown if text in texts] == texts


def test_the_alternative_text_is_escaped_and_the_file_stays_small():
    for path in EDITIONS.values():
        for cell in read(path).cells:
            for data in re.findall(r"base64,([\w+/=]+)", cell.source):
                assert base64.b64decode(data, validate=True).startswith(b"<?xml")
        assert path.stat().st_size < 200_000


def test_the_number_that_is_followed_is_that_of_the_solution():
    with beside("nl"):
        own = solved()
        params = {"wq": np.eye(2), "wk": np.eye(2), "wv": 2 * np.eye(2), "wo": np.array([[1, 1], [0, 1]])}
        _, cache = own["multihead"](np.array([[[1, 2], [0, 1]]]), params, 1, np.ones((2, 2), dtype=bool))
        _, grads = own["multihead_backward"](cache, params, np.ones((1, 2, 2)))
    drawing = picture("one_number", "nl")[0].decode()
    shown = re.search(r"dWQ\[1, 0\] = 2 · (\S+) \+ 1 · (\S+) = ([\d.]+)", drawing)
    first, second, total = map(float, shown.groups())
    assert round(float(grads["wq"][1, 0]), 4) == total
    assert abs(2 * first + second - total) < 2e-4
