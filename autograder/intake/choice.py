"""Which of a student's files is graded, and what is said about the others."""
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from autograder.intake.files import File, is_archive
from autograder.intake.layout import Work, notebook_names
from autograder.intake.names import listed
from autograder.intake.own_cells import ELSEWHERE, NOT_READ, writes
from autograder.lessons.kit.lesson import Lesson
from autograder.records import Submission, Text, text


def rank(file: File, submission: Submission, lesson: Lesson) -> tuple[bool, bool, bool, int, float]:
    """More for a file that is readable, has functions in it, the right name, more of the functions, or is newer."""
    functions = sum(any(writes(cell.source, exercise.name) for cell in submission.cells)
                    for exercise in lesson.exercises)
    return (submission.unreadable is None, functions > 0, file.path.name in notebook_names(lesson), functions,
            file.modified)


def in_other_files(chosen: Submission, file: File, work: Work, drafts: Sequence[tuple[File, Submission]],
                   lesson: Lesson) -> Iterator[Text]:
    """What of the work stands in another file of the same student: modules, and functions that this one lacks."""
    sources = [cell.source for cell in chosen.cells]
    own = {path.stem for path in work.paths if path != file.path and path.suffix == ".py"} - set(lesson.beside)
    for name in sorted(own):
        way = re.compile(rf"^[ \t]*(?:from|import)[ \t]+(?:[\w., \t]{{0,200}},[ \t]*)?{re.escape(name)}\b",
                         re.MULTILINE)
        if any(map(way.search, sources)):
            yield Text(NOT_READ.template, {"file": listed([f"{name}.py"])})
    lacking = [exercise.name for exercise in lesson.exercises if not any(writes(source, exercise.name)
                                                                         for source in sources)]
    for other, draft in drafts:
        there = [name for name in lacking if other is not file and any(writes(cell.source, name)
                                                                      for cell in draft.cells)]
        if there:
            yield Text(ELSEWHERE.template, {"names": ", ".join(there), "file": listed([other.path.name])})


def about_the_choice(file: File, work: Work, lesson: Lesson) -> Iterator[Text]:
    """That the file lay in an archive, has another name than it should, or was chosen from several."""
    inside = [other.path for other in work.files if file.path != other.path and file.path.is_relative_to(other.path)]
    if inside:
        yield text("The work was taken out of the archive {archive}.", archive=listed(inside))
    others = [other.path for other in work.files if other.path != file.path and other.path not in inside]
    if others:
        yield text("Of several files {file} was graded, not {others}.", file=listed([file.path]), others=listed(others))
    if work.folder and not is_archive(file.path) and file.path.name not in notebook_names(lesson):
        yield text("The file is called {file} instead of {expected}; it was graded all the same.",
                   file=listed([file.path.name]), expected=listed(sorted(notebook_names(lesson))))
