"""Package the autograder for other systems: a zip for Gradescope, a private repository for GitHub Classroom.

Each package holds everything that grades: a wheel of this installation, the pinned versions of its dependencies, and
the course's settings. Its texts say who can read the hidden checks there, and who cannot.
"""

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from string import Template

from autograder.course.settings import FILE
from autograder.integrations.requirements import requirements
from autograder.integrations.wheel import wheel
from autograder.lessons.installed import load_lesson

EXECUTABLE = ("setup.sh", "run_autograder")


def gradescope(lesson: str, course: Path) -> dict[str, bytes]:
    """The files of an autograder for Gradescope, by their path in the zip."""
    return {**_texts("gradescope", {"lesson": lesson}), **_grader(lesson, course)}


def github(lesson: str, course: Path, grader: str) -> dict[str, bytes]:
    """The files of a private repository `grader` (owner/name), and of the template that students start from."""
    gaps = {"lesson": lesson, "grader": grader, "results": f"{lesson.upper()}_RESULTS"}
    texts = _texts("github", gaps)
    places = {"grade.yml": "grader/.github/workflows/grade.yml", "README.md": "README.md",
              "classroom.yml": "template/.github/workflows/classroom.yml"}
    return {**{places[name]: data for name, data in texts.items()},
            **{f"grader/{name}": data for name, data in _grader(lesson, course).items()}}


def _grader(lesson: str, course: Path) -> dict[str, bytes]:
    """What grades: the wheel with the lesson, its dependencies, and the course's own settings."""
    name, data = wheel(load_lesson(lesson, course))
    found = {name: data, "requirements.txt": "".join(f"{line}\n" for line in requirements()).encode()}
    if (course / FILE).is_file():
        found[FILE] = (course / FILE).read_bytes()
    return found


def _texts(folder: str, gaps: Mapping[str, str]) -> dict[str, bytes]:
    """The files of this folder with their @gaps@ filled."""
    found = {}
    for path in files("autograder.integrations").joinpath(folder).iterdir():
        words = path.read_text(encoding="utf-8")
        found[path.name] = _Gaps(words).substitute(gaps).encode()
    return found


class _Gaps(Template):
    """Gaps written as @name@, since shells and workflows use $ themselves."""

    delimiter = "@"
    pattern = r"""(?P<escaped>@@)|@(?P<named>[a-z]+)@|(?P<braced>(?!))|(?P<invalid>(?!))"""  # pyright: ignore[reportAssignmentType] - compiled by Template
