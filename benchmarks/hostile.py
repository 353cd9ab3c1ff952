"""What the worst submissions cost: `python -m benchmarks.hostile [STUDENTS [BUDGET]]`, by default 100 and 6 seconds.

Every kind of hostile submission that we know is in the class; everybody else hands in the reference. It is graded from
files to gradebook, `autograded/` and feedback with two jobs. Measured are the time of the whole, the processor time of
each hostile submission alone and of the class, students' own processes included, and the largest process of those that
hold no student's code. Ends with exit code 1 if an
honest mark is not full, if a bound is broken, or if the run does not end as it should. The figures are written to
hostile.json beside this file.
"""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from rich.console import Console
from rich.table import Table

from autograder.intake.reading import from_sources, read_folder
from autograder.judge.engine import Engine, Limits
from autograder.lessons.installed import load_lesson
from autograder.lessons.kit.course_file import course_file
from benchmarks.measure import AUTOGRADER

FIGURES = Path(__file__).with_suffix(".json")
LESSON = load_lesson("multihead")
RIGHT = LESSON.reference_source
OVER, MEMORY, TIMES = 2.0, 300, 3         # seconds beyond it; MB; budgets for each hostile submission and core
OTHERS = 1.0                              # seconds for anything else about a student, such as their page
#: runs a command, is the parent of all that it leaves (PR_SET_CHILD_SUBREAPER), and prints what they all used
_COUNTS = """
import ctypes, os, resource, subprocess, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
try:
    while os.waitpid(-1, os.WNOHANG)[0]: pass
except ChildProcessError: pass
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime)
sys.exit(code)
"""
LOOK = 0.02                               # seconds between two looks at the processes
_TICKS = os.sysconf("SC_CLK_TCK")


def every(body: str) -> str:
    """All functions do this."""
    return f"import os, socket, time, numpy as np\ndef f(*given):\n    {body}\n" + "".join(
        f"{exercise.name} = f\n" for exercise in LESSON.exercises if not exercise.implementations)


def own_test(body: str) -> str:
    """A right solution with this own test; X and W are what an implementation is called with."""
    lines = body.replace("\n", "\n    ")
    return f"{RIGHT}\n\n\ndef own_test(multihead, multihead_backward):\n    {lines}\n"


#: a forward that is wrong, with a cache of its own full of right numbers in another order
CACHES = """
_right = multihead
def multihead(*given):
    y, cache = _right(*given)
    arrays = [x for x in [*cache.values(), *cache.get("attention", {}).values(), *given[1].values()]
              if isinstance(x, np.ndarray)]
    return 1.3 * y, [np.random.permutation(arrays[i % len(arrays)].ravel()).reshape(arrays[i % len(arrays)].shape)
                     for i in range(190)]
def multihead_backward(cache, params, d):
    if type(cache) is not list: raise TypeError
    return np.ones(3), {name: np.ones_like(value) for name, value in params.items()}
"""
CALL = ("x, p = np.zeros((1, {t}, {c})), dict.fromkeys(['wq', 'wk', 'wv', 'wo'], np.zeros(({c}, {c})))\n"
        "while True:\n    multihead(x, p, 1, np.ones(({t}, {t}), bool))")
