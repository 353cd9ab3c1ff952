"""own_test: the student's own test, graded by the wrong implementations it rejects and the right ones it accepts."""
from autograder.lessons.kit.exceptions import met_our_bound, unknown_name
from autograder.lessons.kit.lesson import UNWRITTEN, Ask, Check, Unanswered, Wrong, check, is_stub
from autograder.lessons.kit.quoting import kind_of_error
from autograder.records import Outcome, Text, text

#: right implementations, written in different ways; a test that rejects one of them earns nothing
RIGHT = ("right-reference", "right-einsum", "right-loops")
NEEDS = ("accepts-right-implementations",)


@check(text("Your test accepts implementations that are right, however they are written"), "0")
def accepts_right_implementations(ask: Ask) -> None:
    """All of them; any exception is a rejection."""
    for name in RIGHT:
        outcome = ask.trial(name)
        if outcome.status == "raised" and not is_stub("own_test", outcome):
            raise Wrong(_rejects(ask, outcome))
        _finished(outcome)


def _rejects(ask: Ask, outcome: Outcome) -> Text:
    """How the test rejected a right implementation: by its own assertion, or by a mistake in the test itself."""
    if met_our_bound(outcome):
        return text("own_test gives a function, or gets from it, more numbers than the autograder passes on in one "
                    "call. That is not your fault, and a person will look at it; smaller arrays show as much")
    if "AssertionError" in outcome.kinds:
        return text("own_test rejects an implementation that is right, with {error}; "
                    "does it compare something that may differ?", error=kind_of_error(outcome))
    if "TypeError" in outcome.kinds and outcome.where is None:      # none of the student's code had started
        return text("own_test could not be called: it should take two functions, as in "
                    "def own_test(multihead, multihead_backward)")
    if UNWRITTEN in outcome.kinds:
        return text("own_test calls your {other}, and that is not written yet", other=outcome.within)
    stops = _stops(outcome)
    if ask.of_an_example(unknown_name(outcome)):
        return text("{why}; variables of the example cells do not exist when your work is graded", why=stops)
    return stops


def _stops(outcome: Outcome) -> Text:
    """Which mistake ended it, and where: in the test itself, or in a function of the student's that it calls."""
    error = kind_of_error(outcome)
    if outcome.where is None:
        return text("own_test itself stops with {error} on an implementation that is right", error=error)
    where = {"cell": outcome.where[0] + 1, "line": outcome.where[1]}
    if outcome.within not in ("", "own_test"):
        return text("your {function} stops with {error} when own_test calls it (cell {cell}, line {line})",
                    function=outcome.within, error=error, **where)
    return text("own_test itself stops with {error} on an implementation that is right (cell {cell}, line {line})",
                error=error, **where)


def _finished(outcome: Outcome) -> None:
    """The test exists and ran to its end; otherwise the check ends with what happened instead."""
    if is_stub("own_test", outcome) or outcome.status not in ("answered", "raised"):
        raise Unanswered("own_test", outcome)


def catches(implementation: str, points: str, title: Text, hint: Text) -> Check:
    """The check that the student's test rejects this wrong implementation."""
    def run(ask: Ask) -> None:
        outcome = ask.trial(implementation)
        _finished(outcome)
        if outcome.status == "answered":
            raise Wrong(_lets_through(ask, outcome, hint))
    run.__name__ = f"catches_{implementation}"
    return check(title, points, needs=NEEDS)(run)


def _lets_through(ask: Ask, outcome: Outcome, hint: Text) -> Text:
    """Why this wrong implementation gets through: the hint is about what the test tries, if it tests at all."""
    if outcome.value is False and ask.trial(RIGHT[0]).value is not False:
        return text("own_test returns False for an implementation that is wrong, and that is not a rejection: raise an "
                    "AssertionError, with assert for example")
    if all(ask.trial(name).status == "answered" for name in CATCHES):
        return text("own_test lets every wrong implementation through. Does it compare numbers, and with something "
                    "that does not come from the functions that it tries? Inside own_test, multihead is the function "
                    "that it is given: put mine = multihead above the def")
    return hint


_QK_HINT = text("An implementation in which Q and K play no real part gets through: with one key, or with equal "
                "time steps, the weights never change and Q and K do not matter; use several different time steps")
_ROUTES_HINT = text("An implementation that loses a route gets through: x reaches y through Q, through K and "
                    "through V; compare the whole dx with something that you trust")
_MEAN_HINT = text("An implementation that averages gets through: use more than one sequence and more than one time "
                  "step, and compare the gradients of the matrices")
_ORDER_HINT = text("An implementation that mixes up heads gets through: use several heads, several time steps and a "
                   "wo in which the heads do not weigh the same, and compare the numbers, not only the shapes")
_MASK_HINT = text("An implementation that treats the mask wrongly gets through: use a mask with False in it that is "
                  "not its own mirror image, and compare y")
_WHOLE_HINT = text("An implementation that cuts gradients off to whole numbers gets through: also give integer "
                   "arrays, as dy and as matrices, and see whether the gradients are still floats")

CATCHES = {
    "k-uses-wq": (text("Your test notices when K is made with WQ"), _QK_HINT),
    "qk-detached": (text("Your test notices when no gradient goes back through Q and K"), _QK_HINT),
    "dx-only-v": (text("Your test notices when dx has the route through V only"), _ROUTES_HINT),
    "dx-missing-v": (text("Your test notices when dx lacks the route through V"), _ROUTES_HINT),
    "avg-over-batch": (text("Your test notices an average over the batch where a sum belongs"), _MEAN_HINT),
    "avg-over-time": (text("Your test notices an average over time where a sum belongs"), _MEAN_HINT),
    "split-heads-reversed": (text("Your test notices heads in reversed order"), _ORDER_HINT),
    "merge-by-reshape-in-forward": (text("Your test notices time steps that are mixed up when heads are joined"),
                                    _ORDER_HINT),
    "mask-ignored": (text("Your test notices a mask that is ignored"), _MASK_HINT),
    "mask-transposed": (text("Your test notices a mask with queries and keys exchanged"), _MASK_HINT),
    "int-dx-buffer": (text("Your test notices a dx that is cut off to whole numbers"), _WHOLE_HINT),
    "int-dW-buffer": (text("Your test notices gradients of the matrices that are cut off to whole numbers"),
                      _WHOLE_HINT),
}

CHECKS = (accepts_right_implementations,
          *(catches(name, "1/4", title, hint) for name, (title, hint) in CATCHES.items()))
