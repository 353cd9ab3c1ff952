"""`pytest --submission FILE`: one item per hidden check, and nothing else."""
import os
import subprocess
import sys
from pathlib import Path

import by_hand
import numpy as np  # noqa: F401  (pytester forgets what a run imports, and numpy cannot be imported twice)
import pytest

from autograder.lessons.installed import load_lesson

pytest_plugins = ["pytester"]
ROOT = Path(__file__).parent.parent


@pytest.fixture
def run(pytester, monkeypatch):
    """Run pytest in an empty folder, with the plugin and the engine by hand."""
    for name, module in by_hand.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    for name in ("student-01.ipynb", "student-02.py", "unreadable.py", "broken.py", "explodes.py"):
        pytester.path.joinpath(name).write_text("raise SystemExit('the student\\'s code was run by pytest')")
    return lambda *arguments: pytester.runpytest_inprocess("-p", "autograder.integrations.pytest_plugin", *arguments)


def test_every_check_is_an_item(run):
    result = run("--submission", "student-01.ipynb", "--collect-only", "-q")
    assert result.outlines[:3] == ["student-01::split_heads::worked-example", "student-01::split_heads::general",
                                   "student-01::merge_heads::worked-example"]


def test_the_reference_passes_each_of_its_checks_where_nothing_is_in_the_place_of_anything():
    done = subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-vv",
                           "--submission=solutions/multihead.py"], cwd=ROOT, capture_output=True, text=True, check=True)
    passed = [line.split()[0] for line in done.stdout.splitlines() if " PASSED" in line]
    checks = [f"multihead::{each.name}::{check.name}" for each in load_lesson("multihead").exercises
              for check in each.checks]
    assert passed == checks


def test_failed_checks_fail_with_what_was_seen_and_no_traceback(run):
    result = run("--submission", "student-01.ipynb", "--submission-lang", "en")
    result.assert_outcomes(passed=6, failed=2)
    result.stdout.fnmatch_lines(["not true yet: Time and heads stay apart",
                                 "h has shape (2, 5), expected (5, 2) = (T, d)",
                                 "Which axis should stand right after the batch?"])
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*pytest_plugin.py*")


def test_messages_are_dutch_unless_told_otherwise(run):
    run("--submission", "student-01.ipynb").stdout.fnmatch_lines(["nog niet waar: Time and heads stay apart"])


def test_a_broken_check_is_an_error_without_a_traceback(run):
    result = run("--submission", "broken.py")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["hier ging er iets mis in de autograder zelf: y is right"])
    result.stdout.no_fnmatch_line("*pytest_plugin.py*")


def test_a_skipped_check_is_skipped(run, monkeypatch):
    monkeypatch.setattr(by_hand, "GRADE", by_hand.with_verdict("skipped"))
    run("--submission", "student-01.ipynb").assert_outcomes(skipped=1)


def test_an_unreadable_submission_is_an_error_that_says_why(run):
    result = run("--submission", "unreadable.py", "--submission-lang", "en")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["The file is empty"])
    assert result.ret == pytest.ExitCode.INTERRUPTED


def test_an_autograder_that_fails_is_an_error(run):
    run("--submission", "explodes.py").assert_outcomes(errors=1)


def test_several_submissions_are_told_apart(run):
    result = run("--submission", "student-01.ipynb", "--submission", "student-02.py", "-k", "split_heads", "-v")
    result.assert_outcomes(passed=4, deselected=12)
    result.stdout.fnmatch_lines(["student-01::split_heads::general PASSED*", "student-02::*::general PASSED*"])


def test_one_student_with_two_files_has_two_names(run, pytester):
    pytester.mkdir("again").joinpath("student-01.ipynb").write_text("{}")
    result = run("--submission", "student-01.ipynb", "--submission", "again/student-01.ipynb", "--collect-only", "-q")
    nodes = {line.split("::")[0] for line in result.outlines if "::" in line}
    assert nodes == {str(pytester.path / "student-01.ipynb"), str(pytester.path / "again/student-01.ipynb")}


