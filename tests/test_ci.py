"""What CI runs: .ci/run, by the names of the Makefile and the README, here and on GitHub."""
from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
TARGETS = re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[1].split()
CALLED = re.findall(r"^make (\S+)$", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), re.MULTILINE)


def recipe(target: str) -> str:
    """The commands of a target."""
    return re.search(rf"^{target}:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)[1]


def test_every_target_that_ci_calls_exists() -> None:
    assert CALLED == ["lint", "test-all", "test-integration", "docs"]
    assert set(CALLED) <= set(TARGETS)
    assert all(recipe(target) for target in CALLED)


def test_ci_looks_for_what_is_out_of_date() -> None:
    assert "autograder dev all --check" in recipe("lint")


def test_ci_checks_the_types_of_every_room() -> None:
    types = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["basedpyright"]
    assert "basedpyright" in recipe("lint")
    assert (types["typeCheckingMode"], types["include"]) == ("standard", ["autograder", "benchmarks"])
    assert not {"ignore", "exclude"} & types.keys()
    assert not any(value in (False, "none") for key, value in types.items() if key.startswith("report"))


def test_every_test_belongs_to_exactly_one_of_what_ci_runs() -> None:
    assert '-m "not integration"' in recipe("test-all")
    assert "-m integration" in recipe("test-integration")
    assert '-m "not slow and not integration"' in recipe("test")


def test_every_marker_is_registered_and_others_are_refused() -> None:
    options = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    assert [line.partition(":")[0] for line in options["markers"]] == ["slow", "integration"]
    assert "--strict-markers" in options["addopts"].split()


@pytest.mark.parametrize("target", ["test", "test-all", "test-integration"])
def test_the_readme_and_contributing_name_the_commands(target: str) -> None:
    for page in ("README.md", "CONTRIBUTING.md"):
        assert re.search(rf"\bmake {target}\b(?!-)", (ROOT / page).read_text(encoding="utf-8")), page


def test_the_workflow_runs_what_ci_runs_in_a_checkout() -> None:
    for job in WORKFLOW["jobs"].values():
        kinds = [step.get("uses", "").partition("@")[0] or step["run"].removesuffix(" ${{ matrix.versions }}")
                 for step in job["steps"]]
        assert kinds.index("actions/checkout") < kinds.index(".ci/run")
        assert not any("pytest" in kind or "make" in kind for kind in kinds)
        assert all(re.fullmatch(r"[\w./-]+@v\d+", step["uses"]) for step in job["steps"] if "uses" in step)


def test_the_workflow_is_whole() -> None:
    assert set(WORKFLOW) == {"name", True, "permissions", "jobs"}         # YAML takes `on` for a truth value
    assert set(WORKFLOW[True]) == {"push", "pull_request"}
    for job in WORKFLOW["jobs"].values():
        assert set(job) <= {"runs-on", "container", "steps", "strategy", "timeout-minutes"}
        assert all(set(step) <= {"uses", "with", "name", "run"} for step in job["steps"])
        named = re.findall(r"\$\{\{ *matrix\.(\w+) *}}", yaml.safe_dump(job))
        assert set(named) == set(job["strategy"]["matrix"])


def test_the_workflow_tries_each_python_that_the_package_promises() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    low, high = (tuple(map(int, part.split("."))) for part in
                 re.fullmatch(r">=([\d.]+),<([\d.]+)", project["requires-python"]).groups())
    for job in WORKFLOW["jobs"].values():
        tried = {tuple(map(int, version.split("."))) for version in job["strategy"]["matrix"]["python"]}
        assert tried == {(3, minor) for minor in range(low[1], high[1])}


def test_the_workflow_tries_the_lowest_and_the_newest_versions_of_everything() -> None:
    assert WORKFLOW["jobs"]["versions"]["strategy"]["matrix"]["versions"] == ["lowest", "newest"]
    assert WORKFLOW["jobs"]["versions"]["steps"][-1]["run"] == ".ci/run ${{ matrix.versions }}"


@pytest.mark.parametrize("versions", ["tested", "lowest", "newest"])
def test_make_installs_the_versions_that_it_is_asked_for(versions: str) -> None:
    # a make under another make says where it enters and leaves: the tests are run by one
    done = subprocess.run(["make", "--no-print-directory", "-nB", "setup", f"VERSIONS={versions}"],
                          cwd=ROOT, capture_output=True, text=True, check=True)
    assert f"-c .venv/{versions}.txt " in done.stdout
    assert done.stdout.splitlines()[-1] == f"touch .venv/ready{'' if versions == 'tested' else versions}"


def test_the_script_can_be_started() -> None:
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111
