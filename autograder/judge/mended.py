"""Give a student's backward its own cache from a wrong forward, with the right numbers in it.

A cache that only the student's own backward can read may be laid out in any way. Its arrays are found at any depth, and
each is recognised: as what the reference has there, as what a known mistake has there, or because nothing else of
that shape is left. Then the reference's own quantity, laid out in the same way, takes its place.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations, product
from typing import Any

import numpy as np

from autograder.judge.local_subject import LocalSubject
from autograder.judge.worlds import AskIn, Judged, Open, functions_of, try_again
from autograder.records import Call, Result, Subject, Text, text
from autograder.sandbox.allowance import go_on
from autograder.sandbox.wire.tree import paths

ALIKE = 1e-6                                    # relative
Layout = tuple[tuple[int, ...], int]            # the order of the axes, and which is joined with the next (-1: none)
AS_IT_IS: Layout = ((), -1)


class Mending(AskIn):
    """Asks a backward about its own forward's cache, mended.

    What each array is shows in one telling case, and holds for the others. Where the forward gives no answer in another
    case, the telling case's cache is filled with the numbers of that one.
    """

    def __init__(self, subject: Subject, reference: LocalSubject, explaining: Sequence[LocalSubject], telling: Result,
                 reading: Reading, straight: bool):
        super().__init__("stand-in", subject, reference)
        self._right, self._explaining, self._telling = reference, explaining, telling
        self._reading, self._straight = reading, straight
        self._asked: dict[Call, Call] = {}
        self._mended: dict[Result, Result] = {}
        self._known = self._recognised(telling)

    @property
    def sure(self) -> bool:
        """Whether every array was recognised beyond doubt."""
        return self._known.sure

    @property
    def taken_for(self) -> dict[int, tuple[str, Layout]]:
        """What each array was recognised as."""
        return self._known.names

    def _really(self, call: Call) -> Call:
        if call not in self._asked:
            self._asked[call] = Call(call.function, tuple([self._instead(arg) for arg in call.args]))
        return self._asked[call]

    def _instead(self, arg: Any) -> Any:
        if not isinstance(arg, Result) or arg.of.function != self._telling.of.function:
            return arg
        if arg not in self._mended:
            self._mended[arg] = self._filled(arg)
        return self._mended[arg]

    def _filled(self, arg: Result) -> Result:
        found = self._subject.insides(arg)
        if not found and self._known.complete:
            right = _quantities(self._right, arg.of)
            return Result(self._telling.of, self._telling.part, self._known.filled(right, sizes=True))
        if len(found) == len(self._known.found):
            return Result(arg.of, arg.part, self._known.filled(_quantities(self._right, arg.of)))
        own = self._recognised(arg)
        return Result(arg.of, arg.part, own.filled(own.right))

    def _recognised(self, arg: Result) -> Recognised:
        right, wrong = _quantities(self._right, arg.of), [_quantities(one, arg.of) for one in self._explaining]
        return Recognised(self._subject.insides(arg), right, wrong, self._reading(right, wrong), self._straight)


def laid_out_alike(forward: Judged, reference: Subject) -> bool:
    """Whether some cache of this forward has every part that the reference's has, under the same names."""
    return any(outcome.status == "answered" and call.function == forward.exercise.name
               and _named(reference.answer(call).value).keys() <= _named(outcome.value).keys()
               for answers in forward.answers.values() for call, outcome in answers.items())


def _quantities(subject: LocalSubject, call: Call) -> dict[str, Any]:
    """What the subject computes on the way, by name; first what its cache holds, and last the answer itself."""
    named = _named(subject.answer(call).value)
    found = {**{name: value for name, value in named.items() if name != "/0"}, **subject.quantities(call), **named}
    return found | {f"{name}[:, {head}]": value[:, head] for name, value in found.items()
                    if isinstance(value, np.ndarray) and value.ndim == 4 for head in range(value.shape[1])}


def _named(value: Any) -> dict[str, Any]:
    """The leaves of an answer by name: "/0" is the first part, "/1/wq" an entry of a dict in the second."""
    return {"".join(f"/{name}" for name in path): leaf for path, leaf in paths(value)}


