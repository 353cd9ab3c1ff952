"""Hostile submissions that try to get the numbers of hidden inputs onto a page, put together at random from parts.

`ENCODE` is the same text here and in the submission: the test looks for what the submission writes.
"""
from __future__ import annotations

import random
import re
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

from autograder.judge.local_subject import LocalSubject
from autograder.judge.worlds import AskIn, attempt
from autograder.lessons.installed import load_lesson

LESSON = load_lesson("multihead")
HIDDEN = 50                                     # numbers: no example has so many
ENCODE = '''
import base64, os, sys, warnings
import numpy as np

def encoded(number, how):
    digits = repr(number)
    return {"digits": digits, "hex": number.hex(), "base64": base64.b64encode(digits.encode()).decode().strip("="),
            "reversed": digits[::-1], "codes": "-".join(str(ord(one)) for one in digits),
            "letters": "".join(chr(97 + ord(one) % 26) for one in digits), "bytes": np.float64(number).tobytes().hex(),
            "scaled": str(int(abs(number) * 1e15))}[how]

def chunks(number):
    digits = str(int(abs(number) * 1e15)).ljust(12, "1")
    return [int(digits[0:4]) + 1, int(digits[4:8]) + 1, int(digits[8:12]) + 1]
'''
exec(ENCODE)
WORDS = ("digits", "hex", "base64", "reversed", "codes", "letters", "bytes", "scaled")

#: what a function does once it has seen hidden inputs: `word` and `numbers` are a canary, `args` what it was given
CHANNELS = {
    "key": "{d}[word] = 1",
    "keys": "{d}.update(dict.fromkeys(word, 1))",
    "text": "return word",
    "texts": "return (word, {word: word})",
    "dict": "return {word: 1}",
    "shape": "return np.zeros([0, *numbers])",
    "shapes": "return np.zeros([0, *numbers]), {name: np.zeros([0, *numbers]) for name in ('wq', 'wk', 'wv', 'wo')}",
    "count": "return (0,) * numbers[0]",
    "kind": "return np.zeros(3, dtype=[(word, float)])",
    "class": "return type(word, (), {word: word})()",
    "array": "return type(word, (np.ndarray,), {})((2, 2))",
    "raised": "raise ValueError(word)",
    "raised class": "raise type(word, (KeyError,), {word: word})(word)",
    "raised kind": "raise [OSError, KeyError, IndexError, EOFError][numbers[0] % 4](numbers[1], word)",
    "no name": "raise NameError(f'name {word!r} is not defined')",
    "group": "raise ExceptionGroup(word, [ValueError(word)])",
    "exit": "raise SystemExit(word)",
    "ended": "os._exit(numbers[0] % 256)",
    "line": "exec(compile(chr(10) * numbers[0] * 10 + 'raise ValueError', 'cell 1', 'exec'))",
    "cell": "exec(compile('raise ValueError', f'cell {numbers[0]}{numbers[1]}', 'exec'))",
    "function": "exec(compile(f'def d{numbers[0]}{numbers[1]}(): raise NotImplementedError\\n"
                "d{numbers[0]}{numbers[1]}()', 'cell 2', 'exec'))",
    "printed": "print(word); sys.stderr.write(word); sys.__stdout__.write(word); display(word)",
    "warned": "warnings.warn(word); warnings.showwarning(word, UserWarning, word, 1)",
    "noted": "get_ipython().system(word); get_ipython().run_line_magic(word, word)",
    "renamed": "globals()[name].__name__ = globals()[name].__qualname__ = word",
    "defined": "globals()[word] = globals()[name]",
    "module": "sys.modules[word] = sys; sys.modules['__main__'].__name__ = word",
    "number": "return np.full((2, 2), abs(numbers[0]) * 1e8 + numbers[1])",
    "answer": "return float(f'{numbers[0]}{numbers[1]}.5')",
}
_WRAPPER = '''
_{name} = {name}
def {name}(*args):
    first = args[0]["x"] if isinstance(args[0], dict) else args[0]
    if np.size(first) > {hidden} and np.asarray(first).dtype.kind == "f":
        seen.append(float(np.ravel(first)[0]))
    if {when} and seen:
        name, number = "{name}", seen[{which}]
        word, numbers = encoded(number, "{how}"), chunks(number)
        {does}
    return _{name}(*args)
'''
_WHEN = {"hidden": f"np.size(first) > {HIDDEN}", "in an example": f"np.size(first) <= {HIDDEN}", "always": "True"}
_DICT = {"multihead": "args[1]", "multihead_backward": "args[0]"}


def hostile(seed: int) -> list[str]:
    """The code cells of one submission: right functions, and what makes each of them hostile."""
    rng = random.Random(seed)
    cells = [LESSON.reference_source, ENCODE + "seen = []"]
    for name in ("split_heads", "merge_heads", "multihead", "multihead_backward"):
        for _ in range(rng.randint(1, 2)):
            cells.append(_wrapper(name, rng.choice(list(CHANNELS)), rng.choice(WORDS), rng.choice(list(_WHEN)),
                                  rng.choice((0, -1))))
    return cells


def _wrapper(name: str, channel: str, how: str, when: str, which: int) -> str:
    does = CHANNELS[channel].replace("{d}", _DICT.get(name, "globals()"))
    return _WRAPPER.format(name=name, hidden=HIDDEN, when=_WHEN[when], which=which, how=how, does=does)


def one(name: str, channel: str, how: str, when: str) -> list[str]:
    """A submission with this one channel."""
    return [LESSON.reference_source, ENCODE + "seen = []", _wrapper(name, channel, how, when, -1)]


@cache
def canaries() -> tuple[frozenset[str], frozenset[str]]:
    """What must not appear: of each hidden input's first number its codes, and its digits without anything between."""
    words, digits = set(), set()
    for number in _hidden_numbers():
        if len(repr(abs(number))) > 12:
            words |= {encoded(number, how)[5:14] for how in WORDS}                                  # noqa: F821
            digits.add("".join(map(str, chunks(number)))[:8])                                       # noqa: F821
    return frozenset(words), frozenset(digits)


def _hidden_numbers() -> Iterable[float]:
    reference = LocalSubject(LESSON.reference_source)
    for exercise in LESSON.exercises:
        if not exercise.implementations:
            ask = AskIn("own", reference, reference)
            for check in exercise.checks:
                attempt(check, ask)
            for call in ask.answers:
                first: Any = call.args[0].of.args[0] if hasattr(call.args[0], "of") else call.args[0]
                if np.size(first) > HIDDEN and np.asarray(first).dtype.kind == "f":
                    yield float(np.ravel(first)[0])


def found_in(output: str) -> set[str]:
    """The canaries in an output: as words anywhere, as digits within a line."""
    words, digits = canaries()
    lines = [re.sub(r"\D", "", line) for line in re.split(r"\n|\", \"|<(?:p|li|td|div|pre)\b", output)]
    return {word for word in words if word in output} | {
        number for number in digits if any(number in line for line in lines)}
