"""Look at a course: configuration, settings, lessons, assignments, gradebook, files, and the formgrader's way to it."""
from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from glob import glob
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.course import FOLDER, STORE
from autograder.course.folder import CONFIG, Course, CourseError, read_config
from autograder.course.settings import FILE, SettingsError, read_settings
from autograder.doctor.findings import Finding, closed_at, first_line, missing, named_command, note, ok, on_a_hub, typed
from autograder.lessons.installed import (
    LessonError,
    assignments_of,
    every_lesson,
    lesson_names,
    load_lesson,
    not_lessons,
    own_lessons,
    untrusted,
)
from autograder.lessons.trust import CannotTrust, trusted_file

if TYPE_CHECKING:
    from sqlalchemy import Connection

_OF_A_COURSE = (f"{CONFIG}.py", f"{CONFIG}.json", FILE, "assignments", "submitted", "lessons", "gradebook.db",
                str(FOLDER))
_WRITTEN = (".", str(FOLDER), str(STORE), "gradebook.db", "autograded", "feedback", "release", "report.html")
_AWAY = re.compile("move it away|remove it")
_FOLDERS = 20_000                           # that are looked at: a class of a thousand has fewer


def course_in(folder: Path | None) -> tuple[Course | None, list[Finding]]:
    """The course in this folder, and what there is to say of it. Outside a course that is a note."""
    if folder is None:
        return None, [missing("course", "the folder that you are in was deleted", "cd")]
    try:
        course = Course.find(folder)
    except CourseError as error:
        if not any(os.path.lexists(folder / name) for name in _OF_A_COURSE):
            return None, [note("course", f"{folder} is not a course: `autograder check` works here, `grade` does not",
                               "autograder init my-course")]
        return None, [missing("course", str(error), _config_again(folder, str(error)))]
    except (Exception, SystemExit) as error:    # whatever the configuration's own code does
        return None, [missing("course", f"{folder / CONFIG}.py does not run: {first_line(error)}",
                              _edit(folder / f"{CONFIG}.py"))]
    if not course.course_id:
        return course, [missing("course", f"{course.root} has no course_id, which nbgrader's exchange goes by",
                                f"echo 'c.CourseDirectory.course_id = \"multihead\"' >> {CONFIG}.py")]
    return course, [ok("course", f"{course.course_id} in {course.root}")]


def _config_again(folder: Path, said: str) -> str:
    file, _, broken = said.partition(" does not run")
    if broken or (folder / f"{CONFIG}.py").exists():
        return _edit(Path(file) if broken else folder / f"{CONFIG}.py")
    return f"autograder init ../new-course && cp ../new-course/{CONFIG}.py ."


def _edit(path: Path) -> str:
    return f"${{EDITOR:-nano}} {typed(path)}"


def isolation_in(folder: Path | None) -> str:
    """The wall that the course asks for; auto where nothing does, or where the settings cannot be read."""
    try:
        return (read_settings(folder).limits.isolation if folder else None) or "auto"
    except Exception:                           # which the look at the settings says
        return "auto"


def settings(folder: Path | None) -> Iterator[Finding]:
    """autograder.toml, if there is one."""
    if folder is None:
        return
    try:
        read_settings(folder)
    except SettingsError as error:
        trust = f"autograder trust {typed(folder)}" if "autograder trust" in str(error) else ""
        yield missing("settings", str(error), trust or _edit(folder / FILE))
        return
    yield ok("settings", f"{FILE} is in order" if (folder / FILE).exists() else f"no {FILE}: the defaults hold")


def lessons(folder: Path | None) -> Iterator[Finding]:
    """The lessons that can be used here; a course's own are used where the user trusts it."""
    try:
        if line := untrusted(folder):
            yield missing("lessons", line, f"autograder trust {typed(folder)}")
        names = lesson_names(folder)
    except CannotTrust as error:
        yield missing("lessons", str(error), typed("mv", trusted_file(), f"{trusted_file()}.old"))
        return
    for line in not_lessons(folder):
        yield note("lessons", line)
    own, good = own_lessons(folder), []
    for name in names:
        try:
            load_lesson(name, folder)
            good.append(f"{name} (the course's own, which you trust)" if name in own else name)
        except LessonError as error:
            yield missing("lessons", str(error), f"autograder verify --lesson {typed(name)}")
    yield ok("lessons", ", ".join(good) or "none")


def assignments(course: Course) -> Iterator[Finding]:
    """The notebooks with the solutions, and whether students' versions were made of them."""
    known = {name for lesson in _loadable(course) for name in assignments_of(lesson)}
    there = sorted(course.assignments & known)
    source = course.path("source", ".", "x").parent
    if not there:
        yield note("assignments", f"{source} has none of a lesson; lessons have: {', '.join(sorted(known))}")
        return
    unreleased = [name for name in there if not course.path("release", ".", name).is_dir()]
    if unreleased:
        yield note("assignments", f"{', '.join(there)}; the students' version is not made yet of "
                   f"{', '.join(unreleased)}", "autograder release")
    else:
        yield ok("assignments", f"{', '.join(there)}, with what students get of each")


def _loadable(course: Course) -> list:
    try:
        return every_lesson(course.root)
    except (LessonError, CannotTrust):          # which the look at the lessons says
        return every_lesson()


