"""Write the students' work: right solutions, one or two mistakes, half a notebook, damaged files, attempts to cheat."""

import random
from collections.abc import Iterator
from functools import cached_property
from itertools import islice

from autograder.authoring.demo.notebooks import Assignment, Notebook, as_bytes, code_cell
from autograder.lessons.kit.lesson import Mistake

Work = dict[str, bytes]                         # file name -> content
#: the roles in order, so that even a small class is mixed; after the last it starts again
ROLES = ("right", "one_mistake", "two_mistakes", "half_finished", "one_mistake", "stripped", "right", "one_mistake",
         "cut_off", "prints_its_marks", "one_mistake", "right", "untouched", "renamed", "two_mistakes", "one_mistake",
         "ends_the_process", "right", "one_mistake", "empty", "two_mistakes", "half_finished", "one_mistake", "right",
         "one_mistake", "right", "one_mistake", "two_mistakes", "one_mistake", "right")

TRIES = 1000                                    # how often two mistakes are drawn, since they may not go together
MARKS = 'print(\'{"points": 20.0, "max_points": 20.0, "verdict": "passed"}\')'
LEAVES = "import os\n\nos._exit(0)"


class Cast:
    """Makes the works of a class, one role after another."""

    def __init__(self, assignment: Assignment, rng: random.Random):
        self._assignment, self._rng = assignment, rng
        self._reference = assignment.lesson.reference_source

    def works(self, students: int) -> list[Work]:
        """One work per student, in a mixed order."""
        works = [getattr(self, f"_{role}")() for role in islice(_again_and_again(), students)]
        self._rng.shuffle(works)
        return works

    # --- honest -------------------------------------------------------------------------------------------------

    def _right(self) -> Work:
        return self._saved(self._solved())

    def _one_mistake(self) -> Work:
        return self._saved(self._filled(self._mistake().make(self._reference)))

    def _two_mistakes(self) -> Work:
        """In two different exercises; only one mistake if the lesson has no two that go together."""
        for _ in range(TRIES):
            first, second = self._mistake(), self._mistake()
            if set(first.exercises).isdisjoint(second.exercises):
                try:
                    return self._saved(self._filled(second.make(first.make(self._reference))))
                except ValueError:              # both change the same line
                    continue
        return self._one_mistake()

    def _half_finished(self) -> Work:
        """The first half of the functions; sometimes one of them is wrong."""
        own, half = self._assignment.own, self._half
        first = [mistake for mistake in self._mistakes if set(mistake.exercises) <= set(own[:half])]
        wrong = self._rng.choice(first).make(self._reference) if first else self._reference
        code = self._rng.choice([self._reference, wrong])
        return self._saved(self._assignment.filled(code, left=own[half:]))

    def _untouched(self) -> Work:
        return self._saved(self._assignment.filled(self._reference, left=self._assignment.own))

    # --- damaged ------------------------------------------------------------------------------------------------

    def _stripped(self) -> Work:
        """Another tool saved the notebook and lost all metadata."""
        notebook = self._solved()
        for cell in notebook["cells"]:
            cell["metadata"] = {}
        return self._saved({**notebook, "metadata": {}})

    def _renamed(self) -> Work:
        stem, _, suffix = self._assignment.name.rpartition(".")
        return {f"{stem} (1).{suffix}": as_bytes(self._solved())}

    def _cut_off(self) -> Work:
        content = as_bytes(self._solved())
        return {self._assignment.name: content[:self._rng.randrange(len(content) // 3, len(content) // 2)]}

    def _empty(self) -> Work:
        return {self._assignment.name: b""}

    # --- dishonest ----------------------------------------------------------------------------------------------

    def _prints_its_marks(self) -> Work:
        return self._saved(self._with_cell(self._assignment.filled(self._reference, left=self._assignment.own), MARKS))

    def _ends_the_process(self) -> Work:
        code = self._mistake().make(self._reference)
        notebook = self._assignment.filled(code, left=self._assignment.own[self._half:])
        return self._saved(self._with_cell(notebook, LEAVES))

    # --- parts --------------------------------------------------------------------------------------------------

    @cached_property
    def _mistakes(self) -> list[Mistake]:
        return [mistake for mistake in self._assignment.lesson.mistakes if mistake.advice is None]

    @property
    def _half(self) -> int:
        """Half the number of functions."""
        return len(self._assignment.own) // 2

    def _mistake(self) -> Mistake:
        """A mistake; every exercise is equally likely, whatever the catalogue has most of."""
        exercise = self._rng.choice([name for name in self._assignment.own
                                     if any(name in mistake.exercises for mistake in self._mistakes)])
        return self._rng.choice([mistake for mistake in self._mistakes if exercise in mistake.exercises])

    @cached_property
    def _right_ways(self) -> list[str]:
        """The right implementations on which a student's own test is tried, as sources; else the reference."""
        lesson = self._assignment.lesson
        wrong = {mistake.id for mistake in lesson.mistakes}
        return [way.make(self._reference) for exercise in lesson.exercises
                for name, way in exercise.implementations.items() if name not in wrong] or [self._reference]

    def _solved(self) -> Notebook:
        return self._filled(self._rng.choice(self._right_ways))

    def _filled(self, code: str) -> Notebook:
        weak = self._assignment.lesson.sample_tests
        tests = (None,) * (len(weak) - 1) + weak            # None is the reference's
        return self._assignment.filled(code, own_test=self._rng.choice(tests or (None,)))

    def _with_cell(self, notebook: Notebook, source: str) -> Notebook:
        return {**notebook, "cells": [*notebook["cells"], code_cell(source, "extra")]}

    def _saved(self, notebook: Notebook) -> Work:
        return {self._assignment.name: as_bytes(notebook)}


def _again_and_again() -> Iterator[str]:
    while True:
        yield from ROLES
