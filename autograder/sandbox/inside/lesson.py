"""Run a lesson's own code once, in the zygote: every child begins with it, as if it had run it first."""

import marshal
import random
import sys
import types
from typing import Any

import numpy as np

from autograder.sandbox.inside.cells import Cells
from autograder.sandbox.wire.calling import described
from autograder.sandbox.wire.messages import decode_lesson


class Prepared:
    """The modules that students import, and the namespace in which the prelude has run; or the error it ended with."""

    def __init__(self, content: bytes):
        self.main, self.error = types.ModuleType("__main__"), ""
        self._modules: dict[str, types.ModuleType] = {}
        before, modules = _reseeded(), dict(sys.modules)
        try:
            self._run(content)
        except BaseException as error:
            how = described(error)
            self.error = f"{how['error']}: {how['message']}"
        after = random.getstate(), np.random.get_state()
        self._drawn = after if _told(*after) != _told(*before) else None      # most lessons draw no random numbers
        _reseeded()
        for name in {"__main__", *self._modules}:
            if name in modules:
                sys.modules[name] = modules[name]
            else:
                del sys.modules[name]

    def _run(self, content: bytes) -> None:
        lesson = decode_lesson(content)
        sys.modules["__main__"] = self.main
        Cells(vars(self.main))                # for the names that a notebook has, such as `display`
        for name, code in lesson.modules.items():
            self._modules[name] = sys.modules[name] = types.ModuleType(name)
            exec(marshal.loads(code), vars(sys.modules[name]))
        exec(marshal.loads(lesson.prelude), vars(self.main))

    def begin(self) -> dict[str, Any]:
        """Let this process have it; returns the namespace."""
        sys.modules.update(self._modules)
        sys.modules["__main__"] = self.main
        if self._drawn is not None:
            random.setstate(self._drawn[0])
            np.random.set_state(self._drawn[1])
        return vars(self.main)


def _reseeded() -> tuple[Any, Any]:
    """The state of both generators of random numbers, which is that of every new child."""
    random.seed(0)
    np.random.seed(0)
    return random.getstate(), np.random.get_state()


def _told(ours: Any, numpys: Any) -> tuple[Any, ...]:
    return ours, numpys[1].tobytes(), *numpys[2:]
