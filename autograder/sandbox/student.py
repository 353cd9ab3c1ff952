"""Run a student's cells in a process behind the wall, and ask it for answers: a student's code as a Subject.

A Sandbox has one warm zygote. Every Student is a fresh child of it, in which the cells ran; when the child dies, the
next call gets another one, and what it needs of earlier answers is asked again there.
"""
from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import partial
from types import MappingProxyType
from typing import Self
from weakref import WeakKeyDictionary

import numpy as np
from msgspec.structs import replace

from autograder.records import Call, Cell, CellReport, Outcome, Result, StandIns, Text
from autograder.sandbox.ahead import Ahead, Order
from autograder.sandbox.allowance import Allowance
from autograder.sandbox.children import Children, Given, lesson_code
from autograder.sandbox.conversation import Conversation, Died, Reply, new_nonce
from autograder.sandbox.forkserver import ZygoteLost
from autograder.sandbox.place import Places
from autograder.sandbox.plan import NO_TIME, OUT_OF_TIME, CellRuns, Plan
from autograder.sandbox.questions import arguments_of, on_wire, outcome_of, question, results_of
from autograder.sandbox.room import within_room
from autograder.sandbox.stand_ins import Answering
from autograder.sandbox.tiers import NoIsolation, available
from autograder.sandbox.wire.insides import MOST_INSIDE
from autograder.sandbox.wire.messages import Answer, Ask, AskAgain, Examine, Examined, Look, Looked, Same
from autograder.sandbox.wire.plain import exact_text
from autograder.sandbox.wire.wire import WireError

__all__ = ["Allowance", "NoIsolation", "Plan", "Sandbox", "Student", "ZygoteLost", "available"]
OVERRUNS = 2                              # a function that timed out so often is not asked again; once: half the time
NO_STAND_INS: StandIns = MappingProxyType({})


class Sandbox:
    """Where students' code runs. Use it as a context manager; ZygoteLost means that asking again may help."""

    def __init__(self, *, isolation: str = "auto", seconds: float = 10.0, memory_mb: int = 1024,
                 cell_seconds: float = 10.0, budget: float = 600.0):
        around, self.isolation_notice = available(isolation, memory_mb)
        self.isolation = around.tier
        self.seconds, self.cell_seconds = seconds, cell_seconds
        self.children = Children(around, memory_mb, math.ceil(budget) + 5)

    def __enter__(self) -> Self:
        self.children.boot()
        return self

    def __exit__(self, *exception: object) -> None:
        self.children.close()

    def open(self, cells: Sequence[Cell], *, modules: Mapping[str, str], prelude: str,
             stand_ins: StandIns = NO_STAND_INS, install: tuple[str, ...] = (), plan: Plan | None = None,
             allowance: Allowance | None = None, examine: str = "") -> Student:
        """Run the cells in a fresh child and let it answer calls, within what the whole submission may still use.

        `modules` are given to import (name -> source), `prelude` runs first. The judge answers the names in
        `stand_ins`; those in `install` take the place of the student's own functions wherever they are defined.
        `examine` names the function that `Student.forgets` is about. Where the plan knows of stubs, there is a child
        only once anything else is asked.
        """
        given = Given(lesson_code(tuple(modules.items()), prelude),
                      any("matplotlib" in cell.source or "pylab" in cell.source for cell in cells))
        student = Student(self, cells, given, stand_ins, install, plan, allowance, examine)
        if plan is None or not plan.stubs:
            student.begin()
        return student


