"""Guess the lesson from the functions that a submission defines."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path, PurePosixPath

from msgspec.structs import replace

from autograder.intake.apart import SECONDS
from autograder.intake.layout import assignment_folders, notebook_names
from autograder.intake.own_cells import defines
from autograder.intake.reading import read_all
from autograder.lessons.kit.lesson import Lesson
from autograder.records import Left, Submission, text

Others = Callable[[], Iterable[Lesson]]
Key = tuple[str, int]                     # the submission's name, and its number among those of that name


def read_any(paths: Sequence[str | Path], lessons: Sequence[Lesson]) -> list[Submission]:
    """The submissions at these paths, each for the lesson that it fits best, or for the first if it fits none."""
    return read_everything(paths, lessons)[0]


def read_everything(paths: Sequence[str | Path], lessons: Sequence[Lesson], seconds: float = SECONDS,
                    others: Others = tuple) -> tuple[list[Submission], list[Left]]:
    """The same, and what was not looked at for any of the lessons; each of them may read so long at one submission.

    What fits none of them is looked at again for all the `others` there are.
    """
    found: dict[Key, Submission] = {}
    alike: defaultdict[Key, list[str]] = defaultdict(list)      # the lessons that it fits equally well
    left: dict[str, Left] = {}
    seen: Counter[tuple[str, str]] = Counter()
    order: list[Key] = []                   # as the first lesson's reader comes by them; what only others find is last
    called = {lesson.name: lesson for lesson in lessons}
    for submission in read_all(paths, lessons, seconds):
        if submission.left is not None:
            left.setdefault(submission.name, submission.left)
            continue
        seen[submission.lesson, submission.name] += 1
        key = submission.name, seen[submission.lesson, submission.name]
        before, lesson = found.get(key), called[submission.lesson]
        best = fit(before, called[before.lesson]) if before is not None else (0, False)
        if lesson is lessons[0]:
            order.append(key)
        its = fit(submission, lesson)
        alike[key] = [*(alike[key] if its <= best else ()), *([lesson.name] if its[0] and its >= best else ())]
        if its > best or lesson is lessons[0] and its == best:
            spent = before.seconds if before is not None else 0.0
            found[key] = replace(submission, seconds=submission.seconds + spent)
    names = {name for name, _ in found}
    chosen = (_asking(found[key], alike[key]) for key in dict.fromkeys([*order, *found]))
    return ([of_another(each, called[each.lesson], others) for each in chosen],
            [each for name, each in left.items() if name not in names])


def _asking(submission: Submission, alike: list[str]) -> Submission:
    """The same; a person is told if it fits other lessons as well."""
    others = [name for name in alike if name != submission.lesson]
    if not others:
        return submission
    said = text("its functions are those of {others} as well; it was graded for {lesson}, and --lesson chooses another",
                others=", ".join(others), lesson=submission.lesson)
    return replace(submission, for_a_person=(*submission.for_a_person, said))


def of_another(submission: Submission, lesson: Lesson, others: Others) -> Submission:
    """The same; if it defines none of the lesson's functions and some of another's, that is said, to a person too."""
    sources = [cell.source for cell in submission.cells]
    if not sources or functions(lesson, sources):
        return submission
    found = [other.name for other in others() if other.name != lesson.name and functions(other, sources)]
    if not found:
        return submission
    said = text("This is work for {others}, and it was graded for {lesson}, of which it has no function.",
                others=", ".join(found), lesson=lesson.name)
    return replace(submission, notices=(*submission.notices, said), for_a_person=(*submission.for_a_person, said))


def fit(submission: Submission, lesson: Lesson) -> tuple[int, bool]:
    """How many of the lesson's functions are defined in it, and whether its path has one of the lesson's names."""
    path = PurePosixPath(submission.name)
    named = path.name in notebook_names(lesson) or not assignment_folders(lesson).isdisjoint(path.parts)
    return functions(lesson, (cell.source for cell in submission.cells)), named


def functions(lesson: Lesson, sources: Iterable[str]) -> int:
    """How many of the lesson's functions these sources define."""
    sources = list(sources)
    return sum(any(defines(source, exercise.name) for source in sources) for exercise in lesson.exercises)
