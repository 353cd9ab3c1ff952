"""Make the students' version of an assignment, as nbgrader makes it, and prove that nothing leaked.

The release is made and proven in a temporary folder, and only then swapped in and registered in the gradebook: if
anything goes wrong, the release that students have is unchanged.
"""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from autograder.authoring.leak import Secrets, prove, secrets
from autograder.authoring.solved import prove_unsolved
from autograder.intake.regions import bodies
from autograder.lessons import DEFAULT
from autograder.lessons.installed import assignments_of, every_lesson
from autograder.lessons.kit.course_file import course_file
from autograder.lessons.kit.lesson import Lesson
from autograder.nbgrader.empty_gradebook import commands_on_path, put_empty_gradebook
from autograder.nbgrader.notebook import generate
from autograder.nbgrader.worth import course_lesson, with_points

#: what working on an assignment leaves in its folder, besides what nbgrader ignores; none of it travels to students
LEFT_BEHIND = (".*", "*.pyo", "*.bak", "*.orig", "*~", "gradebook.db", "*.html", "*.log")


@dataclass(frozen=True)
class ReleaseReport:
    """What was released, and how many secret lines it was searched for."""

    folder: Path
    files: tuple[str, ...]
    points: float
    secret_lines: int


def release(course: Path, assignment: str = DEFAULT, db_url: str | None = None) -> ReleaseReport:
    """Write release/<assignment>/ and register the assignment in the gradebook (the course's own unless `db_url`).

    Another edition is not registered: students who use it hand in under the assignment's own name.

    Raises FileNotFoundError or ValueError, in one line, if there is nothing to release or nbgrader refuses; Leak (a
    ValueError) if the release would give something away.
    """
    with _proven(course.resolve(), assignment, db_url) as made:
        if _is_assignment(made.lesson, made.directory, assignment):
            _register(made.config, course.resolve(), assignment, made.temporary / "registered")
        return _put_in_place(made)


def differences() -> list[str]:
    """One sentence for each folder of this checkout's release/ that differs from what would be made now."""
    found = []
    for assignment in _assignments():
        with _proven(course_file("."), assignment) as made:
            if _contents(made.folder) != _contents(made.report.folder):
                found.append(f"{made.report.folder} is not what its notebook and modules make")
    return found


def write() -> list[Path]:
    """Remake this checkout's release/ without a gradebook; returns the folders that this changed."""
    changed = []
    for assignment in _assignments():
        with _proven(course_file("."), assignment) as made:
            if _contents(made.folder) != _contents(made.report.folder):
                changed.append(_put_in_place(made).folder)
    return changed


@dataclass(frozen=True)
class _Made:
    """A release in a temporary folder, proven to give nothing away."""

    lesson: Lesson
    config: Config
    directory: CourseDirectory
    temporary: Path
    folder: Path                                # where it was made; `report.folder` is where students get it from
    report: ReleaseReport


@contextmanager
def _proven(course: Path, assignment: str, db_url: str | None = None) -> Iterator[_Made]:
    lesson, name = _lesson_of(assignment, course)
    config = with_points(_config(course), course, course_lesson(course, lesson))
    config.merge(Config({"CourseDirectory": {"db_url": db_url}} if db_url else {}))
    directory = CourseDirectory(config=config, root=str(course))
    source = Path(directory.format_path(directory.source_directory, ".", assignment)).resolve()
    if not (source / name).is_file():
        raise FileNotFoundError(
            f"expected the notebook {_shown(source / name, course)} in {course}, which does not exist; "
            "run this in the course's folder, the one with nbgrader_config.py")
    files = (name, *(f"{module}.py" for module in lesson.beside))
    kept = _secrets(lesson, source, name)
    with tempfile.TemporaryDirectory(prefix=".release-", dir=course) as temporary:
        folder = _generate(config, course, assignment, Path(temporary) / "proven")
        prove(folder, files, kept)
        prove_unsolved(folder, files, lesson)
        released = Path(directory.format_path(directory.release_directory, ".", assignment)).resolve()
        report = ReleaseReport(released, files, _points(folder / name), len(kept.solution | kept.hidden))
        yield _Made(lesson, config, directory, Path(temporary), folder, report)


