"""Make fresh processes for students: each is a child of a warm zygote, in which the lesson's own code has run."""

import marshal
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from typing import NamedTuple

from autograder.sandbox.conversation import Conversation, Died, new_nonce
from autograder.sandbox.forkserver import ForkServer, ZygoteLost
from autograder.sandbox.wall import Wall
from autograder.sandbox.wire.messages import Lesson, Start, Started, encode_value

START_SECONDS = 30.0                      # for the lesson's own code


class Given(NamedTuple):
    """What a child has before it sees anything of a student's."""

    lesson: bytes                         # the lesson's own code, as a message to the zygote
    plots: bool                           # whether matplotlib is loaded


class Children:
    """The zygotes behind one wall, and the child that is made ahead."""

    def __init__(self, wall: Wall, memory_mb: int, seconds: int):
        self._wall, self._memory_mb, self._seconds = wall, memory_mb, seconds
        self._servers: dict[bool, ForkServer] = {}                        # with and without what draws plots
        self._lock = threading.Lock()
        self._ahead: tuple[Given, Future[Conversation]] | None = None     # the next child, being made
        self._maker = ThreadPoolExecutor(1, "next child")

    def boot(self) -> None:
        """Start the zygote for students without plots."""
        self._server(plots=False)

    def close(self) -> None:
        """End the zygotes, and their children with them."""
        self._maker.shutdown()
        self._take_ahead()
        while self._servers:
            self._servers.popitem()[1].close()

    def one(self, given: Given) -> Conversation:
        """A fresh child in which the lesson's code has run. After a ZygoteLost it comes from a new zygote.

        The next one is made meanwhile: it has nothing of a student's in it, so it may exist beside any student.
        """
        child = self._take_ahead(given) or self._started(given)
        self._ahead = given, self._maker.submit(self._started, given, ahead=True)
        return child

    def _take_ahead(self, given: Given | None = None) -> Conversation | None:
        """The child that was made ahead, if it fits and is alive."""
        ahead, self._ahead = self._ahead, None
        if ahead is None or ahead[1].exception() is not None:
            return None
        child = ahead[1].result()
        if ahead[0] == given and child.alive:
            return child
        child.close()
        return None

    def _started(self, given: Given, ahead: bool = False) -> Conversation:
        began = time.thread_time()
        server = self._server(given.plots)
        number = server.prepared(given.lesson)
        child = Conversation(server, ahead)
        try:
            started = child.ask(Start(new_nonce(), number), Started, START_SECONDS)
        except Died as died:
            raise ZygoteLost(f"the lesson's own code did not run: {died.status}, {died.evidence} "
                             f"{child.complaint}".strip()) from None
        if started.error:
            child.close()
            raise ZygoteLost(f"the lesson's own code did not run: {started.error}")
        child.made_by_another = time.thread_time() - began if ahead else 0.0
        return child

    def _server(self, plots: bool) -> ForkServer:
        with self._lock:
            if plots not in self._servers or self._servers[plots].closed:
                self._servers[plots] = ForkServer(self._memory_mb, self._seconds, self._wall, plots)
            return self._servers[plots]


@lru_cache
def lesson_code(modules: tuple[tuple[str, str], ...], prelude: str) -> bytes:
    """The lesson's own code (name and source of each module, and the prelude), compiled for the zygote's Python."""
    return encode_value(Lesson({name: _compiled(source, f"{name}.py") for name, source in modules},
                               _compiled(prelude, "prelude")))


def _compiled(source: str, filename: str) -> bytes:
    return marshal.dumps(compile(source, filename, "exec", dont_inherit=True))
