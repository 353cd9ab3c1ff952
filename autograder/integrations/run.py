"""Grade one submission for another system: `python -m autograder.integrations.run gradescope ROOT`.

gradescope ROOT         reads ROOT/submission, writes ROOT/results/results.json; settings are in ROOT/source
github WORK SETTINGS    reads the folder WORK, prints `result=...` and `missing=...` for $GITHUB_OUTPUT, and appends the
                        words to $GITHUB_STEP_SUMMARY; settings are in the other folder

The answer includes which wall the student's code ran behind. If there is no wall, nothing is run.
"""

import os
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from msgspec.structs import replace

from autograder.course.mark import own_mark
from autograder.course.rules import rules_of
from autograder.course.settings import SettingsError
from autograder.intake import read
from autograder.lessons import DEFAULT
from autograder.locale.language import language_for
from autograder.output.exports import FORMATS, Order, github
from autograder.records import Grade
from autograder.sandbox.tiers import NoIsolation

DONE, NOT_GRADED, BROKEN = 0, 1, 3


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0 for a result that says it all, 1 if there is no grade, 3 if the autograder itself is broken."""
    asked = _asked(arguments)
    results = asked.root / "results" / "results.json"
    if asked.system == "gradescope":
        results.unlink(missing_ok=True)         # an earlier run's score must not count for this one
    try:
        grade, order = graded(asked.work, asked.settings, asked.lesson)
    except (NoIsolation, SettingsError) as error:
        print(f"autograder: {error}", file=sys.stderr)
        return BROKEN
    if asked.system == "github":
        _to_github(grade, language_for(grade, order.language))
    else:
        results.parent.mkdir(exist_ok=True)
        results.write_bytes(FORMATS["gradescope"].write([grade], order))
    print(f"autograder: {grade.status}, isolation {grade.isolation}, checks {grade.checks}", file=sys.stderr)
    unreadable = DONE if asked.system == "gradescope" else NOT_GRADED       # there the result says it, with a score
    return {"graded": DONE, "unreadable": unreadable}.get(grade.status, BROKEN)


def _to_github(grade: Grade, language: str) -> None:
    """The two results for the reporter, and what students read in the summary of the job."""
    for name, runner in zip(("result", "missing"), github.in_two(grade, language), strict=True):
        print(f"{name}={github.encoded(runner).decode()}")
    if os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(os.environ["GITHUB_STEP_SUMMARY"]).open("a", encoding="utf-8", errors="replace") as file:
            file.write(github.in_markdown(grade, language))


def graded(work: Path, course: Path, name: str) -> tuple[Grade, Order]:
    """The grade of the submission in this folder; its notices name the wall."""
    rules = rules_of(course)
    found = list(read([work], rules.lesson(name), rules.limits.budget))
    submission = next((readable for readable in found if readable.unreadable is None), found[0])
    [grade] = rules.graded([submission], lambda sentence: print(f"autograder: {sentence}", file=sys.stderr))
    marked = replace(grade, mark=own_mark(grade, rules.settings))
    return marked, Order(rules.settings.language or "nl", scale=rules.settings.mark.scale != "none")


def _asked(arguments: list[str] | None) -> Namespace:
    parser = ArgumentParser(prog="python -m autograder.integrations.run")
    parser.add_argument("system", choices=["gradescope", "github"])
    parser.add_argument("root", type=Path)
    parser.add_argument("settings", type=Path, nargs="?")
    parser.add_argument("--lesson", default=DEFAULT)
    asked = parser.parse_args(arguments)
    asked.work = asked.root / "submission" if asked.system == "gradescope" else asked.root
    asked.settings = asked.settings or asked.root / "source"
    return asked


if __name__ == "__main__":
    sys.exit(main())