def test_x_stops_at_the_first_failed_check(run):
    run("--submission", "student-01.ipynb", "-x").assert_outcomes(passed=3, failed=1)


def test_a_submission_is_graded_once(run, monkeypatch):
    graded, grade = [], by_hand.Engine.grade
    monkeypatch.setattr(by_hand.Engine, "grade", lambda *a: graded.append(a) or grade(*a))
    run("--submission", "student-01.ipynb")
    assert len(graded) == 1


def test_the_limits_reach_the_engine(run, monkeypatch):
    seen = []
    monkeypatch.setattr(by_hand.Engine, "__enter__", lambda engine: seen.append(engine.limits) or engine)
    result = run("--submission", "student-01.ipynb", "--submission-seconds", "2", "--submission-memory", "256",
                 "--submission-isolation", "none")
    assert seen == [by_hand.Limits(2.0, 256, "none")]
    result.stdout.fnmatch_lines(["NOT ISOLATED*"])


def test_junit_xml_has_the_points(run, pytester):
    run("--submission", "student-01.ipynb", "--junitxml", "out.xml")
    xml = pytester.path.joinpath("out.xml").read_text()
    assert 'classname="student-01.merge_heads" name="general"' in xml
    assert '<property name="points" value="0.0" /><property name="max_points" value="1.5" />' in xml


def test_only_the_submission_is_run(run, pytester):
    pytester.makepyfile(test_of_the_course="def test_it(): pass")
    run("--submission", "student-01.ipynb").assert_outcomes(passed=6, failed=2)


def test_a_path_is_run_as_well(run, pytester):
    path = pytester.makepyfile(test_of_the_course="def test_it(): pass")
    run("--submission", "student-01.ipynb", path).assert_outcomes(passed=7, failed=2)


def test_a_conftest_beside_the_submission_is_not_run(run, pytester):
    pytester.makeconftest("raise SystemExit('a conftest of the student\\'s was run')")
    run("--submission", "student-01.ipynb").assert_outcomes(passed=6, failed=2)


@pytest.fixture
def folder(pytester):
    """A student's folder with a configuration of pytest's."""
    folder = pytester.mkdir("student")
    folder.joinpath("multihead.ipynb").write_text("{}")
    folder.joinpath("pytest.ini").write_text("[pytest]\naddopts = -k split_heads\n")
    return folder


def test_a_configuration_beside_the_submission_is_refused(run, folder, monkeypatch):
    result = run("--submission", "student/multihead.ipynb")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*pytest.ini is beside the submission and may be the student's*"])
    monkeypatch.chdir(folder)
    assert run("--submission=multihead.ipynb").ret == pytest.ExitCode.USAGE_ERROR


def test_a_configuration_of_the_course_is_used(run, pytester, folder):
    pytester.makeini("[pytest]\naddopts = -k split_heads\n")
    run("--submission=student/multihead.ipynb").assert_outcomes(passed=2, deselected=6)


def test_nothing_is_left_in_the_students_folder(run, folder):
    folder.joinpath("pytest.ini").unlink()
    before = sorted(folder.iterdir())
    run("--submission", "student/multihead.ipynb").assert_outcomes(passed=6, failed=2)
    assert sorted(folder.iterdir()) == before


def test_a_file_that_is_not_there_is_wrong_usage(run):
    result = run("--submission", "nowhere.ipynb")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*there is no file nowhere.ipynb"])


def test_without_the_option_pytest_is_as_it_was(run, pytester):
    pytester.makepyfile(test_of_the_course="def test_it(): pass")
    run("test_of_the_course.py").assert_outcomes(passed=1)


def test_the_plugin_imports_nothing_heavy():
    code = ("import pytest, sys; before = set(sys.modules); import autograder.integrations.pytest_plugin; "
            "print(sorted(name for name in set(sys.modules) - before if not name.startswith('autograder')))")
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(ROOT)},
                          capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
