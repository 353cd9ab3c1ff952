"""Say what is wrong where no mistake and no step explains it: where it goes wrong, how it ends, what alone fails.

None of these words tells of anything that is right in an exercise, so none of them shows an attempt (see `from_last`).
"""

import re
from collections.abc import Mapping

import numpy as np

from autograder.judge.family_words import Word
from autograder.judge.reasons import OF_YOUR_OWN
from autograder.judge.worlds import Judged
from autograder.lessons.kit.compare import alike
from autograder.lessons.kit.lesson import UNWRITTEN
from autograder.lessons.kit.model import Model, Trial
from autograder.lessons.kit.quoting import once
from autograder.records import Call, Outcome, Subject, Text, text
from autograder.sandbox.wire.tree import leaves

Answers = Mapping[Call, Outcome]
#: what says that something is wrong, and not what
VAGUE = frozenset({"{name} has the right shape but wrong values", "{function} raised {error}",
                   "{name} has the right shape but wrong values: {where}",
                   "{at} is {got}, expected {want}", "{at} is {got}, expected {want} ({where})"})
#: how a message about an exception begins
ENDINGS = frozenset({"{function} raised {error}", "{why}. {cause}", OF_YOUR_OWN})
CHANGES = "{function} changes its argument {argument}; work on a copy"
MOST_ALONE = 2                                  # things that fail while everything else is right
MOST_AXES = 4                                   # of a shape in the text of an exception
_PREFIXES = ("where-", "stops-", "only-", "changes-", "same-")


def from_last(id: str) -> bool:
    """Whether an id is of one of these words."""
    return id.startswith(_PREFIXES)


def same_for_all(model: Model, answers: Answers, reference: Subject) -> list[Word]:
    """Whether all questions get one and the same answer, although their right answers have different shapes."""
    given = [(answers[trial.call], reference.answer(trial.call)) for trial in model.trials if trial.call in answers]
    if len(given) < 2 or any(one.status != "answered" for pair in given for one in pair):
        return []
    got, want = ([[leaf for leaf in leaves(one.value) if isinstance(leaf, np.ndarray)] for one in each]
                 for each in zip(*given, strict=True))
    shapes = {tuple(leaf.shape for leaf in right) for right in want}
    equal = all(len(one) == len(got[0]) and all(map(np.array_equal, one, got[0])) for one in got[1:])
    if len(shapes) == 1 or not equal or not any(leaf.any() for leaf in got[0]):
        return []
    says = text("{function} gives one and the same answer to questions of different sizes: does it remember the first "
                "one?", function=model.exercise)
    return [Word("same-for-all", says)]


def in_another_form(model: Model, answers: Answers, reference: Subject) -> list[Word]:
    """Whether every number is right, and only the tuple, dict or list that holds them is another than was asked for."""
    found = False
    for trial in model.trials:
        outcome = answers.get(trial.call)
        if model.form is None or outcome is None or outcome.status != "answered":
            return []
        right = reference.answer(trial.call).value
        want = {name: part for name, part in model.parts(right).items() if name in model.leaves}
        held = [leaf for leaf in leaves(outcome.value) if isinstance(leaf, np.ndarray) and leaf.dtype.kind in "fiu"]
        if not all(any(alike(leaf, part) for leaf in held) for part in want.values()):
            return []
        found = found or not _formed(model, outcome.value, right)
    says = text("All numbers are right; only the form in which they come back is not: {function} should return {form}",
                function=model.exercise, form=model.form)
    return [Word("other-form", says)] if found else []


def _formed(model: Model, got: object, right: object) -> bool:
    """Whether an answer has as many parts as it should, and an array under each name."""
    def many(value: object) -> int:
        return len(value) if isinstance(value, tuple) else 1
    parts, wanted = model.parts(got), model.parts(right).keys() & model.leaves.keys()
    return many(got) == many(right) and all(isinstance(parts.get(name), np.ndarray) for name in wanted)


def where_it_goes_wrong(model: Model, judged: Judged, answers: Answers, reference: Subject) -> list[Word]:
    """What the questions have in common to which the answer is wrong, or all those to which it is right.

    Where several things fit, both are said, or none.
    """
    right = {call: verdict for call, outcome in answers.items()
             if call.function == model.exercise and outcome.status in ("answered", "raised")
             and (verdict := _right(model, outcome, reference.answer(call))) is not None}
    good, bad = ({call for call, verdict in right.items() if verdict is wanted} for wanted in (True, False))
    if not good or not bad:
        return []
    found = [Word(id.format(name), Text(says.template, {"function": model.exercise, "where": where}))
             for name, where, holds in model.conditions for these, id, says in (
                 (bad, "where-{}", _WRONG_ONLY), (good, "where-not-{}", _RIGHT_ONLY))
             if {call for call in right if holds(call)} == these]
    ids = {word.id for word in found}           # "with one head, or one token" says no more than "with one head" then
    found = [word for word in found if word.id.partition("-or-")[0] not in ids - {word.id}]
    ending = _told(judged) if all(answers[call].status == "raised" for call in bad) else None
    if ending is not None and found:
        says = text("{where} Where it is wrong, this happens: {why}", where=found[-1].says, why=ending)
        found[-1] = Word(found[-1].id, says)
    return found if len(found) <= MOST_ALONE else []


_WRONG_ONLY = text("Of all that was tried, {function} is wrong only {where}, and wrong there each time: what does your "
                   "code do differently there?")
