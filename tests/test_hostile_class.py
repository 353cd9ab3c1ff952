"""A class with some of the worst submissions in it: whatever they do, the others have their marks, and the run ends."""
from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from autograder import cli

sys.path.insert(0, str(Path(__file__).parents[1]))

#: cheap ones of each sort; `python -m benchmarks.hostile` takes them all
FEW = ("ends in every call", "numbers of one byte", "raises", "deep lists", "gigabytes of nothing")


@pytest.mark.slow
def test_honest_marks_do_not_change_beside_hostile_work(tmp_path, monkeypatch, capsys):
    from benchmarks import hostile  # slow to import: it makes all of its work
    monkeypatch.setattr(hostile, "HOSTILE", {kind: hostile.HOSTILE[kind] for kind in FEW})
    who = hostile.make_class(tmp_path, len(FEW) + 3)
    monkeypatch.chdir(tmp_path)
    assert cli.run(["grade", "--jobs", "2", "--budget", "12", "--json", "grades.jsonl"]) == 1
    lines = {line["student"]: line for line in map(json.loads, Path("grades.jsonl").read_text().splitlines())}
    assert {student: line["points"] for student, line in lines.items() if student not in who} == {
        f"honest-00{number}": 20.0 for number in range(3)}
    assert {who[student]: lines[student]["status"] for student in who} == {
        kind: "unreadable" if kind in hostile.FILES else "graded" for kind in FEW}
    assert {line["points"] for student, line in lines.items() if student in who} == {0.0, None}
    assert "Traceback" not in capsys.readouterr().err


def test_the_processes_below_one_are_found_with_their_time():
    from benchmarks import hostile
    assert hostile.below(os.getpid())[0] == os.getpid()
    assert hostile.processor_time(os.getpid()) > 0