def mended_world(judged: Judged, forward: Judged, failed: Sequence[str], open_subject: Open, reference: LocalSubject,
                 explaining: Sequence[LocalSubject]) -> bool:
    """Ask again what failed, about the student's own cache with right numbers in it; whether that settles it."""
    telling = next((arg for arg in judged.exercise.telling.args if isinstance(arg, Result)), None) if (
        judged.exercise.telling) else None
    if telling is None:
        return False
    proxied = judged.exercise.proxied if failed else ()
    because = text("right; it only failed because of your {functions}", functions=forward.exercise.name)
    settled, tried = False, []
    with open_subject(functions_of(reference, proxied), tuple(proxied)) as subject:
        for reading, straight in product(READINGS, (False, True)):
            if judged.complete or straight and forward.complete:
                continue
            ask = Mending(subject, reference, explaining, telling, reading, straight)
            if ask.taken_for in tried:
                continue
            tried.append(ask.taken_for)
            try_again(judged, "mended", ask, because)
            asked = [outcome for call, outcome in ask.answers.items() if call.function == judged.exercise.name]
            settled = settled or ask.sure and bool(asked) and all(one.status == "answered" for one in asked)
    return judged.complete or settled


# --- where there is nothing to mend ----------------------------------------------------------------------------------

def untried(one: Judged, forward: Judged, why: Text, asked: Text) -> Text:
    """What a person should know; the student reads of the forward first, which has to answer before anything else."""
    names = {"function": one.exercise.name, "forward": forward.exercise.name}
    one.attempts = [replace(attempt, why=text(why.template, **names)) if attempt.word == "raised" else attempt
                    for attempt in one.attempts]
    return text(asked.template, **names)


NO_ANSWER = (
    text("{function} could not be tried: your {forward} gives no answer, and {function} does not work with the cache "
         "of another one; repair {forward} first, a person will look at {function}"),
    text("a person should look at {function}: {forward} stops with an error, and {function} does not work with the "
         "reference's cache, so it could not be judged"))
NO_CACHE = (
    text("{function} could not be tried: your {forward} gives no cache that it can use, and {function} does not work "
         "with the cache of another one; repair {forward} first, a person will look at {function}"),
    text("a person should look at {function}: {forward} gives no cache that it could be tried with, and {function} "
         "does not work with the reference's cache, so it could not be judged"))


# --- which array is what ------------------------------------------------------------------------------------------

Quantities = Mapping[str, Any]
#: the reference's quantities, those of the mistakes -> in which of them an array is looked up, in their order
Reading = Callable[[Quantities, Sequence[Quantities]], Sequence[Quantities]]
#: An array can be right in one place and wrong in another: queries are the keys of whoever exchanges them, and exp of
#: the scores is what weights are before they are divided. So the answers decide which of these is meant.
READINGS: tuple[Reading, ...] = (
    lambda right, wrong: [*wrong, right],
    lambda right, wrong: [right],
    lambda right, wrong: [{name: value for name, value in right.items() if name.startswith("/")}],
)


