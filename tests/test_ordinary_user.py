"""The walls hold for an ordinary user as well: their tests run again as nobody, where they ran as root."""
from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
NOBODY = "65534"
#: what depends on who one is; the rest takes the same way for everyone
CHOSEN = "reading or neighbours or lasting or tampering or bomb_pro or bomb_thr or honest or wall"


def exposed(paths: list[Path], scratch: Path) -> list[str]:
    """Shell commands that let others reach these folders in a mount namespace, however their parents are guarded."""
    commands = []
    guarded: dict[Path, list[Path]] = {}
    for path in dict.fromkeys(path.resolve() for path in paths):
        closed = [parent for parent in reversed(path.parents) if not parent.stat().st_mode & 0o001]
        if closed:
            guarded.setdefault(closed[0], []).append(path)
    for number, (parent, inside) in enumerate(guarded.items()):
        asides = [f"{scratch}/{number}-{index}" for index in range(len(inside))]
        for path, aside in zip(inside, asides, strict=True):
            commands.append(f"mkdir -p {aside} && mount --bind {shlex.quote(str(path))} {aside}")
        commands.append(f"mount -t tmpfs -o mode=755 exposed {shlex.quote(str(parent))}")
        for path, aside in zip(inside, asides, strict=True):
            commands.append(f"mkdir -p {shlex.quote(str(path))} && mount --move {aside} {shlex.quote(str(path))}")
    return commands


def as_nobody(scratch: Path, *command: str) -> subprocess.CompletedProcess[str]:
    folders = [REPOSITORY, Path(sys.prefix), Path(sys.base_prefix)]
    script = " && ".join(["mount --make-rprivate /", *exposed(folders, scratch),
                          f"exec setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups --bounding-set=-all "
                          f"--inh-caps=-all {shlex.join(command)}"])
    environment = {**os.environ, "HOME": "/nonexistent", "XDG_CACHE_HOME": "", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(["unshare", "--mount", "sh", "-c", script], cwd=REPOSITORY, capture_output=True, text=True,
                          env=environment, check=False)


@pytest.mark.skipif(os.geteuid() != 0, reason="the other tests run as an ordinary user already")
@pytest.mark.parametrize(("when", "least"), [
    pytest.param("not slow and not integration", 25, marks=pytest.mark.slow),      # one attack of each kind
    pytest.param("slow or integration", 100, marks=pytest.mark.integration)])
def test_the_walls_hold_for_an_ordinary_user(tmp_path: Path, when: str, least: int) -> None:
    if not (shutil.which("unshare") and shutil.which("setpriv")):
        pytest.skip("unshare and setpriv are not installed")
    trial = as_nobody(tmp_path, sys.executable, "-c", "import numpy, os; print(os.getuid())")
    if trial.stdout.strip() != NOBODY:
        pytest.skip(f"nobody cannot run Python here: {trial.stderr.strip()[-200:]}")
    done = as_nobody(tmp_path, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", CHOSEN,
                     "-m", when, "tests/test_attacks.py", "tests/test_wall.py")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    assert done.stdout.count(".") > least     # they ran
