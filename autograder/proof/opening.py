"""Open subjects in this process as the sandbox opens a student's; only for code of ours."""
from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from autograder.judge.local_subject import LocalSubject
from autograder.judge.worlds import Open
from autograder.records import StandIns, Subject
from autograder.sandbox.wire.calling import proxy


class LocalStudent(LocalSubject):
    """A source with stand-ins for some of its functions."""

    def __init__(self, source: str, stand_ins: StandIns, install: tuple[str, ...]):
        super().__init__(source, "local", stand_ins)
        for name in install:
            self._namespace[name] = proxy(name, self._call_back, own=self._namespace.get(name))


def open_local(source: str) -> Open:
    """Opens the source afresh each time, as judge.Open requires."""
    def opened(stand_ins: StandIns, install: tuple[str, ...]) -> AbstractContextManager[Subject]:
        return nullcontext(LocalStudent(source, stand_ins, install))
    return opened
