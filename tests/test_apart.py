"""Reading costs what one submission may cost, whatever a file holds: measured in memory and processor time."""
from __future__ import annotations

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import msgspec
import psutil
import pytest
from courses import LESSON, hand_in, new_course, released
from sampled import by_turns
from waiting import HANGS, eventually

from autograder.course.submitted import read_ahead, submitted
from autograder.intake import apart, own_cells, read, read_folder, reading
from autograder.intake.in_turn import in_turn
from autograder.intake.notebook_json import notebook_cells
from autograder.intake.reading import from_sources
from autograder.judge.engine import Limits
from autograder.locale.language import translate
from autograder.records import Submission

MB = 2**20
HEAD, TAIL = '{"cells":[{"cell_type":"code","source":"', '","metadata":{}}],"nbformat":4}'
#: a file of about so many bytes, by kind: each took a time or a memory that grew faster than the file
KINDS = {
    "control.ipynb": lambda size: HEAD + "\x01" * size + TAIL,
    "feeds.ipynb": lambda size: HEAD + "\n" * size + TAIL,
    "worksheets.ipynb": lambda size: '{"worksheets":[' + "{}," * (size // 3) + '{}],"nbformat":3}',
    "cells.ipynb": lambda size: '{"cells":[' + '{"cell_type":""},' * (size // 17) + '{"cell_type":""}],"nbformat":4}',
    "numbers.ipynb": lambda size: '{"cells":[' + "0," * (size // 2) + '0],"nbformat":4}',
    "strings.ipynb": lambda size: HEAD[:-1] + '["",' + '"a",' * (size // 4) + '""]' + TAIL[1:],
    "nested.ipynb": lambda size: HEAD[:-1] + "[" * 400 + '"' + "p" * size + '"' + "]" * 400 + TAIL[1:],
    "fences.ipynb": lambda size: HEAD + "```\\n" * (size // 5) + TAIL,
    "versions.ipynb": lambda size: '"language_info":{' * (size // 17),
    "marks.py": lambda size: "# %%\n" * (size // 5),
    "for.py": lambda size: '"""\n' + "for own_test " * (size // 13) + '\n"""\n',
    "commas.py": lambda size: ("own_test," * 22 + "\n") * (size // 199),
    "returns.py": lambda size: "import marimo\n@app.cell\ndef _():\n return" + "\n " * (size // 2) + "\nx",
}
MEASURED = """
import json, resource, sys
from autograder.intake import read
from autograder.lessons.installed import load_lesson
lesson = load_lesson("multihead")
read_there = [submission.unreadable is None for submission in read(sys.argv[1:], lesson)]
child = resource.getrusage(resource.RUSAGE_CHILDREN)
most = int(open("/proc/self/status").read().partition("VmHWM:")[2].split()[0])
print(json.dumps([read_there, most // 1024, child.ru_maxrss // 1024, child.ru_utime + child.ru_stime]))
"""


def measured(*paths: Path) -> tuple[list[bool], float, float, float]:
    """Which were read; the most MB of the one who asks and of the one who reads, and the seconds of the latter."""
    command = [sys.executable, "-c", MEASURED, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return tuple(json.loads(done.stdout))


def within_limits(*paths: Path) -> list[bool]:
    found, asking, reading, seconds = measured(*paths)
    assert asking < 100
    assert reading < 100 + apart.MEMORY / MB
    assert seconds < apart.SECONDS + apart._GRACE
    return found


@pytest.mark.parametrize("kind", by_turns(KINDS, len(KINDS), 3, long=KINDS))
def test_not_even_three_files_take_more_than_a_submission_may(tmp_path, kind):
    paths = [tmp_path / str(size) / kind for size in (MB, 8 * MB, 60 * MB)]
    for path in paths:
        path.parent.mkdir()
        path.write_text(KINDS[kind](int(path.parent.name)))
    assert len(within_limits(*paths)) == 3


@pytest.mark.parametrize("name", ["multihead.ipynb", "multihead.zip", "multihead.py"])
def test_a_file_of_gigabytes_without_content_is_refused_by_its_size(tmp_path, name):
    with (tmp_path / name).open("wb") as file:
        file.truncate(50 * 2**30)
    assert read_folder(tmp_path, "student-01", LESSON).unreadable is not None


@pytest.mark.slow
def test_an_archive_is_walked_once(tmp_path):
    seconds = []
    for count in (250, 1000):
        folder = tmp_path / str(count) / "student-01" / "multihead"
        folder.mkdir(parents=True)
        with zipfile.ZipFile(folder / "multihead.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for number in range(count):
                archive.writestr(f"{number}.py", "x = 1\n")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert read_folder(folder, "student-01", LESSON).unreadable is None
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert seconds[1] < 8 * seconds[0], seconds


@pytest.mark.slow
def test_thousands_of_files_in_a_folder_are_looked_at_once(tmp_path):
    for number in range(4000):
        (tmp_path / f"{number}.txt").touch()
    (tmp_path / "work.py").write_text("x = 1")
    assert sum(within_limits(tmp_path)) == 1


def test_what_takes_too_long_is_unreadable_and_the_next_one_is_read(tmp_path, monkeypatch):
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / name).write_text(f"x = '{name}'")
    original = own_cells.defines

    def defines(source: str, name: str) -> bool:
        while "b.py" in source:
            pass
        return original(source, name)
    monkeypatch.setattr(apart, "SECONDS", 1)
    monkeypatch.setattr(own_cells, "defines", defines)
    slow = {submission.student: submission.unreadable for submission in read([tmp_path], LESSON)}
    assert {student: why is None for student, why in slow.items()} == {"a": True, "b": False, "c": True}
    assert "longer than" in slow["b"].template


@pytest.mark.parametrize("evil", ["a", "b", "bc", "abcd", "d"])
@pytest.mark.parametrize("packed", [False, True], ids=["folder", "zip"])
def test_what_ends_the_process_that_reads_it_costs_nobody_else_anything(tmp_path, monkeypatch, evil, packed):
    """The kernel ends a process that is in the middle of one long step, or that takes the last memory of a machine."""
    folder, original = tmp_path / "class", own_cells.defines
    folder.mkdir()
    for name in "abcd":
        (folder / f"{name}.py").write_text(f"x = '{name}.py'")
    if packed:
        shutil.make_archive(str(folder), "zip", folder)
    (tmp_path / "e.py").write_text("x = 'e.py'")

    def defines(source: str, name: str) -> bool:
        if any(f"{each}.py" in source for each in evil):
            os.kill(os.getpid(), signal.SIGKILL)
        return original(source, name)
    monkeypatch.setattr(own_cells, "defines", defines)
    found = [(one.student, one.unreadable is None)
             for one in read([f"{folder}.zip" if packed else folder, tmp_path / "e.py"], LESSON)]
    assert found == [(name, name not in evil) for name in "abcde"]


def test_what_leaves_nothing_to_read_in_a_folder_is_told_for_all_of_it(tmp_path, monkeypatch):
    for name in "ab":
        (tmp_path / f"{name}.py").write_text("x = 1")
    monkeypatch.setattr(reading, "folder_listing", lambda path: os.kill(os.getpid(), signal.SIGKILL))
    [only] = read([tmp_path], LESSON)
    assert (only.student, "memory" in only.unreadable.template) == (tmp_path.name, True)


@pytest.mark.slow
def test_what_takes_too_much_memory_is_unreadable_and_the_next_one_is_read(tmp_path):
    for name, text in {"a.py": "x = 1", "b.ipynb": KINDS["numbers.ipynb"](40 * MB), "c.py": "x = 1"}.items():
        (tmp_path / name).write_text(text)
    found = {submission.student: submission.unreadable for submission in read([tmp_path], LESSON)}
    assert {student: why is None for student, why in found.items()} == {"a": True, "b": False, "c": True}
    # where this process has let go of much memory, that can be filled first, and it is the time that ends
    assert re.search("memory|longer than", found["b"].template)


# --- the process --------------------------------------------------------------------------------------------------

def children() -> set[str]:
    """The processes that this one has started, by number."""
    return {number for task in Path("/proc/self/task").iterdir() for number in (task / "children").read_text().split()}


def answers(*names: str):
    return lambda: (Submission(name, name, "multihead") for name in names)


def test_what_is_read_comes_back_in_order():
    assert [one.name for one in apart.each(answers("a", "b"), Submission)] == ["a", "b"]


def test_whoever_stops_listening_leaves_no_process():
    def endless():
        while True:
            yield Submission("a", "a", "multihead")
    before = children()
    listening = apart.each(endless, Submission)
    next(listening)
    assert children() > before
    listening.close()
    assert children() == before


#: reads without end, and is killed while nobody takes what was read
KILLED = """
import itertools, os, signal
from autograder.intake import apart

listening = apart.each(lambda: itertools.repeat(bytes(10_000)), bytes)
next(listening)
print("reading", flush=True)
signal.pause()
"""


def test_a_run_that_is_killed_leaves_no_process_that_reads():
    with subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == b"reading\n"
        [reader] = psutil.Process(run.pid).children()
        eventually(lambda: reader.status() == psutil.STATUS_SLEEPING)           # the pipe is full
        run.kill()
        assert psutil.wait_procs([reader], timeout=HANGS)[1] == []


@pytest.mark.parametrize(("end", "fault"), [
    (lambda: os.kill(os.getpid(), signal.SIGKILL), False), (lambda: os.kill(os.getpid(), signal.SIGXCPU), False),
    (lambda: os._exit(3), True), (lambda: 1 / 0, True), (lambda: bytearray(2**33), False)])
def test_a_process_that_ends_early_says_whose_fault_it_was(end, fault):
    with pytest.raises(apart.Ended) as ended:
        apart.one(end, Submission)
    assert (ended.value.why is None) == fault


def test_time_is_the_processors_and_begins_anew_with_each(monkeypatch):
    monkeypatch.setattr(apart, "SECONDS", 0.3)

    def three():
        for name in "abc":
            with apart.in_time():
                until = time.process_time() + 0.2
                while time.process_time() < until:
                    pass
                time.sleep(0.1)
            yield Submission(name, name, "multihead")
    assert [one.name for one in apart.each(three, Submission)] == ["a", "b", "c"]


# --- links --------------------------------------------------------------------------------------------------------

@pytest.fixture
def course(tmp_path):
    course = new_course(tmp_path / "course")
    hand_in(course, "student-02", released())
    return course


def below(course, student: str) -> Path:
    return course.root / "submitted" / student


LINKS = {
    "the student": lambda mine, other: mine.symlink_to(other),
    "the student, by a path": lambda mine, other: mine.symlink_to("../submitted/student-02"),
    "the assignment": lambda mine, other: (mine.mkdir(), (mine / "multihead").symlink_to("../student-02/multihead")),
    "the file": lambda mine, other: ((mine / "multihead").mkdir(parents=True), (
        mine / "multihead" / "multihead.ipynb").symlink_to(other / "multihead" / "multihead.ipynb")),
    "a folder in it": lambda mine, other: ((mine / "multihead").mkdir(parents=True), (
        mine / "multihead" / "deeper").symlink_to(other / "multihead")),
    "a hard link": lambda mine, other: ((mine / "multihead").mkdir(parents=True), os.link(
        other / "multihead" / "multihead.ipynb", mine / "multihead" / "multihead.ipynb")),
}


@pytest.mark.parametrize("in_turn", [False, True])
@pytest.mark.parametrize("kind", LINKS)
def test_a_link_to_the_work_of_another_is_refused_by_name(course, kind, in_turn):
    LINKS[kind](below(course, "student-45"), below(course, "student-02"))
    folder = below(course, "student-45") / "multihead"
    read = next(read_ahead(course, LESSON, {"student-45": folder})) if in_turn else None
    submission = submitted(course, LESSON, "student-45", read=read)
    assert re.search("link", submission.unreadable.template)
    assert submission.cells == ()
    assert submitted(course, LESSON, "student-02").unreadable is None


@pytest.mark.parametrize("kind", [kind for kind in LINKS if kind != "a hard link"])
def test_a_link_is_refused_in_a_folder_that_is_checked(course, kind):
    LINKS[kind](below(course, "student-45"), below(course, "student-02"))
    found = list(read([course.root / "submitted"], LESSON))
    assert [one.student for one in found if one.unreadable is None] == ["student-02"]
    assert any("link" in one.unreadable.template for one in found if one.unreadable is not None)


def test_a_link_of_ones_own_is_refused_too(course):
    folder = below(course, "student-02") / "multihead"
    shutil.move(folder / "multihead.ipynb", folder / "work.ipynb")
    (folder / "multihead.ipynb").symlink_to("work.ipynb")
    submission = submitted(course, LESSON, "student-02")
    assert submission.name == "student-02/multihead/work.ipynb"
    assert any("links" in notice.template for notice in submission.notices)


def test_the_time_that_reading_takes_is_told_with_the_submission(monkeypatch):
    def slow():
        for _ in range(2):
            until = time.process_time() + 0.1
            while time.process_time() < until:
                pass
            yield Submission("work.ipynb", "student-01", "multihead")
    assert [one.seconds >= 0.1 for one in apart.each(slow, Submission)] == [True, True]


@pytest.mark.parametrize("budget", [0.2, 60.0])
def test_reading_has_no_more_time_than_the_budget(tmp_path, monkeypatch, budget):
    monkeypatch.setattr(apart, "SECONDS", 0.4)
    monkeypatch.setattr("autograder.intake.reading.best", lambda *_: endless())
    (tmp_path / "work.py").write_text("x = 1")
    submission = read_folder(tmp_path, "student-01", LESSON, seconds=budget)
    assert f"longer than {min(budget, 0.4)} seconds" in translate(submission.unreadable, "en")


def test_many_neighbours_are_counted_and_not_listed(tmp_path):
    for number in range(300):
        (tmp_path / f"m{number}.py").write_text("def split_heads(x, heads):\n    return x\n")
    (tmp_path / "multihead.py").write_text("\n".join(f"import m{number}" for number in range(300))
                                           + "\ndef merge_heads(x):\n    return x\n")
    submission = read_folder(tmp_path, "student-01", LESSON)
    for remarks in (submission.notices, submission.for_a_person):
        assert len(remarks) == apart.REMARKS + 1
        assert int(remarks[-1].values["count"]) > 500
    assert "more remarks" in translate(submission.notices[-1], "en")


def endless():
    while True:
        pass


def test_reading_counts_to_the_budget(engine_with):
    work = from_sources("work.py", "student-01", ["while True: pass"], LESSON)
    grade = engine_with(Limits(budget=1.0)).grade(msgspec.structs.replace(work, seconds=2.0))
    assert (grade.status, grade.cells) == ("graded", ())


@pytest.mark.parametrize("end", [lambda: os.kill(os.getpid(), signal.SIGXCPU), lambda: bytes(2**62),
                                 lambda: apart._time_is_up()], ids=["the kernel", "memory", "time"])
def test_of_many_paths_the_one_that_takes_too_much_costs_no_other(tmp_path, monkeypatch, end):
    names = ["first.py", "second.py", "third.py"]
    for name in names:
        (tmp_path / name).write_text(LESSON.reference_source)
    look = reading._at

    def at(path, *arguments):
        if path.endswith("second.py"):
            end()
        return look(path, *arguments)
    monkeypatch.setattr(reading, "_at", at)
    found = list(read([tmp_path / name for name in names], LESSON))
    assert [Path(one.name).name for one in found] == names
    assert [one.unreadable is None for one in found] == [True, False, True]


# --- many in turn -------------------------------------------------------------------------------------------------

def work(student: str, do=lambda: None):
    """The work of this student, whose reading does this first."""
    def read() -> Submission:
        do()
        return Submission(f"{student} {os.getpid()}", student, "multihead")
    return student, read


def in_turn_with(do) -> list[Submission | Exception]:
    return list(in_turn([work("student-01"), work("student-02", do), work("student-03")], LESSON, 0.3))


@pytest.mark.parametrize(("end", "why"), [
    (lambda: os.kill(os.getpid(), signal.SIGKILL), "more memory"), (lambda: bytearray(2 * apart.MEMORY), "more memory"),
    (lambda: os.kill(os.getpid(), signal.SIGXCPU), "longer than 0.3 seconds"),
    (lambda: endless(), "longer than 0.3 seconds")], ids=["killed", "memory", "by the kernel", "time"])
def test_of_many_in_turn_the_one_that_takes_too_much_costs_no_other(end, why):
    first, second, third = in_turn_with(end)
    assert [one.student for one in (first, second, third)] == ["student-01", "student-02", "student-03"]
    assert why in translate(second.unreadable, "en")
    assert first.unreadable is third.unreadable is None


@pytest.mark.parametrize("fault", [lambda: 1 / 0, lambda: os._exit(3), lambda: os._exit(0)])
def test_a_fault_of_our_own_in_turn_is_that_of_one(fault):
    first, second, third = in_turn_with(fault)
    assert (first.student, third.student) == ("student-01", "student-03")
    assert isinstance(second, apart.Ended)


def test_each_in_turn_has_all_of_its_memory_whatever_those_before_it_left_behind():
    kept = []
    reads = [work(f"student-{number:02}", lambda: kept.append(bytearray(apart.GROWN // 2))) for number in range(6)]
    found = list(in_turn([*reads, work("last", lambda: bytearray(apart.MEMORY * 9 // 10))], LESSON))
    assert [one.student for one in found] == [student for student, _ in reads] + ["last"]
    assert [one.unreadable for one in found] == [None] * 7
    assert 1 < len({one.name.split()[1] for one in found}) < 7          # processes


def test_whoever_stops_listening_in_turn_leaves_no_process():
    before = children()
    found = in_turn([work("student-01"), work("student-02", endless)], LESSON)
    next(found)
    assert children() > before
    found.close()
    assert children() == before


def test_the_points_that_a_cell_claims_are_no_long_text():
    marks = '{"nbgrader":{"grade":true,"grade_id":"a","points":' + "9" * 10**6 + "}}"
    (cell,), _ = notebook_cells(HEAD + "x" + TAIL.replace("{}", marks))
    assert len(cell.marks) < 200


# --- beside a thread ----------------------------------------------------------------------------------------------

#: forks while a thread finds a module, which wants the lock of logging: a fork holds that when it calls what came first
BESIDE = """
import os, sys, threading
forking, finding = threading.Event(), threading.Event()
os.register_at_fork(before=forking.set)
from autograder.intake import apart, archive

class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "nowhere":
            import logging
            finding.set()
            forking.wait(0.5)           # a fork that comes too late harms nothing
            logging.getLogger(name)

def search():
    try:
        import nowhere
    except ModuleNotFoundError:
        pass

def read():
    import this
    return b"read"

sys.meta_path.insert(0, Slow())
thread = threading.Thread(target=search)
thread.start()
finding.wait()
print(apart.one(read, bytes))
thread.join()
"""


def test_reading_begins_also_while_a_thread_imports() -> None:
    done = subprocess.run([sys.executable, "-c", BESIDE], capture_output=True, text=True, timeout=HANGS, check=False)
    assert done.stdout.splitlines()[-1:] == ["b'read'"], done.stderr


@pytest.mark.slow
def test_a_class_is_read_as_each_of_it_would_be_read_alone(course):
    """Whatever lies between honest work: files that take all of the memory or the time, and what is no file."""
    for number, kind in enumerate([*KINDS][::4], 10):
        bad = below(course, f"student-{number}") / "multihead" / kind
        bad.parent.mkdir(parents=True)
        bad.write_text(KINDS[kind]((1 + number % 2 * 59) * MB))
        hand_in(course, f"student-{number}-honest", released())
    (below(course, "student-30") / "multihead").mkdir(parents=True)
    os.mkfifo(below(course, "student-30") / "multihead" / "multihead.ipynb")
    folders = {path.name: path / "multihead" for path in [*below(course, "").iterdir(), below(course, "nobody")]}
    for (student, folder), found in zip(folders.items(), read_ahead(course, LESSON, folders), strict=True):
        alone, ahead = (submitted(course, LESSON, student, folder=folder, read=one) for one in (None, found))
        assert msgspec.structs.replace(alone, seconds=0.0) == msgspec.structs.replace(ahead, seconds=0.0), student
        assert ahead.unreadable is None or not student.endswith("honest")
