"""The built wheel works by itself: the lesson's files travel in it."""
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def installed(built_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the wheel holds, far from the checkout."""
    folder = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(built_wheel) as archive:
        archive.extractall(folder)
    return folder


def autograder(installed: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "autograder", *arguments], cwd=folder, text=True, check=False,
                          capture_output=True, env={**os.environ, "PYTHONPATH": str(installed)})


def test_the_wheel_grades_the_reference_from_another_folder(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "answer.py").write_bytes((ROOT / "solutions" / "multihead.py").read_bytes())
    done = autograder(installed, tmp_path, "check", "answer.py", "--json", "-")
    assert (done.returncode, json.loads(done.stdout)["points"]) == (0, 20)


def test_the_wheel_is_typed(installed: Path) -> None:
    assert (installed / "autograder" / "py.typed").is_file()


@pytest.mark.slow
def test_the_wheel_speaks_dutch(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.ipynb").write_bytes(b"")
    done = autograder(installed, tmp_path, "check", "empty.ipynb")
    assert "Het bestand is leeg" in done.stdout


@pytest.mark.slow
def test_the_wheel_makes_and_grades_a_class(installed: Path, tmp_path: Path) -> None:
    done = autograder(installed, tmp_path, "demo", "--students", "2", "class", "--json", "grades.jsonl")
    assert done.returncode == 0, done.stderr
    assert len((tmp_path / "grades.jsonl").read_text().splitlines()) == 2
    assert len(list((tmp_path / "class" / "feedback").glob("*/*.html"))) == 2


@pytest.mark.slow
def test_a_course_is_made_released_and_graded_from_the_wheel_alone(installed: Path, tmp_path: Path) -> None:
    done = autograder(installed, tmp_path, "init", "my-course")
    assert done.returncode == 0, done.stderr
    course = tmp_path / "my-course"
    done = autograder(installed, course, "release")
    assert done.returncode == 0, done.stderr
    assert {path.name for path in (course / "release").iterdir()} == {"multihead", "multihead-en"}
    place = course / "submitted" / "student-01" / "multihead"
    place.mkdir(parents=True)
    (place / "multihead.py").write_bytes((installed / "autograder/_course/solutions/multihead.py").read_bytes())
    done = autograder(installed, course, "grade")
    assert done.returncode == 0, done.stderr
    done = autograder(installed, course, "export", "--format", "csv")
    assert done.stdout.splitlines()[1].split(",")[3] == "20", done.stderr


def test_the_wheel_holds_no_tests_and_no_students_work(installed: Path) -> None:
    names = {path.relative_to(installed).parts[0] for path in installed.rglob("*")}
    assert {name for name in names if not name.endswith(".dist-info")} == {"autograder"}
