"""What students read: a submission, what it must be told, and what it must not be told.

A row changes the reference (`old` -> `new`), in the place of a whole function where `old` is a name. What must not be
said was once said, and was false.
"""
from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import NamedTuple

import pytest
from msgspec.structs import replace
from sampled import by_turns

from autograder.intake.submission import read_bytes
from autograder.judge.engine import Engine, Limits
from autograder.judge.reasons import why_unanswered
from autograder.lessons.installed import load_lesson
from autograder.lessons.kit.course_file import course_file
from autograder.locale.language import translate
from autograder.output.marks import first_to_look_at
from autograder.records import Grade, Outcome, Submission

LESSON = load_lesson("multihead")
SOLUTION = course_file("solutions/multihead.py").read_text(encoding="utf-8")
STUB = "raise NotImplementedError()"


class Row(NamedTuple):
    """One submission, and what is said of it in one language."""

    name: str
    edits: tuple[tuple[str, str], ...]
    said: tuple[str, ...]
    not_said: tuple[str, ...] = ()
    language: str = "nl"


def function(name: str) -> str:
    """The reference's function of this name, as it stands there."""
    return re.search(rf"^def {name}\(.*?(?=^def |\Z)", SOLUTION, re.MULTILINE | re.DOTALL)[0]


def body(name: str, line: str) -> tuple[str, str]:
    """The edit by which a function holds this line alone."""
    whole = function(name)
    return whole, f"{whole.splitlines()[0]}\n    {line}\n\n\n"


