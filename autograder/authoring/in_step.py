"""A command that keeps something in the source notebooks in step with what it is made from, for every lesson."""
from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from autograder.lessons.installed import lesson_names, load_lesson
from autograder.lessons.kit.lesson import Lesson


def keep_in_step(program: str, differences: Callable[[Lesson], Iterable[str]], sync: Callable[[Lesson], Iterable[Path]],
                 all_well: str, arguments: Sequence[str]) -> int:
    """Write, or with `--check` only compare; the exit code."""
    if set(arguments) - {"--check"}:
        print(f"usage: python -m {program} [--check]", file=sys.stderr)
        return 2
    lessons = [load_lesson(name) for name in lesson_names()]
    if "--check" in arguments:
        sentences = [sentence for lesson in lessons for sentence in differences(lesson)]
        print("\n".join(sentences) or all_well)
        return 1 if sentences else 0
    for path in (path for lesson in lessons for path in sync(lesson)):
        print(f"wrote {path}")
    return 0
