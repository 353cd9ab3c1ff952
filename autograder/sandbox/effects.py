"""What a call did besides answering: which arguments it changed, and what its answer shares memory with.

Places are written as paths: "0" is the first argument, "1.wq" what stands under "wq" in the second.
"""
from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.sandbox.plain import MAX_ITEMS

Places = dict[str, Any]
_COMPARED = 200                           # arrays on each side that are compared for shared memory
_SIMPLE = (bool, int, float, str, np.generic, type(None))


def places(parts: Sequence[Any]) -> Places:
    """Everything in the parts that is not itself a dict, list or tuple, by its path: at most MAX_ITEMS, nearest first.

    What holds itself is looked into once.
    """
    found: Places = {}
    seen: set[int] = set()
    todo = deque((str(index), part) for index, part in enumerate(parts))
    while todo and len(found) < MAX_ITEMS:
        path, value = todo.popleft()
        if not isinstance(value, dict | list | tuple):
            found[path] = value
        elif id(value) not in seen and len(todo) + len(value) <= MAX_ITEMS:
            seen.add(id(value))
            items = dict.items(value) if isinstance(value, dict) else enumerate(value)
            todo.extend((f"{path}.{_key(key)}", part) for key, part in items)
    return found


def _key(key: Any) -> str:
    return str(key) if type(key) in (str, int) else type(key).__name__


def copies(found: Places) -> Places:
    """The places with arrays copied; what is neither an array nor a number or text becomes None."""
    return {path: np.array(value, order="K") if isinstance(value, np.ndarray)
            else value if isinstance(value, _SIMPLE) else None for path, value in found.items()}


def changed_places(before: Places, after: Places) -> list[str]:
    """Where `after` differs from the copies made before: bytes, shape or dtype of an array, a number, a key."""
    return sorted(path for path in before.keys() | after.keys()
                  if path not in before or path not in after or _differs(before[path], after[path]))


def _differs(before: Any, after: Any) -> bool:
    if isinstance(before, np.ndarray):
        return not (isinstance(after, np.ndarray) and before.dtype == after.dtype and before.shape == after.shape
                    and before.tobytes() == after.tobytes())
    if before is None:                    # None itself, or what is not looked into
        return isinstance(after, (np.ndarray, *_SIMPLE[:-1]))
    return before is not after and not (type(before) is type(after) and before == after)


def shared_places(answer: Any, args: Places) -> list[str]:
    """Pairs "answer path~argument path" of arrays whose memory may overlap; the path of a whole answer is empty."""
    theirs = _arrays(args)
    if not theirs:
        return []
    ours = {path.removeprefix("0").removeprefix("."): array for path, array in _arrays(places([answer])).items()}
    return sorted(f"{path}~{their_path}" for path, array in ours.items() for their_path, other in theirs.items()
                  if np.may_share_memory(array, other))


def _arrays(found: Places) -> dict[str, np.ndarray]:
    return dict([pair for pair in found.items() if isinstance(pair[1], np.ndarray)][:_COMPARED])
