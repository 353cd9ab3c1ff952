"""Say what a final mark is and what it is made of, in the same numbers wherever it is shown."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b

from autograder.output.marks import number, points_of
from autograder.records import ExerciseGrade, Grade, Mark, OtherWay, Text, text


def final_points(grade: Grade) -> float | None:
    """The points that count: those of the mark, else the autograder's own."""
    return grade.points if grade.mark is None else grade.mark.points


def final_max(grade: Grade) -> float:
    """What they are out of."""
    return grade.max_points if grade.mark is None else grade.mark.max_points


def final_total(grade: Grade) -> str:
    """The points that count, as "2.5 / 5"."""
    return points_of(final_points(grade), final_max(grade))


def exercise_points(grade: Grade, exercise: ExerciseGrade) -> str:
    """The points that count for one exercise, as "2.5 / 5"."""
    return points_of(*_of_exercise(grade, exercise))


def _of_exercise(grade: Grade, exercise: ExerciseGrade) -> tuple[float | None, float]:
    own = (exercise.points, exercise.max_points)
    return own if grade.mark is None else grade.mark.exercises.get(exercise.name, own)


def by_a_teacher(grade: Grade, exercise: ExerciseGrade) -> Text | None:
    """What a person made of an exercise, where that differs from the autograder's points."""
    points, _ = _of_exercise(grade, exercise)
    if points is None or number(points) == number(exercise.points):
        return None
    if exercise.points is None or grade.status == "unreadable":
        return text("Your teacher gave {points} points here.", points=number(points))
    return text("Your teacher gave {points} points here; the autograder gave {auto}.", points=number(points),
                auto=number(exercise.points))


def full_marks(grade: Grade, exercise: ExerciseGrade) -> bool:
    """Whether the points that count for an exercise are all there are."""
    points, most = _of_exercise(grade, exercise)
    return not exercise.skipped and points is not None and points >= most > 0


def with_other_ways(grade: Grade, ways: Mapping[str, Sequence[OtherWay]]) -> str:
    """The exercises of which the page shows these other ways, and what these are, in one line; "" if there are none."""
    shown = [exercise.name for exercise in grade.exercises if ways.get(exercise.name) and full_marks(grade, exercise)]
    what = blake2b(repr([ways[name] for name in shown]).encode("utf-8", "replace"), digest_size=6)
    return " ".join([*shown, what.hexdigest()]) if shown else ""


def has_more(mark: Mark | None) -> bool:
    """Whether there is more to say than the autograder's points."""
    return mark is not None and bool(mark.value is not None or number(mark.by_hand) or mark.late_penalty
                                     or mark.days_late or mark.waiting or mark.replaced)


def parts(mark: Mark) -> Iterator[tuple[Text, str]]:
    """What the points are made of: what each part is called, and how many it gives or takes."""
    if mark.auto is not None:
        yield text("the autograder"), f"{number(mark.auto)}"
    if number(mark.by_hand):
        yield text("your teacher"), _signed(mark.by_hand)
    if mark.days_late or mark.late_penalty:
        yield lateness(mark), _signed(-mark.late_penalty)


def lateness(mark: Mark) -> Text:
    """How late the work was."""
    if mark.days_late == 1:
        return text("1 day late")
    return text("{days} days late", days=mark.days_late) if mark.days_late else text("handed in late")


def _signed(value: float) -> str:
    return "0" if not number(value) else f"{'+' if value > 0 else '−'}{number(abs(value))}"


def on_scale(value: float) -> str:
    """A mark on the scale as "7.5", and "6.0" beside it rather than "6"."""
    return f"{value:.1f}"


def sentences(grade: Grade) -> Iterator[Text]:
    """What explains the mark to the student; one whose file has to come again is told nothing else."""
    mark = grade.mark
    if mark is None:
        return
    if mark.waiting:
        if grade.status != "unreadable":
            yield text("There is no mark yet: your teacher still looks at {exercises}.",
                       exercises=", ".join(mark.waiting))
        return
    if mark.replaced:
        yield text("The points for {exercises} were given by your teacher before this was graded again.",
                   exercises=", ".join(mark.replaced))
    if mark.value is not None:
        yield text("Your mark is {mark}: {points} points of {all}, and {enough} are a pass.", mark=on_scale(mark.value),
                   points=number(mark.points), all=number(mark.max_points), enough=number(mark.pass_points))


def made_of(grade: Grade) -> str:
    """All of it in one line that changes with any part; "" where there is no more than the autograder's points."""
    mark = grade.mark
    if mark is None or not has_more(mark):
        return ""
    numbers = (mark.points, mark.max_points, mark.auto, mark.by_hand, mark.late_penalty, mark.days_late,
               mark.pass_points, mark.value)
    cells = (f"{name} {number(points)}/{number(worth)}" for name, (points, worth) in mark.exercises.items())
    return "; ".join([" ".join(str(number(one)) for one in numbers), *cells, *mark.waiting, "", *mark.replaced])
