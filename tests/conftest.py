"""What the tests share: warm engines, folders that are made once, and a cache of the run's own.

pytest-xdist runs several of these sessions side by side; what takes seconds to make is made by whoever needs it first.
"""
from __future__ import annotations

import fcntl
import gc
import os
import pickle
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import TypeVar

import pytest

import autograder.nbgrader  # noqa: F401 - before anything imports nbformat, of which it puts off the slow part

# isort: split
from courses import new_course, run_nbgrader
from hypothesis import HealthCheck, settings

import autograder.api  # noqa: F401 - before a test puts engines of its own in the places of what they import
import autograder.proof  # noqa: F401
from autograder.course.folder import Course
from autograder.judge.engine import Engine, Limits
from autograder.lessons.installed import load_lesson
from autograder.run import job
from autograder.run.local_pool import LocalPool

ROOT = Path(__file__).parents[1]
MadeOnce = Callable[[str, Callable[[Path], object]], Path]
Value = TypeVar("Value")
#: how fast an example is says something about the machine, nothing about the code
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


def pytest_configure() -> None:
    """A runner that starts us in the background ignores SIGINT, and every process that we start would inherit that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


#: in these, a test that `make test` leaves out takes long; the longest come first
LONG = ("test_nbgrader_suite.py", "test_pythons.py", "test_bounds.py", "test_hub.py", "test_ordinary_user.py",
        "test_docs.py", "test_clock.py", "test_container.py", "test_sdist.py", "test_everywhere.py", "test_dev.py")


@pytest.hookimpl(trylast=True)                  # of the tests that this run wants, and of no others
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let each worker begin with its share of what takes longest, so that no core waits for it at the end.

    At the start xdist hands each worker a run of tests of one length, and later moves tests from the ends of these.
    """
    proof = [item for item in items if "quick" in getattr(item, "fixturenames", ())]       # one makes it for all
    ranks = {name: rank for rank, name in enumerate(LONG)}
    long = sorted((item for item in items if item.path.name in ranks and not _fast(item)),
                  key=lambda item: ranks[item.path.name])
    begun = {*proof, *long}
    rest = [item for item in items if item not in begun]
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    shares = [long[worker::workers] for worker in range(workers)]
    shares[-1] = proof + shares[-1]
    left, items[:] = len(items), []
    for worker, share in enumerate(shares):
        size = left // (workers - worker)
        left -= size
        items += share
        items += rest[:max(0, size - len(share))]
        del rest[:max(0, size - len(share))]
    items += rest


def _fast(item: pytest.Item) -> bool:
    return not any(item.iter_markers("slow")) and not any(item.iter_markers("integration"))


def pytest_collection_finish() -> None:
    """Thousands of tests and all modules stay to the end: whoever looks for garbage need not look at them each time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


@pytest.fixture(scope="session", autouse=True)
def own_cache(made_once: MadeOnce) -> Iterator[None]:
    """The autograder keeps nothing in this user's cache and configuration, and finds nothing there.

    Other programs keep their caches. The sessions of one run share it: the answers of the catalogue are computed once.
    """
    usual = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")

    def make(folder: Path) -> None:
        for path in usual.iterdir() if usual.is_dir() else ():
            if path.name != "multihead-autograder":
                (folder / path.name).symlink_to(path)
    own = made_once("cache", make)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(own))
        patch.setenv("XDG_CONFIG_HOME", str(made_once("config", lambda folder: None)))
        yield


@pytest.fixture(scope="session", autouse=True)
def judged_here() -> Iterator[None]:
    """A class that one process judges is judged by this one, whose engine stays warm; larger pools are as they are."""
    with pytest.MonkeyPatch.context() as patch:
        elsewhere = LocalPool.submit
        patch.setattr(LocalPool, "submit",
                      lambda pool, work: elsewhere(pool, work) if pool.size > 1 else _done(work))
        yield
    job.warm.close()


def _done(work: bytes) -> Future[bytes]:
    future: Future[bytes] = Future()
    try:
        future.set_result(job.judge(work))
    except Exception as error:
        future.set_exception(error)
    return future


@pytest.fixture(scope="session")
def engine_with() -> Iterator[Callable[[Limits], Engine]]:
    """The engine of the multi-head attention lesson with these limits, started once in the whole session."""
    with ExitStack() as engines:
        yield cache(lambda limits: engines.enter_context(Engine(load_lesson("multihead"), limits)))


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> MadeOnce:
    """A folder of this name that `make` fills once in the whole run; nobody may change what is in it."""
    own = tmp_path_factory.getbasetemp()
    shared = (own.parent if hasattr(request.config, "workerinput") else own) / "made-once"
    shared.mkdir(exist_ok=True)

    def made(name: str, make: Callable[[Path], object]) -> Path:
        folder, finished = shared / name, shared / f"{name}.finished"
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not finished.exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                make(folder)
                finished.touch()
        return folder
    return made


@pytest.fixture(scope="session")
def computed_once(made_once: MadeOnce) -> Callable[[str, Callable[[Path], Value]], Value]:
    """What `compute` returns, computed once in the whole run; it may leave files in the folder that it is given."""
    def computed(name: str, compute: Callable[[Path], Value]) -> Value:
        folder = made_once(name, lambda folder: (folder / "value.pickle").write_bytes(pickle.dumps(compute(folder))))
        return pickle.loads((folder / "value.pickle").read_bytes())
    return computed


@pytest.fixture(scope="session")
def built(made_once: MadeOnce) -> Callable[[str], Path]:
    """The "wheel" or the "sdist" of this checkout, as the build tool makes it."""
    def of(kind: str) -> Path:
        (file,) = made_once(kind, lambda folder: subprocess.run(
            [sys.executable, "-m", "build", f"--{kind}", "--no-isolation", "--outdir", folder, ROOT],
            check=True, capture_output=True)).iterdir()
        return file
    return of


@pytest.fixture(scope="session")
def built_wheel(built: Callable[[str], Path]) -> Path:
    """The wheel of this checkout."""
    return built("wheel")


@pytest.fixture(scope="session")
def generated(made_once: MadeOnce) -> Course:
    """A course whose gradebook knows multihead from nbgrader itself; copy it before you change it."""
    def make(folder: Path) -> None:
        from nbgrader.converters import GenerateAssignment
        run_nbgrader(GenerateAssignment, new_course(folder))
    return Course.find(made_once("generated", make))


@pytest.fixture(scope="session")
def registered(made_once: MadeOnce) -> Course:
    """A course whose gradebook knows multihead from us; copy it before you change it."""
    def make(folder: Path) -> None:
        from autograder.nbgrader.new_gradebook import make_gradebook
        make_gradebook(new_course(folder), load_lesson("multihead"))
    return Course.find(made_once("registered", make))


@pytest.fixture(scope="session")
def own_lesson(made_once: MadeOnce) -> Path:
    """A course with a lesson of its own; copy it before you change it."""
    from own_course import own_course
    return made_once("own-lesson", own_course)


@pytest.fixture
def course_with_lesson(own_lesson: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A trusted copy of it, which is the current folder."""
    from autograder.lessons.trust import trust
    folder = tmp_path / "course"
    shutil.copytree(own_lesson, folder)
    trust(folder)
    monkeypatch.chdir(folder)
    return folder
