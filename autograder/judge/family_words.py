"""Say in words how steps done differently explain an answer (judge.families)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from autograder.lessons.kit.model import Way
from autograder.records import Text, text

NOTHING = "0"                                   # the factor of an array of zeros
AND = " + "


@dataclass(frozen=True)
class Word:
    """What is said about an answer: an id by which a class is counted, and the sentence."""

    id: str
    says: Text


@dataclass
class Explained:
    """How one choice of ways explains an answer: which of its leaves, and the factor of each."""

    ways: tuple[Way, ...]
    factors: dict[str, str] = field(default_factory=dict)


def told(one: Explained) -> Iterator[Word]:
    """A word for each factor."""
    for factor in sorted(set(one.factors.values())):
        yield _word(one.ways, factor, [name for name, by in one.factors.items() if by == factor])


def _word(ways: Sequence[Way], factor: str, names: Sequence[str]) -> Word:
    """The sentence "What you return as Y is exactly what comes out with scores divided by √C"."""
    id = AND.join([*(way.id for way in ways), *(["times-" + factor] if factor else [])])
    named, gaps = ", ".join(names), [way.what for way in ways]
    if factor == NOTHING:
        return Word("all-zeros", text("{names}: all zeros. What should it be made of?", names=named))
    if not ways:
        return Word(id, text("{names}: exactly {factor} times what it should be. Where does that factor come from?",
                             names=named, factor=factor))
    what = gaps[0] if len(gaps) == 1 else text("{one}, and also with {other}", one=gaps[0], other=gaps[1])
    if factor:
        what = text("{what}, and then multiplied by {factor}", what=what, factor=factor)
    return Word(id, text("{names}: exactly what comes out with {what}. What belongs in that step?", names=named,
                         what=what))
