"""Collect the zips of Moodle, Canvas and Brightspace for `nbgrader zip_collect`, taking each student's last attempt.

Earlier attempts are kept in a hidden folder beside it, which is not graded. A later zip in the folder of archives is a
later attempt. Work that the learning environment calls late without a time is dated one second after the due date. Any
kind of file is collected; intake says what can be done with it.
"""

import os
import re
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any
from zoneinfo import ZoneInfo

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins.zipcollect import ExtractorPlugin, FileNameCollectorPlugin
from traitlets import Unicode, default

from autograder.atomic import replace_file
from autograder.course.handed_in import SECRET, TIMESTAMP
from autograder.course.lms import HandedIn, handed_in, students_of
from autograder.course.settings import SettingsError, read_settings
from autograder.intake.archive import archive_listing
from autograder.intake.encoding import Unreadable
from autograder.locale.language import translate
from autograder.nbgrader.session import notebooks_of

EARLIER = ".earlier"                        # hidden: intake and nbgrader (by this course's configuration) ignore it
_OLDEST = datetime.min


@dataclass(frozen=True)
class _File:
    path: str
    of: HandedIn
    attempt: tuple                          # larger is later


class LmsExtractor(ExtractorPlugin):
    """Unpacks the archives of the learning environment, whose names may have accents or Windows' separators.

    A student's own archive is not unpacked: intake opens it, and a damaged one does not stop the others.
    """

    def extract(self, archive_path: str, extracted_path: str) -> None:
        archives = sorted(path for path in Path(archive_path).rglob("*") if path.is_file())
        if not archives:
            self.log.warning("There is no archive in %s: put the zip of the learning environment there", archive_path)
        for path in archives:
            into = Path(extracted_path, path.relative_to(archive_path))
            try:
                if path.suffix.lower() == ".zip":
                    self._unpack(path, into.with_suffix(""))
                else:
                    replace_file(into, path.read_bytes(), 0o644)
            except (Unreadable, OSError) as error:
                self.log.error("%s was left out: %s", path.name, _why(error))

    def _unpack(self, path: Path, into: Path) -> None:
        with archive_listing(str(path), whole=True) as listing:
            if listing.refused:
                self.log.error("%s: %s", path.name, translate(listing.refused, "en"))
            for below in listing.tools:
                if _only_nbgrader_writes(below):
                    self.log.warning("%s holds %s, which only nbgrader writes; it was left out", path.name, below)
            for file in listing.files:
                try:
                    replace_file(into / file.path, file.load(), 0o644)
                except (Unreadable, OSError) as error:      # damaged, or a name that no folder can have
                    self.log.error("%s, %s was left out: %s", path.name, file.path, _why(error))


def _only_nbgrader_writes(below: PurePath) -> bool:
    return below.name.casefold().strip() in (TIMESTAMP, SECRET)


def _beside_nbgrader(below: PurePath) -> PurePath:
    """The path with other names for folders that are called like a file of nbgrader's, which it writes later."""
    return PurePath(*(f"{part}_" if _only_nbgrader_writes(PurePath(part)) else part for part in below.parts[:-1]),
                    below.name)


def _why(error: Exception) -> str:
    if isinstance(error, Unreadable):
        return translate(error.why, "en")
    return getattr(error, "strerror", None) or str(error)