@dataclass
class Recognised:
    """The arrays and numbers of one cache, and which of the reference's quantities belongs in the place of each."""

    found: list[Any]
    right: Mapping[str, Any]                    # the reference's quantities by name
    wrong: Sequence[Mapping[str, Any]]          # the same of mistakes that explain the forward
    looked_up: Sequence[Mapping[str, Any]]      # those of them in which an array is looked up, in this order
    straight: bool = False                      # whether axes in another order are the mistake: its place has the shape
    names: dict[int, tuple[str, Layout]] = field(default_factory=dict)      # of what is recognised
    sizes: dict[int, tuple[str, Layout]] = field(default_factory=dict)      # numbers that are right here
    sure: bool = True

    def __post_init__(self) -> None:
        taken: set[bytes] = set()
        arrays = [i for i, one in enumerate(self.found) if isinstance(one, np.ndarray) and one.ndim]
        unknown = [i for i in arrays if not self._known(i, taken)]
        for shape in {self.found[i].shape for i in unknown}:
            self._by_what_is_left([i for i in unknown if self.found[i].shape == shape], taken)
        for i, one in enumerate(self.found):
            if isinstance(one, int | float):
                self._number(i, one)
        self.sure = self.sure and bool(arrays)

    @property
    def complete(self) -> bool:
        """Whether something is known to belong in every place."""
        return bool(self.found) and len(self.names) + len(self.sizes) == len(self.found)

    def filled(self, right: Mapping[str, Any], sizes: bool = False) -> tuple[Any, ...]:
        """What takes the place of each, where the reference has these quantities; None: it stays.

        With `sizes` the numbers that are right here become those of another case.
        """
        names = {**self.sizes, **self.names} if sizes else self.names
        return tuple([_laid(right[name], layout) if name in right else None
                      for name, layout in (names.get(i, ("", AS_IT_IS)) for i in range(len(self.found)))])

    def _known(self, i: int, taken: set[bytes]) -> bool:
        """Whether it is what a mistake that explains the forward has there, or what the reference has."""
        for quantities in self.looked_up:
            go_on()
            names = [(name, layout) for name, value in quantities.items()
                     if isinstance(self.right.get(name), np.ndarray)
                     and (layout := _layout(value, self.found[i])) is not None]
            if names:
                free = [choice for choice in names if self._bytes(choice[0]) not in taken] or names
                self.sure = self.sure and len({self._bytes(name) for name, _ in free}) == 1
                name, layout = free[0]
                back = self.straight and np.shape(self.right[name]) == self.found[i].shape
                self.names[i] = name, AS_IT_IS if back else layout
                taken.add(self._bytes(free[0][0]))
                return True
        return False

    def _by_what_is_left(self, alike: list[int], taken: set[bytes]) -> None:
        """The quantities of one shape that nothing else was recognised as; first among those that are returned.

        Where there are as many as places, they belong there in their order: q, k, v, or one for each head.
        """
        left: dict[bytes, tuple[str, Layout]] = {}
        for name, value in self.right.items():
            layout = _shaped(value, self.found[alike[0]])
            if layout is not None and self._bytes(name) not in taken:
                left.setdefault(self._bytes(name), (name, layout))
        returned = [choice for choice in left.values() if choice[0].startswith("/")]
        for choices in (returned, list(left.values())):
            as_they_are = [choice for choice in choices if choice[1] == AS_IT_IS]
            for chosen in (as_they_are, choices):
                if len(chosen) == len(alike):
                    self.names.update(zip(alike, chosen, strict=True))
                    self.sure = self.sure and len(alike) == 1
                    return
        self.sure = False

    def _bytes(self, name: str) -> bytes:
        """What two names of the same numbers have in common, however they are laid out."""
        return np.sort(np.round(np.asarray(self.right[name], dtype=float), 12), axis=None).tobytes()

    def _number(self, i: int, one: float) -> None:
        """A number that a mistake has in the place of another; one that the reference has too needs nothing."""
        for quantities, names in (*((wrong, self.names) for wrong in self.wrong), (self.right, self.sizes)):
            named = (name for name, value in quantities.items() if type(value) is type(one) and value == one
                     and type(self.right.get(name)) is type(one)
                     and (quantities is self.right or self.right[name] != value))
            if (name := next(named, None)) is not None:
                names[i] = name, AS_IT_IS
                return


def _layouts(ndim: int) -> Iterator[Layout]:
    """The ways to lay an array out: axes in another order, then two neighbours joined. As it is comes first."""
    yield AS_IT_IS
    orders = list(permutations(range(ndim))) if ndim <= 4 else []
    yield from ((order, -1) for order in orders[1:])
    for order in orders:
        yield from ((order, axis) for axis in range(ndim - 1))


def _laid(value: Any, layout: Layout) -> Any:
    """The array laid out in this way; None if it has other axes."""
    order, joined = layout
    if layout == AS_IT_IS:
        return value
    if len(order) != np.ndim(value):
        return None
    turned = np.transpose(value, order)
    if joined < 0:
        return turned
    shape = turned.shape
    return turned.reshape(*shape[:joined], shape[joined] * shape[joined + 1], *shape[joined + 2:])


def _shape(shape: tuple[int, ...], layout: Layout) -> tuple[int, ...]:
    order, joined = layout
    turned = shape if layout == AS_IT_IS else tuple([shape[axis] for axis in order])
    return turned if joined < 0 else (
        *turned[:joined], turned[joined] * turned[joined + 1], *turned[joined + 2:])


def _shaped(value: Any, one: np.ndarray) -> Layout | None:
    """The first way to lay out `value` that has the shape of this array."""
    if not isinstance(value, np.ndarray) or value.size != one.size:
        return None
    return next((layout for layout in _layouts(value.ndim) if _shape(value.shape, layout) == one.shape), None)


def _layout(value: Any, one: np.ndarray) -> Layout | None:
    """The way to lay out `value` that gives this array, if there is one."""
    if not isinstance(value, np.ndarray) or value.size != one.size or value.dtype.kind not in "fiub":
        return None
    seen, want = (np.nan_to_num(array.astype(float), posinf=0, neginf=0) for array in (one, value))
    room = ALIKE * (np.linalg.norm(want) + 1e-12)
    if abs(np.linalg.norm(seen) - np.linalg.norm(want)) > room:
        return None
    return next((layout for layout in _layouts(value.ndim) if _shape(value.shape, layout) == one.shape
                 and np.linalg.norm(seen - _laid(want, layout)) <= room), None)