_RIGHT_ONLY = text("Of all that was tried, {function} is right only {where}, and right there each time: what does your "
                   "code do differently elsewhere?")


def _right(model: Model, got: Outcome, want: Outcome) -> bool | None:
    """Whether an answer is what it should be; None where the question has no answer, or nothing was tried."""
    if want.status != "answered" or UNWRITTEN in got.kinds:
        return None
    if got.status == "raised":
        return False
    parts = model.parts(got.value)
    return all(alike(parts.get(name), part) for name, part in model.parts(want.value).items() if name in model.leaves)


def how_it_ends(judged: Judged, answers: Answers, trial: Trial | None) -> list[Word]:
    """The exception with which questions end, and which lengths did not fit."""
    own = {call: outcome for call, outcome in answers.items() if call.function == judged.exercise.name}
    ended = [one for one in own.values() if one.status == "raised" and UNWRITTEN not in one.kinds]
    told = _told(judged)
    if told is None or not ended or any(one.status not in ("raised", "answered") for one in own.values()):
        return []
    outcome = own.get(trial.call) if trial is not None else None
    lengths = _lengths(outcome, trial) if trial is not None and outcome is not None and not outcome.own else None
    says = (text("Every question ends like this: {why}", why=told) if len(ended) == len(own)
            else text("Not every question gets an answer; some end like this: {why}", why=told))
    return [Word(f"stops-{_kind(told)}",
                 says if lengths is None else text("{one} {other}", one=says, other=lengths))]


def what_alone_fails(judged: Judged) -> list[Word]:
    """The one or two things that are said, if everything else is right and they say what is wrong."""
    failed = [(check, one) for check, one in zip(judged.exercise.checks, judged.attempts, strict=True)
              if one.word != "passed"]
    whys = list({str(one.why): one.why for check, one in failed if one.why is not None}.values())
    if not 0 < len(whys) <= MOST_ALONE or len(failed) > MOST_ALONE or any(
            one.word not in ("wrong", "raised") or one.why is None or _vague(one.why) or check.shown
            for check, one in failed):
        return []
    whys = once(whys)                           # of two exceptions, only the first is told, here too
    says = whys[0] if len(whys) == 1 else text("{one}; {other}", one=whys[0], other=whys[1])
    return [Word("only-" + failed[0][0].name, text("Everything else that was tried is right; only this is not: {why}",
                                                   why=says))]


def what_it_changes(judged: Judged) -> list[Word]:
    """An argument that is changed: what comes after it reads the changed numbers, so nothing else can be trusted."""
    why = next((one.why for one in judged.attempts if one.why is not None and one.why.template == CHANGES), None)
    return [] if why is None else [Word("changes-argument", text(
        "{why}. Whatever reads it afterwards gets the changed numbers, so repair this first", why=why))]


def _vague(why: Text) -> bool:
    return why.template in VAGUE or any(_vague(part) for part in why.values.values() if isinstance(part, Text))


def _told(judged: Judged) -> Text | None:
    """What is said of the first hidden check that met an exception: no other may be quoted of an exercise."""
    whys = (one.why for one, check in zip(judged.attempts, judged.exercise.checks, strict=True)
            if one.word == "raised" and not check.shown)
    return next((why for why in whys if why is not None and why.template in ENDINGS), None)


def _kind(told: Text) -> str:
    """The kind of the exception that this tells of: no other may be told of an exercise."""
    kinds = (_kind(value) if isinstance(value, Text) else value for name, value in told.values.items()
             if isinstance(value, Text) or name == "error")
    return next((str(kind) for kind in kinds if kind), "")


# --- lengths in the text of an exception --------------------------------------------------------------------------

_PAIR = (re.compile(r"^matmul: .*\(size (\d+) is different from (\d+)\)"),
         re.compile(r"^shapes .* not aligned: (\d+) \(dim \d\) != (\d+) \(dim \d\)"))
_SHAPES = re.compile(r"^operands could not be broadcast together with shapes \(([\d,]+)\) \(([\d,]+)\)")
_RESHAPE = re.compile(r"^cannot reshape array of size (\d+) into shape \(([\d,]+)\)")


def _lengths(outcome: Outcome, trial: Trial) -> Text | None:
    """Which lengths did not fit, by their letters in the question of which all lengths differ."""
    for pattern in _PAIR:
        if found := pattern.match(outcome.message):
            one, other = (_letter(int(number), trial) for number in found.groups())
            return text("The lengths that do not fit are {one} and {other}.", one=one, other=other) if (
                one and other) else None
    if found := _SHAPES.match(outcome.message):
        one, other = (_letters(shape, trial) for shape in found.groups())
        return text("The shapes that do not fit are {one} and {other}.", one=one, other=other) if (
            one and other) else None
    if found := _RESHAPE.match(outcome.message):
        size, shape = _letter(int(found[1]), trial), _letters(found[2], trial)
        return text("It wants to put {count} numbers into the shape {shape}.", count=size, shape=shape) if (
            size and shape) else None
    return None


def _letter(number: int, trial: Trial) -> str | None:
    """What this length is called; None if it has no name."""
    if number == 1:
        return "1"
    return next((name for name, value in trial.sizes.items()
                 if value == number and name[0].isalpha() and "log" not in name), None)


def _letters(shape: str, trial: Trial) -> str | None:
    """A shape in letters; None for one of many axes, which a student's code chose to carry what it has seen."""
    named = [_letter(int(number), trial) for number in shape.split(",") if number]
    return None if None in named or len(named) > MOST_AXES else f"({', '.join(filter(None, named))})"
