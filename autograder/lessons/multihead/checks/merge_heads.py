"""merge_heads: (B, H, T, d) -> (B, T, C)."""
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


@check(text("Eight numbers: the two heads become x again"), "1/4", needs=RIGHT, shown=True)
def worked_example(ask: Ask) -> None:
    """merge(split(x)) equals x on the eight numbers of W1."""
    equal(ask.value(probes.W1_MERGE), probes.W1_X, "BTC", "merge_heads(h)", shown=True)


@check(text("Every number returns to its own sequence, time step and feature"), "1")
def general(ask: Ask) -> None:
    """Two hidden cases with all sizes different."""
    for call in asked(ask, (probes.MERGE, probes.MERGE_OTHER)):
        equal(ask.value(call), ask.expected(call), "BTC", "merge_heads(h)")


@check(text("One head, heads of one feature and a single token are joined like any other"), "1/8", needs=RIGHT)
def edges(ask: Ask) -> None:
    """H = 1, d = 1, and B = T = 1."""
    for call in probes.MERGE_EDGES:
        equal(ask.value(call), ask.expected(call), "BTC", "merge_heads(h)")


@check(text("An h laid out differently in memory (a view, a slice) is joined like any other"), "1/8", needs=RIGHT)
def layouts(ask: Ask) -> None:
    """A view such as split_heads makes, and every second number of a larger array, in float32."""
    for call in probes.MERGE_LAYOUTS:
        for_these(text("for an h laid out differently in memory"), lambda call=call: equal(
            ask.value(call), ask.expected(call), "BTC", "merge_heads(h)"))


@check(text("An h without exactly four axes is refused"), "1/4", needs=RIGHT)
def refuses_other_axes(ask: Ask) -> None:
    """Three and five axes."""
    refuses(ask, probes.MERGE_OTHER_AXES, text("an h that does not have four axes"))


@check(text("h stays as it was, and the same call gives the same answer"), "1/4", needs=RIGHT)
def keeps_arguments(ask: Ask) -> None:
    """A view is fine, a change is not."""
    leaves_arguments(ask, probes.MERGE, ("h",))
    for again in probes.MERGE_AGAIN:
        same_again(ask.value(probes.MERGE), ask.value(again), "merge_heads")
    stays_as_it_was(ask, probes.MERGE_AGAIN[0], probes.MERGE_NEXT)
    answers_what_was_asked(ask, probes.MERGE, probes.MERGE_NEXT, "BTC", "merge_heads(h)")


CHECKS = (worked_example, general, edges, layouts, refuses_other_axes, keeps_arguments)
