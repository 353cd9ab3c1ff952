"""Students in processes of their own, and cells in this one."""
from __future__ import annotations

import builtins
import sys
import types
from contextlib import ExitStack, contextmanager

import numpy as np
import pytest

from autograder.records import Cell
from autograder.sandbox.inside.cells import Cells
from autograder.sandbox.student import Sandbox

#: a student who speaks the worker's own language
FORGER = """
import os, sys, time
def forge(offset=0, kind='Answer', **fields):
    frame = sys._getframe()
    while 'ask' not in frame.f_locals: frame = frame.f_back
    messages = sys.modules['autograder.sandbox.wire.messages']
    body = messages.encode(getattr(messages, kind)(frame.f_locals['ask'].nonce + offset, **fields))
    os.write(3, len(body).to_bytes(4) + body)
    time.sleep(60)
"""


@pytest.fixture
def forger():
    return FORGER


@pytest.fixture(scope="session")
def patient_sandbox():
    with Sandbox(seconds=20.0, cell_seconds=20.0, memory_mb=512) as box:
        yield box


@pytest.fixture(scope="session")
def hurried_sandbox():
    with Sandbox(seconds=0.5, cell_seconds=0.5, memory_mb=512) as box:
        yield box


@pytest.fixture
def student(patient_sandbox):
    """A function that opens a student with these cells."""
    with opening(patient_sandbox) as open_student:
        yield open_student


@pytest.fixture(scope="session")
def open_sandbox():
    with Sandbox(isolation="none", seconds=20.0, cell_seconds=20.0, memory_mb=512) as box:
        yield box


@pytest.fixture
def unwalled(open_sandbox):
    """The same without a wall, for what a wall denies: signals and processes of one's own."""
    with opening(open_sandbox) as open_student:
        yield open_student


@pytest.fixture
def hurried(hurried_sandbox):
    """The same, for code that hangs: half a second for each call and each cell."""
    with opening(hurried_sandbox) as open_student:
        yield open_student


@contextmanager
def opening(sandbox):
    with ExitStack() as opened:
        def open_student(*sources, **more):
            cells = [Cell(index, source) for index, source in enumerate(sources)]
            more = {"modules": {"given": "def double(x):\n    return 2 * x\n"},
                    "prelude": "import numpy as np\nfrom given import double\n", **more}
            return opened.enter_context(sandbox.open(cells, **more))
        yield open_student


@pytest.fixture(autouse=True)
def no_names_left_in_builtins():
    """Whoever runs cells in this process puts back what other tests of the process meet."""
    before = set(vars(builtins))
    yield
    assert set(vars(builtins)) == before


@pytest.fixture
def cells(monkeypatch):
    """A namespace for cells in this process, which is as it was afterwards."""
    for name in ("get_ipython", "display"):
        monkeypatch.setattr(builtins, name, None, raising=False)
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    monkeypatch.setattr(sys, "stderr", sys.stderr)
    main = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", main)
    main.np = np
    ours = dict(sys.modules)
    yield Cells(vars(main))
    for name in ("IPython", "IPython.display"):                 # whose place the cells' own have taken
        del sys.modules[name]
        sys.modules |= {name: ours[name]} if name in ours else {}
