"""Define what a lesson consists of. A lesson is data: the engine knows none by name.

A lesson lives in a folder `lessons/<name>/`, of a course or of a package: `lesson.py` holds LESSON, `checks/` and
`mistakes/` have one file per exercise. A check is a plain function of an `Ask`; it returns if the fact holds and raises
Wrong if it does not.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Protocol

from autograder.lessons.kit.examples import example_names
from autograder.lessons.kit.home import Home
from autograder.records import Call, OtherWay, Outcome, Picture, Text

if TYPE_CHECKING:
    from autograder.lessons.kit.model import Model  # which imports NumPy

#: the exceptions with which a function may refuse its arguments
REFUSALS = frozenset({"ValueError", "TypeError", "AssertionError"})

#: what the stubs of the assignment raise
UNWRITTEN = "NotImplementedError"


#: a module in which every name is a function that takes any arguments and does nothing
DOES_NOTHING = """
def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return lambda *args, **kwargs: None
"""


def is_stub(function: str, outcome: Outcome) -> bool:
    """Whether this function itself says that it is not written yet, and not another one that it calls."""
    return UNWRITTEN in outcome.kinds and outcome.within in ("", function)


class Wrong(Exception):
    """A check does not hold; the text says what was seen, what was expected and what to try."""

    def __init__(self, why: Text, picture: Picture | None = None):
        super().__init__(why.template)
        self.why, self.picture = why, picture


class Unanswered(Exception):
    """There is no value to check: the outcome says why, and the check ends with that verdict."""

    def __init__(self, function: str, outcome: Outcome):
        super().__init__(f"{function}: {outcome.status}")
        self.function, self.outcome = function, outcome


class Ask(Protocol):
    """How a check asks its questions, in one world."""

    world: str                                  # "own", "stand-in" or "own-derivative"

    def value(self, call: Call) -> Any:
        """What the call returned, as plain data. Without an answer, the check ends with the outcome's verdict."""
        ...

    def outcome(self, call: Call) -> Outcome:
        """The whole outcome of the call, whatever it is."""
        ...

    def unchanged(self, call: Call) -> bool:
        """Whether an earlier answer still is what it was, whatever was asked since."""
        ...

    def expected(self, call: Call) -> Any:
        """What the reference returns for this call, as plain data."""
        ...

    def trial(self, implementation: str) -> Outcome:
        """What the student's own test says of an implementation: "answered" accepts it, "raised" rejects it."""
        ...

    def answered(self, function: str) -> bool:
        """Whether the function has answered anything yet in this world."""
        ...

    def of_an_example(self, name: str, /) -> bool:
        """Whether a variable of the notebook's example cells has this name."""
        ...


@dataclass(frozen=True, eq=False)
class Check:
    """One fact about one exercise."""

    name: str
    title: Text                                 # the line that the student sees
    points: Fraction
    run: Callable[[Ask], None]
    needs: tuple[str, ...] = ()                 # earns points only if one of these checks passed; empty: always
    derivative: bool = False                    # may also hold in the world "own-derivative"
    shown: bool = False                         # its inputs are in the notebook, so messages may name numbers
    memory: bool = False                        # that nothing is remembered from one call to the next


def check(title: Text, points: str, needs: tuple[str, ...] = (), derivative: bool = False,
          shown: bool = False, memory: bool = False) -> Callable[[Callable[[Ask], None]], Check]:
    """Make a Check of a function; its name, with dashes, is the check's name.

    `points` is a fraction such as "1/4": of the exercise, if those of all its checks add up to 1; else they are points.
    """
    def make(run: Callable[[Ask], None]) -> Check:
        name = run.__name__.strip("_").replace("_", "-")
        return Check(name, title, Fraction(points), run, needs, derivative, shown, memory)
    return make


@dataclass(frozen=True, eq=False)
class Implementation:
    """One set of functions that a student's own test is run on, once, in a fresh process."""

    functions: tuple[str, ...]                  # what the test receives, in this order
    make: Callable[[str], str]                  # the reference's source -> the source of this implementation


@dataclass(frozen=True, eq=False)
class Exercise:
    """One function that students write, with the checks that grade it."""

    name: str                                   # the function, and the grade_id of its solution cell
    grade_id: str                               # of the cell that carries its points
    points: int
    checks: tuple[Check, ...]
    stand_ins: tuple[str, ...] = ()             # earlier exercises that the reference answers for in world 2 ...
    proxied: tuple[str, ...] = ()               # ... and those of them that the student's code may call there
    telling: Call | None = None                 # the question that distinguishes mistakes best
    differentiates: str | None = None           # world 3: whose derivative this is, by finite differences
    implementations: Mapping[str, Implementation] = field(default_factory=dict)     # what an own test is tried on
    skipped: Text | None = None                 # why it is not graded

    def __post_init__(self) -> None:
        """Checks whose points add up to 1 are worth that part of the exercise."""
        if sum(check.points for check in self.checks) == 1 != self.points:
            object.__setattr__(self, "checks", tuple(
                replace(check, points=check.points * self.points) for check in self.checks))

    @property
    def worth(self) -> float:
        """The most that its cell is worth in a gradebook, which cannot exclude an exercise that is not graded."""
        return self.points if self.skipped is None else 0


@dataclass(frozen=True, eq=False)
class Mistake:
    """A wrong solution that students really write. `make` turns the reference's source into the wrong one."""

    id: str
    exercises: tuple[str, ...]                  # where it must lose points, and nowhere else
    why: str                                    # how someone comes to write it (for instructors)
    hint: Text                                  # a question that helps, without the answer
    make: Callable[[str], str]
    advice: Text | None = None                  # not a mistake but a habit: this notice, never a deduction