class LmsCollector(FileNameCollectorPlugin):
    """Tells nbgrader which student each extracted file belongs to."""

    parent: Any                             # nbgrader's command
    timezone = Unicode(help="The time zone of the learning environment's dates; by default that of autograder.toml."
                       ).tag(config=True)

    @default("timezone")
    def _timezone_of_the_course(self) -> str:
        try:
            return read_settings(Path(self.parent.coursedir.root)).timezone
        except SettingsError as error:
            self.parent.fail(str(error))
            raise

    def collect(self, submitted_file: str) -> dict[str, str] | None:
        if not self.named_regexp:
            return self._collected.get(submitted_file)
        about = super().collect(submitted_file)             # the course has its own pattern
        if about and self._notebooks and self._of_the_course(
                about.get("student_id", ""), PurePath(about.get("file_id", ""))):
            return None
        return about

    @cached_property
    def _collected(self) -> dict[str, dict[str, str]]:
        """What nbgrader asks about each file; collected together, since attempts are only known together."""
        students: dict[str, list[_File]] = defaultdict(list)
        files = [file for file in self._files() if not self._of_the_course(file.of.student, file.of.below)]
        whose = students_of({PurePath(file.path): file.of for file in files})
        for file in files:
            students[whose[PurePath(file.path)]].append(file)
        self._name_them({student: theirs[0].of.name for student, theirs in students.items()})
        return {path: about for student, theirs in students.items() for path, about in self._of(student, theirs)}

    def _name_them(self, names: dict[str, str]) -> None:
        """Give the gradebook the names of Moodle and Brightspace, for students who have none there."""
        spelt = {student: name.split(" ", 1) for student, name in names.items() if " " in name}
        if not spelt:
            return
        with self._gradebook() as gradebook:
            named = {student.id for student in gradebook.students if student.first_name or student.last_name}
            for student, (first, last) in spelt.items():
                if student not in named:
                    gradebook.update_or_create_student(student, first_name=first, last_name=last)

    def _gradebook(self) -> Any:
        """The gradebook without nbgrader's types: a checker takes the columns of a row for Column objects."""
        return Gradebook(self.parent.coursedir.db_url, self.parent.coursedir.course_id)

    def _extracted(self) -> list[Path]:
        root = Path(self.parent._format_collect_path(self.parent.extracted_directory))
        return sorted(Path(folder, name) for folder, _, names in os.walk(root) for name in names)

    def _files(self) -> list[_File]:
        root = self.parent._format_collect_path(self.parent.extracted_directory)
        found = handed_in(path.relative_to(root) for path in self._extracted())
        return [_File(str(Path(root, below)), of, (of.when or _OLDEST, self._age_of_archive(below.parts[0])))
                for below, of in found.items()]

    def _of_the_course(self, student: str, below: PurePath) -> bool:
        """Whether a file has a name that only nbgrader gives: what a student says in it would be believed."""
        if not _only_nbgrader_writes(below):
            return False
        self.log.warning("%s uploaded a file %s, which only nbgrader writes; it was left out", student, below.name)
        return True

    def _age_of_archive(self, name: str) -> float:
        folder = Path(self.parent._format_collect_path(self.parent.archive_directory))
        return max((path.stat().st_mtime for path in folder.glob("*") if path.name.startswith(f"{name}.")), default=0.0)

    def _of(self, student: str, files: list[_File]):
        """One student's files: the last attempt in its place, the others below the folder of earlier ones."""
        attempts = sorted({file.attempt for file in files})
        placed: dict[PurePath, str] = {}
        for file in sorted(files, key=self._order, reverse=True):
            below = _beside_nbgrader(file.of.below)
            place, number = self._name(below), attempts.index(file.attempt) + 1
            if place in placed and not file.of.upload:      # two files of one attempt: intake chooses, and says so
                place = below
            last = file.attempt == attempts[-1] and place not in placed
            place = place if last else PurePath(EARLIER, f"{number}-{file.of.upload}", below)
            placed[place] = file.path
            about = {"student_id": student, "file_id": str(place)}
            when = self._when(student, file.of) if last else None
            yield file.path, about | ({"timestamp": f"{when:%Y-%m-%d %H:%M:%S} UTC"} if when else {})
        if any(EARLIER in place.parts for place in placed):
            self.log.warning("%s handed in more than once; the last attempt is graded, the others are in %s/", student,
                             EARLIER)

    def _order(self, file: _File) -> tuple:
        """The sort key: the last attempt, the last upload, and within an attempt the file with the right name are
        largest.
        """
        return file.attempt, file.of.upload, self._name(file.of.below) == file.of.below

    def _name(self, below: PurePath) -> PurePath:
        """The path without the number that Canvas and browsers add, if that makes it the notebook's name."""
        stem = re.sub(r"(?:-\d+| \(\d+\))$", "", below.stem)
        return below.with_name(stem + below.suffix) if stem in self._notebooks else below

    @property
    def _notebooks(self) -> list[str]:
        """The names of the assignment's notebooks, if it is ours."""
        return notebooks_of(self._assignment, Path(self.parent.coursedir.root))

    @property
    def _assignment(self) -> str:
        return self.parent.coursedir.assignment_id

    def _when(self, student: str, of: HandedIn) -> datetime | None:
        """The time in UTC; None if nothing says so clearly."""
        when = of.when and of.when.replace(tzinfo=ZoneInfo(self.timezone))
        if when is not None and when.utcoffset() == when.replace(fold=1).utcoffset():
            return when.astimezone(UTC)
        if when is not None or of.lms == "brightspace":
            self.log.warning("%s: the time in %r %s: look when this was handed in", student, of.entry,
                             "is not understood" if when is None else "came twice or never, as the clock was changed")
        if not of.late:
            return None
        if self._due is None:
            self.log.warning("%s handed in late, but the assignment has no due date in the gradebook", student)
            return None
        self.log.warning("%s handed in late, but it is not known how late", student)
        return self._due + timedelta(seconds=1)

    @cached_property
    def _due(self) -> datetime | None:
        with self._gradebook() as gradebook:
            try:
                return gradebook.find_assignment(self._assignment).duedate
            except MissingEntry:
                return None