class Student:
    """A submission that answers calls (records.Subject). Answers are remembered by the identity of the Call."""

    def __init__(self, sandbox: Sandbox, cells: Sequence[Cell], given: Given, stand_ins: StandIns = NO_STAND_INS,
                 install: tuple[str, ...] = (), plan: Plan | None = None, allowance: Allowance | None = None,
                 examine: str = ""):
        self._sandbox, self._given, self._allowance = sandbox, given, allowance or Allowance()
        self._answering = Answering(stand_ins, self._elsewhere)
        self._sources = {cell.index: exact_text(cell.source) for cell in cells}
        self._places = Places(self._sources)
        self._to_examine, self._forgetful = examine, ""
        self._runs = CellRuns(cells, deepcopy(plan or Plan()), sandbox.cell_seconds, self._allowance, install,
                              self._answering.answer if install else None)
        self._stubs = self._runs.plan.stubs
        self._outcomes: WeakKeyDictionary[Call, Outcome] = WeakKeyDictionary()
        self._kept: WeakKeyDictionary[Call, int] = WeakKeyDictionary()    # answers that this child keeps, numbered
        self._numbers = itertools.count(1)
        self._ahead = Ahead()
        self._overruns: Counter[str] = Counter()
        self._child: Conversation | None = None
        self._tampered = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def reports(self) -> tuple[CellReport, ...]:
        """How each cell ran the first time."""
        return tuple(self._runs.reports.values())

    @property
    def notices(self) -> tuple[Text, ...]:
        """What a person should know about how the cells ran."""
        return tuple(self._runs.notices)

    @property
    def tampered(self) -> bool:
        """Whether the kernel ended a process of it for a system call that no honest code makes."""
        return self._tampered or any(report.status == "tampering" for report in self.reports)

    @property
    def plan(self) -> Plan:
        """What later children of the same submission should know about its cells."""
        return deepcopy(self._runs.plan)

    def close(self) -> None:
        """Kill the child, and what answered its calls."""
        self._answering.close()
        self._ahead.forget()
        if self._child is not None:
            self._child.close()
            self._child = None

    def begin(self) -> Conversation:
        """Have a child in which the cells ran: as many tries as it takes, a cell less each time."""
        while self._child is None:
            child = self._sandbox.children.one(self._given)
            self._kept.clear()
            try:
                if self._prepared(child):
                    self._child = child
            finally:
                if self._child is None:
                    child.close()
        return self._child

    def _prepared(self, child: Conversation) -> bool:
        child.belongs_to(self._allowance)
        return self._examined(child) and self._runs.run_in(child)

    def _examined(self, child: Conversation) -> bool:
        """Have the source examined, once, before any of it runs; False where the child did not survive it."""
        function, self._to_examine = self._to_examine, ""
        if function:
            question = Examine(new_nonce(), list(self._sources.values()), function)
            try:
                forgets = child.ask(question, Examined, self._sandbox.cell_seconds).forgets
            except Died:
                return False
            self._forgetful = function if forgets else ""
        return True

    def _elsewhere(self, source: str) -> Student:
        """A process for a source of the judge's, at the cost of this submission."""
        return Implementation(self._sandbox, [Cell(0, source)], self._given, allowance=self._allowance)

    def forgets(self, function: str) -> bool:
        """Whether this function is known to keep nothing from one call to the next (sandbox.forgetful)."""
        return function == self._forgetful

    def expect(self, order: Order) -> None:
        """Tell in which order it will probably be asked. Not with stand-ins: the next message answers a call back."""
        self._ahead = Ahead(order)

    # --- calls ----------------------------------------------------------------------------------------------------

    def answer(self, call: Call) -> Outcome:
        """The outcome of this call within the sandbox's `seconds`; asked once, then remembered."""
        if not self._allowance.may_be_judged():
            return NO_TIME
        outcome = self._outcomes.get(call)
        if outcome is None:
            outcome = self._outcomes[call] = self._asked(call)
        return outcome

    def unchanged(self, call: Call) -> bool:
        """Whether the answer to this call still is what it was when it was given; True where it is gone."""
        self._receive()
        if self._child is None or call not in self._kept:
            return True
        same = self._about(self._child, AskAgain(new_nonce(), self._kept[call]), Same)
        return same is None or same.same

    def insides(self, result: Result) -> list[np.ndarray | float | None]:
        """The arrays and numbers that this (part of an) answer holds, at any depth; none where it is gone."""
        answered = self.answer(result.of).status == "answered"
        self._receive()
        if not answered or self._child is None or result.of not in self._kept:
            return []
        looked = self._about(self._child, Look(new_nonce(), on_wire(result, self._kept.__getitem__)), Looked)
        seen = () if looked is None else looked.values
        seen = seen if type(seen) is tuple and len(seen) <= MOST_INSIDE else ()     # the worker says no more than that
        return [leaf if isinstance(leaf, np.ndarray | int | float) else None for leaf in seen]

    def _about(self, child: Conversation, question: AskAgain | Look, expected: type[Reply]) -> Reply | None:
        """The reply to a question about an earlier answer; None where the child did not survive it."""
        try:
            return child.ask(question, expected, self._sandbox.seconds)
        except Died as died:
            self.close()
            self._tampered |= died.status == "tampering"
            return None

    def _asked(self, call: Call) -> Outcome:
        if self._allowance.seconds <= 0:
            self._runs.tell(OUT_OF_TIME)
            if self._ahead.before(None):
                self.close()
            return NO_TIME
        stub = None if self._ahead.has(call) else self._stubs.get(call.function)
        if stub is None:
            self.begin()
        for result in results_of(call):
            earlier = self.answer(result.of)
            if earlier.status == "answered" and result.of not in self._kept:
                earlier = self._asked(result.of)                          # the child that knew it has died
            if earlier.status != "answered":
                return Outcome(earlier.status, error=earlier.error,
                               message=f"{result.of.function}, whose answer this call needs, gave none")
        if stub is not None:
            return stub
        if self._overruns[call.function] >= OVERRUNS:
            return Outcome("timed_out", message=f"{call.function} was not asked again after {OVERRUNS} time-outs")
        return self._ask(call)

    def _ask(self, call: Call) -> Outcome:
        self._receive(call)
        if any(result.of not in self._kept for result in results_of(call)):       # the child has died of another
            return self._asked(call)
        child, ask = self.begin(), self._ahead.take(call)
        try:
            if ask is not None or child.send_ahead(ask := self._question(call)):
                self._ahead.send(child, call, self._may_go_ahead, self._question)
            seconds = self._sandbox.seconds / 2 ** self._overruns[call.function]
            call_back = partial(self._answering.answer, arguments=arguments_of(call))
            answer = child.ask(ask, Answer, seconds, call_back)
            outcome = self._kept_within_bounds(outcome_of(answer, child.took), ask.anew)
        except Died as died:
            self.close()
            self._overruns[call.function] += died.status == "timed_out"
            self._tampered |= died.status == "tampering"
            return Outcome(died.status, error=died.evidence, seconds=died.took)
        except WireError as error:
            self.close()
            return Outcome("refused", error=str(error))
        except BaseException:
            self.close()
            raise
        self._kept[call] = ask.call
        return self._placed(outcome, call.function)

    def _question(self, call: Call) -> Ask:
        return question(call, new_nonce(), next(self._numbers), self._kept.__getitem__)

    def _may_go_ahead(self, call: Call) -> bool:
        earlier = [result.of for result in results_of(call)]
        return not (call in self._outcomes or call.function in self._stubs) and (
            self._overruns[call.function] < OVERRUNS) and all(
                one in self._kept and self._outcomes[one].status == "answered" for one in earlier)

    def _receive(self, until: Call | None = None) -> None:
        """Have the answers to what was sent ahead, or to what was sent before this call."""
        for call in self._ahead.before(until):
            if call in self._ahead.before(None):            # not once the child has died
                self._outcomes[call] = self._asked(call)

    def _placed(self, outcome: Outcome, asked: str) -> Outcome:
        """The outcome with the name of the student's function in which it arose, if there is such a line."""
        if outcome.where is None:
            return outcome
        found = self._places.at(*outcome.where)
        if found is None:
            return replace(outcome, where=None)
        within, stub = found
        outcome = replace(outcome, within=within)
        if stub == asked and outcome.own:
            self._stubs[asked] = outcome
        return outcome

    def _kept_within_bounds(self, outcome: Outcome, trial: bool) -> Outcome:
        return within_room(outcome, self._allowance, trial)


class Implementation(Student):
    """A source of the judge's own that answers in a student's place: its answers are passed on, and not kept."""

    def _kept_within_bounds(self, outcome: Outcome, trial: bool) -> Outcome:
        return outcome