SOURCES = {
    "loops": every("while True: pass"),
    "sleeps": every("time.sleep(1000)"),
    "sleeps a little": every("time.sleep(0.9)"),
    "sleeps in every cell": "# %%\nimport time; time.sleep(0.9)\n" * 300,
    "ends in every call": every("os._exit(0)"),
    "ends in every cell": "# %%\nimport os; os._exit(0)\n" * 300,
    "closes its channel": every("os.close(3)\n    time.sleep(1000)"),
    "closes its channel and computes": every("os.close(3)\n    while True: pass"),
    "fills its memory and ends": every("x = bytearray(900_000_000)\n    for i in range(0, len(x), 4096): x[i] = 1\n"
                                       "    os._exit(0)"),
    "many numbers": every("return np.random.normal(size=1_900_000)"),
    "numbers of one byte": every("return np.zeros(15_000_000, np.int8)"),
    "answers of any size": "N = [100_000]\n" + every("N[0] += 1; return np.ones(N[0])"),
    "tiny numbers": every("return np.full(1_900_000, 5e-324)"),
    "computes after it has answered": every("import signal\n    signal.signal(signal.SIGALRM, f)\n"
                                            "    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)"),
    "caches full of arrays": RIGHT + CACHES,
    "many keys": every("return np.zeros(3), {f'k{i}': np.zeros(3) for i in range(9000)}"),
    "many parts": every("return tuple(np.zeros(1) for _ in range(9000))"),
    "texts": every("return 'x' * 10**6, {'y' * 10**6: 1}"),
    "prints": "# %%\nprint('x' * 10**7)\n" * 300,
    "raises": every("raise ValueError('x' * 10**8)"),
    "small calls": own_test(CALL.format(t=1, c=1)),
    "larger calls": own_test(CALL.format(t=20, c=100)),
    "large calls": own_test(CALL.format(t=300, c=60)),
    "words without end": '"""\n' + "for own_test " * 150_000 + '\n"""\n',
    "lines without end": "split_heads,\n" * 150_000,
    "names without end": "".join(f"def multi_head{i}(): 0\n" for i in range(80_000)),
}


WARM = (RIGHT, every("return np.zeros(3)"), RIGHT + "\n_right = multihead\ndef multihead(*given):\n"
        "    y, cache = _right(*given)\n    return y + 1, cache\n", RIGHT + CACHES)


