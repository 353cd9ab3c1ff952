"""Write the class report: one page for a lecturer that works offline from a file and runs only its own script.

It answers how the class did, what they did not understand, which check is odd and which submissions need a person. The
page's own words are English; those that students see are in the requested language.
"""

import re
from base64 import b64encode
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from statistics import median
from typing import Any

from markupsafe import Markup

from autograder.locale.language import translate
from autograder.output.class_list import ClassList
from autograder.output.feedback import page_template
from autograder.output.final import has_more
from autograder.output.marks import number
from autograder.output.plain import plain
from autograder.records import Grade, Text
from autograder.report import charts
from autograder.report.anonymous import anonymous
from autograder.report.cells import SIGNS
from autograder.report.change import changes
from autograder.report.facts import PASSING_SHARE, Class
from autograder.report.grid import Link, grid_data, json_in_page
from autograder.report.items import costliest, items, remarked
from autograder.report.mistakes import mistakes, unexplained
from autograder.report.person import groups
from autograder.report.run import Run as Run

TEMPLATES = Path(__file__).parent / "templates"


def report_page(run: Run, language: str, *, against: Run | None = None, pass_mark: float | None = None,
                pass_share: float = PASSING_SHARE, link: Link = lambda grade: None, secret: bytes | None = None) -> str:
    """The page. With a secret it is anonymous: no names, files or links, in an order that says nothing.

    The pass mark is in points; without one, it is `pass_share` of all points.
    """
    old = list(against.grades) if against is not None else []
    grades = sorted(run.grades, key=_natural)
    if secret is not None:
        grades, old = anonymous([grades, old], secret)
        link, run = _no_link, replace(run, people=ClassList(), places={})
    of = Class(grades, pass_mark, pass_share)
    found, attention = items(of), groups(of)
    script = (TEMPLATES / "report.js").read_text(encoding="utf-8")
    return page_template("report.html", language, TEMPLATES).render(
        of=of, run=run, against=against, remarked=remarked(found), costliest=costliest(found),
        anonymous=secret is not None, about=_about(of), attention=attention,
        first=_students(group for group in attention if group.first), items=found,
        left=sorted(run.left, key=lambda each: (not each.asks, each.path)), plain=plain,
        mistakes=mistakes(of.graded), unexplained=unexplained(of.graded), signs=SIGNS, charts=charts, link=link,
        changes=changes(Class(old, pass_mark, pass_share), of) if against is not None else None,
        number=number, final_marks=any(has_more(grade.mark) for grade in grades),
        percent=_percent, signed=_signed, english=_english, correlation=_correlation,
        data=json_in_page(grid_data(of, attention, link, language, run.people)),
        script=Markup(script), script_hash=Markup(_hash(script)))


def _natural(grade: Grade) -> list[tuple[int, int | str]]:
    """A sort key that puts student-2 before student-10."""
    parts = re.split(r"(\d+)", grade.student or grade.submission)
    return [(0, int(part)) if part.isdecimal() else (1, part.casefold()) for part in parts if part]


def _no_link(grade: Grade) -> None:
    return None


def _hash(script: str) -> str:
    """The script's hash for a Content-Security-Policy."""
    return f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}"


def _students(found: Any) -> int:
    return len({(entry.grade.student, entry.grade.submission) for group in found for entry in group.entries})


@dataclass(frozen=True)
class About:
    """The circumstances of a run: how many were graded in which tier and by which version, and the time taken."""

    lessons: list[str]
    tiers: list[tuple[str, int]]
    versions: list[tuple[str, int]]
    seconds: float
    median: float


def _about(of: Class) -> About:
    def counted(value: Callable[[Grade], str]) -> list[tuple[str, int]]:
        return Counter(map(value, of.grades)).most_common()

    seconds = [grade.seconds for grade in of.grades]
    return About(sorted({grade.lesson for grade in of.grades if grade.lesson}),
                 counted(lambda grade: grade.isolation), counted(lambda grade: grade.checks or "not known"),
                 sum(seconds), median(seconds) if seconds else 0.0)


def _english(words: Text | str) -> str:
    """Text for instructors."""
    return plain(translate(words, "en") if isinstance(words, Text) else words)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f}%"


def _signed(value: float | None, unit: str = "") -> str:
    return "–" if value is None else f"{value:+.3g}{unit}".replace("-", "−")


def _correlation(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}".replace("-", "−")
