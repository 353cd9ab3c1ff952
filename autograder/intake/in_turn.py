"""Read the work of many students one after another, in a process that reads ahead of whoever asks.

What one of them needs is bounded as if it were read alone, and what ends the process ends the reading of no other.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from functools import partial

from autograder.intake import apart
from autograder.intake.choice import forget_contents
from autograder.intake.reading import in_time
from autograder.intake.submission import unreadable
from autograder.lessons.kit.lesson import Lesson
from autograder.records import Submission

Read = tuple[str, Callable[[], Submission]]     # a student, and what reads their work


def in_turn(reads: Sequence[Read], lesson: Lesson, seconds: float = apart.SECONDS
            ) -> Generator[Submission | Exception, None, None]:
    """What each of these reads, in order; the error instead where reading failed by our own fault.

    A process that is full, or ended, is replaced by another, which goes on with the next.
    """
    left = list(reads)
    while left:
        got = 0
        try:
            with closing(apart.each(partial(_each, left, lesson), Submission, seconds)) as found:
                for submission in found:
                    got += 1
                    yield submission
            if not got:
                raise apart.Ended(None, "the process that reads ended without a word")
        except Exception as error:
            if got < len(left):
                why = error.why if isinstance(error, apart.Ended) else None
                yield error if why is None else unreadable("", left[got][0], why, lesson)
            got += 1
        left = left[got:]


def _each(reads: Sequence[Read], lesson: Lesson) -> Iterator[Submission]:
    for student, read in reads:
        forget_contents()
        yield in_time("", student, lesson, read)
        if not apart.can_go_on():
            return
