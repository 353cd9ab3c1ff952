"""The words for students: every sentence of the code has its Dutch, and showing one never fails."""
import ast
import re
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.mofile import read_mo
from hypothesis import given
from hypothesis import strategies as some

from autograder.lessons.kit.compare import AXES
from autograder.locale.catalogues import catalogues, compiled, extracted, in_code, in_template, read, untranslated
from autograder.locale.language import LANGUAGES, VERDICT_WORDS, WORLD_WORDS, translate
from autograder.records import VERDICTS, Text, text

PACKAGE = Path(__file__).parent.parent / "autograder"


#: numbers and names of the code, which read the same in every language
CODE = re.compile(r"\d+(?:\.\d+)?|\b(?:\w+_\w+|d?[wW][qkvoQKVO]|d[xyQKVJW]|[A-Z]\w+Error)\b")


def words(catalogue):
    return {message.id: message.string for message in catalogue if message.id}


def code_in(sentence):
    return set(CODE.findall(sentence))


# --- translate ----------------------------------------------------------------------------------------------------

def test_dutch_comes_out_of_the_catalogue():
    assert translate(text("cell {number}: {status}", number=3, status=VERDICT_WORDS["wrong"]), "nl") == "cel 3: fout"


def test_english_is_the_msgid():
    assert translate(text("cell {number}: {status}", number=3, status=VERDICT_WORDS["wrong"]), "en") == "cell 3: wrong"


def test_a_sentence_without_a_translation_stays_english():
    assert translate(text("no such {thing} in any catalogue", thing=1), "nl") == "no such 1 in any catalogue"


def test_a_text_that_went_through_json_is_translated_too():
    assert translate(text("cell {number}: {status}", number=3,
                          status={"type": "Text", "template": "wrong", "values": {}}), "nl") == "cel 3: fout"


def test_floats_are_shown_short():
    assert translate(text("{a} and {b}", a=1 / 3, b=2.0), "en") == "0.333333 and 2"


@pytest.mark.parametrize("template", ["{", "}", "{}", "{0}", "{a", "{a!r}", "{a.b}", "{a[0]}", "{{a}", "{missing}"])
def test_a_brace_that_is_no_gap_stands_as_written(template):
    assert translate(text(template, b=1), "nl") == template


def test_what_fills_a_gap_is_never_read_as_a_template():
    assert translate(text("{a} {b}", a="{b}", b="{a}"), "nl") == "{b} {a}"


@given(some.text(), some.dictionaries(some.text(), some.none() | some.floats() | some.text() | some.integers()))
def test_no_sentence_ever_raises(template, values):
    assert isinstance(translate(Text(template, values), "nl"), str)


def test_no_sentence_is_an_empty_one():
    assert translate(None, "nl") == translate(text(""), "nl") == ""


def test_every_verdict_has_a_word():
    assert set(VERDICT_WORDS) == set(VERDICTS)
    assert set(WORLD_WORDS) == {"stand-in", "own-derivative"}


# --- the catalogues -----------------------------------------------------------------------------------------------

def test_every_language_but_english_has_a_catalogue():
    assert [path.parts[-3] for path in catalogues()] == sorted(set(LANGUAGES) - {"en"})


@pytest.mark.parametrize("path", catalogues(), ids=lambda path: path.parts[-3])
def test_every_sentence_of_the_code_is_in_the_catalogue(path):
    assert words(read(path)).keys() == words(extracted()).keys(), "run `autograder dev locale`"


@pytest.mark.parametrize("path", catalogues(), ids=lambda path: path.parts[-3])
def test_every_sentence_is_translated_with_the_same_gaps(path):
    assert untranslated(path) == []


@pytest.mark.parametrize("path", catalogues(), ids=lambda path: path.parts[-3])
def test_what_gettext_reads_is_what_the_catalogue_says(path):
    with path.with_suffix(".mo").open("rb") as file:
        assert words(read_mo(file)) == words(read_mo(BytesIO(compiled(path)))), "run `autograder dev locale`"


@pytest.mark.parametrize("path", catalogues(), ids=lambda path: path.parts[-3])
def test_no_translation_is_a_guess_or_a_leftover(path):
    source = path.read_text(encoding="utf-8")
    assert [message.id for message in read(path) if message.id and message.fuzzy] == []
    assert "\n#~ " not in source


@pytest.mark.parametrize("path", catalogues(), ids=lambda path: path.parts[-3])
def test_numbers_and_names_of_the_code_stay_as_they_are(path):
    assert [said for said, meant in words(read(path)).items() if not code_in(said) <= code_in(meant)] == []


def test_a_translated_word_fits_the_sentence_around_it():
    where = text("only {axis} {index} differs (counting from 0)", axis=AXES["T"], index=2)
    assert translate(where, "nl") == "alleen tijdstap 2 wijkt af (geteld vanaf 0)"
    refusal = text("{function} accepts {what}, expected a ValueError, TypeError or AssertionError",
                   function="split_heads", what=text("a number of heads that does not divide C"))
    assert translate(refusal, "nl") == ("split_heads accepteert een aantal heads waar C niet door deelbaar is, "
                                        "verwacht: een ValueError, TypeError of AssertionError")


def test_sentences_are_found_in_code_and_pages():
    assert in_code('a = text("one " "two", b=text("three")); text(b); c.text("no"); f("no")') == ["one two", "three"]
    assert in_template('{{ text("one {a}", a=b) }} {% if text("two") %}{% endif %} {{ "no" }}') == ["one {a}", "two"]


def dynamic(source):
    """The lines on which `text` gets something that no catalogue can hold."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "text":
            first = node.args[0]
            if not isinstance(first, ast.Constant) and not (isinstance(first, ast.Attribute)
                                                            and first.attr == "template"):
                yield node.lineno


def test_every_sentence_is_a_literal():
    places = [(str(path), line) for path in sorted(PACKAGE.rglob("*.py")) for line in dynamic(path.read_text())]
    assert places == []
    assert list(dynamic("text('one')\ntext(two)")) == [2]