BACKWARD = "\n    dx = np.zeros(x.shape)"
ROWS = [
    Row("a helper is not written", ((function("merge_heads"), ""),
                                    ("joined = merge_heads(mixed)", "joined = later(mixed)"),
                                    ("def own_test", f"def later(h):\n    {STUB}\n\n\ndef own_test")),
        ("multihead roept later aan, en later is nog niet geschreven",), ("multihead is nog niet geschreven",)),
    Row("own_test calls a backward that is not written",
        (body("multihead_backward", STUB), ("    y, cache = multihead(x.copy()", "    mine({}, {}, dy)\n"
                                            "    y, cache = multihead(x.copy()"),
         ("def own_test", "mine = multihead_backward\n\n\ndef own_test")),
        ("own_test roept je multihead_backward aan, en die is nog niet geschreven",),
        ("own_test is nog niet geschreven",)),
    Row("own_test stops in a function of the student's",
        (("def own_test", "def helper(x):\n    return x @ np.zeros((2, 3))\n\n\ndef own_test"),
         ("    y, cache = multihead(x.copy()", "    helper(x)\n    y, cache = multihead(x.copy()")),
        ("je helper stopt met ValueError als own_test hem aanroept (cel 1, regel",), ("own_test stopt zelf",)),
    Row("own_test takes nothing", (("def own_test(multihead, multihead_backward):", "def own_test():"),),
        ("own_test hoort twee functies te krijgen",), ("stopt zelf met TypeError",)),
    Row("a syntax error", ((function("own_test"), "def own_test(multihead, multihead_backward):\n    assert f(\n"),),
        ("Het bestand kon niet draaien: SyntaxError: '(' was never closed", "Daardoor bestaat own_test nog niet"),
        ("er is geen functie",)),
    Row("a name that is spelt otherwise", (("def merge_heads(h)", "def mergeheads(h)"),),
        ("er is geen functie merge_heads, maar wel een functie mergeheads: bedoel je die?",)),
    Row("refused with the wrong exception", (("raise TypeError(f\"heads", "raise NotImplementedError(f\"heads"),),
        ("split_heads weigert True als aantal heads met NotImplementedError",), ("nog niet geschreven",)),
    Row("a variable of an example cell", (("x = np.array(x, dtype=float) ", "x = np.array(x_one, dtype=float) "),),
        ("variabelen uit de voorbeeldcellen bestaan niet",)),
    Row("another unknown name", (("x = np.array(x, dtype=float) ", "x = np.array(hidden, dtype=float) "),),
        ("multihead gaf een foutmelding: NameError (cel 1, regel",), ("voorbeeldcellen",)),
    Row("three things", ((BACKWARD, f"{BACKWARD}\n    more = 1"), ("return dx, grads", "return dx, grads, more")),
        ("een tuple of lijst van 3",)),
    Row("the tuple of attention is not unpacked",
        (("mixed, attention_cache = attention(q, k, v, allowed)",
          "mixed = attention(q, k, v, allowed)\n    attention_cache = {}"),),
        ("Waar een array hoort, staat een tuple",)),
    Row("in place on whole numbers",
        (("dy = np.asarray(dy, dtype=float)", "dy = np.asarray(dy)\n    dy = dy.copy()\n    dy *= 1.0"),),
        ("in een array van gehele getallen past geen kommagetal",)),
    Row("own_test compares a function with itself",
        (body("own_test", "mine, params = multihead, dict.fromkeys(('wq', 'wk', 'wv', 'wo'), np.eye(4))\n"
              "    asked = np.ones((2, 3, 4)), params, 2, np.tri(3, dtype=bool)\n"
              "    assert np.allclose(multihead(*asked)[0], mine(*asked)[0])"),),
        ("own_test laat elke foute uitwerking door",), ("Q en K niet echt meedoen",)),
    Row("own_test returns False",
        (("    assert np.allclose(y, by_hand(x, params)), \"y differs from the calculation by hand\"",
          "    if not np.allclose(y, by_hand(x, params)):\n        return False"),),
        ("own_test geeft False terug bij een foute uitwerking",), ("elke foute uitwerking door",)),
    Row("own attention, divided by d",
        (("mixed, attention_cache = attention(q, k, v, allowed)", """scores = np.where(
        allowed, q @ np.swapaxes(k, -1, -2) / q.shape[-1], -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights = weights / weights.sum(-1, keepdims=True)
    mixed, attention_cache = weights @ v, {"q": q, "k": k, "v": v, "weights": weights}"""),),
        (), ("de gegeven attention", "gegeven hulp")),
    Row("the given attention, with the mask transposed",
        (("attention(q, k, v, allowed)\n    joined", "attention(q, k, v, allowed.T)\n    joined"),),
        (), ("je attention", "Welke regel van")),
    Row("a mask that is wrong, and everything right with a full one",
        (("attention(q, k, v, allowed)\n    joined",
          "attention(q, k, v, allowed | np.roll(allowed.T, 1, axis=0))\n    joined"),),
        ("Met een vol masker klopt alles",), ("in tijdstap",)),
    Row("params a little changed",
        (("    joined = merge_heads(mixed)",
          "    params[\"wo\"] = params[\"wo\"] * 1.0003\n    joined = merge_heads(mixed)"),),
        ("of onderweg een beetje veranderd",), ("waar worden getallen afgerond",)),
    Row("a gradient that is spoilt after dX",
        (("    return dx, grads", "    grads[\"wq\"] = np.cbrt(grads[\"wq\"])\n    return dx, grads"),),
        ("dX klopt, dus dQ ook",), ("van de scores naar dQ",)),
    Row("matrices that do not fit", (('joined @ params["wo"]', 'joined @ params["wo"][1:]'),),
        ("Bij @ horen de laatste as links en de voorlaatste as rechts even lang te zijn",)),
]


def graded(engine: Engine, *edits: tuple[str, str]) -> Grade:
    source = SOLUTION
    for old, new in edits:
        assert old in source, old
        source = source.replace(old, new)
    return engine.grade(read_bytes("student-01.py", source.encode(), LESSON))


def words(grade: Grade, language: str) -> str:
    """Everything that is said of a submission, to whomever."""
    said = [*grade.notices, *grade.for_a_person]
    for exercise in grade.exercises:
        said += [*exercise.diagnosis.hints, *(verdict.message for verdict in exercise.verdicts)]
    return "\n".join([*(translate(one, language) for one in said), *(cell.error for cell in grade.cells)])


@pytest.mark.parametrize("row", by_turns(ROWS, 2, 1), ids=lambda row: row.name)
def test_what_is_said_of_a_submission_is_true(row: Row, engine_with: Callable[[Limits], Engine]) -> None:
    said = words(graded(engine_with(Limits()), *row.edits), row.language)
    assert [part for part in row.said if part not in said] == [], said
    assert [part for part in row.not_said if part in said] == []