def changed(*edits: tuple[str, str]) -> Callable[[str], str]:
    """The reference with some lines changed: each (old, new) must match exactly one place of the source."""
    def make(source: str) -> str:
        for old, new in edits:
            if source.count(old) != 1:
                raise ValueError(f"{old!r} occurs {source.count(old)} times in the reference, expected once")
            source = source.replace(old, new)
        return source
    return make


def written(code: str) -> Callable[[str], str]:
    """The reference, followed by new functions that replace the reference's."""
    def make(source: str) -> str:
        return f"{source}\n\n{code}"
    return make


@dataclass(frozen=True, eq=False)
class Lesson:
    """A lesson: its exercises in order, the files that go with it, and how its mistakes are found."""

    name: str
    exercises: tuple[Exercise, ...]
    reference: str                              # the course file with the reference solution
    given: Mapping[str, str]                    # module name -> course file: what students import
    prelude: str                                # what the notebook's first, given cell runs
    editions: Mapping[str, str]                 # language -> course file of the source notebook
    #: modules beside the notebook that no solution needs, in an order in which they can be imported ...
    tools: Mapping[str, str] = field(default_factory=dict)
    #: ... and those that only display something: behind the wall they do nothing
    shows: Mapping[str, str] = field(default_factory=dict)
    sample_tests: tuple[str, ...] = ()          # bodies of weak own tests, for a synthetic class
    #: (exercise -> call -> outcome in the own world, the reference, what asks more there)
    #: -> notices for the student, reasons for a person
    advice: Callable[..., tuple[list[Text], list[Text]]] = lambda answers, reference, ask: ([], [])
    #: where it is, which only the installation knows
    home: Home = field(default_factory=lambda: Home("", ""))

    @cached_property
    def reference_source(self) -> str:
        """The reference as one text: the given modules first, so that a mistake can change a line of those too."""
        given = "\n\n".join(self.given_sources.values())
        own = self.home.text(self.reference)
        imports = [f"from {module} import" for module in self.given]
        lines = [line for line in own.splitlines() if not line.startswith(tuple(imports))]
        return f"{given}\n\n" + "\n".join(lines) + "\n"

    @property
    def source_files(self) -> dict[str, str]:
        """The same file by file, each line where it is; what is imported of given modules is there already."""
        imports = tuple(f"from {module} import" for module in self.given)
        return {path: "\n".join("" if line.startswith(imports) else line for line in self.home.text(path).split("\n"))
                for path in [*self.given.values(), self.reference]}

    @cached_property
    def given_sources(self) -> dict[str, str]:
        """The pristine given modules, whatever the student did to the copies."""
        return {module: self.home.text(path) for module, path in self.given.items()}

    @property
    def beside(self) -> dict[str, str]:
        """Every module that students get beside the notebook -> its course file."""
        return {**self.given, **self.tools, **self.shows}

    @cached_property
    def modules(self) -> dict[str, str]:
        """What a submission can import behind the wall: pristine sources, without anything that draws or asks."""
        tools = {module: self.home.text(path) for module, path in self.tools.items()}
        return {**self.given_sources, **tools, **dict.fromkeys(self.shows, DOES_NOTHING)}

    def modules_in(self, language: str) -> dict[str, str]:
        """The same in the words of this edition: what a module raises is read by whoever has that notebook."""
        if language not in self.editions:
            return self.modules
        folder = PurePosixPath(self.editions[language]).parent
        spoken = {name: str(folder / PurePosixPath(path).name) for name, path in {**self.given, **self.tools}.items()}
        return {**self.modules, **{name: self.home.text(path) for name, path in spoken.items()}}

    @cached_property
    def mistakes(self) -> tuple[Mistake, ...]:
        """The catalogue, loaded only when it is needed."""
        return import_module(f"{self.home.package}.mistakes").MISTAKES

    @cached_property
    def models(self) -> tuple[Model, ...]:
        """The functions as steps, where the lesson has such; loaded only when no known mistake explains an answer."""
        return import_module(f"{self.home.package}.families").MODELS if self.has("families") else ()

    @cached_property
    def other_ways(self) -> Mapping[str, tuple[OtherWay, ...]]:
        """exercise -> other right ways to write it, where the lesson has such; no grading loads them."""
        return import_module(f"{self.home.package}.other_ways").OTHER_WAYS if self.has("other_ways") else {}

    def has(self, part: str) -> bool:
        """Whether the lesson has this module or folder beside lesson.py."""
        return find_spec(f"{self.home.package}.{part}") is not None

    def names_in_an_example(self, name: str) -> bool:
        """Whether an example cell of an edition assigns this name."""
        return name in self._example_names

    @cached_property
    def _example_names(self) -> frozenset[str]:
        """The names assigned in example cells; read only when a submission misses a name."""
        return frozenset().union(*(example_names(self.home.text(path)) for path in self.editions.values()))

    @property
    def language(self) -> str:
        """The language of work that does not tell its own: "" with an edition in the course's usual one, Dutch."""
        return "" if "nl" in self.editions else "en" if "en" in self.editions else next(iter(self.editions), "")

    @property
    def points(self) -> int:
        """The maximum for a submission, without skipped exercises."""
        return sum(exercise.points for exercise in self.exercises if exercise.skipped is None)
