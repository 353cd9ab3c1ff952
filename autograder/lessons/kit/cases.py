"""Define a case: one set of arguments for a function and its backward, and the calls that ask about it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from autograder.records import Call, Result


def twice(function: str, *args: Any) -> tuple[Call, Call]:
    """The same question, to be asked twice in a row."""
    return Call(function, args), Call(function, args)


def sliced(array: np.ndarray) -> np.ndarray:
    """The same numbers as every second one of a larger array, from its end to its beginning along the last axis."""
    larger = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), dtype=array.dtype)
    larger[..., ::2] = array[..., ::-1]
    return larger[..., ::2][..., ::-1]


@dataclass(frozen=True, eq=False)
class Case:
    """Arguments for a forward that returns (y, cache), and for its backward, which gets that cache and dy.

    A lesson's own Case adds the arguments. Calls are made once, so that answers can be cached.
    """

    function: ClassVar[str]                     # the forward; its backward is called function_backward
    x: np.ndarray                               # (B, T, C)
    params: Mapping[str, np.ndarray]            # the learned arrays
    dy: np.ndarray                              # (B, T, C)

    def forward_args(self) -> tuple[Any, ...]:
        """The arguments of the forward."""
        raise NotImplementedError

    def backward_args(self) -> tuple[Any, ...]:
        """The arguments of the backward after the cache."""
        return (self.dy,)

    @cached_property
    def forward(self) -> Call:
        return Call(self.function, self.forward_args())

    @cached_property
    def backward(self) -> Call:
        return Call(f"{self.function}_backward", (Result(self.forward, 1), *self.backward_args()))

    @cached_property
    def watched(self) -> Call:
        """The backward, of which is seen whether it moves the numbers of x or of the parameters one by one."""
        return Call(self.backward.function, self.backward.args, (self.x, *self.params.values()))

    @cached_property
    def forward_again(self) -> tuple[Call, Call]:
        """The same question two more times in a row."""
        return twice(self.forward.function, *self.forward.args)

    @cached_property
    def backward_again(self) -> tuple[Call, Call]:
        """The same question about the same cache two more times in a row, after `backward`."""
        return twice(self.backward.function, *self.backward.args)

    def moved(self, name: str, step: np.ndarray) -> Self:
        """The case with x or one of the parameters moved by `step`: what finite differences compare."""
        if name == "x":
            return replace(self, x=self.x + step)
        return replace(self, params={**self.params, name: self.params[name] + step})

    def in_units(self, **powers: np.ndarray) -> Self:
        """The case with x, dy and parameters in other units: each number times 2 to the power for it.

        Where the units fit together, the formulas of a derivative give the same digits in all of them, since powers
        of two do not round; a step of a fixed size is too large for some numbers and too small for others.
        """
        def scaled(name: str, array: np.ndarray) -> np.ndarray:
            return np.ldexp(array, powers.get(name, 0))
        return replace(self, x=scaled("x", self.x), dy=scaled("dy", self.dy),
                       params={name: scaled(name, array) for name, array in self.params.items()})

    def array(self, name: str) -> np.ndarray:
        """x or one of the parameters."""
        return self.x if name == "x" else self.params[name]

    def only_the_first(self, times: int) -> Self:
        """The first sequence alone, repeated so many times: a sum over the batch grows with it, a mean does not."""
        return replace(self, x=np.repeat(self.x[:1], times, axis=0), dy=np.repeat(self.dy[:1], times, axis=0))