@pytest.mark.parametrize("epsilon", ["1e-8", "1e-12"])
def test_a_small_number_in_a_denominator_is_no_float32_and_no_nudging(
        epsilon: str, engine_with: Callable[[Limits], Engine]) -> None:
    own = function("multihead").replace("mixed, attention_cache = attention(q, k, v, allowed)", f"""scores = np.where(
        allowed, q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]), -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights = weights / (weights.sum(-1, keepdims=True) + {epsilon})
    mixed, attention_cache = weights @ v, {{"q": q, "k": k, "v": v, "weights": weights}}""")
    grade = graded(engine_with(Limits()), (function("multihead"), own))
    assert [exercise.points for exercise in grade.exercises] == [3, 2, 5, 7, 3]
    said = words(grade, "nl")
    assert "float32, " not in said
    assert "heb je ze met duwtjes" not in said


# --- a syntax error, and a newer Python ---------------------------------------------------------------------------

def test_a_syntax_error_costs_its_own_function_only(engine_with: Callable[[Limits], Engine]) -> None:
    grade = graded(engine_with(Limits()), (function("own_test"), "print 'begin'\n\n\n" + function("own_test")))
    assert grade.points == 20
    assert [cell.line for cell in grade.cells] == [SOLUTION[:SOLUTION.index("def own_test")].count("\n") + 1]


def notebook(version: str, *sources: str) -> Submission:
    cells = [{"cell_type": "code", "source": source, "metadata": {}, "outputs": [], "execution_count": None}
             for source in sources]
    data = {"cells": cells, "nbformat": 4, "nbformat_minor": 5,
            "metadata": {"language_info": {"codemirror_mode": {"version": 3}, "version": version, "name": "python"}}}
    return read_bytes("student-01.ipynb", json.dumps(data).encode(), LESSON)


NEWER = ("def merge_heads(h)", "def merge_heads(h, *, newer: int = 1 := 2)")


def test_what_a_newer_python_may_be_able_to_read_waits_for_a_person(engine_with: Callable[[Limits], Engine]) -> None:
    grade = engine_with(Limits()).grade(notebook("3.99.1", SOLUTION.replace(*NEWER)))
    points = {exercise.name: exercise.points for exercise in grade.exercises}
    assert points == {"split_heads": 3, "merge_heads": None, "multihead": 5, "multihead_backward": 7, "own_test": 3}
    assert grade.points is None
    said = [translate(reason, "en") for reason in grade.for_a_person]
    assert "Cell 1 was written with Python 3.99" in said[0]


def test_what_our_own_python_cannot_read_is_a_syntax_error(engine_with: Callable[[Limits], Engine]) -> None:
    grade = engine_with(Limits()).grade(notebook("3.8.1", SOLUTION.replace(*NEWER)))
    assert (grade.points, grade.for_a_person) == (18, ())


def test_the_version_stands_in_the_metadata_not_in_a_cell() -> None:
    assert notebook("3.99.1", "x = 1").python == "3.99"
    assert notebook("3.8", '"language_info": {"version": "3.99.1"}').python == ""
    assert notebook("3.8", "x = 1").key != notebook("3.99.1", "x = 1").key == notebook("3.99.2", "x = 1").key


@pytest.mark.parametrize(("language", "said"), [
    ("nl", "horen arrays"), ("en", "should be arrays"), ("", "horen arrays")])
def test_the_given_helper_speaks_the_language_of_the_notebook(
        language: str, said: str, engine_with: Callable[[Limits], Engine]) -> None:
    code = "attention(np.zeros(3), np.zeros((3, 4)), np.zeros((3, 4)), np.ones((3, 3), dtype=bool))\n"
    grade = engine_with(Limits()).grade(replace(notebook("3.11", code, SOLUTION), language=language))
    assert said in grade.cells[0].error
    assert grade.points == 20


def test_what_is_too_slow_says_the_time_that_there_is() -> None:
    why = why_unanswered("multihead", Outcome("timed_out", seconds=10.2), False, lambda name: False)
    assert translate(why, "nl") == (
        "multihead was na 10 seconden nog niet klaar, en meer tijd is er niet voor één aanroep")


# --- where to begin -----------------------------------------------------------------------------------------------

def test_what_brings_most_comes_first(engine_with: Callable[[Limits], Engine]) -> None:
    slip = ("if isinstance(heads, bool) or not", "heads = heads + 0 if heads is True else heads\n    if not")
    grade = graded(engine_with(Limits()), slip, body("multihead_backward", STUB), body("own_test", STUB))
    assert first_to_look_at(grade).exercise.name == "multihead_backward"
    grade = graded(engine_with(Limits()), slip)
    assert first_to_look_at(grade).exercise.name == "split_heads"
