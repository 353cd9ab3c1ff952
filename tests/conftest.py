"""What several tests share: warm engines, one for each set of limits."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache

import pytest

from autograder.judge.engine import Engine, Limits
from autograder.lessons.installed import load_lesson


@pytest.fixture(scope="session")
def engine_with() -> Iterator[Callable[[Limits], Engine]]:
    """The engine of the multi-head attention lesson with these limits, started once in the whole session."""
    with ExitStack() as engines:
        yield cache(lambda limits: engines.enter_context(Engine(load_lesson("multihead"), limits)))
