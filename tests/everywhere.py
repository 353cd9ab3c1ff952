"""The solved release on every Python and NumPy that students may have: `python tests/everywhere.py`.

For each Python 3.11 to 3.13 that this machine has, and each NumPy that has a wheel for it, a new environment with that
NumPy and nothing else runs selfcheck on both editions. Exit code 1 where an example does not hold.
"""
from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
from editions import EDITIONS, RELEASES, code_cells

PYTHONS = ("3.11", "3.12", "3.13")
NUMPYS = {"3.11": ("1.26.*", "2.*"), "3.12": ("1.26.*", "2.*"), "3.13": ("2.1.*", "2.*")}


def interpreter(version: str) -> str | None:
    """A Python of this version, where one starts: on the path, of pyenv, or ours."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    for command in (shutil.which(f"python{version}"), *map(str, pyenv.glob(f"{version}.*/bin/python")), sys.executable):
        if command and said(command, "-c", "import sys, venv; print('%d.%d' % sys.version_info[:2])") == version:
            return command
    return None


def said(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def solved(language: str, folder: Path) -> Path:
    """The release of this edition with the reference's functions in it."""
    shutil.copytree(RELEASES[language].parent, folder)
    notebook, sources = nbformat.read(folder / "multihead.ipynb", as_version=4), code_cells(EDITIONS[language])
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            cell.source = sources[cell.metadata.nbgrader.grade_id].source
    nbformat.write(notebook, folder / "multihead.ipynb")
    return folder


def holds(python: str, numpy: str, folders: list[Path], environment: Path) -> tuple[bool, str]:
    """Whether every example holds with this Python and NumPy; and the NumPy that it was, or what went wrong."""
    subprocess.run([python, "-m", "venv", "--without-pip", environment], check=True)
    own = str(environment / "bin" / "python")
    subprocess.run([sys.executable, "-m", "pip", "--python", own, "install", "--quiet", "--no-compile",
                    "--disable-pip-version-check", "--only-binary=:all:", f"numpy=={numpy}"], check=True)
    version = said(own, "-c", "import numpy; print(numpy.__version__)")
    for folder in folders:
        done = subprocess.run([own, "-m", "selfcheck", "multihead.ipynb"], cwd=folder, capture_output=True, text=True)
        if done.returncode:
            return False, f"{version}\n{done.stdout}{done.stderr}"
    return True, version


def main() -> int:
    """Try all of them, a line each; the exit code."""
    found = {version: command for version in PYTHONS if (command := interpreter(version))}
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        folders = [solved(language, Path(temporary) / language) for language in EDITIONS]
        for version, command in found.items():
            for index, numpy in enumerate(NUMPYS[version]):
                right, words = holds(command, numpy, folders, Path(temporary) / f"{version}-{index}")
                failed += not right
                print(f"Python {version}, NumPy {words}: {'every example holds' if right else 'FAILED'}", flush=True)
    for version in set(PYTHONS) - set(found):
        print(f"Python {version}: not on this machine")
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.exit(main())