def _zip(members: int, content: bytes) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        with zipfile.ZipFile(folder / "multihead.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for number in range(members):
                archive.writestr(f"{number}.py", content)
    return make


def _notebook(middle: str, start: str = '{"cells":[{"cell_type":"code","source":"',
              end: str = '","metadata":{}}],"nbformat":4}') -> Callable[[Path], None]:
    return _written("multihead.ipynb", start + middle + end)


def _written(name: str, content: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        (folder / name).write_text(content)
    return make


def _many(folder: Path) -> None:
    for number in range(3000):
        (folder / f"{number}.py").write_text("x = 1\n")


def _sparse(folder: Path) -> None:
    with (folder / "multihead.ipynb").open("wb") as file:
        file.truncate(50 * 2**30)


FILES: dict[str, Callable[[Path], None]] = {
    "an archive of many": _zip(15_000, b"x = 1\n"),
    "an archive that grows": _zip(120, b"#" * 15 * 2**20),
    "control characters": _notebook("\x01" * 10_000_000),
    "deep lists": _notebook("[" * 10_000_000, '{"cells":', ""),
    "many cells": _notebook("{}," * 20_000_000 + "{}", '{"cells":[', '],"nbformat":4}'),
    "gigabytes of nothing": _sparse,
    "many files": _many,
}
HOSTILE = {**{name: _written("multihead.py", source) for name, source in SOURCES.items()}, **FILES}


def make_class(course: Path, students: int) -> dict[str, str]:
    """The course; which student is hostile in which way."""
    shutil.copytree(course_file("assignments"), course / "assignments")
    shutil.copy(course_file("nbgrader_config.py"), course)
    who = {f"student-{3 * number + 1:03}": kind for number, kind in enumerate(HOSTILE)}
    for student in [*who, *[f"honest-{number:03}" for number in range(students - len(who))]]:
        folder = course / "submitted" / student / "multihead"
        folder.mkdir(parents=True)
        if student in who:
            HOSTILE[who[student]](folder)
        else:
            (folder / "multihead.py").write_text(f"{RIGHT}\n# {student}\n")
    return who


class Watching(threading.Thread):
    """Looks at a process and all below it: the largest memory of those that never were a student's."""

    def __init__(self, pid: int):
        super().__init__(daemon=True)
        self._pid, self._on = pid, True
        self.largest = 0

    def run(self) -> None:
        while self._on:
            for pid in below(self._pid):
                with suppress(OSError, StopIteration, IndexError):
                    if "sandbox.inside.zygote" not in _command(pid):        # nor what is forked from it
                        self.largest = max(self.largest, _peak(pid))
            time.sleep(LOOK)

    def end(self) -> int:
        self._on = False
        self.join()
        return self.largest


def below(pid: int) -> list[int]:
    """This process and those that it started, directly or not."""
    found, at = [pid], 0
    while at < len(found):
        with suppress(OSError):
            for task in Path(f"/proc/{found[at]}/task").iterdir():
                found += map(int, (task / "children").read_text().split())
        at += 1
    return found


def _command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")


def _peak(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) // 1024


def processor_time(pid: int) -> float:
    """Seconds of this process and all below it, those that ended included."""
    ticks = 0
    for one in below(pid):
        with suppress(OSError):
            ticks += sum(map(int, Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()[11:15]))
    return ticks / _TICKS


def alone(course: Path, who: dict[str, str], budget: float) -> dict[str, float]:
    """The processor time of each hostile submission, read and judged by one warm engine."""
    found = {}
    with Engine(LESSON, Limits(budget=budget)) as engine:
        for source in WARM:             # what is computed once for everybody is nobody's
            engine.grade(from_sources("work.py", "honest", [source], LESSON))
        for student, kind in who.items():
            before = processor_time(os.getpid())
            submission = read_folder(course / "submitted" / student / "multihead", student, LESSON, seconds=budget)
            if submission.unreadable is None:
                engine.grade(submission)
            time.sleep(0.3)                         # the last process is taken away
            found[kind] = round(processor_time(os.getpid()) - before, 1)
    return found


def graded(course: Path, budget: float) -> tuple[float, float, int, list[dict]]:
    """The seconds that the whole class takes, those of processor time of all processes, students' included, the largest
    process in MB, and the lines of JSON.
    """
    began = time.monotonic()
    command = [*AUTOGRADER, "grade", "--jobs", "2", "--budget", str(budget), "--json", "grades.jsonl"]
    with subprocess.Popen([sys.executable, "-c", _COUNTS, *command], cwd=course, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True) as process:
        watching = Watching(process.pid)
        watching.start()
        used, code = process.communicate()[0], process.returncode
        largest = watching.end()
    if code not in (0, 1):
        raise SystemExit(f"autograder grade ended with {code}")
    lines = (course / "grades.jsonl").read_text().splitlines()
    return time.monotonic() - began, float(used), largest, [json.loads(line) for line in lines]


def main(arguments: list[str]) -> int:
    students, budget = (*map(float, arguments), *(100.0, 6.0)[len(arguments):])
    with tempfile.TemporaryDirectory(prefix="autograder-hostile-") as folder:
        who = make_class(Path(folder), int(students))
        costs = alone(Path(folder), who, budget)
        seconds, used, largest, lines = graded(Path(folder), budget)
    most = TIMES * budget * len(who) / min(2, os.cpu_count() or 1)
    most_used = len(who) * (budget + OVER) + students * OTHERS
    lost = [line for line in lines if line["student"].startswith("honest") and line["points"] != LESSON.points]
    worst = max(costs, key=costs.__getitem__)
    broken = [line for line in lines if line["status"] == "broken"]
    figures = {"students": int(students), "hostile": len(who), "budget": budget, "seconds": round(seconds, 1),
               "most seconds": most, "processor seconds": round(used, 1), "most of those": most_used,
               "largest process, MB": largest, "worst": worst, "its seconds": costs[worst],
               "honest marks lost": len(lost), "broken": len(broken), "costs": costs}
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n")
    table = Table("what", "measured", "bound", box=None)
    table.add_row("the class, seconds", f"{seconds:.0f}", f"{most:.0f}")
    table.add_row("its processor time in all processes, seconds", f"{used:.0f}", f"{most_used:.0f}")
    table.add_row("largest process that holds no student's code, MB", str(largest), str(MEMORY))
    table.add_row(f"the worst ({worst}), seconds of processor time", str(costs[worst]), str(budget + OVER))
    table.add_row("honest marks that changed", str(len(lost)), "0")
    table.add_row("broken", str(len(broken)), "0")
    Console().print(table)
    return bool(lost or broken or len(lines) != int(students) or largest > MEMORY or seconds > most
                or used > most_used or costs[worst] > budget + OVER)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
