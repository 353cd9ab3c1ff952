"""Every attack and every odd but honest program under tests/attacks/ ends as its own header says, in every tier.

A header is the docstring's last paragraph, `key: value` lines. cell: how the file's cell ends (ok); points: of 10 (all
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
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import pytest

from autograder.judge.engine import Engine, Limits
from autograder.lessons.installed import load_lesson
from autograder.lessons.kit.lesson import Lesson
from autograder.records import Cell, Grade, Submission, text
from autograder.sandbox.tiers import NoIsolation, wall
from autograder.sandbox.wall import Wall

FOLDER = Path(__file__).parent / "attacks"
REPOSITORY = FOLDER.parents[1]
ATTACKS = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "kit")
ONE_OF_EACH_KIND = {"bomb_prints", "crash_abort", "forging_false_verdicts", "hanging_sleep", "honest_introspection",
                    "lasting_builtins", "memory_huge_array", "neighbours_kill", "reading_hidden_inputs_by_printing",
                    "tampering_mount"}
TIERS = ("namespaces", "process")
OTHER = "a-word-of-the-student-before"
POINTS = 10.0
EXERCISES = ("split_heads", "merge_heads", "multihead")       # enough to see what an attack does; the rest takes longer
MARK = "autograder-attack"                # in the name of every file that an attack tries to leave


def short_lesson() -> Lesson:
    lesson = load_lesson("multihead")
    return replace(lesson, exercises=tuple(
        exercise if exercise.name in EXERCISES else replace(exercise, skipped=text("not here"))
        for exercise in lesson.exercises))


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
            running[tier, hurried] = Engine(short_lesson(), limits).__enter__()
        return running[tier, hurried]
    os.environ["AUTOGRADER_SECRET"] = "secret"
    yield engine
    del os.environ["AUTOGRADER_SECRET"]
    for each in running.values():
        each.__exit__(None, None, None)


@pytest.fixture(params=TIERS)
def tier(request: pytest.FixtureRequest) -> str:
    try:
        return wall(request.param)[0].tier
    except NoIsolation as missing:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(missing))


def source_of(name: str) -> str:
    return (FOLDER / f"{name}.py").read_text(encoding="utf-8")


def everywhere() -> Iterator[Any]:
    """Each attack behind each of the walls where it makes sense.

    Behind one of its walls by turns, one of each kind always, and the others later; behind the other wall the one of
    each kind later, and the others last.
    """
    for number, name in enumerate(ATTACKS):
        tiers = [tier for tier in TIERS if tier in expectations(source_of(name)).get("tiers", tier)]
        for tier in tiers:
            tiers_away = (tier != tiers[number % len(tiers)]) + (name not in ONE_OF_EACH_KIND)
            yield pytest.param(tier, name, marks=((), pytest.mark.slow, pytest.mark.integration)[tiers_away])


@pytest.mark.parametrize(("tier", "name"), [*everywhere()], indirect=["tier"])
def test_an_attack_ends_as_its_header_says(engines: Any, tier: str, name: str) -> None:
    source = source_of(name)
    expected = expectations(source)
    if platform.machine() not in expected.get("machine", platform.machine()):
        pytest.skip("makes no sense here")
    if find_spec(expected.get("needs", "numpy")) is None:
        pytest.skip(f"{expected['needs']} is not installed")
    engine = engines(tier, name.startswith("hanging") or "seconds" in expected)
    grade = engine.grade(submission(kit(), source))
    assert_as_expected(grade, expected)
    honest = engine.grade(submission(f"word = {OTHER!r}", f"# {OTHER}"))
    assert (honest.status, honest.points, honest.isolation) == ("graded", POINTS, tier)
    assert not left_behind()


#: the zygote with a filter that kills for whatever it would deny
STRICT = """
import runpy
from autograder.sandbox.inside import seccomp
given = seccomp.program
DENY, KILL = bytes.fromhex("0600000001000500"), bytes.fromhex("0600000000000080")
def program():
    code = given()
    steps = [code[at:at + 8] for at in range(0, len(code), 8)]
    assert DENY in steps
    return b"".join(KILL if step == DENY else step for step in steps)
seccomp.program = program
runpy.run_module("autograder.sandbox.inside.zygote", run_name="__main__")
"""


@pytest.fixture(scope="module")
def strict_engines() -> Iterator[Any]:
    command = Wall.command

    def strict(wall: Wall, *how: Any) -> list[str]:
        parts = command(wall, *how)
        at = parts.index("-m")
        return [*parts[:at], "-c", STRICT, *parts[at + 2:]]
    with pytest.MonkeyPatch.context() as patch, ExitStack() as running:
        patch.setattr(Wall, "command", strict)
        yield cache(lambda tier: running.enter_context(
            Engine(short_lesson(), Limits(seconds=30.0, cell_seconds=30.0, isolation=tier))))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in ATTACKS if name.startswith("honest")])
def test_an_honest_program_never_meets_a_denial(strict_engines: Any, tier: str, name: str) -> None:
    source = source_of(name)
    expected = expectations(source)
    if find_spec(expected.get("needs", "numpy")) is None:
        pytest.skip(f"{expected['needs']} is not installed")
    grade = strict_engines(tier).grade(submission(kit(), source))
    if expected.get("denials") == "handled":
        assert grade.cells[2].status == "tampering"
    else:
        assert_as_expected(grade, expected)


def kit() -> str:
    known = f"REPOSITORY, JUDGE, OTHER = {str(REPOSITORY)!r}, {os.getpid()}, {OTHER[::-1]!r}\n"
    return source_of("kit") + known


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
    if points == "below 10":
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


def test_there_is_one_of_each_kind() -> None:
    assert sorted(name.partition("_")[0] for name in ONE_OF_EACH_KIND) == sorted({
        name.partition("_")[0] for name in ATTACKS})
    assert set(ATTACKS) >= ONE_OF_EACH_KIND


def test_every_header_can_be_read() -> None:
    keys = {"cell", "points", "tiers", "machine", "needs", "output", "notebook", "seconds", "denials",
            *(exercise.name for exercise in load_lesson("multihead").exercises)}
    for name in ATTACKS:
        source = source_of(name)
        assert source.startswith('"""'), name
        assert set(expectations(source)) <= keys, name
        if name != "honest_magics":
            ast.parse(source)
