"""Other versions than those that run these tests: every Python of the README that this machine has, and every NumPy."""
from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import everywhere
import pytest
from editions import EDITIONS
from test_attacks import ONE_OF_EACH_KIND

ROOT = Path(__file__).parents[1]
OWN = ".".join(map(str, sys.version_info[:2]))
#: of the environment, what belongs to the `make` and the pytest that run these tests
OURS = ("MAKE", "MFLAGS", "PYTEST", "PYTHON", "VIRTUAL_ENV", "COV")

pytestmark = pytest.mark.integration


def python(version: str) -> str:
    found = everywhere.interpreter(version)
    if found is None:
        pytest.skip(f"Python {version} is not on this machine")
    return found


#: what depends on the Python that students' code runs on; `make test PYTHON=...` runs the rest
TOLD_BY_PYTHON = ("tests/sandbox/test_ends.py", "tests/sandbox/test_calling.py", "tests/test_attacks.py",
                  "tests/test_wall.py", "tests/test_nudging.py", "tests/test_submissions.py")
#: and of what `make test` leaves out: all that hides a derivative, and one attack of each kind behind the other wall
MORE = f"could_not_be_watched or fixed_size or ends_as_its_header_says and ({' or '.join(sorted(ONE_OF_EACH_KIND))})"


@pytest.mark.parametrize("version", [version for version in everywhere.PYTHONS if version != OWN])
def test_a_new_checkout_is_set_up_and_judges_alike(version: str, tmp_path: Path) -> None:
    checkout = shutil.copytree(ROOT, tmp_path / "checkout", symlinks=True, ignore=shutil.ignore_patterns(
        ".git", ".venv", "__pycache__", ".pytest_cache", ".hypothesis", ".ruff_cache", "site", "demo-class", "bench"))
    environment = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    environment["PIP_NO_COMPILE"] = "1"         # what is imported is compiled then, and most is not
    for command in (["make", "setup", f"PYTHON={python(version)}"],
                    [".venv/bin/python", "-m", "pytest", "-m", "not slow and not integration", *TOLD_BY_PYTHON],
                    [".venv/bin/python", "-m", "pytest", "-m", "slow", "-k", MORE, *TOLD_BY_PYTHON]):
        done = subprocess.run(command, cwd=checkout, env=environment, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, errors="replace", check=False)
        assert done.returncode == 0, done.stdout[-8000:]


@pytest.mark.parametrize(("version", "numpy"), [(version, numpy) for version in everywhere.PYTHONS
                                                for numpy in everywhere.NUMPYS[version]])
def test_every_example_of_both_editions_holds(version: str, numpy: str, tmp_path: Path) -> None:
    folders = [everywhere.solved(language, tmp_path / language) for language in EDITIONS]
    right, words = everywhere.holds(python(version), numpy, folders, tmp_path / "environment")
    assert right, words
