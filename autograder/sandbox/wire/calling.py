"""Call a function of a namespace: fresh arguments go in, and the result comes out as an Answer.

The student's process and the subjects in the judge's own process both call through here, so that the reference, the
known mistakes and students are asked in the same way.
"""

import builtins
import inspect
import opcode
import re
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, TracebackType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from autograder.sandbox.wire.effects import changed_places, copies, places, shared_places
from autograder.sandbox.wire.messages import MESSAGE_CAP, PATHS_CAP, Answer, CallBackAnswer
from autograder.sandbox.wire.plain import exact_text, plain, type_name
from autograder.sandbox.wire.tree import leaves, mapped
from autograder.sandbox.wire.wire import Unplain, laid_out

#: begins the text of an exception that is not the caller's fault: it gave, or got, more than can be passed on
OUR_BOUND = "a bound of the autograder's"
_EXCEPTIONS = {name: kind for name, kind in vars(builtins).items()
               if isinstance(kind, type) and issubclass(kind, BaseException)}
_CELL = re.compile(r"cell (\d+)")
_RAISE = opcode.opmap["RAISE_VARARGS"]


def cell_filename(index: int) -> str:
    """A cell's name in tracebacks, counted from 1 as people do."""
    return f"cell {index + 1}"


def perform(namespace: Mapping[str, Any], name: str, sent: Sequence[Any], special: Callable[[Any], Any],
            caught: type[BaseException] = BaseException) -> tuple[Any, Answer]:
    """Call the function of this name: its live answer, and its plain view as an Answer.

    Arrays and dicts of `sent` are copied; `special` translates anything else that is not plain data. Raises LookupError
    if `special` does.
    """
    function = namespace.get(name)
    if not callable(function):
        return None, Answer(0, "missing")
    args = [fresh(value, special) for value in sent]
    before = copies(places(args))
    live, status, how = None, "answered", {}
    try:
        live = function(*args)
    except caught as error:
        status, how = "raised", described(error)
        if isinstance(error, MemoryError):
            status = "out_of_memory"
    after = _survived(lambda: places(args), {})
    changed = _survived(lambda: changed_places(before, after), list(before))
    shares = _survived(lambda: shared_places(live, after), [])
    shown = _survived(lambda: plain(live), Unplain(type_name(live)))
    return live, Answer(0, status, shown, changed[:PATHS_CAP], shares[:PATHS_CAP], **how)


def _survived(look: Callable[[], Any], otherwise: Any) -> Any:
    """The result of looking at a student's objects, or `otherwise`: looking can run their own code, which may fail."""
    try:
        return look()
    except MemoryError:
        raise
    except Exception:
        return otherwise


def fresh(value: Any, special: Callable[[Any], Any]) -> Any:
    """A copy that the function may do with as it likes: arrays are writeable and lie in memory as they did."""
    def copied(leaf: Any) -> Any:
        if isinstance(leaf, np.ndarray):
            return np.array(leaf, order="C") if leaf.flags.c_contiguous else laid_out(leaf, leaf.strides)
        return leaf if leaf is None or isinstance(leaf, (int, float, str)) else special(leaf)
    return mapped(value, copied)


def described(error: BaseException) -> dict[str, Any]:
    """An exception in words: its type, its text (cut), its built-in base types, and where it arose."""
    try:
        message = exact_text(str(error)[:MESSAGE_CAP])
    except BaseException:                 # the student's own __str__
        message = ""
    kinds = [kind.__name__ for kind in type(error).__mro__ if _EXCEPTIONS.get(kind.__name__) is kind]
    return {"error": type_name(error), "message": message, "kinds": kinds, "where": _where(error.__traceback__),
            "own": _raised_there(error.__traceback__)}


def _raised_there(traceback: TracebackType | None) -> bool:
    """Whether a `raise` or `assert` of the student's own raised it, and no operation or library."""
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None or traceback.tb_frame.f_code.co_filename.endswith(".py"):
        return False
    done = traceback.tb_frame.f_code.co_code[traceback.tb_lasti:traceback.tb_lasti + 2]
    return len(done) == 2 and done[0] == _RAISE and done[1] > 0          # 0: it raises again what was caught


def _where(traceback: TracebackType | None) -> tuple[int, int] | None:
    """The student's cell and line of the innermost frame."""
    place = None
    while traceback is not None:
        cell = _CELL.fullmatch(traceback.tb_frame.f_code.co_filename)
        if cell:
            place = int(cell[1]) - 1, traceback.tb_lineno
        traceback = traceback.tb_next
    return place


# --- functions of the judge's -------------------------------------------------------------------------------------

def proxy(name: str, ask: Callable[[str, list[Any]], CallBackAnswer], own: Any = None) -> Callable[..., Any]:
    """A function that asks elsewhere. Keyword arguments are ordered by the signature of `own`, if it is given.

    It has no closure: a student may make another function of its code, as of their own.
    """
    signature = _signature(own)

    def asked(*args: Any, **named: Any) -> Any:
        return _received(name, ask(name, [_plain_argument(arg) for arg in _in_order(signature, args, named)]))
    constants = tuple([asked if constant == _ASKED else constant for constant in _calls.__code__.co_consts])
    function = FunctionType(_calls.__code__.replace(co_consts=constants), {})
    function.__name__ = function.__qualname__ = name
    function.__signature__ = signature        # what stands in for a stand-in finds it here
    return function


_ASKED = "what is called"


def _calls(*args: Any, **named: Any) -> Any:
    """What a proxy does, with the function that asks among its constants."""
    asked: Any = "what is called"
    return asked(*args, **named)


#: of functions that are nothing but that: each trial of a test makes proxies of the same ones
_signatures: WeakKeyDictionary[FunctionType, inspect.Signature] = WeakKeyDictionary()


def _signature(own: Any) -> inspect.Signature | None:
    plain_function = type(own) is FunctionType and not own.__dict__
    if plain_function and own in _signatures:
        return _signatures[own]
    try:
        signature = inspect.signature(own)
    except Exception:
        return None
    if plain_function:
        _signatures[own] = signature
    return signature


def _in_order(signature: inspect.Signature | None, args: tuple[Any, ...], named: dict[str, Any]) -> Sequence[Any]:
    if not named:
        return args
    if signature is None:
        return (*args, *named.values())
    bound = signature.bind(*args, **named)
    if bound.kwargs:
        bound.apply_defaults()
    return (*bound.args, *bound.kwargs.values())


def _plain_argument(value: Any) -> Any:
    value = plain(value, numbers=True)
    for leaf in leaves(value):
        if isinstance(leaf, Unplain):
            raise TypeError(f"expected arrays, numbers, texts and dicts of those, got {leaf.type}")
    return value


def _received(name: str, answer: CallBackAnswer) -> Any:
    if answer.status == "answered":
        return fresh(answer.value, lambda unplain: unplain)
    if answer.status != "raised":
        raise RuntimeError(f"{OUR_BOUND}: {name} gave no answer ({answer.status})")
    kind = _EXCEPTIONS.get(answer.error, RuntimeError)
    try:
        error = kind(answer.message) if issubclass(kind, Exception) else RuntimeError(answer.message)
    except TypeError:                     # a built-in exception that needs more than a text
        error = RuntimeError(answer.message)
    raise error
