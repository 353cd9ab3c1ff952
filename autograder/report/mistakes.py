"""Count the class's mistakes that are in the catalogue, most common first, and what no known mistake explains."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from autograder.records import ExerciseGrade, Grade, Text
from autograder.report.facts import not_written


@dataclass
class MistakeFacts:
    """One mistake in one exercise: who made it, and what it looked like.

    `students` are those whom it explains best; `also` counts those whom it explains too, but another mistake better.
    """

    id: str
    exercise: str
    hint: Text | None = None
    students: list[Grade] = field(default_factory=list)
    also: int = 0
    lost: float = 0.0                           # points in this exercise, all its students together
    signs: list[tuple[Text, Text]] = field(default_factory=list)    # of each student: a check's title, its message

    @property
    def sign(self) -> tuple[Text, Text] | None:
        """Its most common sign: the title of the failing check, and its message."""
        counted = Counter(map(msgspec.json.encode, self.signs))
        return max(self.signs, key=lambda sign: counted[msgspec.json.encode(sign)], default=None)


@dataclass(frozen=True)
class Unexplained:
    """Students who lost points in an exercise for a reason that is not in the catalogue."""

    exercise: str
    students: Sequence[Grade]


def mistakes(grades: Sequence[Grade]) -> list[MistakeFacts]:
    """The mistakes with the most students first, then by name."""
    found: dict[tuple[str, str], MistakeFacts] = {}
    for grade in grades:
        for exercise in grade.exercises:
            for rank, (mistake, hint) in enumerate(_explained(exercise)):
                facts = found.setdefault((mistake, exercise.name), MistakeFacts(mistake, exercise.name))
                facts.hint = facts.hint or hint
                if rank:
                    facts.also += 1
                else:
                    _count(facts, grade, exercise)
    return sorted(found.values(), key=lambda facts: (-len(facts.students), -facts.also, facts.id))


def _explained(exercise: ExerciseGrade) -> list[tuple[str, Text | None]]:
    hints = [*exercise.diagnosis.hints, *[None] * len(exercise.diagnosis.mistakes)]
    return list(zip(exercise.diagnosis.mistakes, hints, strict=False))


def _count(facts: MistakeFacts, grade: Grade, exercise: ExerciseGrade) -> None:
    facts.students.append(grade)
    facts.lost += exercise.max_points - (exercise.points or 0.0)
    failed = [verdict for verdict in exercise.verdicts if verdict.verdict not in ("passed", "skipped", "broken")]
    said = [(verdict, verdict.message) for verdict in failed if verdict.message]
    for verdict, message in ([each for each in said if facts.id in each[0].mistakes] or said)[:1]:
        facts.signs.append((verdict.title, message))


def unexplained(grades: Sequence[Grade]) -> list[Unexplained]:
    """The unexplained losses by exercise, for exercises of which the catalogue explained at least one."""
    students: dict[str, list[Grade]] = defaultdict(list)
    explained = set()
    for grade in grades:
        for exercise in grade.exercises:
            if exercise.diagnosis.mistakes:
                explained.add(exercise.name)
            elif exercise.points is not None and exercise.points < exercise.max_points and not not_written(exercise):
                students[exercise.name].append(grade)
    return [Unexplained(name, found) for name, found in students.items() if name in explained]
