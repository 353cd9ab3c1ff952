"""What a call holds beside its own arguments: the reference's answer where it refers to an earlier one."""

from functools import lru_cache
from typing import Any

from autograder.lessons.kit.quoting import lengths_in
from autograder.records import Call, Result, Subject


@lru_cache(maxsize=4096)
def with_reference(call: Call, reference: Subject, stand_ins: frozenset[str]) -> Call:
    """The call with the reference's answers, as plain arrays, where it refers to a stand-in's; made once."""
    if not any(isinstance(arg, Result) and arg.of.function in stand_ins for arg in call.args):
        return call
    return Call(call.function, tuple(_plain(arg, reference, stand_ins) for arg in call.args))


def _plain(arg: Any, reference: Subject, stand_ins: frozenset[str]) -> Any:
    if not (isinstance(arg, Result) and arg.of.function in stand_ins):
        return arg
    value = reference.answer(arg.of).value
    return value if arg.part is None else value[arg.part]


@lru_cache(maxsize=4096)
def lengths_of(call: Call, reference: Subject) -> frozenset[int]:
    """The lengths of axes that belong to a call, and to its right answer; found once."""
    return frozenset({1, *lengths_in([_plain_args(call), reference.answer(call).value])})


def _plain_args(call: Call) -> list[Any]:
    return [_plain_args(arg.of) if isinstance(arg, Result) else arg for arg in call.args]
