"""split_heads: (B, T, C) -> (B, H, T, d)."""
from autograder.lessons.kit.facts import (
    answers_what_was_asked,
    asked,
    equal,
    for_these,
    leaves_arguments,
    refuses,
    same_again,
    stays_as_it_was,
)
from autograder.lessons.kit.lesson import Ask, check
from autograder.lessons.multihead import probes
from autograder.records import text

RIGHT = ("general",)                            # what must be right before anything else earns points


@check(text("Eight numbers: head 0 holds [[0,1],[4,5]] and head 1 holds [[2,3],[6,7]]"), "1/4", needs=RIGHT, shown=True)
def worked_example(ask: Ask) -> None:
    """The eight numbers of W1 land in the right heads."""
    equal(ask.value(probes.W1_SPLIT), probes.W1_HEADS, "BHTd", "split_heads(x, 2)", shown=True)


@check(text("Every number keeps its sequence, its time step and its head"), "1")
def general(ask: Ask) -> None:
    """Two hidden cases with all sizes different."""
    for call in asked(ask, (probes.SPLIT, probes.SPLIT_OTHER)):
        equal(ask.value(call), ask.expected(call), "BHTd", "split_heads(x, heads)")


@check(text("One head, heads of one feature and a single token are cut like any other"), "1/8", needs=RIGHT)
def edges(ask: Ask) -> None:
    """H = 1, d = 1, and B = T = 1."""
    for call in probes.SPLIT_EDGES:
        equal(ask.value(call), ask.expected(call), "BHTd", "split_heads(x, heads)")


@check(text("An x laid out differently in memory (a view, a slice) is cut like any other"), "1/8", needs=RIGHT)
def layouts(ask: Ask) -> None:
    """Single precision in Fortran order, and every second number of a larger array."""
    for call in probes.SPLIT_LAYOUTS:
        for_these(text("for an x laid out differently in memory"), lambda call=call: equal(
            ask.value(call), ask.expected(call), "BHTd", "split_heads(x, heads)"))


@check(text("A number of heads that does not divide C is refused"), "1/4", needs=RIGHT)
def refuses_other_divisors(ask: Ask) -> None:
    """Even if T * C happens to fit, or if channels would be dropped."""
    refuses(ask, probes.SPLIT_NOT_A_DIVISOR, text("a number of heads that does not divide C"))


@check(text("Zero and negative numbers of heads are refused"), "1/4", needs=RIGHT)
def refuses_below_one(ask: Ask) -> None:
    """Refused, not by dividing by zero."""
    refuses(ask, probes.SPLIT_NOT_POSITIVE, text("a number of heads below one"))


@check(text("True is not a number of heads"), "1/4", needs=RIGHT)
def refuses_bool(ask: Ask) -> None:
    """In Python a bool is an int; here it is refused."""
    refuses(ask, probes.SPLIT_BOOL, text("True as the number of heads"))


@check(text("A float as the number of heads, such as 2.0 or 2.7, is refused"), "1/8", needs=RIGHT)
def refuses_fractions(ask: Ask) -> None:
    """Not rounded to something that fits."""
    refuses(ask, probes.SPLIT_FRACTIONS, text("a float as the number of heads"))


@check(text("A text as the number of heads, such as '3', is refused"), "1/8", needs=RIGHT)
def refuses_text(ask: Ask) -> None:
    """Not read as a number; nor is None."""
    refuses(ask, probes.SPLIT_TEXT, text("something other than a number as the number of heads"))


@check(text("An x without exactly three axes is refused"), "1/4", needs=RIGHT)
def refuses_other_axes(ask: Ask) -> None:
    """Two and four axes."""
    refuses(ask, probes.SPLIT_OTHER_AXES, text("an x that does not have three axes"))


@check(text("x stays as it was, and the same call gives the same answer"), "1/4", needs=RIGHT)
def keeps_arguments(ask: Ask) -> None:
    """A view is fine, a change is not."""
    leaves_arguments(ask, probes.SPLIT, ("x", "heads"))
    for again in probes.SPLIT_AGAIN:
        same_again(ask.value(probes.SPLIT), ask.value(again), "split_heads")
    stays_as_it_was(ask, probes.SPLIT_AGAIN[0], probes.SPLIT_NEXT)
    answers_what_was_asked(ask, probes.SPLIT, probes.SPLIT_NEXT, "BHTd", "split_heads(x, heads)")


CHECKS = (worked_example, general, edges, layouts, refuses_other_divisors, refuses_below_one, refuses_bool,
          refuses_fractions, refuses_text, refuses_other_axes, keeps_arguments)
