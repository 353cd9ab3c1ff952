"""What a child can reach, and that nothing is left of it."""
from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import eventually

from autograder.records import Call, Cell
from autograder.sandbox.student import NoIsolation, Sandbox, ZygoteLost


def test_nothing_of_the_judges_can_be_imported(student):
    one = student("import importlib\ndef f(name):\n    importlib.import_module(name)")
    for name in ("autograder.records", "autograder.lessons.kit.lesson", "autograder.sandbox.student",
                 "solutions.multihead", "autograder.lessons.multihead.checks"):
        assert one.answer(Call("f", (name,))).error == "ModuleNotFoundError"


def test_the_environment_is_clean(student, monkeypatch):
    monkeypatch.setenv("SECRET", "x")
    value = student("import os\ndef f(): return dict(os.environ)").answer(Call("f", ())).value
    assert value["OPENBLAS_NUM_THREADS"] == value["OMP_NUM_THREADS"] == "1"
    assert not {"SECRET", "PATH", "PYTHONPATH"} & set(value)
    assert value["HOME"] != os.environ.get("HOME")


def test_what_is_written_without_a_wall_lands_in_a_folder_that_goes_with_the_sandbox():
    with Sandbox(isolation="none") as box:
        one = box.open([Cell(0, "import os\nfolder = os.getcwd()\nopen('left', 'w')\ndef f(): return folder")],
                       modules={}, prelude="")
        folder = Path(one.answer(Call("f", ())).value)
        assert (folder / "left").exists()
    assert not folder.exists()


def test_a_lone_surrogate_in_a_cell_is_handled(student):
    one = student("x = '\ud800'", "def f(): return 1")
    assert one.answer(Call("f", ())).value == 1


def test_only_the_channel_is_open(student):
    one = student("import os\ndef f(): return [fd for fd in range(64) if os.path.exists(f'/dev/fd/{fd}')]\n"
                  "def g():\n    open_fds = []\n    for fd in range(64):\n        try:\n            os.fstat(fd)\n"
                  "            open_fds.append(fd)\n        except OSError: pass\n    return open_fds")
    assert one.answer(Call("g", ())).value == (0, 1, 2, 3)


def test_random_numbers_are_the_same_in_every_child(student):
    source = "import random\ndef f(): return random.random(), float(np.random.random())"
    assert student(source).answer(Call("f", ())).value == student(source).answer(Call("f", ())).value


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def gone(pid: int) -> bool:
    """Whether this process ends, however busy the machine is."""
    eventually(lambda: not running(pid))
    return True


def pid_of(student) -> int:
    return student.answer(Call("pid", ())).value


PID = "import os\ndef pid(): return os.getpid()\ndef parent(): return os.getppid()\n"


def test_nothing_runs_after_close(unwalled):
    one = unwalled(PID + "import atexit\natexit.register(print)")
    pid = pid_of(one)
    assert running(pid)
    one.close()
    assert gone(pid)


def test_what_a_child_started_goes_with_it(unwalled):
    one = unwalled(PID + "def fork():\n    pid = os.fork()\n    if pid == 0:\n        import time; time.sleep(60)\n"
                  "    return pid")
    started = one.answer(Call("fork", ())).value
    assert running(started)
    one.close()
    assert gone(started)


def test_closing_the_sandbox_ends_everything():
    with Sandbox(isolation="none") as box:
        one = box.open([Cell(0, PID)], modules={}, prelude="")
        pids = [pid_of(one), one.answer(Call("parent", ())).value]
        assert all(running(pid) for pid in pids)
    assert all(gone(pid) for pid in pids)


def test_a_lost_zygote_is_replaced():
    with Sandbox(isolation="none") as box:
        one = box.open([Cell(0, PID)], modules={}, prelude="")
        pid = pid_of(one)
        os.kill(one.answer(Call("parent", ())).value, signal.SIGKILL)
        assert gone(pid)
        again = Call("pid", ())
        with pytest.raises(ZygoteLost):
            one.answer(again)
        assert one.answer(again).status == "answered"
        other = box.open([Cell(0, PID)], modules={}, prelude="")
        assert pid_of(other) != pid


def test_a_zygote_that_cannot_start_says_why(monkeypatch):
    monkeypatch.setattr("autograder.sandbox.wall.Wall.command",
                        lambda *_: [sys.executable, "-c", "raise ImportError('no numpy')"])
    with Sandbox() as box, pytest.raises(ZygoteLost, match="no numpy"):
        box.open([], modules={}, prelude="")


def test_two_students_of_one_sandbox_do_not_meet(student):
    first, second = student("x = 1\ndef f(): return x"), student("x = 2\ndef f(): return x\nimport os\n"
                                                                 "def leave(): os._exit(0)")
    assert (first.answer(Call("f", ())).value, second.answer(Call("f", ())).value) == (1, 2)
    assert second.answer(Call("leave", ())).status == "quit"
    assert first.answer(Call("f", ())).value == 1


def test_no_descriptor_is_left_open(student):
    processes, opened = 8, []
    for _ in range(2):                        # what earlier tests left may be closed meanwhile, and one waits ahead
        for _ in range(processes):
            one = student("import os\ndef f(): os._exit(0)")
            one.answer(Call("f", ()))
            one.close()
        gc.collect()
        opened.append(len(os.listdir("/proc/self/fd")))
    assert opened[1] < opened[0] + processes


def test_other_systems_are_told_what_to_do(monkeypatch):
    monkeypatch.setattr("sys.platform", "darwin")
    with pytest.raises(NoIsolation, match="container"):
        Sandbox()


def test_a_memory_limit_without_room_for_numpy_is_refused():
    with pytest.raises(ValueError, match="256"):
        Sandbox(memory_mb=100)


FEW = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
resource.setrlimit(resource.RLIMIT_CPU, (300, 300))
from autograder.records import Call, Cell
from autograder.sandbox.student import Sandbox
with Sandbox() as box:
    one = box.open([Cell(0, "import resource\\ndef f(): return resource.getrlimit(7)[1], resource.getrlimit(0)[1]")],
                   modules={}, prelude="")
    print(*one.answer(Call("f", ())).value)
"""


def test_a_judge_with_few_descriptors_and_little_time_still_grades():
    done = subprocess.run([sys.executable, "-c", FEW], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["32", "300"], done.stderr


def test_a_judge_with_less_memory_than_a_student_says_so():
    script = ("import resource\nresource.setrlimit(resource.RLIMIT_AS, (2**29, 2**29))\n"
              "from autograder.sandbox.student import Sandbox\nSandbox(memory_mb=1024)")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "may use 512 MB here (ulimit -v), less than the 1024 MB" in done.stderr
