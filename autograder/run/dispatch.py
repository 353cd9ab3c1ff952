"""Get each submission its grade: from the store, from a copy that is being judged, or from a worker.

Workers may die: that costs time and nothing else. When one does, nobody knows which of the submissions under way it
was, so each of them is judged again with nothing else under way. One that ends its worker then too is broken, not the
run.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import dataclass, field
from typing import Literal

from msgspec.structs import replace

from autograder.course.store import Store, named, work_of
from autograder.faults import Stopped, ends_the_run, reason
from autograder.judge.points import without_points
from autograder.locale.language import spoken
from autograder.records import Grade, HandedIn, Submission, Text, text
from autograder.run.job import Done, Job, Task, Unsuitable, pack, unpack_done
from autograder.run.local_pool import Pool
from autograder.stages import stage

AHEAD = 8                                       # submissions under way per submission being judged
WAITING = 8                                     # waiting copies per submission under way
DEATHS = 10                                     # workers in a row that die before any answers
LOOK = 2.0                                      # seconds between two checks that the workers still exist


@dataclass(frozen=True)
class Judged:
    """A submission with its grade, and where it comes from. `copy_of` names the student whose work was judged instead.
    """

    submission: Submission
    grade: Grade
    source: Literal["judged", "known", "copied", "unread"]
    worker: str = ""
    copy_of: str = ""
    stages: dict[str, float] = field(default_factory=dict)
    shown: bytes = b""                              # what the worker rendered of it


class Dispatcher:
    """Judges one class. `told` gets a sentence about each worker that died.

    `meanwhile` is called when the idle workers were given something to do. What is shown of a grade is rendered in this
    `language`, of each student's notebook if it is "", and not at all without one.
    """

    def __init__(self, pool: Pool, task: Task, store: Store, force: bool = False, profile: bool = False,
                 told: Callable[[str], None] = lambda words: None, meanwhile: Callable[[], None] = lambda: None,
                 language: str | None = None):
        self._pool, self._task, self._store, self._profile, self._told = pool, task, store, profile, told
        self._meanwhile, self._language = meanwhile, language
        self._since = store.newest if force else 0
        self._under_way: dict[Future[bytes], Submission] = {}
        self._copies: dict[str, list[Submission]] = {}          # by their work, for each that is under way
        self._deadly: dict[str, str] = {}                       # work that ended its workers, and whose it was
        self._deaths = 0

    def judged(self, submissions: Iterable[Submission]) -> Iterator[Judged]:
        """Each submission with its grade, as they become ready. Only a bounded number is in memory at a time."""
        for submission in submissions:
            try:
                ready = self._at_once(submission) or self._taken_on(submission)
            except Exception as error:
                if ends_the_run(error):
                    raise
                ready = self._failed(submission, reason(error))
            if ready is not None:
                yield ready
            elif len(self._under_way) == 1:
                self._meanwhile()               # what fails there is not this submission's fault
            while self._enough():
                yield from self._ready()
        while self._under_way:
            yield from self._ready()

    def _taken_on(self, submission: Submission) -> None:
        """Have it judged, or let it wait for its copy that is being judged."""
        work = work_of(submission)
        if work in self._copies:
            self._copies[work].append(submission)
        else:
            self._copies[work] = []
            self._send(submission)

    def _enough(self) -> bool:
        ahead = AHEAD * self._pool.size
        return len(self._under_way) >= ahead or sum(map(len, self._copies.values())) >= WAITING * ahead

    def _at_once(self, submission: Submission) -> Judged | None:
        """The grade of a submission that needs no worker."""
        if submission.unreadable is not None:
            return Judged(submission, self._without_points(submission), "unread")
        if submission.fault is not None:
            return self._failed(submission, submission.fault)
        known = self._store.find(submission, self._since)
        if known is not None:
            own = known.student == submission.student
            return Judged(submission, known.grade, "known" if own else "copied", copy_of="" if own else known.student)
        work = work_of(submission)
        return self._broken(submission, self._deadly[work]) if work in self._deadly else None

    def _send(self, submission: Submission) -> None:
        try:
            self._under_way[self._pool.submit(self._job(submission))] = submission
        except Exception as error:                      # if the pool just broke, the others under way report it too
            if ends_the_run(error):
                raise
            self._under_way[_failed_already(error)] = submission

    def _job(self, submission: Submission) -> bytes:
        nobodys = replace(submission, name="", student="", language="", notices=(), notebook=(), for_a_person=(),
                          handed_in=HandedIn())
        language = "" if self._language is None else spoken(submission.language, self._language)
        return pack(Job(self._task, self._pool.about, nobodys, self._profile, language))

    def _ready(self) -> Iterator[Judged]:
        """What is ready by now, after waiting for at least one."""
        suspects = []
        for future in self._first():
            yield from self._taken(future, suspects)
        if suspects:
            yield from self._one_by_one(suspects)

    def _taken(self, future: Future[bytes], suspects: list[Submission]) -> Iterator[Judged]:
        """The result of this one; if its worker was lost, it may be the cause."""
        submission = self._under_way.pop(future)
        try:
            done = unpack_done(self._result(future))
        except self._pool.lost:
            suspects.append(submission)
        except Exception as error:
            yield from self._stayed(submission, error)
        else:
            yield from self._answered(submission, done)

    def _stayed(self, submission: Submission, error: Exception) -> Iterator[Judged]:
        """Handle a failure of this submission and its copies alone; other failures end the run."""
        if ends_the_run(error):
            raise error
        for each in (submission, *self._copies.pop(work_of(submission))):
            yield self._failed(each, reason(error))

    def _first(self) -> Iterable[Future[bytes]]:
        while True:
            with stage("wait"):
                done = wait(self._under_way, timeout=LOOK, return_when=FIRST_COMPLETED).done
            if done:
                return done
            self._pool.check()

    def _result(self, future: Future[bytes]) -> bytes:
        try:
            return future.result()
        except Unsuitable as error:
            raise Stopped(f"{error}; install the same on both sides, and run it again to continue") from None
        except CancelledError:
            self._pool.check()
            raise Stopped("the scheduler lost what was under way (was it stopped?); what was graded is kept, so run "
                          "the same command to continue") from None

    # --- workers that died ----------------------------------------------------------------------------------------

    def _one_by_one(self, suspects: list[Submission]) -> Iterator[Judged]:
        """Judge these again, each with nothing else under way."""
        while self._under_way:                          # the others finish too, one way or another
            yield from self._taken(next(iter(self._first())), suspects)
        self._lost(f"a worker process died (out of memory?) while {_names(suspects)} was under way; trying again")
        for submission in suspects:
            yield from self._alone(submission)

    def _alone(self, submission: Submission) -> Iterator[Judged]:
        self._send(submission)
        future = next(iter(self._first()))
        self._under_way.clear()
        try:
            done = unpack_done(self._result(future))
        except self._pool.lost:
            self._lost(f"the work of {submission.student} ended its worker process twice; it is marked as broken")
            work = work_of(submission)
            self._deadly[work] = submission.student
            for each in (submission, *self._copies.pop(work)):
                yield self._broken(each, submission.student)
        except Exception as error:
            yield from self._stayed(submission, error)
        else:
            yield from self._answered(submission, done)

    def _lost(self, words: str) -> None:
        self._told(words)
        self._deaths += 1
        if self._deaths >= DEATHS:
            raise Stopped(f"{DEATHS} worker processes died one after the other, before any of them answered; is there "
                          "enough memory? What was graded is kept")
        self._pool.renew()

    # --- grades ---------------------------------------------------------------------------------------------------

    def _answered(self, submission: Submission, done: Done) -> Iterator[Judged]:
        self._deaths = 0
        yield Judged(submission, named(done.grade, submission), "judged", done.worker, stages=done.stages,
                     shown=done.shown)
        for copy in self._copies.pop(work_of(submission)):
            own = copy.student == submission.student
            yield Judged(copy, named(done.grade, copy), "known" if own else "copied",
                         copy_of="" if own else submission.student, shown=done.shown)

    def _broken(self, submission: Submission, culprit: str) -> Judged:
        why = text("the process that graded it died twice, from lack of memory perhaps; grade it again by itself")
        own = culprit == submission.student
        return Judged(submission, self._without_points(submission, why), "judged" if own else "copied",
                      copy_of="" if own else culprit)

    def _failed(self, submission: Submission, why: Text) -> Judged:
        return Judged(submission, self._without_points(submission, why), "judged")

    def _without_points(self, submission: Submission, failed: Text | None = None) -> Grade:
        return without_points(submission, self._task.settings.lesson(self._task.lesson), self._pool.about.isolation,
                              self._pool.about.checks, failed)


def _failed_already(error: Exception) -> Future[bytes]:
    future: Future[bytes] = Future()
    future.set_exception(error)
    return future


def _names(suspects: list[Submission]) -> str:
    names = sorted(suspect.student for suspect in suspects)
    return names[0] if len(names) == 1 else f"one of {names[0]} and {len(names) - 1} others"