def _put_in_place(made: _Made) -> ReleaseReport:
    _swap_in(made.folder, made.report.folder, made.temporary / "retired")
    return made.report


def _assignments() -> list[str]:
    return [name for lesson in every_lesson() for name in assignments_of(lesson)]


def _contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts}


def _lesson_of(assignment: str, course: Path) -> tuple[Lesson, str]:
    """The lesson that has this assignment as an edition, and the file name of its notebook."""
    editions = {Path(path).parent.name: (lesson, Path(path).name)
                for lesson in reversed(every_lesson(course)) for path in lesson.editions.values()}
    if assignment not in editions:
        raise ValueError(f"there is no assignment {assignment!r}; the lessons have: {', '.join(sorted(editions))}")
    return editions[assignment]


def _is_assignment(lesson: Lesson, directory: CourseDirectory, assignment: str) -> bool:
    """Whether work is handed in under this name: that of the first edition that the course has."""
    names = [Path(path).parent.name for path in lesson.editions.values()]
    there = [name for name in names
             if Path(directory.format_path(directory.source_directory, ".", name)).is_dir()]
    return assignment == there[0]


def _config(course: Path) -> Config:
    """The course's nbgrader_config.py, or the one that comes with the autograder; ValueError if it does not run."""
    path = course / "nbgrader_config.py"
    path = path if path.exists() else course_file("nbgrader_config.py")
    try:
        return PyFileConfigLoader(path.name, str(path.parent)).load_config()
    except Exception as error:  # the file is the course's own Python and can raise anything
        raise ValueError(f"{path} does not run: {type(error).__name__}: {error}") from error


def _secrets(lesson: Lesson, source: Path, name: str) -> Secrets:
    """The secret lines of the lesson's reference and of the source notebook itself."""
    reference = bodies(lesson.home.text(lesson.reference))
    lines = [line for body in reference.values() for line in body]
    return secrets(nbformat.read(source / name, as_version=4), lines)


def _generate(config: Config, course: Path, assignment: str, into: Path) -> Path:
    """Run nbgrader's own generate step without a gradebook; returns the folder that it made."""
    without_gradebook = Config({"SaveCells": {"enabled": False}, "GenerateAssignment": {"no_database": True}})
    return _run_nbgrader(deepcopy(config), without_gradebook, course, assignment, into)


def _register(config: Config, course: Path, assignment: str, into: Path) -> None:
    """Run the same step with the gradebook, which tells nbgrader the assignment's cells."""
    folder = CourseDirectory(config=config, root=str(course))
    put_empty_gradebook(folder.db_url, 0o664 if folder.groupshared else 0o644)
    with commands_on_path():
        _run_nbgrader(deepcopy(config), Config(), course, assignment, into)


def _run_nbgrader(config: Config, more: Config, course: Path, assignment: str, into: Path) -> Path:
    config.merge(more)
    ignored = [*CourseDirectory(config=config).ignore, *LEFT_BEHIND]
    config.merge(Config({"CourseDirectory": {"root": str(course), "release_directory": str(into), "ignore": ignored,
                                             "assignment_id": assignment, "notebook_id": "*"}}))
    directory = generate(config, "generate")
    return Path(directory.format_path(directory.release_directory, ".", assignment)).resolve()


def _points(notebook: Path) -> float:
    """The total points of the cells of this notebook."""
    cells = nbformat.read(notebook, as_version=4).cells
    return sum(cell.metadata.get("nbgrader", {}).get("points", 0) for cell in cells)


def _swap_in(made: Path, folder: Path, retired: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    if folder.exists():
        shutil.move(folder, retired)
    shutil.move(made, folder)


def _shown(path: Path, course: Path) -> str:
    return str(path.relative_to(course)) if path.is_relative_to(course) else str(path)
