"""Read in a separate process, which no file can fill or keep busy for long: the result is a bounded record.

The process is forked, so that it knows what this one knows, and ends without running any of this one's handlers. The
processor time of each submission is limited there, and so is the memory of all of them together beyond this process's;
the wall clock never decides.
"""

import _imp
import fcntl
import gc
import os
import resource
import signal
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TypeVar

import msgspec

from autograder.records import Submission, Text, text

SECONDS = 5.0                             # of processor time, for one submission; less where its budget is less
MEMORY = 96 * 2**20                       # bytes beyond what the process begins with, which is up to 150 MB
GROWN = 32 * 2**20                        # bytes that a process may keep of what it read before another takes its place
AHEAD = 2**20                             # bytes that may be read before they are asked for
RECORD = 64 * 2**20                       # bytes of one answer
REMARKS = 50                              # about one submission
_GRACE = 2                                # seconds after which the kernel ends what does not end by itself
_seconds = SECONDS                        # in a reading process: those that one submission has
_counted = 0.0                            # and those that were told already
_began = 0                                # bytes that it had when it began
_READ, _FAILED = b"r", b"f"               # what begins a record
T = TypeVar("T")

TOO_LARGE = text("Reading this takes more memory than a submission may use: it holds far more than a solution of this "
                 "exercise. Hand in the notebook alone.")


class TooLong(BaseException):
    """The submission being read has used up its time. No `except Exception` on the way may hide that."""


class Ended(Exception):
    """The process ended before it was done; `why` if what was read is at fault."""

    def __init__(self, why: Text | None, words: str):
        super().__init__(words)
        self.why = why


def too_long(seconds: float | None = None) -> Text:
    """Why a submission is unreadable that took all of these seconds, or of those that this process gives it."""
    return text("Reading this takes longer than {seconds} seconds: it holds far more than a solution of this exercise. "
                "Hand in the notebook alone.", seconds=f"{_seconds if seconds is None else seconds:g}")


def one(read: Callable[[], T], kind: type[T], seconds: float = SECONDS) -> T:
    """What `read` returns, from a separate process. Raises Ended."""
    def only() -> Iterator[T]:
        with in_time():
            yield read()

    with closing(each(only, kind, seconds)) as answers:
        return next(answers)


def each(read: Callable[[], Iterable[T]], kind: type[T], seconds: float = SECONDS) -> Generator[T, None, None]:
    """What `read` yields, item by item, from a separate process that has these seconds for one. Raises Ended."""
    import autograder.intake.archive  # noqa: F401 (no child waits for the lock of an import that a thread holds)

    ours, theirs = os.pipe()
    with suppress(OSError, AttributeError):                 # only Linux has it, and bounds it for each user
        fcntl.fcntl(theirs, fcntl.F_SETPIPE_SZ, AHEAD)
    child = _fork()
    if child == 0:
        os.close(ours)                        # else it would wait for ever to write to itself, once nobody reads
        _work(read, theirs, min(seconds, SECONDS))
    os.close(theirs)
    ended = None
    try:
        with open(ours, "rb") as answers:
            decode = msgspec.msgpack.Decoder(kind).decode
            while (answer := _answer(answers)) is not None:
                yield decode(answer)
        ended = os.waitpid(child, 0)[1]
        if ended:
            in_vain = os.WTERMSIG(ended) == signal.SIGXCPU
            too_much = too_long(min(seconds, SECONDS)) if in_vain else TOO_LARGE
            raise Ended(too_much if os.WIFSIGNALED(ended) else None, f"the process that read it ended with {ended}")
    finally:
        if ended is None:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def _fork() -> int:
    """As os.fork, which takes the locks of logging and of imports, in that order.

    A thread that imports may hold the second and want the first, so the second is taken before both.
    """
    _imp.acquire_lock()
    try:
        with warnings.catch_warnings():       # about threads, which the child does not need
            warnings.simplefilter("ignore", DeprecationWarning)
            return os.fork()
    finally:
        _imp.release_lock()


class _Failed(msgspec.Struct, frozen=True):
    words: str
    why: Text | None = None


def _answer(answers: BinaryIO) -> bytes | None:
    """The next record; None after the last one."""
    kind, size = answers.read(1), int.from_bytes(answers.read(4), "big")
    if size > RECORD:
        raise Ended(TOO_LARGE, "its record is too large")
    answer = answers.read(size)
    if kind == _FAILED:
        failed = msgspec.msgpack.decode(answer, type=_Failed)
        raise Ended(failed.why, failed.words)
    return answer if answer and len(answer) == size else None            # it may have been ended in the middle of one


def _work(read: Callable[[], Iterable[object]], out: int, seconds: float) -> None:
    """The whole life of the child."""
    code = 1
    try:
        _become_small(seconds)
        with open(out, "wb") as answers:
            try:
                for answer in read():
                    _send(answers, _finished(answer))
            except TooLong:
                _send(answers, _Failed("TooLong", too_long()))
            except MemoryError:
                _send(answers, _Failed("MemoryError", TOO_LARGE))
            except Exception as error:
                _send(answers, _Failed(f"{type(error).__name__}: {error}"[:200].encode("utf-8", "replace").decode()))
        code = 0
    finally:
        os._exit(code)


def _finished(answer: object) -> object:
    """A submission with the processor time since the one before, which counts towards its budget, and a list of
    remarks that has an end, however many files and cells there are something to say about.
    """
    global _counted
    now = time.process_time()
    if isinstance(answer, Submission):
        answer = msgspec.structs.replace(answer, seconds=round(now - _counted, 1), notices=_first(answer.notices),
                                         for_a_person=_first(answer.for_a_person))
    _counted = now
    return answer


def _first(remarks: tuple[Text, ...]) -> tuple[Text, ...]:
    more = len(remarks) - REMARKS
    return remarks if more <= 0 else (*remarks[:REMARKS], text("There are {count} more remarks; they were left out.",
                                                               count=more))


def _send(answers: BinaryIO, answer: object) -> None:
    encoded = msgspec.msgpack.encode(answer)
    answers.write(_FAILED if isinstance(answer, _Failed) else _READ)
    answers.write(len(encoded).to_bytes(4, "big"))
    answers.write(encoded)
    answers.flush()


def _become_small(seconds: float) -> None:
    global _began, _counted, _seconds
    _began, _counted, _seconds = _size(), time.process_time(), seconds
    gc.disable()                          # it would touch, and so copy, everything that this process inherited
    signal.signal(signal.SIGINT, signal.SIG_IGN)            # Ctrl-C is for the parent, who ends this process
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGPROF, _time_is_up)
    can_go_on()
    _limit(resource.RLIMIT_CORE, 0)


def can_go_on() -> bool:
    """Give the next submission all the memory that one may use; False where those before it left too much behind."""
    if size := _size():
        _limit(resource.RLIMIT_AS, size + MEMORY)
    return size - _began <= GROWN


def _size() -> int:
    """The bytes of this process; 0 where the system does not tell."""
    with suppress(OSError, ValueError):                     # only Linux reports its memory
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    return 0


def _limit(what: int, most: int) -> None:
    hard = resource.getrlimit(what)[1]
    resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _time_is_up(*_: object) -> None:
    raise TooLong


@contextmanager
def in_time() -> Iterator[None]:
    """Raise TooLong if what happens inside takes more than its time. Does nothing outside a reading process."""
    if signal.getsignal(signal.SIGPROF) is not _time_is_up:
        yield
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    _limit(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime + _seconds) + _GRACE)
    signal.setitimer(signal.ITIMER_PROF, _seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
