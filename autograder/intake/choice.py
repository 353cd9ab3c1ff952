"""Read a student's files, choose the one to grade, and tell what is in the others."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace

from msgspec.structs import replace as replace_fields

from autograder.intake import apart
from autograder.intake.encoding import FILE_CAP, TOO_LARGE, Unreadable
from autograder.intake.files import File, is_archive
from autograder.intake.layout import Work, gradable, notebook_names
from autograder.intake.names import listed
from autograder.intake.nothing import QUARTO, a_quarto_document, nothing_here
from autograder.intake.own_cells import ELSEWHERE, NOT_READ, writes
from autograder.intake.submission import Content, content_of, of_content, unreadable
from autograder.lessons.kit.lesson import Lesson
from autograder.records import Submission, Text, text

#: what was parsed last, in a reading process, by name and identity: it may be asked for again for another lesson
_contents: dict[tuple[str, str], Content] = {}


def best(work: Work, lesson: Lesson) -> tuple[File, Submission]:
    """The best readable file of a student: with functions in it, with the right name, with the most, the newest."""
    drafts = _drafts(work, lesson)
    file, submission = max(drafts, key=lambda draft: _rank(*draft, lesson))
    look = tuple(_in_other_files(submission, file, work, drafts, lesson))
    submission = replace_fields(submission, for_a_person=look)
    notices = _about_the_choice(file, work, lesson, submission.unreadable is None)
    return file, with_notices(submission, (*look, *notices))


def _drafts(work: Work, lesson: Lesson) -> list[tuple[File, Submission]]:
    """Each of the files as a submission. Archives and spare files are opened only if nothing else is readable."""
    def read(files: Iterable[File]) -> list[tuple[File, Submission]]:
        return [(file, loaded(str(file.path), work.student, file, lesson)) for file in files]

    drafts = read(file for file in work.files if not is_archive(file.path))
    if not work.folder or any(submission.unreadable is None for _, submission in drafts):
        return drafts or read(work.files)
    archives = [file for file in work.files if is_archive(file.path)]
    more = read(work.spare)
    for archive in archives:
        with ExitStack() as opened:
            more += read(_unpacked(archive, lesson, opened))
    spare = {file.path for file in work.spare}
    return drafts + [draft for draft in more if draft[1].unreadable is None or draft[0].path not in spare] or more


def _unpacked(archive: File, lesson: Lesson, opened: ExitStack) -> list[File]:
    """The notebooks in a student's archive, else the Python files; the archive itself if it has neither.

    They can be loaded as long as it is `opened`.
    """
    from autograder.intake.archive import archive_listing

    if not os.path.isfile(archive.identity):           # the archive is itself in an archive
        return [archive]
    try:
        if os.path.getsize(archive.identity) > 4 * FILE_CAP:
            raise Unreadable(TOO_LARGE)
        listing = opened.enter_context(archive_listing(archive.identity))
        able = [file for file in listing.files if gradable(file.path, lesson)]
        why = listing.refused or nothing_here(file.path for file in listing.files)
    except Unreadable as error:
        able, why = [], error.why
    chosen = [file for file in able if not file.path.name.lower().endswith(".py")] or able
    return [replace(file, path=archive.path / file.path, identity=f"{archive.identity}!{file.path}")
            for file in chosen] or [replace(archive, load=lambda: _refuse(why))]


def _refuse(why: Text) -> bytes:
    raise Unreadable(why)


def with_notices(submission: Submission, notices: Iterable[Text]) -> Submission:
    return replace_fields(submission, notices=(*notices, *submission.notices))


def _content(name: str, file: File) -> Content:
    key = name, file.identity
    if key not in _contents:
        _contents[key] = content_of(name, file.load())
    return _contents[key]


def forget_contents() -> None:
    """Keep no file's content any longer: what is read next is another one."""
    _contents.clear()


def loaded(name: str, student: str, file: File, lesson: Lesson) -> Submission:
    """The file as a submission for this lesson; if it cannot be read, a submission that says so."""
    if name.lower().endswith(QUARTO):
        return unreadable(name, student, a_quarto_document(name), lesson)
    try:
        return of_content(name, student, _content(name, file), lesson)
    except Unreadable as error:
        return unreadable(name, student, error.why, lesson)
    except MemoryError:
        return unreadable(name, student, apart.TOO_LARGE, lesson)
    except Exception as error:            # our fault means a look at this student's file, not a class without grades
        return unreadable(name, student, text("The autograder cannot read this file, which is its own fault ({error}); "
                                              "a person has to look at it.", error=type(error).__name__), lesson)


# --- which file, and what is said about the others -----------------------------------------------------------------

def _rank(file: File, submission: Submission, lesson: Lesson) -> tuple[bool, bool, bool, int, float]:
    """More for a file that is readable, has functions in it, the right name, more of the functions, or is newer."""
    functions = sum(any(writes(cell.source, exercise.name) for cell in submission.cells)
                    for exercise in lesson.exercises)
    return (submission.unreadable is None, functions > 0, file.path.name in notebook_names(lesson), functions,
            file.modified)


def _in_other_files(chosen: Submission, file: File, work: Work, drafts: Sequence[tuple[File, Submission]],
                   lesson: Lesson) -> Iterator[Text]:
    """What of the work is in another file of the same student: modules, and functions that this one lacks."""
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


def _about_the_choice(file: File, work: Work, lesson: Lesson, readable: bool) -> Iterator[Text]:
    """That the file lay in an archive, has another name than it should, or was chosen from several."""
    inside = [other.path for other in work.files if file.path != other.path and file.path.is_relative_to(other.path)]
    if inside:
        yield text("The work was taken out of the archive {archive}.", archive=listed(inside))
    others = [other.path for other in work.files if other.path != file.path and other.path not in inside]
    if others and not readable:
        yield text("None of the files can be read: this is about {file}; there are also {others}.",
                   file=listed([file.path]), others=listed(others))
    elif others:
        yield text("Of several files {file} was graded, not {others}.", file=listed([file.path]), others=listed(others))
    if readable and work.folder and not is_archive(file.path) and file.path.name not in notebook_names(lesson):
        yield text("The file is called {file} instead of {expected}; it was graded all the same.",
                   file=listed([file.path.name]), expected=listed(sorted(notebook_names(lesson))))
