"""A Python or an nbgrader that this was never tried with is refused in one clear line."""
import importlib
import sys
import tomllib
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

import autograder
from autograder.course.folder import CourseError
from autograder.nbgrader import versions


@pytest.mark.parametrize("found", ["0.9.5", "0.9.6", "0.9.7.dev1"])
def test_these_versions_of_nbgrader_are_taken(found, monkeypatch):
    monkeypatch.setattr(versions, "version", lambda name: found)
    versions.check_nbgrader()


@pytest.mark.parametrize("found", ["0.9.4", "0.8.5", "0.10.0", "1.0"])
def test_other_versions_of_nbgrader_are_refused(found, monkeypatch):
    monkeypatch.setattr(versions, "version", lambda name: found)
    with pytest.raises(CourseError, match=f"this is nbgrader {found}, .*pip install"):
        versions.check_nbgrader()


def test_a_missing_nbgrader_is_told(monkeypatch):
    def missing(name):
        raise PackageNotFoundError(name)
    monkeypatch.setattr(versions, "version", missing)
    with pytest.raises(CourseError, match="nbgrader is not installed"):
        versions.check_nbgrader()


@pytest.mark.parametrize("python", [(3, 9), (3, 10), (3, 14), (4, 0)])
def test_other_pythons_are_refused(python, monkeypatch):
    monkeypatch.setattr(sys, "version_info", (*python, 0, "final", 0))
    with pytest.raises(ImportError, match=f"this is Python {python[0]}.{python[1]}"):
        importlib.reload(autograder)


def test_the_package_says_the_same():
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    assert project["requires-python"] == ">=3.11,<3.14"
    assert "nbgrader>=0.9.5,<0.10" in project["dependencies"]
