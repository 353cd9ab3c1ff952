"""The order in which a right solution is asked: what a student's process may be sent ahead."""

from functools import lru_cache
from typing import Any

from autograder.judge.worlds import own_world
from autograder.lessons.kit.lesson import Lesson
from autograder.records import Call, Outcome, Result, Subject
from autograder.sandbox.ahead import Order
from autograder.sandbox.allowance import for_everybody


@lru_cache(maxsize=8)
def order_of(lesson: Lesson, reference: Subject) -> Order:
    """The questions of the own world, each once; None where an earlier answer is looked at again."""
    asked = _Asked(reference)
    with for_everybody():
        own_world(lesson, asked, reference)
    return tuple(asked.order)


class _Asked:
    """The reference as a subject that remembers what it was asked."""

    def __init__(self, reference: Subject):
        self._reference = reference
        self.order: list[Call | None] = []

    def answer(self, call: Call) -> Outcome:
        if call not in self.order:
            self.order.append(call)
        return self._reference.answer(call)

    def unchanged(self, call: Call) -> bool:
        self.order.append(None)
        return self._reference.unchanged(call)

    def insides(self, result: Result) -> list[Any]:
        self.order.append(None)
        return self._reference.insides(result)

    def forgets(self, function: str) -> bool:
        return self._reference.forgets(function)

    def expect(self, order: Order) -> None:
        raise AssertionError("its own order is what is being found out")
