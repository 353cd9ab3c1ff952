"""What a diagnosis costs: the processor time of making its tables once, and of each submission after that.

    python -m benchmarks.diagnosis            every mistake of the catalogue, with the tables of an earlier run
    python -m benchmarks.diagnosis --cold     with tables that are made anew
    python -m benchmarks.diagnosis --profile  and where the time goes

The mistakes are asked in this process, so that nothing but the judge is measured, and their own computing. That is part
of "checks", which a judge without a diagnosis needs as well.
"""
from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import tempfile
import time
from collections.abc import Mapping

from autograder.judge.engine import Assessor
from autograder.lessons.installed import load_lesson
from autograder.proof.opening import open_local
from autograder.stages import Profile, profiling

STAGES = ("diagnosis", "checks", "own tests")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--lesson", default="multihead")
    parser.add_argument("--cold", action="store_true", help="make the tables anew")
    parser.add_argument("--profile", action="store_true", help="print the functions that take most")
    options = parser.parse_args()
    if options.cold:
        os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp()
    lesson = load_lesson(options.lesson)
    sources = {mistake.id: mistake.make(lesson.reference_source) for mistake in lesson.mistakes}
    profile = profiling(True, time.process_time)
    assert profile is not None
    assessor = Assessor(lesson)
    watched = cProfile.Profile()
    first = _round(assessor, sources, profile, watched if options.profile else None)
    again = _round(assessor, sources, profile)
    tables = sum(sum(one.values()) for one in first.values()) - sum(sum(one.values()) for one in again.values())
    print(f"{len(sources)} submissions; the tables take {tables:.1f} s of processor time, once")
    for stage in STAGES:
        times = sorted(((one.get(stage, 0.0), name) for name, one in again.items()), reverse=True)
        mean = sum(each for each, _ in times) / len(times)
        most = ", ".join(f"{1000 * each:.1f} ({name})" for each, name in times[:3])
        print(f"{stage:>10}: {1000 * mean:6.2f} ms on average, at most {most}")
    if options.profile:
        pstats.Stats(watched).sort_stats("tottime").print_stats(25)


def _round(assessor: Assessor, sources: Mapping[str, str], profile: Profile, watched: cProfile.Profile | None = None
           ) -> dict[str, dict[str, float]]:
    """The processor time of each stage, by submission."""
    spent = {}
    if watched:
        watched.enable()
    for name, source in sources.items():
        assessor.assess(open_local(source))
        spent[name] = profile.taken()
    if watched:
        watched.disable()
    return spent


if __name__ == "__main__":
    main()
