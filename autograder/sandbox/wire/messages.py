"""What the judge and a student's process say to each other, as messages that travel in the frames of `wire`.

The judge asks and the worker replies: Start -> Started, Examine -> Examined, Run -> Ran, Ask -> Answer,
AskAgain -> Same, Look -> Looked. While a Run or an Ask is open the worker may CallBack and gets a CallBackAnswer. A
reply carries the nonce of what it replies to.
"""

from typing import Any, Literal

import msgspec

from autograder.sandbox.wire.crowds import refuse_crowds
from autograder.sandbox.wire.wire import (
    FRAME_CAP,
    Frame,
    WireError,
    enc_hook,
    ext_hook,
    ext_hook_of_judge,
    plain_value,
)

CUT = "\n[...]"                           # marks where the rest was cut off
OUTPUT_CAP = 64 * 2**10                   # bytes of what one cell printed
MESSAGE_CAP = 2_000                       # characters of an exception's text
WORDS_CAP = 300                           # characters of one line about a cell
NOTES_CAP = 20                            # for one cell
PATHS_CAP, PATH_CAP = 100, 80             # places that a call changed or shares, and the characters of one
TEXTS_CAP = 2**20                         # bytes of all texts, keys among them, in one frame of a worker's


class Lesson(msgspec.Struct, array_like=True):
    """Judge -> zygote: make these modules (name -> code), then run the prelude in what will be a student's namespace.

    The code is the lesson's own, compiled by the judge and marshalled. Nothing marshalled ever travels the other way.
    """

    modules: dict[str, bytes]
    prelude: bytes


class Start(msgspec.Struct, tag="start", array_like=True):
    """Judge -> worker: begin with the lesson's code that the zygote has run under this number."""

    nonce: int
    lesson: int


class Started(msgspec.Struct, tag="started", array_like=True):
    """Worker -> judge: the lesson's code ran, or how it failed (which is the lesson's fault)."""

    nonce: int
    error: str = ""


class Examine(msgspec.Struct, tag="examine", array_like=True):
    """Judge -> worker, before any cell has run: does this function of these cells keep nothing between calls?"""

    nonce: int
    sources: list[str]
    function: str


class Examined(msgspec.Struct, tag="examined", array_like=True):
    """Worker -> judge: whether it does. No student's code has run yet, so nobody else can have said this."""

    nonce: int
    forgets: bool


class Run(msgspec.Struct, tag="run", array_like=True):
    """Judge -> worker: run this cell. `skip` numbers statements to leave out.

    Wherever a name of `replace` is bound, a function that calls back to the judge takes its place (a stand-in), before
    the next statement runs.
    """

    nonce: int
    cell: int
    source: str
    mode: Literal["all", "definitions"] = "all"
    skip: list[int] = []
    replace: list[str] = []


class Note(msgspec.Struct, array_like=True):
    """Something about a cell that a person should know.

    "stopped": a statement failed with this error, and later definitions ran all the same; "left_out": this magic or
    shell command did nothing; "undecorated": this decorator could not be imported; "typed": quotes or spaces of a word
    processor were read as plain ones.
    """

    kind: Literal["stopped", "left_out", "undecorated", "typed"]
    detail: str


class Ran(msgspec.Struct, tag="ran", array_like=True):
    """Worker -> judge: how the cell went. `slow` numbers its statements that took long."""

    nonce: int
    status: Literal["ok", "raised", "out_of_memory"]
    error: str
    output: str
    slow: list[int]
    notes: list[Note]


class Ask(msgspec.Struct, tag="ask", array_like=True):
    """Judge -> worker: call this function. `call` numbers the answer, so that later calls can refer to it.

    An argument may be (or, in a dict, hold) a Handle of an earlier answer or a Proxy. `anew`: NumPy's global random
    numbers go on from where they were at the first such question. `watch`: see `watching`. `instead` takes the place of
    the arrays and numbers in the earlier answer that the call refers to.
    """

    nonce: int
    call: int
    function: str
    args: list[Any]
    anew: bool = False
    watch: list[Any] = []
    instead: list[Any] = []


