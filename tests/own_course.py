"""A course with a lesson of its own: layernorm, copied out of the package under another name."""
from __future__ import annotations

import os
import shutil
from pathlib import Path

from documented import blocks

from autograder import cli
from autograder.lessons.kit.course_file import course_file

NAME = "tokennorm"
PACKAGE = Path(cli.__file__).parents[1]


def own_course(folder: Path, name: str = NAME) -> Path:
    """The course in this folder, made by `autograder init --empty` and so trusted, with the lesson in it."""
    assert cli.run(["init", "--empty", str(folder)]) == 0
    add_lesson(folder, name)
    return folder


def add_lesson(folder: Path, name: str = NAME) -> None:
    """Copy what a lesson consists of; only lesson.py says what it is called."""
    here = folder / "lessons" / name
    shutil.copytree(PACKAGE / "lessons" / "layernorm", here, ignore=shutil.ignore_patterns("__pycache__"))
    (here / "lesson.py").write_text((here / "lesson.py").read_text().replace("layernorm", name))
    (folder / "solutions").mkdir(exist_ok=True)
    shutil.copy(course_file("solutions/layernorm.py"), folder / "solutions" / f"{name}.py")
    for edition in ("", "-en"):
        made = folder / "assignments" / f"{name}{edition}"
        shutil.copytree(course_file(f"assignments/layernorm{edition}"), made,
                        ignore=shutil.ignore_patterns("__pycache__", ".*"))
        (made / "layernorm.ipynb").rename(made / f"{name}.ipynb")


def softmax_course(folder: Path, finished: bool = True) -> Path:
    """The course that docs/lesson.md makes in this folder, which becomes the current one."""
    files = {block.file: block.code for block in blocks("docs/lesson.md") if block.file}
    assert cli.run(["init", "--empty", str(folder)]) == 0
    os.chdir(folder)
    Path("solutions").mkdir()
    Path("solutions/softmax.py").write_text(files["solutions/softmax.py"])
    assert cli.run(["new", "lesson", "softmax", "--points", "4"]) == 0
    if finished:
        for name, code in files.items():
            Path(name).write_text(code)
        notebook = Path("assignments/softmax/softmax.ipynb")
        notebook.write_text(notebook.read_text().replace("TODO: ", ""))
    return folder


def solved(course: Path, name: str = NAME) -> bytes:
    """The source notebook with its solutions, as a student could hand it in."""
    return (course / "assignments" / name / f"{name}.ipynb").read_bytes()


def hand_in(course: Path, student: str, notebook: bytes, name: str = NAME) -> None:
    """Put a student's notebook where nbgrader's exchange puts it."""
    folder = course / "submitted" / student / name
    folder.mkdir(parents=True)
    (folder / f"{name}.ipynb").write_bytes(notebook)
    (folder / "timestamp.txt").write_text("2026-03-02 10:00:00 UTC\n")
