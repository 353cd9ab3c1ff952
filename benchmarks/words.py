"""How often something true is said of wrong submissions that the catalogue does not have, and what finding it costs.

    python -m benchmarks.words --count 300 --seed 1

They are made by machine: a changed line (proof.mutants) in the reference or in one of its mistakes, and two mistakes at
once. A name of the catalogue explains every answer and steps give every answer, so what is said is true by what was
answered; what this counts is how often anything is said, and with `--show` each word stands beside the change.
"""
from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from autograder.judge.engine import Assessor
from autograder.lessons.installed import load_lesson
from autograder.lessons.kit.lesson import Lesson
from autograder.locale.language import translate
from autograder.proof.leave_one_out import has_a_word
from autograder.proof.mutants import mutants
from autograder.proof.opening import open_local
from autograder.records import ExerciseGrade


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


def wrong(assessor: Assessor, seed: int) -> Iterator[tuple[str, list[ExerciseGrade], float]]:
    """Those that lose points: what was changed, the exercises that lost, and the seconds that the diagnosis took."""
    diagnose, spent = assessor.catalogue.diagnose, 0.0

    def timed(*args):
        nonlocal spent
        started = time.process_time()
        try:
            return diagnose(*args)
        finally:
            spent += time.process_time() - started

    assessor.catalogue.diagnose = timed
    for change, source in unseen(assessor.lesson, seed):
        spent = 0.0
        try:
            exercises = assessor.assess(open_local(source)).exercises
        except Exception:
            continue                                    # no module at all
        lost = [one for one in exercises if one.points is not None and one.points < one.max_points]
        if lost:
            yield change, lost, spent


def main() -> None:
    """Print the share with a word, and the times."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--count", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--show", action="store_true")
    options = options.parse_args()
    lesson, counted, times = load_lesson("multihead"), Counter(), []
    functions = [exercise for exercise in lesson.exercises if not exercise.implementations]
    assessor = Assessor(lesson)
    known = {mistake.id for mistake in lesson.mistakes}
    for change, lost, seconds in islice(wrong(assessor, options.seed), options.count):
        times.append(seconds)
        for one in (one for one in lost if one.name in {exercise.name for exercise in functions}):
            ids = set(one.diagnosis.mistakes)
            kind = ("a known mistake" if ids & known else "steps, or the first wrong one" if ids
                    else "a message" if has_a_word(one) else "nothing")
            counted[kind] += 1
            if options.show:
                words = [translate(hint, "en") for hint in one.diagnosis.hints]
                print(f"{kind:30} {change}\n{'':30} {one.name}: {'; '.join(words)}")
    total = sum(counted.values())
    for kind, count in counted.most_common():
        print(f"{100 * count / total:5.1f} %  {kind}")
    mean, worst = (1000 * seconds for seconds in (sum(times) / len(times), max(times)))
    print(f"diagnosis: {mean:.1f} ms of processor time on average, {worst:.1f} at worst")


if __name__ == "__main__":
    main()