def gradebook(course: Course) -> Iterator[Finding]:
    """It can be opened, and by this version of nbgrader."""
    import sqlalchemy
    from sqlalchemy.exc import ArgumentError

    from autograder.nbgrader.database import NoGradebook, connected
    from autograder.nbgrader.gradebook_errors import GradebookError
    try:
        where = sqlalchemy.make_url(course.db_url)
    except ArgumentError:
        yield missing("gradebook", f"c.CourseDirectory.db_url is {course.db_url!r}, which is not the address of a "
                      "database", _edit(course.root / f"{CONFIG}.py"))
        return
    try:
        with connected(course.db_url) as db:
            _try_every_column(db)
            found = [db.execute(sqlalchemy.text(f"SELECT count(*) FROM {table}")).scalar()
                     for table in ("assignment", "student")]
    except NoGradebook:
        yield note("gradebook", "not made yet", "autograder release")
    except GradebookError as error:
        away = typed("mv", where.database, f"{where.database}.away") if _AWAY.search(str(error)) else ""
        yield missing("gradebook", str(error), away or named_command(str(error)))
    except ModuleNotFoundError as error:
        yield missing("gradebook", f"{where.drivername} needs {error.name}", "pip install 'psycopg[binary]'")
    else:
        there = where.render_as_string(hide_password=True)
        yield ok("gradebook", f"{there}; assignments: {found[0]}, students: {found[1]}")


def _try_every_column(db: Connection) -> None:
    """Raise the database's error if a table or a column of this version of nbgrader is not there."""
    from nbgrader.api import Base
    from sqlalchemy import select
    for table in Base.metadata.sorted_tables:
        db.execute(select(table).limit(1))


# --- whose files they are -----------------------------------------------------------------------------------------

def files(course: Course, shared: bool) -> Iterator[Finding]:
    """Yours to write, and nobody else's to read or change; `shared` says that students have accounts here."""
    locked = [name for name in _WRITTEN if (course.root / name).exists() and not os.access(course.root / name, os.W_OK)]
    if locked:
        named = ", ".join(str(course.root) if name == "." else name for name in locked)
        yield missing("files", *_not_to_write(course.root, named, [course.root / name for name in locked]))
    closed, everybodys = closed_at(course.root), _everybodys(course)
    protect = typed("chmod", "o-rwx", course.root)
    more = f" and {len(everybodys) - 1} more" if everybodys[1:] else ""
    left = f"everybody may change {everybodys[0]}{more}, as nbgrader collect leaves folders" if everybodys else ""
    if closed is not None:
        yield ok("files", f"no other user can enter {closed}" + (f"; below it {left}" if left else ""))
    elif left:
        yield missing("files", left, protect)
    else:
        say = missing if shared else note
        yield say("files", "every user of this machine can look for solutions, hidden tests and marks in this folder",
                  protect)


def _not_to_write(root: Path, named: str, locked: list[Path]) -> tuple[str, str]:
    """What keeps these from being written, and the command for it."""
    if any(os.statvfs(path).f_flag & os.ST_RDONLY for path in locked):
        return (f"you may not write {named}: the file system is read-only there; work in a copy of the course",
                f"cp -r {typed(root)} ~")
    if all(path.stat().st_uid == os.geteuid() for path in locked):
        return f"you may not write {named}", typed("chmod", "-R", "u+w", root)
    return f"you may not write {named}", f'sudo chown -R "$USER" {typed(root)}'


def _everybodys(course: Course) -> list[str]:
    """The files and folders of the course, and of what was handed in, that everybody may write."""
    found = []
    handed_in = os.path.relpath(course.path("submitted", "*", "*"), course.root)
    below = ((folder, names) for work in sorted(glob(handed_in, root_dir=course.root))
             for folder, _, names in os.walk(course.root / work))
    here = (str(course.root), [path.name for path in course.root.iterdir()])
    for folder, names in islice(chain([here], below), _FOLDERS):
        for path in (folder, *(os.path.join(folder, name) for name in sorted(names))):
            mode = os.lstat(path).st_mode
            if mode & stat.S_IWOTH and not stat.S_ISLNK(mode):
                found.append(os.path.relpath(path, course.root))
    return list(dict.fromkeys(found))


# --- the formgrader -----------------------------------------------------------------------------------------------

def formgrader(course: Course) -> Iterator[Finding]:
    """A server that was started elsewhere finds the course by Jupyter's own configuration alone."""
    from jupyter_core.paths import jupyter_config_dir, jupyter_config_path
    named = ""
    for path in reversed(jupyter_config_path()):
        named = read_config(Path(path)).get("CourseDirectory", {}).get("root", "") or named
    if named and os.path.realpath(named) == os.path.realpath(course.root):
        yield ok("formgrader", f"shows this course, wherever the server was started ({named})")
        return
    own = Path(jupyter_config_dir(), f"{CONFIG}.py")
    line = typed("printf", r"%s\n", "c = get_config()", f'c.CourseDirectory.root = "{course.root}"')
    seen = f"shows {named}" if named else "shows an empty table"
    say = missing if on_a_hub() else note
    yield say("formgrader", f"{seen} when the server was started in another folder: CourseDirectory.root is not said "
              "in Jupyter's own configuration", f"mkdir -p {typed(own.parent)} && {line} >> {typed(own)}")
