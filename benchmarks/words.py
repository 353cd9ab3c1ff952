"""How often something true is said of wrong submissions that the catalogue does not have, and what finding it costs.

    python -m benchmarks.words --count 300 --seed 1
    python -m benchmarks.words some/folder other.py        wrong .py submissions of strangers
    python -m benchmarks.words --wild                      those of tests/truth

Without files they are made by machine: a changed line (proof.mutants) in the reference or in one of its mistakes, and
two mistakes at once. A name of the catalogue explains every answer and steps give every answer, so what is said is true
by what was answered; what this counts is how often anything is said, and with `--show` each word stands beside the
change. A word is specific if it is a known mistake, steps, the first wrong step, or a message that says what is wrong;
"a region" is a first wrong step that leaves most of the function open. The times are processor time of the judge; what
checking and diagnosing cost beyond the same for the right solution is what a wrong one adds.
"""
from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import chain, islice
from pathlib import Path
from statistics import mean, median

from autograder.judge.engine import Engine
from autograder.lessons.installed import load_lesson
from autograder.lessons.kit.lesson import Lesson
from autograder.locale.language import translate
from autograder.proof.leave_one_out import has_a_word
from autograder.proof.mutants import mutants
from autograder.records import Cell, ExerciseGrade, Submission
from autograder.stages import profiling

#: words that leave most of a function open
REGIONS = frozenset({"values", "weights", "number-changed"})


def unseen(lesson: Lesson, seed: int) -> Iterator[tuple[str, str]]:
    """(what was changed, the source), without end: mutants of the reference, of its mistakes, and pairs of mistakes."""
    rng = random.Random(seed)
    functions = [exercise.name for exercise in lesson.exercises if not exercise.implementations]
    mistakes = [mistake for mistake in lesson.mistakes if mistake.advice is None]
    of_the_reference = mutants(lesson.reference_source, [*functions, *lesson.given])
    while True:
        kind = rng.choice(("mutant", "mutant", "mutated mistake", "pair"))
        try:
            if kind == "mutant":
                mutant = rng.choice(of_the_reference)
                yield mutant.change, mutant.source
            elif kind == "pair":
                one, other = rng.sample(mistakes, 2)
                yield f"{one.id} and {other.id}", other.make(one.make(lesson.reference_source))
            else:
                mistake = rng.choice(mistakes)
                mutant = rng.choice(mutants(mistake.make(lesson.reference_source), mistake.exercises[:1]))
                yield f"{mistake.id}, and {mutant.change}", mutant.source
        except (ValueError, SyntaxError, IndexError):
            continue                                    # two mistakes that cannot be made together


def wild() -> Iterator[tuple[str, str]]:
    """The wrong submissions of tests/truth: a name, and the source."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from tests.truth import test_unseen
    for name, case in test_unseen.CASES.items():
        yield name, test_unseen.code_of(case)


def of_files(paths: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """The .py files of these folders: a name, and the source."""
    for path in paths:
        for file in sorted(path.glob("*.py")) if path.is_dir() else [path]:
            yield file.name, file.read_text(encoding="utf-8")


def kind_of(exercise: ExerciseGrade, known: Set[str]) -> str:
    """What sort of word an exercise got."""
    ids = set(exercise.diagnosis.mistakes)
    if ids & known:
        return "a known mistake"
    if ids & REGIONS:
        return "a region"
    return "steps, or the first wrong one" if ids else "a message" if has_a_word(exercise) else "nothing"


def told(engine: Engine, sources: Iterable[tuple[str, str]], show: bool) -> Iterator[tuple[Submission, list[str]]]:
    """The submissions that lose points, each with the sort of word for every function that does."""
    known = {mistake.id for mistake in engine.lesson.mistakes}
    functions = {exercise.name for exercise in engine.lesson.exercises if not exercise.implementations}
    for name, source in sources:
        submission = Submission(f"{name}.py", "student-01", engine.lesson.name, (Cell(0, source),))
        lost = [one for one in engine.grade(submission).exercises
                if one.name in functions and one.points is not None and one.points < one.max_points]
        if lost:
            yield submission, [kind_of(one, known) for one in lost]
        for one in lost if show else ():
            words = [translate(hint, "en") for hint in one.diagnosis.hints]
            print(f"{kind_of(one, known):30} {name}\n{'':30} {one.name}: {'; '.join(words)}", flush=True)


def times(engine: Engine, submissions: Iterable[Submission]) -> list[tuple[float, float]]:
    """The milliseconds of this process that the checks and the diagnosis of each take, with the tables at hand."""
    profile = profiling(True, time.process_time)
    assert profile is not None
    taken = []
    for submission in submissions:
        profile.taken()
        engine.grade(submission)
        spent = profile.taken()
        taken.append((1000 * spent.get("checks", 0.0), 1000 * spent.get("diagnosis", 0.0)))
    profiling(False)
    return taken


def main() -> None:
    """Print the share with a word, and the times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", type=Path, nargs="*")
    parser.add_argument("--wild", action="store_true")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    lesson = load_lesson("multihead")
    sources = chain(wild() if options.wild else (), of_files(options.paths))
    if not (options.wild or options.paths):
        sources = unseen(lesson, options.seed)
    with Engine(lesson) as engine:
        found = list(islice(told(engine, sources, options.show), options.count))
        right = Submission("right.py", "student-01", lesson.name, (Cell(0, lesson.reference_source),))
        of_right = median(checks for checks, _ in times(engine, [right] * 7))
        taken = times(engine, [submission for submission, _ in found])
    counted = Counter(kind for _, kinds in found for kind in kinds)
    total = sum(counted.values())
    print(f"{len(found)} submissions lose points, in {total} functions")
    for kind, count in counted.most_common():
        print(f"{100 * count / total:5.1f} %  {kind}")
    print(f"{100 * (total - counted['nothing'] - counted['a region']) / total:5.1f} %  specific")
    added = [checks + diagnosis - of_right for checks, diagnosis in taken]
    for what, each in (("diagnosis", [diagnosis for _, diagnosis in taken]),
                       ("checks", [checks for checks, _ in taken]),
                       ("checks and diagnosis, beyond the right solution's checks", added)):
        print(f"{what}: {mean(each):.1f} ms of processor time on average, {max(each):.1f} at worst")
    print(f"the right solution's checks: {of_right:.1f} ms")


if __name__ == "__main__":
    main()