class Answer(msgspec.Struct, tag="answer", array_like=True):
    """Worker -> judge: what the function returned, or how it failed."""

    nonce: int
    status: Literal["answered", "raised", "missing", "out_of_memory", "refused"]
    value: Any = None
    changed: list[str] = []
    shares: list[str] = []
    error: str = ""
    message: str = ""
    kinds: list[str] = []
    where: tuple[int, int] | None = None
    moved: bool = False
    own: bool = False
    unwatched: bool = False


class AskAgain(msgspec.Struct, tag="ask-again", array_like=True):
    """Judge -> worker: is the answer of this number still what it was when it was given?"""

    nonce: int
    call: int


class Same(msgspec.Struct, tag="same", array_like=True):
    """Worker -> judge: whether it is."""

    nonce: int
    same: bool


class Look(msgspec.Struct, tag="look", array_like=True):
    """Judge -> worker: which arrays and numbers does this (part of an) answer hold, at any depth?"""

    nonce: int
    of: Any                                   # a Handle


class Looked(msgspec.Struct, tag="looked", array_like=True):
    """Worker -> judge: those that there are, in the order in which `Ask.instead` replaces them."""

    nonce: int
    values: Any


class CallBack(msgspec.Struct, tag="callback", array_like=True):
    """Worker -> judge, while a cell runs or a question is open: the student's code called a stand-in."""

    nonce: int
    name: str
    args: list[Any]


class CallBackAnswer(msgspec.Struct, tag="callback-answer", array_like=True):
    """Judge -> worker: what the stand-in returned, or the exception it raised."""

    nonce: int
    status: str
    value: Any = None
    error: str = ""
    message: str = ""


FromJudge = Start | Examine | Run | Ask | AskAgain | Look | CallBackAnswer
FromWorker = Started | Examined | Ran | Answer | Same | Looked | CallBack

_encoder = msgspec.msgpack.Encoder(enc_hook=enc_hook)
_from_judge = msgspec.msgpack.Decoder(FromJudge, ext_hook=ext_hook_of_judge)
_from_worker = msgspec.msgpack.Decoder(FromWorker, ext_hook=ext_hook)
decode_lesson = msgspec.msgpack.Decoder(Lesson).decode


def encode(message: FromJudge | FromWorker) -> bytes:
    """The frame's body; WireError where a value is not plain data or the frame would be over the cap."""
    body = encode_value(message)
    if len(body) > FRAME_CAP:
        raise WireError(f"it is over the cap of {FRAME_CAP // 2**20} MB")
    return body


def encode_value(value: Any) -> bytes:
    """One value as a frame holds it; a `msgspec.Raw` of it can be sent again and again."""
    try:
        return _encoder.encode(value)
    except (OverflowError, RecursionError, TypeError, UnicodeError, ValueError) as error:
        raise WireError(str(error)) from None


def decode_from_worker(body: Frame) -> FromWorker:
    """A message of the worker's; WireError for anything else."""
    return _decode(_from_worker, body, TEXTS_CAP)


def as_received(answer: Answer) -> Answer:
    """An answer of a subject in this process, as it would arrive from a worker; WireError where it could not."""
    return _decode(_from_worker, encode(answer), TEXTS_CAP)


def decode_from_judge(body: Frame) -> FromJudge:
    """A message of the judge's; WireError for anything else."""
    return _decode(_from_judge, body, FRAME_CAP)


def _decode(decoder: msgspec.msgpack.Decoder, body: Frame, texts: int) -> Any:
    try:
        refuse_crowds(body, texts)
        message = decoder.decode(body)
        if isinstance(message, Answer | CallBackAnswer):
            message.value = plain_value(message.value)
        elif isinstance(message, Ask | CallBack):
            message.args = plain_value(message.args)
        if isinstance(message, Ask):
            message.watch = [*plain_value(message.watch)]
        elif isinstance(message, Looked):
            message.values = plain_value(message.values)
    except (msgspec.MsgspecError, RecursionError, TypeError, ValueError, OverflowError, UnicodeError) as error:
        raise WireError(str(error)) from None       # TypeError: a key that cannot be one, in msgspec up to 0.20
    return message
