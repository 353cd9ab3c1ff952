"""What other programs start: a result where they look for it, and an exit code that says whether there is a grade."""
from __future__ import annotations

import base64
import json

import pytest
from by_hand import BROKEN, GRADE, UNREADABLE, changed

from autograder.course.mark import own_mark
from autograder.course.settings import Settings, SettingsError
from autograder.integrations import run
from autograder.output.exports import Order


@pytest.fixture
def graded(monkeypatch):
    """Let this grade be the one that is found."""
    def of(grade):
        marked = changed(grade, mark=own_mark(grade, Settings()))
        monkeypatch.setattr(run, "graded", lambda work, course, lesson: (marked, Order(language="en")))
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    return of


def started(system: str, *arguments: object) -> int:
    return run.main([system, *map(str, arguments)])


@pytest.mark.parametrize(("system", "grade", "code"), [
    ("gradescope", GRADE, 0), ("gradescope", UNREADABLE, 0), ("gradescope", BROKEN, 3),
    ("github", GRADE, 0), ("github", UNREADABLE, 1), ("github", BROKEN, 3)],
    ids=lambda value: getattr(value, "status", str(value)))
def test_the_exit_code_says_whether_there_is_a_grade(graded, tmp_path, system, grade, code):
    graded(grade)
    assert started(system, tmp_path) == code


def test_gradescope_finds_its_results_in_a_file(graded, tmp_path, capsys):
    graded(GRADE)
    started("gradescope", tmp_path)
    assert json.loads((tmp_path / "results" / "results.json").read_bytes())["score"] == GRADE.points
    assert capsys.readouterr().out == ""


def test_github_reads_two_results_and_a_summary(graded, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    (tmp_path / "summary.md").write_text("of an earlier step\n")
    graded(GRADE)
    started("github", tmp_path)
    said = dict(line.split("=", 1) for line in capsys.readouterr().out.splitlines())
    assert set(said) == {"result", "missing"}
    assert all(json.loads(base64.b64decode(value))["version"] == 1 for value in said.values())
    assert (tmp_path / "summary.md").read_text().startswith("of an earlier step\n#")
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(("system", "stays"), [("gradescope", False), ("github", True)])
def test_an_earlier_score_counts_for_no_run_that_failed(tmp_path, monkeypatch, capsys, system, stays):
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "results.json").write_text("{}")

    def refuse(*_):
        raise SettingsError("limits is 3, expected a table")
    monkeypatch.setattr(run, "graded", refuse)
    assert started(system, tmp_path) == 3
    assert capsys.readouterr().err == "autograder: limits is 3, expected a table\n"
    assert (tmp_path / "results" / "results.json").exists() is stays


@pytest.mark.parametrize(("system", "work"), [("gradescope", "submission"), ("github", "")])
def test_the_work_and_the_settings_are_where_each_system_puts_them(tmp_path, system, work):
    asked = run._asked([system, str(tmp_path)])
    assert (asked.work, asked.settings, asked.lesson) == (tmp_path / work, tmp_path / "source", "multihead")
    assert run._asked([system, str(tmp_path), "/elsewhere", "--lesson", "layernorm"]).lesson == "layernorm"
