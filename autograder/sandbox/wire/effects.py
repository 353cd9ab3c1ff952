"""Record what a call did besides answering: which arguments it changed, and what memory its answer shares.

Places are written as paths: "0" is the first argument, "1.wq" the value under "wq" in the second.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.sandbox.wire.plain import MAX_ITEMS

Places = dict[str, Any]
_SIMPLE = (bool, int, float, str, np.generic, type(None))


def places(parts: Sequence[Any]) -> Places:
    """Everything in the parts that is not itself a dict, list or tuple, by its path: at most MAX_ITEMS, nearest first.

    A container that contains itself is visited once. `tree` cannot do this: it neither counts nor remembers.
    """
    found: Places = {}
    seen: set[int] = set()
    level: list[tuple[str, Any]] = [(str(index), part) for index, part in enumerate(parts)]
    while level:
        deeper: list[tuple[str, Any]] = []
        for path, value in level[:MAX_ITEMS - len(found)]:
            if not isinstance(value, (dict, list, tuple)):
                found[path] = value
            elif id(value) not in seen and len(deeper) + len(value) <= MAX_ITEMS:
                seen.add(id(value))
                items = dict.items(value) if isinstance(value, dict) else enumerate(value)
                deeper += [(f"{path}.{key if type(key) in (str, int) else type(key).__name__}", part)
                           for key, part in items]
        level = deeper
    return found


def copies(found: Places) -> Places:
    """The places with arrays copied; anything that is not an array, a number or a text becomes None."""
    return {path: _copy(value) for path, value in found.items()}


def _copy(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return np.array(value, order="K")
    return value if isinstance(value, _SIMPLE) else None


def changed_places(before: Places, after: Places) -> list[str]:
    """Where `after` differs from the copies made before: bytes, shape or dtype of an array, a number, a key."""
    changed = [path for path, old in before.items() if path not in after or _differs(old, after[path])]
    return sorted(changed + [path for path in after if path not in before])


def _differs(before: Any, after: Any) -> bool:
    if isinstance(before, np.ndarray):
        return not (isinstance(after, np.ndarray) and before.dtype == after.dtype and before.shape == after.shape
                    and before.tobytes() == after.tobytes())
    if before is None:                    # None itself, or something not looked into
        return after is not None and isinstance(after, (np.ndarray, *_SIMPLE))
    return before is not after and not (type(before) is type(after) and before == after)


def shared_places(answer: Any, args: Places) -> list[str]:
    """Pairs "answer path~argument path" of arrays whose memory may overlap; the path of a whole answer is empty."""
    owned: dict[int, list[tuple[str, np.ndarray]]] = {}
    for path, array in args.items():
        if isinstance(array, np.ndarray):
            owned.setdefault(_owner(array), []).append((path, array))
    return sorted(f"{path[2:]}~{other_path}" for path, array in places([answer]).items()
                  if isinstance(array, np.ndarray) for other_path, other in owned.get(_owner(array), ())
                  if np.may_share_memory(array, other))


def _owner(array: Any) -> int:
    """The identity of what owns an array's memory: views of the same array have the same owner."""
    while True:
        if type(array) is np.ndarray:         # the usual case, which is asked of every array
            base = array.base
        else:
            base = array.obj if isinstance(array, memoryview) else getattr(array, "base", None)
        if base is None:
            return id(array)
        array = base
