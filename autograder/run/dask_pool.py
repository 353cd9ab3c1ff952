"""Run the same jobs on other machines, through Dask's own executor. Only bytes travel, and no disk is shared.

Dask retries a submission whose worker died on other workers (`distributed.scheduler.allowed-failures` times) before it
gives up. A scheduler is trusted like the machine itself: anyone who can reach it can run code on all of its workers.
"""
from __future__ import annotations

import json
import logging
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

from msgspec.structs import replace

from autograder.faults import Stopped
from autograder.run.job import (
    About,
    Introduction,
    Task,
    about,
    differences,
    introduce,
    judge,
    pack,
    unpack_introduction,
)

if TYPE_CHECKING:
    from distributed import Client

CONNECT = 10.0                                  # seconds until a silent scheduler counts as unreachable
AWAY = 30.0                                     # seconds without the scheduler, during the run
LOOK = 5.0                                      # seconds between two counts of the workers
REMEDY = "install the same version there (`pip install 'multihead-autograder[cluster]'`), and run it again"


class ClusterPool:
    """The workers of a Dask scheduler. `told` gets a sentence on what the instructor should know about them."""

    about: About
    size = 1
    lost: type[Exception]

    def __init__(self, task: Task, address: str, told: Callable[[str], None] = lambda words: None):
        self._task, self._address, self._told = task, address, told
        self._stack = ExitStack()
        self._looked = self._seen = 0.0
        self._alone = False

    def __enter__(self) -> Self:
        try:
            from distributed import KilledWorker
        except ImportError:
            raise Stopped("--cluster needs Dask: pip install 'multihead-autograder[cluster]'") from None
        with ExitStack() as opened:
            opened.enter_context(_quiet())
            self._client = opened.enter_context(self._connected())
            self.lost = KilledWorker
            self._executor = self._client.get_executor(pure=False)
            self._seen = time.monotonic()
            self.about = self._agreed()
            self._stack = opened.pop_all()
        return self

    def __exit__(self, *exception: object) -> None:
        with self._stack:
            if self._client.status == "running":
                self._executor.shutdown(wait=False)             # the jobs under way are no longer wanted

    def submit(self, job: bytes) -> Future[bytes]:
        self._look()
        return self._executor.submit(judge, job)

    def renew(self) -> None:
        """Nothing to do: the scheduler has other workers, or gets them again."""

    def check(self) -> None:
        self._look()

    @contextmanager
    def _connected(self) -> Iterator[Client]:
        from distributed import Client
        from distributed.utils import LoopRunner
        if not self._address:                       # Dask would start its own cluster
            raise self._unreachable("the address is empty")
        try:
            address = _address(self._address)
            LoopRunner().run_sync(_answers, address)        # a client that cannot connect is never closed
            client = Client(address=address, timeout=CONNECT, set_as_default=False)
        except (OSError, ValueError, TypeError, LookupError, OverflowError, RuntimeError) as error:
            why = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise self._unreachable(why) from None
        try:
            yield client
        finally:
            client.close(timeout=1)

    def _unreachable(self, why: str) -> Stopped:
        return Stopped(f"there is no Dask scheduler at {self._address}: {why}; expected the address that `dask "
                       "scheduler` prints, such as tcp://10.0.0.1:8786, or its --scheduler-file")

    # --- which workers there are ----------------------------------------------------------------------------------

    def _look(self) -> None:
        """Count the workers now and then; Stopped if the scheduler is gone."""
        now = time.monotonic()
        if now - self._looked < LOOK and self._client.status == "running":
            return
        self._looked = now
        if self._client.status == "running":
            self._count()
        elif self._client.status == "closed" or now - self._seen > AWAY:
            raise self._gone()

    def _count(self) -> dict[str, int]:
        try:
            threads = cast("dict[str, int]", self._client.nthreads())
        except (OSError, TimeoutError) as error:
            raise self._gone() from error
        self._seen = time.monotonic()
        if not threads and not self._alone:
            self._told(f"the scheduler at {self._address} has no workers; waiting for them")
        self._alone, self.size = not threads, max(1, len(threads))
        return threads

    def _gone(self) -> Stopped:
        return Stopped(f"the scheduler at {self._address} is gone; what was graded is kept, so start it again and run "
                       "the same command to continue")

    def _agreed(self) -> About:
        """What all workers say about themselves; Stopped unless they agree with each other and with this machine."""
        while not (threads := self._count()):
            time.sleep(0.2)
        if max(threads.values()) > 1:
            self._told("some workers have several threads, of which only one is used: start them with --nthreads 1")
        words = cast("dict[str, Any]", self._client.run(introduce, pack(self._task), on_error="return"))
        said = {address: self._introduced(address, worker) for address, worker in words.items()}
        first = min(said)
        here = about(self._task, said[first].about.isolation)
        for address, worker in sorted(said.items()):
            if replace(worker.about, isolation=here.isolation) != here:
                raise Stopped(f"the worker at {address} has {differences(worker.about, here)}; {REMEDY}")
            if worker.about != here:
                raise Stopped(f"the worker at {address} has {differences(worker.about, here)} at {first}; choose one "
                              "that all can have with --isolation")
        if said[first].notice:
            self._told(f"isolation is {here.isolation} on the workers: {said[first].notice}")
        return here

    def _introduced(self, address: str, said: Any) -> Introduction:
        if isinstance(said, bytes):
            return unpack_introduction(said)
        if isinstance(said, ImportError) or "ModuleNotFoundError" in str(said):
            raise Stopped(f"the worker at {address} has no autograder, or a different one: {said}; {REMEDY}")
        raise Stopped(f"the worker at {address} cannot grade: {said}")


def _address(given: str) -> str:
    """The address itself, also where the file of `dask scheduler --scheduler-file` is given."""
    return json.loads(Path(given).read_text())["address"] if Path(given).is_file() else given


async def _answers(address: str) -> None:
    """Connect and hang up again; OSError where nobody answers, ValueError where that cannot be an address."""
    from distributed.comm.core import connect
    from distributed.security import Security
    comm = await connect(address, timeout=CONNECT, **Security().get_connection_args("client"))
    comm.abort()


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence Dask's long logs, since we report the same in our own words."""
    names = [name for name in logging.root.manager.loggerDict if name.startswith("distributed.")]
    loggers = [logging.getLogger(name) for name in ("distributed", *names)]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module="distributed")
            yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)

