"""The catalogue's mistakes as subjects, and tables of their answers, which are made when first needed and cached."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, combinations
from weakref import WeakKeyDictionary

import numpy as np

from autograder.judge import cache as kept
from autograder.judge.checks_version import answers_version
from autograder.judge.fingerprint import Entry, Row, agree, entries_of, paths_of, width
from autograder.judge.local_subject import LocalSubject
from autograder.judge.referred import with_reference
from autograder.judge.table import Made, Table, size_of
from autograder.judge.worlds import AskIn
from autograder.lessons.kit.lesson import Exercise, Lesson, Mistake
from autograder.records import Call, Outcome
from autograder.sandbox.allowance import for_everybody
from autograder.sandbox.wire.tree import Path

LARGE = 100_000  # bytes; a larger question is only asked of mistakes that explain the rest
Answers = Mapping[Call, Outcome]


@dataclass(frozen=True)
class Seen:
    """The fingerprints of some answers, by their questions, and the questions as they are put to a subject."""

    asked: Mapping[Call, Call]
    entries: Mapping[Call, list[Entry]]
    answered: frozenset[Call]                   # those that have an answer

    def row(self, calls: Iterable[Call]) -> Row:
        """Those of these questions, one after another."""
        return Row.made_of(chain.from_iterable(self.entries[call] for call in calls))


class Known:
    """The mistakes of one lesson, and what they answer."""

    def __init__(self, lesson: Lesson, reference: LocalSubject):
        self._lesson, self._reference = lesson, reference
        self._subjects: dict[Made, LocalSubject | None] = {}
        self._tables: dict[object, Table] = {}
        self._earlier: dict[str, list[Call]] = {}
        self._in_order: dict[object, Row | None] = {}
        self._paths: WeakKeyDictionary[Call, list[Path]] = WeakKeyDictionary()
        self._entries: dict[LocalSubject, WeakKeyDictionary[Call, list[Entry]]] = {}

    def all(self, exercise: str) -> list[Mistake]:
        """The mistakes that this exercise can have."""
        return [mistake for mistake in self._lesson.mistakes
                if exercise in mistake.exercises and mistake.advice is None]

    @for_everybody()
    def subject(self, *made: Mistake) -> LocalSubject | None:
        """The reference with these mistakes made in it; None if they cannot be made together."""
        if made not in self._subjects:
            self._subjects[made] = self.make(made)
        return self._subjects[made]

    def make(self, made: Made) -> LocalSubject | None:
        """The same made anew: some mistakes keep something between calls."""
        source = self._lesson.reference_source
        try:
            for mistake in made:
                source = mistake.make(source)
            return LocalSubject(source, "+".join(mistake.id for mistake in made))
        except (ValueError, SyntaxError):
            return None

    # --- tables -------------------------------------------------------------------------------------------------

    @for_everybody()
    def singles(self, exercise: Exercise, stand_ins: frozenset[str]) -> Table:
        """Every mistake of the exercise, and every question of its checks except the large ones."""
        if (exercise.name, stand_ins) not in self._tables:
            ask = AskIn("stand-in" if stand_ins else "own", self._reference, self._reference, stand_ins)
            for check in exercise.checks:
                check.run(ask)
            calls = [call for call in of_function(ask.answers, exercise.name)
                     if size_of(self.asked(call, stand_ins)) < LARGE]
            made = [(mistake,) for mistake in self.all(exercise.name)]
            self._tables[exercise.name, stand_ins] = self._table(
                f"{exercise.name}-1" + "-stand-in" * bool(stand_ins), made, calls, stand_ins,
                self._before(exercise, stand_ins))
        return self._tables[exercise.name, stand_ins]

    @for_everybody()
    def pairs(self, exercise: Exercise, telling: Call) -> Table:
        """Every two mistakes that can be made together, and the one question that distinguishes them best.

        It is asked with the reference's earlier answers: the mistakes of one exercise change no other. One that the
        question does not show is in no pair, since its pair answers what the other one does.
        """
        if telling not in self._tables:
            stand_ins = frozenset(exercise.stand_ins)
            shown = self._shown(exercise, telling, stand_ins)
            self._tables[telling] = self._table(
                f"{exercise.name}-2", list(combinations(shown, 2)), [telling], stand_ins, [])
        return self._tables[telling]

    def _shown(self, exercise: Exercise, call: Call, stand_ins: frozenset[str]) -> list[Mistake]:
        """The mistakes of the exercise with which this question is answered otherwise than by the reference."""
        right, all = self._reference.answer(self.asked(call, stand_ins)), self.all(exercise.name)

        def shows(mistake: Mistake) -> bool:
            subject = self.make((mistake,))
            return subject is None or not self.row_of(subject, [call], stand_ins).agrees(Row.of([(right, right)])).all()
        known = kept.computed(answers_version(self._lesson), f"{exercise.name}-shown",
                              lambda known: len(known["shows"]) == len(all),
                              lambda: {"shows": np.array([shows(mistake) for mistake in all])})
        return [mistake for mistake, is_shown in zip(all, known["shows"], strict=True) if is_shown]

    def _table(self, name: str, made: list[Made], calls: list[Call], stand_ins: frozenset[str],
               before: list[Call]) -> Table:
        rights = [self._reference.answer(self.asked(call, stand_ins)) for call in calls]
        right = Row.of(zip(rights, rights, strict=True))
        starts = np.cumsum([0, *map(width, rights)]).tolist()
        made, rows = self._rows(name, made, calls, starts[-1], stand_ins, before)
        return Table(made, calls, starts, rows, right)

    def _rows(self, name: str, made: list[Made], calls: list[Call], width: int, stand_ins: frozenset[str],
              before: list[Call]) -> tuple[list[Made], Row]:
        """The rows (n, width) of those that can be made, cached from an earlier run if possible."""
        def fits(known: kept.Arrays) -> bool:   # not where it was cached while the catalogue was being edited
            return len(known["could"]) == len(made) and known["tokens"].shape[1:] == (width,)

        def compute() -> kept.Arrays:
            rows = [self._made_row(each, calls, stand_ins, before) for each in made]
            return {"could": np.array([row is not None for row in rows]),
                    **vars(Row.stack([row for row in rows if row is not None], width))}
        known = kept.computed(answers_version(self._lesson), name, fits, compute)
        could = known.pop("could")
        return [each for each, can in zip(made, could, strict=True) if can], Row(**known)

    # --- rows ---------------------------------------------------------------------------------------------------

    def _made_row(self, made: Made, calls: Iterable[Call], stand_ins: frozenset[str], before: Iterable[Call]
                  ) -> Row | None:
        """What these mistakes answer, made anew and asked these things before; None if they cannot be made."""
        subject = self.make(made)
        if subject is None:
            return None
        for call in before:                     # whatever is answered
            subject.answer(call)
        return self.row_of(subject, calls, stand_ins)

    @for_everybody()
    def in_order(self, made: Made, exercise: Exercise, calls: tuple[Call, ...], stand_ins: frozenset[str]
                 ) -> Row | None:
        """The same in the order of the checks, remembered: a class makes the same mistake again and again."""
        key = made, calls, stand_ins
        if key not in self._in_order:
            self._in_order[key] = self._made_row(made, calls, stand_ins, self._before(exercise, stand_ins))
        return self._in_order[key]

    def _before(self, exercise: Exercise, stand_ins: frozenset[str]) -> list[Call]:
        """What a process was asked before this exercise; a process with stand-ins is a fresh one."""
        if stand_ins:
            return []
        if exercise.name not in self._earlier:
            ask = AskIn("own", self._reference, self._reference)
            earlier = [one for one in self._lesson.exercises if one.name in exercise.stand_ins]
            for check in [check for one in earlier for check in one.checks]:
                check.run(ask)
            self._earlier[exercise.name] = [call for call in ask.answers if size_of(call) < LARGE]
        return self._earlier[exercise.name]

    def row_of(self, subject: LocalSubject, calls: Iterable[Call], stand_ins: frozenset[str]) -> Row:
        """What this subject answers."""
        asked = [self.asked(call, stand_ins) for call in calls]
        return Row.of((subject.answer(call), self._reference.answer(call)) for call in asked)

    def seen(self, answers: Answers, stand_ins: frozenset[str]) -> Seen:
        """These answers."""
        asked = {call: self.asked(call, stand_ins) for call in answers}
        return Seen(asked, {call: self._made_entries(asked[call], outcome) for call, outcome in answers.items()},
                    frozenset(call for call, outcome in answers.items() if outcome.status == "answered"))

    def gives(self, subject: LocalSubject, seen: Seen) -> bool:
        """Whether a subject that is kept gives all these answers. It is asked in order, until it does not."""
        return all(agree(one, other) for call, entries in seen.entries.items()
                   for one, other in zip(self._answered(subject, seen.asked[call]), entries, strict=True))

    def give_side_by_side(self, subjects: list[LocalSubject], seen: Seen) -> bool:
        """Whether each gives its own part of what is wrong in these answers, and none spoils what is right."""
        for call, entries in seen.entries.items():
            right = self._answered(self._reference, seen.asked[call])
            rows = [self._answered(subject, seen.asked[call]) for subject in subjects]
            for want, got, *each in zip(right, entries, *rows, strict=True):
                if not agree(want, got):
                    if not any(agree(one, got) for one in each):
                        return False
                elif not all(agree(one, want) or agree(one, got) for one in each):
                    return False
        return True

    def _answered(self, subject: LocalSubject, call: Call) -> list[Entry]:
        """What a subject that is kept answers, remembered: a class makes the same mistakes again and again."""
        known = self._entries.setdefault(subject, WeakKeyDictionary())
        if call not in known:
            with for_everybody():
                known[call] = self._made_entries(call, subject.answer(call))
        return known[call]

    def _made_entries(self, asked: Call, outcome: Outcome) -> list[Entry]:
        right = self._reference.answer(asked)
        if asked not in self._paths:
            self._paths[asked] = paths_of(right)
        return entries_of(outcome, right, self._paths[asked])

    def asked(self, call: Call, stand_ins: frozenset[str]) -> Call:
        """The call as it is put to a subject: with the reference's answers where that stands in."""
        return with_reference(call, self._reference, stand_ins)


def of_function(answers: Answers, function: str) -> dict[Call, Outcome]:
    """Those that this function gave."""
    return {call: outcome for call, outcome in answers.items() if call.function == function}
