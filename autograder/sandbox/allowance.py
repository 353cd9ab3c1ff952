"""Keep one account per submission, over all its processes: the time that it may take, and what is stored of it."""
from __future__ import annotations

from dataclasses import dataclass

from autograder.sandbox.wire.messages import CUT
from autograder.sandbox.wire.wire import WireError


@dataclass
class Allowance:
    """What one submission may still use."""

    seconds: float = float("inf")
    room: int = 17 * 2**20                # bytes of answers: 16 MB of numbers, and what frames them
    words: int = 100_000                  # characters that its cells print and raise; on a page each may become six

    def keep(self, size: int) -> None:
        """Reserve this much room for an answer; WireError if there is not enough."""
        self.room -= size
        if self.room < 0:
            raise WireError("its answers together are too large to be kept")

    def cut(self, words: str) -> str:
        """As much of these words as may still be stored."""
        kept = words if len(words) <= self.words else words[:self.words] + CUT
        self.words = max(0, self.words - len(words))
        return kept
