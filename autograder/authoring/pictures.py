"""Draw the pictures in the source notebooks: each is an SVG in a text cell of its own, stored in the notebook file.

Drawing them needs Matplotlib. An `<img>` with a data URI is the only form that JupyterLab, VS Code and Colab all show:
Colab ignores attachments, and JupyterLab ignores those that are SVG.
"""

import base64
from collections.abc import Iterator
from html import escape
from importlib import import_module
from pathlib import Path

import nbformat

from autograder.lessons.installed import every_lesson
from autograder.lessons.kit.lesson import Lesson

WIDTH = 560                                     # pixels; on a narrower page the picture shrinks


def differences() -> list[str]:
    """One sentence for each picture of any lesson that is missing from its notebook or outdated."""
    return [sentence for lesson in every_lesson() for sentence in outdated(lesson)]


def write() -> list[Path]:
    """Put the pictures of every lesson into their cells; returns the notebooks that this changed."""
    return [path for lesson in every_lesson() for path in sync(lesson)]


def picture_cells(lesson: Lesson, language: str) -> dict[str, str]:
    """Id of the text cell -> its whole source, for each picture of the lesson."""
    if not lesson.has("pictures"):
        return {}
    module = import_module(f"{lesson.home.package}.pictures")
    return {f"beeld-{picture.replace('_', '-')}": tag(*module.picture(picture, language))
            for picture in module.PICTURES}


def tag(svg: bytes, alt: str) -> str:
    """The picture as HTML, with its alternative text."""
    return (f'<img src="data:image/svg+xml;base64,{base64.b64encode(svg).decode()}" alt="{escape(alt)}" '
            f'width="{WIDTH}">')


def outdated(lesson: Lesson) -> list[str]:
    """One sentence for each picture that is missing from its notebook or differs from the current drawing."""
    return [f"{path.parent.name}/{path.name} lacks the current picture {cell}"
            for language, path in _editions(lesson)
            for cell, source in picture_cells(lesson, language).items()
            if source not in [found.source for found in nbformat.read(path, as_version=4).cells if found.id == cell]]


def sync(lesson: Lesson) -> list[Path]:
    """Put every picture into its cell; returns the notebooks that this changed."""
    changed = []
    for language, path in _editions(lesson):
        sources, notebook = picture_cells(lesson, language), nbformat.read(path, as_version=4)
        different = [cell for cell in notebook.cells if sources.get(cell.id, cell.source) != cell.source]
        for cell in different:
            cell.source = sources[cell.id]
        if different:
            nbformat.write(notebook, path)
            changed.append(path)
    return changed


def _editions(lesson: Lesson) -> Iterator[tuple[str, Path]]:
    return ((language, lesson.home.path(path)) for language, path in lesson.editions.items())
