"""Log what happens while a class is graded, for the instructor: JSON lines appended as they happen.

The log records which submissions shared one judgement. No student ever sees it.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autograder.locale.language import translate
from autograder.output.jsonl import CannotWrite
from autograder.output.marks import number


@contextmanager
def event_log(path: str, complain: Callable[[str], None]) -> Iterator[Callable[..., None]]:
    """Yield a function that adds an event with its facts. Raises CannotWrite if the file cannot be opened.

    A log that can no longer be written (its disk is full) does not stop the run: `complain` is told once.
    """
    try:
        file = Path(path).open("ab", buffering=0)           # noqa: SIM115 - closed below
    except OSError as error:
        raise CannotWrite(f"cannot write {path}: {error.strerror or error}") from None
    works = True

    def log(event: str, **facts: Any) -> None:
        nonlocal works
        if works:
            try:
                file.write(_line(event, facts))
            except OSError as error:
                works = False
                complain(f"the log {path} ends here: {error.strerror or error}")
    with file:
        yield log


def _line(event: str, facts: dict[str, Any]) -> bytes:
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    if "judged" in facts:
        facts = _of_grade(facts["judged"])
    if "left" in facts:
        facts = {"path": facts["left"].path, "why": translate(facts["left"].why, "en")}
    return json.dumps({"time": now, "event": event, **facts}, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _of_grade(judged: Any) -> dict[str, Any]:
    """One graded submission: whose it is, its result, how it was found and by whom it was judged."""
    grade = judged.grade
    return {"student": grade.student, "submission": grade.submission, "status": grade.status,
            "points": number(grade.points), "max_points": number(grade.max_points), "seconds": number(grade.seconds),
            "source": judged.source, "worker": judged.worker or None, "copy_of": judged.copy_of or None}
