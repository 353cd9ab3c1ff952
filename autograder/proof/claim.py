"""Hold what the proof claims about a lesson, and what it found."""

import tomllib
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from autograder.lessons.kit.lesson import Lesson

#: what is being tried, how many are done, and out of how many
Progress = Callable[[str, int, int], None]


class Claim(msgspec.Struct, frozen=True):
    """How many of how many are as they should be; the claim holds from `least` percent."""

    says: str
    right: float
    of: float
    exceptions: tuple[str, ...] = ()            # each exception, and what is wrong with it
    least: float = 100.0

    @property
    def percent(self) -> float:
        return 100.0 * self.right / self.of if self.of else 100.0

    @property
    def holds(self) -> bool:
        return self.right * 100 >= self.least * self.of


class Matrix(msgspec.Struct, frozen=True):
    """Which mistakes each check of one exercise catches."""

    exercise: str
    checks: tuple[str, ...]
    explaining: frozenset[str]                  # checks kept for what they explain, whatever they catch
    caught_by: Mapping[str, frozenset[str]]     # mistake -> the checks that it fails

    def catches(self, check: str) -> int:
        """How many mistakes fail this check."""
        return sum(check in failed for failed in self.caught_by.values())

    def alone(self, check: str) -> int:
        """How many mistakes fail this check and no other check of the exercise."""
        return sum(failed == {check} for failed in self.caught_by.values())


class Proof(msgspec.Struct, frozen=True):
    """Everything that was tried."""

    lesson: str
    quick: bool                                 # only some of the mutants, variants and left-out mistakes
    isolation: str
    claims: tuple[Claim, ...]
    matrices: tuple[Matrix, ...]
    numbers: Mapping[str, str]                  # measured; nothing is claimed about them
    unfinished: bool = False                    # nothing was tried: parts of the lesson are not written yet

    @property
    def holds(self) -> bool:
        return all(claim.holds for claim in self.claims)


def granted(lesson: Lesson) -> dict[str, Any]:
    """What the proof takes for granted: `proof.toml` beside the lesson, each entry with its reason.

    `kept`: checks that stay whatever they catch; `same`: groups of mutants that behave like the reference.
    """
    said = lesson.home.parts("proof.toml").get("proof.toml", b"")
    return {"kept": [], "same": [], **tomllib.loads(said.decode("utf-8-sig"))}
