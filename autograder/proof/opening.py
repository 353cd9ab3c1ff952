"""Open subjects in this process as the sandbox opens a student's; only for code of ours."""

from contextlib import AbstractContextManager, nullcontext

from autograder.judge.local_subject import LocalSubject
from autograder.judge.worlds import Open
from autograder.records import StandIns, Subject


def open_local(source: str) -> Open:
    """Opens the source afresh each time, as judge.Open requires."""
    def opened(stand_ins: StandIns, install: tuple[str, ...]) -> AbstractContextManager[Subject]:
        return nullcontext(LocalSubject(source, "local", stand_ins, install))
    return opened
