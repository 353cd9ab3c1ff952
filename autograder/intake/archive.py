"""Read the files in a zip archive in memory, without extracting it.

Members that lead outside the archive, links, and password-protected members are refused; the others are read. An
archive that would fill the memory or the disk is refused as a whole.
"""

import re
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import PurePosixPath

from autograder.intake.encoding import FILE_CAP, TOO_LARGE, Unreadable
from autograder.intake.files import BARE, SUFFIXES, File, Listing, cannot_open, is_archive, passed_by, refuse_archive
from autograder.intake.names import listed
from autograder.records import Text, text

MEMBER_CAP = 20_000
TOTAL_CAP = 2 * 2**30                     # bytes of all notebooks in an archive, unpacked
BARE_CAP = 2**28                          # bytes of all files in it that only may be notebooks, by their names
RATIO_CAP = 200                           # unpacked to packed, for members over RATIO_FROM bytes
RATIO_FROM = 16 * 2**20
_REASONS = {
    "outside": text("These members of the archive lead outside it and were refused: {names}."),
    "link": text("These members of the archive are links and were refused: {names}. Put the files themselves in it."),
    "locked": text("These members of the archive are behind a password and were refused: {names}. Make the archive "
                   "without a password."),
    "bomb": text("These members of the archive unpack to far more than an honest notebook and were refused: {names}. "
                 "Clear the outputs of the notebook."),
}


@contextmanager
def archive_listing(path: str, whole: bool = False) -> Iterator[Listing]:
    """The files in an archive, loadable while the context lasts. Raises Unreadable if the archive is damaged.

    `whole`: an archive inside it can be loaded as the file that it is; otherwise loading it is refused.
    """
    archive = _opened(path)
    with archive:
        listing, members = _sorted_out(archive)
        files = [_file(archive, path, below, member, whole) for below, member in members.items() if not member.is_dir()]
        if not whole and sum(member.file_size for below, member in members.items() if _is_bare(below)) > BARE_CAP:
            files = [replace(file, load=_too_large) if _is_bare(file.path) else file for file in files]
        listing.files = sorted(files, key=lambda file: file.path)
        listing.folders = sorted({*(below for below, member in members.items() if member.is_dir()),
                                  *(above for below in (*members, *listing.tools) for above in below.parents
                                    if above.parts)})
        yield listing


def _opened(path: str) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(path)
    except OSError as error:
        raise Unreadable(cannot_open(error)) from None
    except MemoryError:
        raise
    except Exception:                     # damage makes zipfile raise nearly anything, from BadZipFile to struct.error
        raise Unreadable(text("The zip archive is damaged or incomplete. Make it again, or hand in its files as they "
                              "are.")) from None
    if len(archive.infolist()) > MEMBER_CAP:
        raise Unreadable(text("The archive has {count} members; more than {limit} are not read. Split it.",
                              count=len(archive.infolist()), limit=MEMBER_CAP))
    return archive


def _sorted_out(archive: zipfile.ZipFile) -> tuple[Listing, dict[PurePosixPath, zipfile.ZipInfo]]:
    """A listing of what is not read, and the members to read by path. Of two with the same path the last counts."""
    members: dict[PurePosixPath, zipfile.ZipInfo] = {}
    refused: dict[str, list[str]] = {}
    closed: set[PurePosixPath] = set()
    tools: set[PurePosixPath] = set()
    for member in archive.infolist():
        name = _name(member)
        below = PurePosixPath(name.replace("\\", "/"))
        fault = _fault(member, below)
        if fault:
            refused.setdefault(fault, []).append(name)
            closed.add(below)
        elif any(passed := [passed_by(part, place < len(below.parts) - 1 or member.is_dir())
                            for place, part in enumerate(below.parts)]):
            tools.add(PurePosixPath(*below.parts[:1 + passed.index(True)]))
        elif below.parts and not (member.is_dir() and below in members):       # a folder hides no file of its name
            members[below] = member
    total = sum(member.file_size for below, member in members.items() if below.name.lower().endswith(SUFFIXES))
    if total > TOTAL_CAP:
        raise Unreadable(text("The archive unpacks to {size} MB; more than {limit} MB is not read. Split it.",
                              size=total // 2**20, limit=TOTAL_CAP // 2**20))
    return Listing(refused=_reason(refused), closed=sorted(closed - members.keys()), tools=sorted(tools)), members


def _is_bare(below: PurePosixPath) -> bool:
    return below.suffix.lower() in BARE and not below.name.lower().endswith(SUFFIXES)


def _too_large() -> bytes:
    raise Unreadable(TOO_LARGE)


def _name(member: zipfile.ZipInfo) -> str:
    """The member's name. A name that is not marked as UTF-8 may be UTF-8 all the same."""
    if not member.flag_bits & 0x800:
        with suppress(UnicodeError):
            return member.filename.encode("cp437").decode("utf-8")
    return member.filename


def _fault(member: zipfile.ZipInfo, below: PurePosixPath) -> str:
    kind = stat.S_IFMT(member.external_attr >> 16)
    if below.is_absolute() or ".." in below.parts or re.match(r"[A-Za-z]:", str(below)):
        return "outside"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "link"
    if not below.name.lower().endswith(SUFFIXES):
        return ""
    if member.flag_bits & 1:
        return "locked"
    if member.file_size > max(RATIO_FROM, RATIO_CAP * member.compress_size):
        return "bomb"
    return ""


def _reason(refused: dict[str, list[str]]) -> Text | None:
    reason = None
    for fault, names in refused.items():
        because = Text(_REASONS[fault].template, {"names": listed(names)})
        reason = because if reason is None else text("{first} {second}", first=reason, second=because)
    return reason


def _file(archive: zipfile.ZipFile, path: str, below: PurePosixPath, member: zipfile.ZipInfo, whole: bool) -> File:
    def load() -> bytes:
        try:
            with archive.open(member) as file:
                return file.read(FILE_CAP + 1)
        except MemoryError:
            raise
        except Exception:                 # as above
            raise Unreadable(text("This file is damaged in the archive. Make the archive again.")) from None

    try:
        modified = datetime(*member.date_time).timestamp()
    except (OverflowError, ValueError, OSError):
        modified = 0.0
    return File(below, f"{path}!{below}", modified, refuse_archive if is_archive(below) and not whole else load)
