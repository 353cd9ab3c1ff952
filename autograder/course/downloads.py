"""Read what a learning environment called everybody's work, in the zips that were downloaded from it."""

import os
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from typing import NamedTuple

from autograder.course.folder import Course
from autograder.course.lms import HandedIn, handed_in
from autograder.intake.archive import archive_listing
from autograder.intake.encoding import Unreadable

INDEX = "index.html"                        # Brightspace's own, at the top of a download


class Downloads(NamedTuple):
    """The files of all downloads; the first part of a path names the download."""

    files: Mapping[PurePath, HandedIn]
    ages: Mapping[str, float]               # of each download; a later one has a larger number
    indexes: Mapping[PurePath, bytes]       # what files called index.html hold, wherever they were

    @property
    def kinds(self) -> list[str]:
        """The learning environments that the files come from, the usual one first."""
        return [lms for lms, _ in Counter(of.lms for of in self.files.values()).most_common()]

    def index_of(self, entries: Collection[str]) -> bytes | None:
        """The index of the latest download that holds these entries: the file beside them, which no student chose."""
        beside = {PurePath(*path.parts[:path.parts.index(of.entry)]) for path, of in self.files.items()
                  if of.entry in entries}
        found = [path for path in self.indexes if path.parent in beside]
        newest = max(found, key=lambda path: self.ages.get(path.parts[0], 0.0), default=None)
        return None if newest is None else self.indexes[newest]


def collected(course: Course, assignment: str) -> Downloads:
    """What `nbgrader zip_collect` found in this course."""
    archive, extracted = (_folder(course, assignment, step) for step in ("archive", "extracted"))
    paths = [Path(folder, name) for folder, _, names in os.walk(extracted) for name in names]
    ages = {path.stem: path.stat().st_mtime for path in sorted(archive.glob("*"))}
    return Downloads(handed_in(PurePath(path.relative_to(extracted)) for path in paths), ages,
                     {PurePath(path.relative_to(extracted)): path.read_bytes() for path in paths if path.name == INDEX})


def in_zips(paths: Sequence[Path]) -> Downloads:
    """What is in these zips, of which a later one counts more. Raises Unreadable."""
    below: list[PurePath] = []
    indexes: dict[PurePath, bytes] = {}
    for number, zip_ in enumerate(paths):
        with archive_listing(str(zip_), whole=True) as listing:
            for file in listing.files:
                below.append(PurePath(f"{number}", file.path))
                if file.path.name == INDEX:
                    with suppress(Unreadable):
                        indexes[below[-1]] = file.load()
    return Downloads(handed_in(below), {f"{number}": float(number) for number in range(len(paths))}, indexes)


def _folder(course: Course, assignment: str, step: str) -> Path:
    """The folder of one step of `nbgrader zip_collect`."""
    own = course.config.get("ZipCollectApp", {})
    below = own.get("collect_directory_structure", os.path.join("{downloaded}", "{assignment_id}", "{collect_step}"))
    return course.root / below.format(downloaded=own.get("downloaded_directory", "downloaded"),
                                      assignment_id=assignment, collect_step=own.get(f"{step}_directory", step))
