"""The lesson's own code runs once, in the zygote, and every child begins as if it had run there."""
from __future__ import annotations

import pytest

from autograder.records import Call, Cell
from autograder.sandbox.student import Sandbox, ZygoteLost

DRAWS = "import random\nimport numpy as np\ndrawn = random.random(), float(np.random.random())\ncalls = []"
ASKS = "import given\ndef f():\n    given.calls.append(1)\n    return given.drawn, len(given.calls)"


def opened(box: Sandbox, source: str, modules: dict[str, str], prelude: str = "import given"):
    return box.open([Cell(0, source)], modules=modules, prelude=prelude)


def test_each_child_has_a_module_of_its_own(open_sandbox: Sandbox) -> None:
    given = {"given": DRAWS}
    with opened(open_sandbox, ASKS, given) as first, opened(open_sandbox, ASKS, given) as second:
        seen = [one.answer(Call("f", ())).value for one in (first, first, second)]
    (drawn, one), (_, two), (again, anew) = seen
    assert (one, two, anew) == (1, 2, 1)
    assert drawn == again


def test_random_numbers_go_on_from_where_the_lessons_code_left_them(open_sandbox: Sandbox) -> None:
    draws = "import random\nimport numpy as np\ndef f(): return random.random(), float(np.random.random())"
    with opened(open_sandbox, draws, {"given": "drawn = None"}) as quiet:
        first, second = [quiet.answer(Call("f", ())).value for _ in range(2)]
    with opened(open_sandbox, draws, {"given": DRAWS}) as one:
        assert one.answer(Call("f", ())).value == second != first


def test_two_editions_stand_beside_each_other(open_sandbox: Sandbox) -> None:
    asks = "from given import word\ndef f(): return word"
    words = ["een", "one", "een"]
    found = []
    for word in words:
        with opened(open_sandbox, asks, {"given": f"word = {word!r}"}, "from given import word as known") as one:
            found.append(one.answer(Call("f", ())).value)
    assert found == words


@pytest.mark.parametrize(("prelude", "says"), [("1 / 0", "ZeroDivisionError"), ("raise SystemExit", "SystemExit")])
def test_code_of_the_lesson_that_fails_is_no_fault_of_a_student(
        open_sandbox: Sandbox, prelude: str, says: str) -> None:
    with pytest.raises(ZygoteLost, match=says):
        opened(open_sandbox, "x = 1", {}, prelude)
    with opened(open_sandbox, "def f(): return 1", {}, "y = 1") as one:      # and the others are judged
        assert one.answer(Call("f", ())).value == 1
