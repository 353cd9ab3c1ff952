"""Do what the judge asks, inside the student's process: run cells, call functions, keep their answers.

Whatever happens in here, only plain data leaves. A student's code may forge any reply: it is only a candidate answer.
"""

import os
import socket
import threading
from collections.abc import Mapping
from contextvars import copy_context
from functools import partial
from typing import Any

import numpy as np

from autograder.sandbox.forgetful.analysis import forgets
from autograder.sandbox.inside.cells import Cells, Printed, printing_to
from autograder.sandbox.inside.lesson import Prepared
from autograder.sandbox.wire import wire
from autograder.sandbox.wire.calling import OUR_BOUND, perform, proxy
from autograder.sandbox.wire.insides import insides, with_insides
from autograder.sandbox.wire.kept import Kept
from autograder.sandbox.wire.messages import (
    Answer,
    Ask,
    AskAgain,
    CallBack,
    CallBackAnswer,
    Examine,
    Examined,
    FromJudge,
    FromWorker,
    Look,
    Looked,
    Ran,
    Run,
    Same,
    Start,
    Started,
    decode_from_judge,
    encode,
)
from autograder.sandbox.wire.plain import without_large
from autograder.sandbox.wire.watching import watching


def serve(channel: socket.socket, lessons: Mapping[int, Prepared]) -> None:
    """Reply to the judge until it closes the channel; then the process ends without any handler of the student's."""
    worker = Worker(channel, lessons)
    try:
        while True:
            wire.send(channel, worker.reply(wire.receive(channel)))
    except wire.ClosedError:
        os._exit(0)


class Worker:
    """One submission: its namespace, and its answers by the number of their call."""

    def __init__(self, channel: socket.socket, lessons: Mapping[int, Prepared]):
        self._channel, self._lessons = channel, lessons
        self._lock = threading.Lock()
        self._open = 0                        # the nonce of the question that is being answered
        self._answers: dict[int, Kept] = {}
        self._random: Any = None              # the state of NumPy's global random numbers
        self._namespace: dict[str, Any] = {}
        self._cells: Cells
        self._replaced: dict[str, Any] = {}                 # name -> what replaces it

    def reply(self, body: wire.Frame) -> bytes:
        """The reply to one message of the judge's."""
        message = decode_from_judge(body)
        if isinstance(message, Ask):
            return self._answer(message)
        return encode(self._done(message))

    def _done(self, message: FromJudge) -> FromWorker:
        if isinstance(message, Start):
            return self._start(message)
        if isinstance(message, Run):
            return self._ran(message)
        if isinstance(message, Examine):
            return Examined(message.nonce, forgets(message.sources, message.function, self._namespace))
        if isinstance(message, AskAgain):
            return Same(message.nonce, self._answers[message.call].same)
        if isinstance(message, Look):
            return self._looked(message)
        raise wire.WireError(f"a {type(message).__name__} that nothing waits for")

    def _ran(self, message: Run) -> Ran:
        self._open = message.nonce
        for name in message.replace:
            self._replaced.setdefault(name, None)
        self._put_in_place()
        ran = self._cells.run(message)
        with self._lock:
            self._open = 0
        return ran

    def _put_in_place(self) -> None:
        """Let the judge's functions stand in wherever the student's own were bound since."""
        for name, stand_in in self._replaced.items():
            if stand_in is None or self._namespace.get(name) is not stand_in:
                self._namespace[name] = self._replaced[name] = self._proxy(name)

    def _start(self, message: Start) -> Started:
        lesson = self._lessons[message.lesson]
        self._namespace = lesson.begin()
        self._cells = Cells(self._namespace, self._put_in_place)
        return Started(message.nonce, lesson.error)

    def _answer(self, ask: Ask) -> bytes:
        """The Answer as a frame's body: what does not fit into one is refused."""
        self._open = ask.nonce
        self._have_random_numbers(ask.anew)
        try:
            with printing_to(Printed(0)):     # what is printed for hidden inputs is nobody's business
                special = partial(self._mended, ask.instead) if ask.instead else self._special
                call = partial(perform, self._namespace, ask.function, ask.args, special)
                with watching(ask.watch) as watch:
                    live, answer = copy_context().run(call) if ask.anew else call()     # nothing stays of errstate
            answer.nonce = ask.nonce
            if watch is not None:
                answer.moved, answer.unwatched = watch.moved, watch.unwatched
            body = _encoded(answer)
            if not ask.anew:                  # what is refused is not kept either: it could fill the memory
                self._answers[ask.call] = Kept(live)
        except wire.WireError as error:
            body = encode(Answer(ask.nonce, "refused", message=str(error)))
        except LookupError as error:
            body = encode(Answer(ask.nonce, "refused", message=str(error.args[0])))
        except MemoryError:
            body = encode(Answer(ask.nonce, "out_of_memory", error="MemoryError"))
        with self._lock:
            self._open = 0
        return body

    def _have_random_numbers(self, anew: bool) -> None:
        """Go on from where NumPy's global random numbers were at the first question that wants them anew."""
        if anew and self._random is None:
            self._random = np.random.get_state()
        elif self._random is not None:
            np.random.set_state(self._random)
            self._random = self._random if anew else None

    def _special(self, value: Any) -> Any:
        """The value of an argument: an earlier answer, or a function that asks the judge."""
        if isinstance(value, wire.Proxy):
            return self._proxy(value.name)
        if not isinstance(value, wire.Handle):
            return value
        answer = self._answers[value.call].value
        if value.part < 0:
            return answer
        if not isinstance(answer, tuple | list) or value.part >= len(answer):
            raise LookupError(f"the earlier answer has no part {value.part}")
        return answer[value.part]

    def _looked(self, look: Look) -> Looked:
        try:
            return Looked(look.nonce, insides(self._special(look.of)))
        except LookupError:                   # the answer has no such part
            return Looked(look.nonce, [])

    def _mended(self, instead: list[Any], value: Any) -> Any:
        """The same, where an earlier answer gets other arrays and numbers."""
        meant = self._special(value)
        return with_insides(meant, instead) if isinstance(value, wire.Handle) else meant

    def _proxy(self, name: str) -> Any:
        plain = name.removeprefix(wire.ARGUMENT)
        return proxy(plain, lambda _, args: self._call_back(name, args), own=self._namespace.get(plain))

    def _call_back(self, name: str, args: list[Any]) -> CallBackAnswer:
        with self._lock:
            if not self._open:
                raise RuntimeError(f"{name} can only be called while a question is being answered")
            try:
                body = encode(CallBack(self._open, name, args))
            except wire.WireError as error:
                raise RuntimeError(f"{OUR_BOUND}: {error}") from None
            wire.send(self._channel, body)
            answer = decode_from_judge(wire.receive(self._channel))
            if not isinstance(answer, CallBackAnswer):
                raise wire.WireError(f"a {type(answer).__name__} does not answer a call-back")
            return answer


def _encoded(answer: Answer) -> bytes:
    """The frame's body; where it would be over the cap, without large arrays."""
    try:
        return encode(answer)
    except wire.WireError:
        answer.value = without_large(answer.value)
        return encode(answer)
