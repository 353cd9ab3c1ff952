"""Know what the course itself put into the notebook: the given cells, in every edition of the lesson."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from autograder.intake.encoding import text_of
from autograder.intake.notebook_json import notebook_cells
from autograder.lessons.kit.home import Home
from autograder.lessons.kit.lesson import Lesson
from autograder.records import NotebookCell

_EXAMPLE = "grade=False solution=False points=no"           # also of the given cell
_EXAMPLE_BEFORE = "grade=True solution=False points=0"      # in releases of version 0.1
SHORT = 8000                                    # characters of what is remembered


@dataclass(frozen=True)
class Template:
    """The given cells. All texts are normalised: each run of white space becomes one blank."""

    given: Mapping[str, frozenset[str]]         # grade_id -> the code, with and without hidden tests
    code: frozenset[str]                        # all those texts, and those of cells to experiment with
    prose: frozenset[str]                       # the texts of cells that are not code
    editions: Mapping[str, frozenset[str]]      # language -> the texts of its given cells and its prose
    marks: Mapping[str, frozenset[str]]         # grade_id -> nbgrader's flags and points, as they may occur
    otherwise: str                              # the language if the cells do not tell

    def language(self, sources: Iterable[str]) -> str:
        """The edition that most of these cells were given in; if they do not tell, that of the lesson."""
        texts = {normalised(source) for source in sources}
        matches = {language: len(texts & own) for language, own in self.editions.items()}
        best = max(matches.values(), default=0)
        languages = [language for language, count in matches.items() if count == best > 0]
        return languages[0] if len(languages) == 1 else self.otherwise


def template_of(lesson: Lesson) -> Template:
    """The lesson's given cells, read once per lesson."""
    worth = tuple((exercise.grade_id, f"{exercise.worth:g}") for exercise in lesson.exercises)
    return _template(lesson.home, tuple(sorted(lesson.editions.items())), worth, lesson.language)


def normalised(source: str) -> str:
    """The source without the white space that editors and formatters change."""
    return _remembered(source) if len(source) < SHORT else " ".join(source.split())


@lru_cache(400)                                 # most cells of a class are the course's
def _remembered(source: str) -> str:
    return " ".join(source.split())


def visible(source: str) -> str:
    """What students see of a cell: everything outside its hidden tests."""
    lines, hidden = [], False
    for line in source.split("\n"):
        if "BEGIN HIDDEN TESTS" in line:
            hidden = True
        elif "END HIDDEN TESTS" in line:
            hidden = False
        elif not hidden:
            lines.append(line)
    return "\n".join(lines)


@lru_cache
def _template(home: Home, editions: tuple[tuple[str, str], ...], worth: tuple[tuple[str, str], ...],
              otherwise: str) -> Template:
    given: dict[str, frozenset[str]] = {}
    to_play_with: set[str] = set()
    prose: set[str] = set()
    texts: dict[str, set[str]] = {}
    marks: dict[str, frozenset[str]] = {}
    points = dict(worth)                        # the course may have chosen points other than the notebook's
    for language, path in editions:
        cells, _ = notebook_cells(text_of(home.read(path))[0])
        for cell in cells:
            forms = _forms(cell)
            flags, _, written = cell.marks.partition("points=")
            own = f"{flags}points={points.get(cell.grade_id, written)}" if cell.marks else ""
            marks[cell.grade_id] = marks.get(cell.grade_id, frozenset()) | {cell.marks, own} | (
                {_EXAMPLE_BEFORE} if cell.marks == _EXAMPLE else set())
            if cell.kind != "code":
                prose |= forms
            elif cell.given:
                given[cell.grade_id] = given.get(cell.grade_id, frozenset()) | forms
            elif not cell.grade_id:
                to_play_with |= forms
            if cell.kind != "code" or cell.given:
                texts.setdefault(language, set()).update(forms)
    return Template(given, frozenset(to_play_with).union(*given.values()), frozenset(prose),
                    {language: frozenset(own) for language, own in texts.items()}, marks,
                    otherwise)


def _forms(cell: NotebookCell) -> frozenset[str]:
    return frozenset(normalised(source) for source in (cell.source, visible(cell.source))) - {""}
