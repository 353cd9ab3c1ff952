"""The bounds of pyproject.toml are true: a class is graded with the lowest versions of all, and with the newest."""
from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from test_pythons import python

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NEEDS = [*PROJECT["dependencies"], *(need for extra in PROJECT["optional-dependencies"].values() for need in extra)]
#: what a teacher installs
EXTRAS = ("cluster", "plots", "postgres")


def lowest(*extras: str) -> list[str]:
    command = [sys.executable, ROOT / ".ci" / "lowest", *extras]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def installed(command: list[str]) -> str:
    """Run an installer; what went wrong with a registry or a version is what the test says."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          env={**os.environ, "PIP_NO_COMPILE": "1"})
    assert done.returncode == 0, f"this test installs packages from an index: {done.stdout[-3000:]}"
    return done.stdout


def environment(folder: Path, version: str, wanted: list[str], constraints: list[str]) -> Path:
    """A new environment with these packages; uv is faster than pip, where it is."""
    (folder / "constraints.txt").write_text("\n".join(constraints))
    own, uv = folder / "environment", shutil.which("uv")
    start = [uv, "venv", "--quiet", "--python", python(version)] if uv else [python(version), "-m", "venv"]
    installed([*start, str(own)])
    pip = ([uv, "pip", "install", "--python", str(own / "bin" / "python"), "--only-binary", ":all:"] if uv else
           [str(own / "bin" / "python"), "-m", "pip", "install", "--disable-pip-version-check", "--only-binary=:all:"])
    installed([*pip, "--quiet", "-c", str(folder / "constraints.txt"), *wanted])
    return own / "bin"


def versions(own: Path) -> dict[str, str]:
    """What an environment has, by normalised names."""
    ask = ("import json; from importlib.metadata import distributions as all\n"
           "print(json.dumps({each.name.lower().replace('_', '-'): each.version for each in all()}))")
    return json.loads(subprocess.run([own / "python", "-c", ask], capture_output=True, text=True, check=True).stdout)


def test_everything_has_a_lowest_version_that_can_be_listed() -> None:
    listed = [Requirement(line) for line in lowest("all")]
    needs = [Requirement(need) for need in NEEDS]
    assert [(each.name, each.marker) for each in listed] == [(each.name, each.marker) for each in needs]
    for need, line in zip(needs, listed, strict=True):
        (exact,) = line.specifier
        assert exact.operator == "=="
        assert need.specifier.contains(exact.version)


def test_the_tested_versions_are_within_the_bounds() -> None:
    pinned = dict(re.findall(r"^(\S+)==(\S+)$", (ROOT / "constraints.txt").read_text().lower(), re.MULTILINE))
    for need in map(Requirement, NEEDS):
        assert need.specifier.contains(pinned[need.name.lower()]), need


@pytest.mark.integration
@pytest.mark.parametrize(("which", "version"), [("lowest", "3.11"), ("lowest", "3.13"), ("newest", "3.12")])
def test_a_class_is_graded_at_both_ends_of_the_bounds(which: str, version: str, built_wheel: Path,
                                                      tmp_path: Path) -> None:
    wheel = f"{built_wheel}[{','.join(EXTRAS)}]"
    own = environment(tmp_path, version, [wheel], lowest(*EXTRAS) if which == "lowest" else [])
    if which == "lowest":
        there = versions(own)
        for line in map(Requirement, lowest(*EXTRAS)):
            if line.marker is None or line.marker.evaluate({"python_version": version}):
                assert line.specifier.contains(there[line.name]), line

    def autograder(*words: str, code: int = 0) -> str:
        done = subprocess.run([own / "autograder", *words], cwd=course if course.exists() else tmp_path, text=True,
                              capture_output=True, env={**os.environ, "COLUMNS": "100"}, check=False)
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        return done.stdout

    course = tmp_path / "course"
    assert "grade" in autograder("--help")
    autograder("init", "course")
    answer = course / "submitted" / "student-01" / "multihead"
    answer.mkdir(parents=True)
    shutil.copy(ROOT / "solutions" / "multihead.py", answer)
    wrong = course / "submitted" / "student-02" / "multihead"
    shutil.copytree(ROOT / "tests" / "submissions" / "once-split-wrong", wrong)
    (wrong / "expect.json").unlink()
    (wrong / "submission.ipynb").rename(wrong / "multihead.ipynb")
    assert json.loads(autograder("check", str(answer), "--json", "-"))["points"] == 20
    autograder("release")
    autograder("grade")
    rows = [line.split(",") for line in autograder("export", "--format", "csv").splitlines()[1:]]
    expected = json.loads((ROOT / "tests" / "submissions" / "once-split-wrong" / "expect.json").read_text())["points"]
    assert {row[0]: float(row[3]) for row in rows} == {"student-01": 20, "student-02": sum(expected.values())}
    assert (course / "report.html").stat().st_size > 10_000
    subprocess.run([own / "nbgrader", "export", "--to", "marks.csv"], cwd=course, check=True, capture_output=True)
    assert "student-02" in (course / "marks.csv").read_text()
