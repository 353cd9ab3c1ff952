"""The judge's end of one child's channel: ask, get the reply or learn how the child ended, and kill it."""

import os
import secrets
import select
import signal
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from autograder.records import AnswerStatus
from autograder.sandbox.allowance import Allowance
from autograder.sandbox.clock import Clock, Stint
from autograder.sandbox.forkserver import END_SECONDS, Forked, ForkServer
from autograder.sandbox.wire import wire
from autograder.sandbox.wire.messages import CallBack, CallBackAnswer, decode_from_worker, encode

LOOK_SECONDS = 0.1                        # between two looks at a child that should be ending
AHEAD, AHEAD_BYTES = 16, 64 * 2**10       # messages on their way: less than a socket holds
CALLBACK_CAP = 50_000                     # per question: nudging every number of a small case takes thousands
_NOTHING = memoryview(b"")
Reply = TypeVar("Reply")


class Died(Exception):
    """The child is gone, or had to be killed: the verdict word, the evidence, and the seconds that it took."""

    def __init__(self, status: AnswerStatus, evidence: str, took: float = 0.0):
        super().__init__(evidence)
        self.status: AnswerStatus = status
        self.evidence, self.took = evidence, took


def new_nonce() -> int:
    """An unguessable number; never 0."""
    return secrets.randbits(63) | 1


class Conversation:
    """One child of the zygote. After a Died, or `close`, nothing is left of it."""

    def __init__(self, server: ForkServer, ahead: bool = False):
        self._server = server
        self._child: Forked = server.fork(ahead)
        self._clock = Clock(self._child.pidfd)
        self._allowance = Allowance()     # what its submission may still use
        self.made_by_another = 0.0        # seconds that another thread of the judge's took to make it
        self._charged = 0.0               # seconds of what it did that are paid for
        self.took = 0.0                   # seconds, for the last question
        self._ahead: deque[tuple[Any, int]] = deque()       # messages that were sent before their turn, and their bytes
        self._rest = _NOTHING                # of the last of them, what the socket had no room for
        self._early = bytearray()         # what has come in of later replies

    @property
    def complaint(self) -> str:
        """The zygote's standard error: why a child did not get as far as its first message."""
        return self._server.complaint()

    @property
    def alive(self) -> bool:
        """Whether it and its zygote are alive, as far as is known."""
        return not self._server.closed and not select.select([self._child.pidfd], [], [], 0)[0]

    def belongs_to(self, allowance: Allowance) -> None:
        """Let this account pay for what it has cost so far, and for all that it does."""
        self._allowance, self._charged = allowance, self._clock.computed()
        allowance.charge(self._child.seconds + self.made_by_another + self._charged)

    def send_ahead(self, message: Any) -> bool:
        """Send a message before the replies to earlier ones are there, if there is room; `ask` then only waits.

        Nothing else may be asked before all that were sent ahead have been, in their order. This never waits: a child
        can answer what it has only looked at, so that the socket fills up. The rest of a message follows in its turn.
        """
        body = encode(message)
        if self._rest or len(self._ahead) >= AHEAD or sum(size for _, size in self._ahead) + len(body) > AHEAD_BYTES:
            return False
        self._ahead.append((message, len(body)))
        with suppress(wire.WireError):        # who waits for its reply finds out how the child ended
            self._rest = self._send(body)
        return True

    def _send(self, body: bytes, stint: Stint | None = None) -> memoryview:
        """Send a message; without a stint only what fits now. Returns the rest."""
        if stint is None:
            return wire.send_what_fits(self._child.channel, body)
        wire.send(self._child.channel, body, stint.patience)
        return _NOTHING

    def ask(self, message: Any, expected: type[Reply], seconds: float,
            call_back: Callable[[CallBack], CallBackAnswer] | None = None) -> Reply:
        """The reply to this message within `seconds` of the child's time (see `clock`); raises Died otherwise."""
        body = None if self._ahead and self._ahead[0][0] is message else encode(message)
        if body is None:
            self._ahead.popleft()
            done = self._clock.between()      # of this question or of later ones: it counts, but not to their limits
            self._allowance.charge(done)
            self._charged += done
        stint = Stint(self._clock, seconds, self._allowance)
        try:
            try:
                reply = self._exchange(body, message.nonce, stint, call_back)
            finally:
                self.took = stint.end()
                self._charged += self.took
            if type(reply) is not expected:
                raise wire.WireError(f"a {type(reply).__name__} is not a reply to this")
        except wire.DeadlineError:
            raise self._died("timed_out", f"no reply within {seconds:g} seconds") from None
        except wire.ClosedError:
            raise self._died(*self._end()) from None
        except wire.WireError as error:
            raise self._died("refused", str(error)) from None
        except BaseException:                 # our own fault, or Ctrl-C: the question stays open, so the child must go
            self.close()
            raise
        return reply

    def _exchange(self, body: bytes | None, nonce: int, stint: Stint,
                  call_back: Callable[[CallBack], CallBackAnswer] | None) -> Any:
        channel = self._child.channel
        if body is not None:
            self._send(body, stint)
        elif self._rest and not self._ahead:
            wire.send(channel, self._rest, stint.patience)
            self._rest = _NOTHING
        for _ in range(CALLBACK_CAP + 1):
            reply = decode_from_worker(wire.receive(channel, stint.patience, early=self._early))
            if reply.nonce != nonce:
                raise wire.WireError("a reply to something that was not asked")
            if type(reply) is not CallBack:
                return reply
            if call_back is None:
                raise wire.WireError("a call-back when nothing can be called")
            with stint.away():
                answer = encode(call_back(reply))
            self._send(answer, stint)
        raise wire.WireError(f"more than {CALLBACK_CAP} call-backs in one question")

    def _end(self) -> tuple[AnswerStatus, str]:
        until = time.monotonic() + END_SECONDS
        most = self._clock.computed() + max(LOOK_SECONDS, self._allowance.seconds)
        while (left := until - time.monotonic()) > 0 and self._clock.computed() < most:
            status = self._server.end_of(self._child.number, min(left, LOOK_SECONDS))
            if status is not None:
                return read_end(status)
        self._allowance.charge(END_SECONDS)             # it closed the channel, and goes on
        self._charged += END_SECONDS
        return "quit", "it closed the channel"

    def _died(self, status: AnswerStatus, evidence: str) -> Died:
        self.close()
        return Died(status, evidence, self.took)

    def close(self) -> None:
        """Kill the child: none of the student's atexit functions, `__del__` methods or handlers run."""
        if self._child.channel.fileno() < 0:
            return
        self._child.channel.close()
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._child.pidfd, signal.SIGKILL)
        os.close(self._child.pidfd)
        charged, allowance = self._charged, self._allowance
        self._clock.close()
        self._server.forget(self._child.number, lambda took: allowance.charge(max(0.0, took - charged)))


def read_end(wait_status: int) -> tuple[AnswerStatus, str]:
    """The verdict word and the evidence for a process that ended by itself."""
    code = os.waitstatus_to_exitcode(wait_status)
    if code >= 0:
        return "quit", f"exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    return "tampering" if name == "SIGSYS" else "timed_out" if name == "SIGXCPU" else "crashed", name
