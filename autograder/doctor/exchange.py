"""Look at nbgrader's exchange: the folder through which work goes between the accounts of a machine."""

import os
import pwd
from collections.abc import Iterator
from pathlib import Path

from traitlets.config.loader import Config

from autograder.course.folder import CONFIG, Course, read_config
from autograder.doctor.findings import Finding, closed_at, missing, note, ok, on_a_hub, typed

DEFAULT = "/usr/local/share/nbgrader/exchange"      # nbgrader's own
_EVERYBODY = 0o777


def is_there(course: Course) -> bool:
    """Whether this course has an exchange, and so students with accounts on this machine."""
    return Path(_root(course.config)).is_dir()


def exchange(course: Course) -> Iterator[Finding]:
    """The folder is there, everybody may write in it, everybody's nbgrader knows it, and the course there is yours."""
    if "ExchangeFactory" in course.config:
        yield note("exchange", "this course has an exchange of its own (c.ExchangeFactory), which was not looked at")
        return
    root = Path(course.root, _root(course.config))
    if not root.is_dir():
        make = typed("sudo", "install", "-d", "-m", "1777", root)
        if "root" in course.config.get("Exchange", {}) or on_a_hub():
            yield missing("exchange", f"the folder {root} is not there", make)
        else:
            yield note("exchange", f"the folder {root} is not there; only a JupyterHub needs it", make)
        return
    faults = [*_closed(root), *_unknown_to_students(course, root), *_not_yours(course, root)]
    yield from faults
    if not faults:
        handed_out = root / course.course_id / "outbound"
        names = sorted(path.name for path in handed_out.iterdir()) if handed_out.is_dir() else []
        yield ok("exchange", f"{root}; handed out there: {', '.join(names) or 'nothing yet'}")


def _root(config: Config) -> str:
    found = config.get("Exchange", {}).get("root", DEFAULT)
    return found if isinstance(found, str) else DEFAULT


def _closed(root: Path) -> Iterator[Finding]:
    closed = closed_at(root)
    if closed is not None and closed != Path(os.path.realpath(root)):
        yield missing("exchange", f"nobody else can enter {closed}, and so not {root}",
                      typed("sudo", "chmod", "o+x", closed))
    mode = root.stat().st_mode & 0o7777
    if mode & _EVERYBODY != _EVERYBODY:
        yield missing("exchange", f"{root} has the permissions {mode:o}; nbgrader wants everybody to write there",
                      typed("sudo", "chmod", "1777", root))
    elif not mode & 0o1000:
        yield note("exchange", f"{root} has the permissions {mode:o}: everybody can remove the folders of others there",
                   typed("sudo", "chmod", "1777", root))


def _unknown_to_students(course: Course, root: Path) -> Iterator[Finding]:
    """What students' servers read names another folder, or none: they do not see the course's own configuration."""
    from jupyter_core.paths import ENV_CONFIG_PATH, SYSTEM_CONFIG_PATH, jupyter_config_path
    config = Config()
    for path in reversed([each for each in jupyter_config_path() if each in (*SYSTEM_CONFIG_PATH, *ENV_CONFIG_PATH)]):
        config.merge(read_config(Path(path)))
    theirs = _root(config)
    if os.path.realpath(theirs) != os.path.realpath(root):
        path = Path(SYSTEM_CONFIG_PATH[-1], f"{CONFIG}.py")
        line = typed("printf", r"%s\n", "c = get_config()", f'c.Exchange.root = "{root}"')
        yield missing("exchange", f"students' servers look in {theirs}, and this course hands out in {root}",
                      f"sudo mkdir -p {typed(path.parent)} && {line} | sudo tee -a {typed(path)}")


def _not_yours(course: Course, root: Path) -> Iterator[Finding]:
    """nbgrader refuses to hand out in a course's folder that somebody else made."""
    folder = root / course.course_id
    if course.course_id and folder.is_dir() and not course.setting("groupshared"):
        owner = folder.stat().st_uid
        if owner != os.geteuid():
            yield missing("exchange", f"{folder} belongs to {_name(owner)}: nbgrader hands out there for nobody else",
                          f'sudo chown "$USER" {typed(folder, folder / "outbound", folder / "inbound")}')


def _name(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"user {user}"
