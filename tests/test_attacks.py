"""Every attack and every odd but honest program under tests/attacks/ ends as its own header says, in every tier.

A header is the docstring's last paragraph, `key: value` lines. cell: how the file's cell ends (ok); points: of 17 (all
of them); <exercise>: the words of the verdicts that are not "passed"; tiers, machine, needs: where it makes sense;
output: cut; seconds: how long a call may take. Whatever happens, nobody may say BROKE IN, and an honest submission gets
all its points right after.
"""
from __future__ import annotations

import ast
import os
import platform
import re
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import pytest

from autograder.grade import Engine, Limits
from autograder.lesson import Lesson, load_lesson
from autograder.records import Cell, Grade, Submission, text
from autograder.sandbox.tiers import NoIsolation, wall

FOLDER = Path(__file__).parent / "attacks"
REPOSITORY = FOLDER.parents[1]
ATTACKS = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "kit")
OTHER = "a-word-of-the-student-before"
POINTS = 17.0                             # without the student's own test, which runs in two dozen processes
MARK = "autograder-attack"                # in the name of every file that an attack tries to leave


def lesson_without_own_tests() -> Lesson:
    lesson = load_lesson("multihead")
    return replace(lesson, exercises=tuple(replace(exercise, skipped=text("not here")) if exercise.implementations
                                           else exercise for exercise in lesson.exercises))


def submission(*sources: str) -> Submission:
    """The reference, then these cells."""
    reference = (REPOSITORY / "solutions" / "multihead.py").read_text(encoding="utf-8")
    cells = tuple(Cell(index, source) for index, source in enumerate((reference, *sources)))
    return Submission("attack.py", "student-01", "multihead", cells, key="attack")


def expectations(source: str) -> dict[str, str]:
    """The header's last paragraph, where it consists of `key: value` lines."""
    header = re.match(r'"""(.*?)"""', source, re.DOTALL)[1]
    last = header.strip().split("\n\n")[-1].splitlines()
    return dict(line.split(": ", 1) for line in last) if all(re.match("[a-z_]+: ", line) for line in last) else {}


@pytest.fixture(scope="module")
def engines() -> Iterator[Any]:
    """An engine for a tier, patient or in a hurry; each is started once."""
    running: dict[tuple[str, bool], Engine] = {}

    def engine(tier: str, hurried: bool) -> Engine:
        if (tier, hurried) not in running:
            limits = Limits(seconds=0.5 if hurried else 30.0, cell_seconds=1.0 if hurried else 30.0, memory_mb=512,
                            isolation=tier)
            running[tier, hurried] = Engine(lesson_without_own_tests(), limits).__enter__()
        return running[tier, hurried]
    os.environ["AUTOGRADER_SECRET"] = "secret"
    yield engine
    del os.environ["AUTOGRADER_SECRET"]
    for each in running.values():
        each.__exit__(None, None, None)


@pytest.fixture(params=["namespaces", "process"])
def tier(request: pytest.FixtureRequest) -> str:
    try:
        return wall(request.param)[0].tier
    except NoIsolation as missing:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(missing))


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_ends_as_its_header_says(engines: Any, tier: str, name: str) -> None:
    source = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    expected = expectations(source)
    if tier not in expected.get("tiers", tier) or platform.machine() not in expected.get("machine", platform.machine()):
        pytest.skip("makes no sense here")
    if find_spec(expected.get("needs", "numpy")) is None:
        pytest.skip(f"{expected['needs']} is not installed")
    engine = engines(tier, name.startswith("hanging") or "seconds" in expected)
    grade = engine.grade(submission(kit(), source))
    assert_as_expected(grade, expected)
    honest = engine.grade(submission(f"word = {OTHER!r}", f"# {OTHER}"))
    assert (honest.status, honest.points, honest.isolation) == ("graded", POINTS, tier)
    assert not left_behind()


def kit() -> str:
    known = f"REPOSITORY, JUDGE, OTHER = {str(REPOSITORY)!r}, {os.getpid()}, {OTHER[::-1]!r}\n"
    return (FOLDER / "kit.py").read_text(encoding="utf-8") + known


def assert_as_expected(grade: Grade, expected: dict[str, str]) -> None:
    said = "\n".join(cell.output for cell in grade.cells)
    assert "BROKE IN" not in msgspec.json.encode(grade).decode(), said
    assert "BROKE_IN" not in msgspec.json.encode(grade).decode(), said
    assert grade.status == "graded", grade.for_a_person
    cell = next(cell for cell in grade.cells if cell.cell == 2)
    assert cell.status == expected.get("cell", "ok"), (cell.error, said)
    assert cell.output.endswith("[...]") == (expected.get("output") == "cut")
    for exercise in grade.exercises:
        words = {verdict.verdict for verdict in exercise.verdicts if verdict.verdict not in ("passed", "skipped")}
        if "points" not in expected or exercise.name in expected:
            assert words <= set(expected.get(exercise.name, "").split()), exercise.name
            assert bool(words) == (exercise.name in expected), exercise.name
    points = expected.get("points", str(POINTS))
    if points == "below 17":
        assert grade.points < POINTS
    elif points != "any":
        assert grade.points == float(points)
    tampered = "tampering" in expected.values()
    assert any("system call" in reason.template for reason in grade.for_a_person) == tampered


def left_behind() -> list[Path]:
    """Files by which an attack would be remembered."""
    places = {Path("/"), Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"), Path.cwd(), REPOSITORY, Path.home(),
              Path(os.__file__).parent, Path(find_spec("numpy").origin).parents[1]}
    return [found for place in places if os.access(place, os.R_OK) for found in place.glob(f"{MARK}*")]


def test_every_header_can_be_read() -> None:
    keys = {"cell", "points", "tiers", "machine", "needs", "output", "notebook", "seconds",
            *(exercise.name for exercise in load_lesson("multihead").exercises)}
    for name in ATTACKS:
        source = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
        assert source.startswith('"""'), name
        assert set(expectations(source)) <= keys, name
        if name != "honest_magics":
            ast.parse(source)
