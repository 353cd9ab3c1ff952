"""What is published: an sdist that makes the same wheel, with nothing of a machine in it, that an index would take."""
from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from test_bounds import environment, installed

import autograder

ROOT = Path(__file__).parents[1]
#: what tools leave anywhere, and what tests and courses leave in a checkout
ANYWHERE = {".git", ".venv", ".hypothesis", ".pytest_cache", ".ruff_cache", ".ipynb_checkpoints", "__pycache__"}
IN_THE_CHECKOUT = {".autograder", "site", "dist", "build", "demo-class", "gradebook.db", "submitted", "autograded",
                   "feedback"}


@pytest.fixture(scope="session")
def sdist(built) -> Path:
    """The sdist of this checkout."""
    return built("sdist")


@pytest.fixture(scope="session")
def unpacked(made_once, sdist: Path) -> Path:
    """What is in it."""
    def make(folder: Path) -> None:
        with tarfile.open(sdist) as archive:
            archive.extractall(folder, filter="data")
    (found,) = made_once("sdist-unpacked", make).iterdir()
    return found


def test_the_version_is_the_same_everywhere() -> None:
    version = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)[1]
    assert version == autograder.__version__
    catalogues = [*(ROOT / "modules").glob("*/nl.po"), *(ROOT / "autograder" / "locale").rglob("*.po")]
    assert catalogues != []
    for path in catalogues:
        assert f'"Project-Id-Version: multihead-autograder {version}\\n"' in path.read_text(encoding="utf-8"), path
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert any(re.fullmatch(rf"{re.escape(version)} - \d{{4}}-\d\d-\d\d", heading) for heading in headings)


@pytest.mark.slow
def test_nothing_that_was_left_behind_is_in_the_sdist(unpacked: Path) -> None:
    files = [path.relative_to(unpacked) for path in unpacked.rglob("*") if path.is_file()]
    assert [path for path in files if path.suffix == ".pyc" or ANYWHERE & set(path.parts)] == []
    assert {path.parts[0] for path in files} & IN_THE_CHECKOUT == set()
    assert {Path("README.md"), Path("LICENSE"), Path("Containerfile"), Path("docs/container.md"),
            Path("tests/conftest.py")} <= set(files)


@pytest.mark.slow
def test_no_published_file_names_a_folder_of_this_machine(unpacked: Path, built_wheel: Path) -> None:
    files = {str(path): path.read_bytes() for path in unpacked.rglob("*") if path.is_file()} | contents(built_wheel)
    assert [name for name, data in files.items() if str(ROOT).encode() in data] == []


@pytest.mark.slow
def test_the_sdist_makes_the_same_wheel(unpacked: Path, built_wheel: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, unpacked],
                   check=True, capture_output=True)
    assert [path.name for path in tmp_path.iterdir()] == [built_wheel.name]
    assert contents(tmp_path / built_wheel.name) == contents(built_wheel)


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.integration
def test_an_index_would_take_both(sdist: Path, built_wheel: Path, tmp_path: Path) -> None:
    own = environment(tmp_path, ".".join(map(str, sys.version_info[:2])), ["twine>=6.1"], [])
    said = installed([str(own / "twine"), "--no-color", "check", "--strict", str(sdist), str(built_wheel)])
    assert said.count("PASSED") == 2
