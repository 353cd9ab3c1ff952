"""Long tables of cases, of which a fixed sample is tried each time and all are tried in the end."""
from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def by_turns(cases: Iterable[Any], fast: int, slow: int, long: Collection[Any] = ()) -> list[Any]:
    """Every `fast`th case in `make test`, every `slow`th in `make test-all` too, the others with the integration tests.

    Those that take `long` are never in the first.
    """
    def marks(place: int, case: Any) -> Any:
        if place % fast == 0 and case not in long:
            return ()
        return pytest.mark.slow if place % slow == 0 or place % fast == 0 else pytest.mark.integration
    return [pytest.param(case, marks=marks(place, case)) for place, case in enumerate(cases)]
