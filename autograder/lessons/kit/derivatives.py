"""Check gradients against finite differences, of the reference's forward or of the student's own."""

from typing import Any

import numpy as np

from autograder.lessons.kit.cases import Case
from autograder.lessons.kit.compare import TOLERANCE, as_array
from autograder.lessons.kit.facts import equal, pair
from autograder.lessons.kit.lesson import Ask, Wrong
from autograder.records import text

DIRECTIONS = 3
_moved: dict[tuple[int, str, int, int], Case] = {}


def predicts_changes(ask: Ask, case: Case, name: str, got: Any, title: str, axes: str, reference: bool = False,
                     directions: int = DIRECTIONS) -> None:
    """`got` is the gradient of sum(dy * y) for x or one parameter: it predicts the change along random directions.

    The forward is the student's own, unless `reference` is set.
    """
    same_shape(got, case, name, title, axes)
    for step in steps(case, name)[:directions]:
        agrees_along(got, step, change_along(ask, case, name, step, reference), name, title)


def same_shape(got: Any, case: Case, name: str, title: str, axes: str) -> None:
    """A gradient has the shape of the array that it belongs to."""
    shape = as_array(got, title).shape
    equal(np.zeros(shape), np.zeros(case.array(name).shape), axes, title)


def steps(case: Case, name: str, eps: float = 1e-5) -> list[np.ndarray]:
    """A few small random steps, always the same."""
    shape = case.array(name).shape
    rng = np.random.default_rng([*shape, len(name), *name.encode()])
    return [eps * rng.normal(size=shape) for _ in range(DIRECTIONS)]


def change_along(ask: Ask, case: Case, name: str, step: np.ndarray, reference: bool = False) -> float:
    """How much sum(dy * y) changes over 2 * step, by central difference of the forward."""
    outputs = []
    for index, sign in ((0, 1), (1, -1)):
        key = (id(case), name, hash(step.tobytes()), index)
        if key not in _moved:
            _moved[key] = case.moved(name, sign * step)
        call = _moved[key].forward
        y = (ask.expected(call) if reference else pair(ask.value(call), case.function, "y, cache"))[0]
        outputs.append(np.sum(case.dy * as_array(y, "y")))
    return outputs[0] - outputs[1]


def agrees_along(got: Any, step: np.ndarray, change: float, name: str, title: str) -> None:
    """The gradient predicts the change along this step."""
    got = np.asarray(as_array(got, title), dtype=float)
    with np.errstate(all="ignore"):             # an answer of huge numbers is wrong, but no reason to warn
        bound = 10 * TOLERANCE * np.linalg.norm(got) * np.linalg.norm(step)
        agrees = got.shape == step.shape and abs(2 * np.vdot(got, step) - change) <= bound
    if not agrees:
        raise Wrong(text("{name} does not predict how y changes when {what} is nudged", name=title, what=name))
