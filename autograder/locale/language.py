"""Turn a `Text` into a sentence in the reader's language, through that language's gettext catalogue.

English needs no catalogue, since the msgids are English. A sentence without a translation is shown in English.
"""

import gettext
import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from autograder.records import Grade, Text, text

LANGUAGES = ("nl", "en")
OWN = ""                                    # the default: each student's own language, that of the notebook
LOCALE = Path(__file__).parent
DOMAIN = "autograder"

#: what a verdict (or the status of a cell) is called
VERDICT_WORDS = {
    "passed": text("right"),
    "wrong": text("wrong"),
    "raised": text("raised an error"),
    "unwritten": text("not written"),
    "timed_out": text("took too long"),
    "out_of_memory": text("used too much memory"),
    "crashed": text("crashed"),
    "quit": text("ended the program"),
    "missing": text("not found"),
    "refused": text("no plain data"),
    "tampering": text("interfered with the grading"),
    "skipped": text("not graded"),
    "broken": text("the autograder failed here"),
}

#: why a check passed, if it did not simply hold for the student's own functions together
WORLD_WORDS = {
    "stand-in": text("right; it only failed because of an earlier function of yours"),
    "own-derivative": text("right: it is the true derivative of your own forward"),
}

#: the sentences of lessons that bring their own translations: language -> sentence -> the same in that language
_learned: dict[str, dict[str, str]] = {}
GAP = re.compile(r"\{(\w+)\}")


def language_for(grade: Grade, chosen: str) -> str:
    """The language of this student: the chosen one, else that of the edition, or English for one that is not ours.

    An edition that is not known is the course's.
    """
    return spoken(grade.language, chosen)


def spoken(edition: str, chosen: str) -> str:
    """The same for work in the edition in this language."""
    return chosen or (edition if edition in LANGUAGES else "en" if edition else LANGUAGES[0])


def language_of_all(grades: Collection[Grade], chosen: str) -> str:
    """The language in which to speak of all of these: the chosen one, else English if nobody's is Dutch."""
    return chosen or ("en" if grades and all(language_for(grade, "") == "en" for grade in grades) else LANGUAGES[0])


def translate(words: Text | None, language: str) -> str:
    """The sentence in this language with its gaps filled; "" for None.

    Never raises: a gap without a value stays as written, and so does a brace that is not a gap.
    """
    if words is None or not words.template:
        return ""
    values = words.values
    template = _catalogue(language).gettext(words.template)
    if template == words.template:
        template = _learned.get(language or LANGUAGES[0], {}).get(template, template)
    return GAP.sub(lambda gap: _shown(values[gap[1]], language) if gap[1] in values else gap[0], template)


def learn(language: str, sentences: Mapping[str, str]) -> None:
    """Translate these sentences too, which are a lesson's own."""
    _learned.setdefault(language, {}).update(sentences)


def translated(words: Text | str, language: str) -> str:
    """The same for words that may be a student's own, which stay unchanged."""
    return words if isinstance(words, str) else translate(words, language)


def _shown(value: Any, language: str) -> str:
    """What fills a gap: floats short, with a decimal point as in code; a Text (even one decoded from JSON) as a
    sentence.
    """
    if isinstance(value, dict) and value.get("type") == "Text":
        value = msgspec.convert(value, Text)
    if isinstance(value, Text):
        return translate(value, language)
    return f"{value:.6g}" if isinstance(value, float) else str(value)


@lru_cache
def _catalogue(language: str) -> gettext.NullTranslations:
    return gettext.translation(DOMAIN, LOCALE, [language or LANGUAGES[0]], fallback=True)
