"""Write a student's feedback as one HTML page: no script, nothing loaded from elsewhere, everything escaped."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from autograder.locale.language import LANGUAGES, VERDICT_WORDS, language_for, translate
from autograder.output import final, marks
from autograder.output.drawing import drawing
from autograder.output.plain import capital, plain
from autograder.output.weight import fitted, weight
from autograder.records import ExerciseGrade, Grade, OtherWay, Text, text

TEMPLATES = Path(__file__).parent / "templates"


def feedback_page(grade: Grade, language: str, ways: Mapping[str, Sequence[OtherWay]] = MappingProxyType({}),
                  sections: Mapping[str, str] = MappingProxyType({})) -> str:
    """The page of this grade, without what is meant for a person (`for_a_person`, ids of mistakes).

    `ways`: exercise -> other right ways to write it, shown below those with full marks. `sections`: exercise -> what
    `exercise_section` made of it already.
    """
    language = language_for(grade, language)
    template = page_template("feedback.html", language)

    def section(exercise: ExerciseGrade) -> Markup:
        return Markup(sections.get(exercise.name) or exercise_section(exercise, language))
    return fitted(grade, lambda light: template.render(grade=light, ways=ways, section=section), weight)


def exercise_section(exercise: ExerciseGrade, language: str) -> str:
    """What a page says of one exercise below its points."""
    return page_template("exercise.html", language).render(exercise=exercise)


def exercise_html(exercise: ExerciseGrade, language: str) -> str:
    """One exercise as HTML that goes below its cell in a notebook."""
    return page_template("cell.html", language).render(exercise=exercise)


@lru_cache
def page_template(name: str, language: str, folder: Path = TEMPLATES):
    """A template of this folder in which every `{{ value }}` is translated, made plain and escaped, in that order."""
    pages = Environment(loader=FileSystemLoader([folder, TEMPLATES]), autoescape=True, undefined=StrictUndefined,
                        finalize=_shown(language), trim_blocks=True, lstrip_blocks=True)
    pages.globals |= {"text": text, "language": language or LANGUAGES[0], "marks": marks, "final": final,
                      "verdict_words": VERDICT_WORDS, "drawing": drawing,
                      "capital": lambda words: capital(translate(words, language))}
    return pages.get_template(name)


def _shown(language: str) -> Callable[[Any], Any]:
    def shown(value: Any) -> Any:
        if value is None:
            return ""
        if isinstance(value, Text):
            value = translate(value, language)
        return plain(value) if type(value) is str else value
    return shown
