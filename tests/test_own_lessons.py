"""Lessons of one's own, in a course's folder: every command works with them, and only where the course is trusted."""
from __future__ import annotations

import json
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
from own_course import NAME, add_lesson, hand_in, solved

from autograder import api, cli
from autograder.integrations import pytest_plugin
from autograder.judge.checks_version import checks_version
from autograder.lessons.installed import (
    LessonError,
    carried,
    lesson_called,
    lesson_names,
    load_lesson,
    to_carry,
    untrusted,
)
from autograder.lessons.trust import CannotTrust, distrust, is_trusted, trust, trusted_courses, trusted_file
from autograder.locale.language import translate
from autograder.records import text

INSTALLED = ["multihead", "layernorm"]


@pytest.fixture
def course(course_with_lesson) -> Path:
    return course_with_lesson


@pytest.fixture
def strange(own_lesson, tmp_path, monkeypatch) -> Path:
    """The same course as somebody else's, in the current folder; its lesson leaves a file when it is loaded."""
    folder = tmp_path / "strange"
    shutil.copytree(own_lesson, folder)
    lesson = folder / "lessons" / NAME / "lesson.py"
    lesson.write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n{lesson.read_text()}")
    monkeypatch.chdir(folder)
    return folder


def run(*arguments: str) -> int:
    return cli.run([*map(str, arguments)])


# --- which there are ----------------------------------------------------------------------------------------------

def test_a_courses_own_lessons_come_first_and_nowhere_else(course):
    assert lesson_names(course) == [NAME, *INSTALLED]
    assert lesson_names() == lesson_names(course.parent) == INSTALLED
    assert lesson_called(f"{NAME}-en", course) == NAME
    with pytest.raises(LessonError, match=f"there is no lesson '{NAME}'; there are: multihead, layernorm"):
        load_lesson(NAME)


def test_the_copy_behaves_as_the_lesson_that_it_was_copied_from(course):
    own, theirs = load_lesson(NAME, course), load_lesson("layernorm")
    assert own.points == theirs.points
    assert [mistake.id for mistake in own.mistakes] == [mistake.id for mistake in theirs.mistakes]
    assert own.reference_source == theirs.reference_source
    assert own.home.package not in ("", theirs.home.package)
    assert not any(name.startswith("autograder.lessons.tokennorm") for name in sys.modules)


def test_a_changed_file_makes_another_version_and_the_new_code_runs(course):
    before = load_lesson(NAME, course)
    assert load_lesson(NAME, course) is before
    path = course / "lessons" / NAME / "checks" / "layer_norm.py"
    path.write_text(path.read_text() + "\n# a remark\n")
    after = load_lesson(NAME, course)
    assert checks_version(after) != checks_version(before)
    reference = course / "solutions" / f"{NAME}.py"
    reference.write_text(reference.read_text() + "\nLATER = 1\n")
    assert load_lesson(NAME, course).reference_source.endswith("LATER = 1\n")


def test_nothing_is_written_beside_the_lesson(course):
    assert load_lesson(NAME, course).models == ()
    assert not list((course / "lessons").rglob("__pycache__"))


def test_a_lesson_of_ones_own_takes_the_place_of_an_installed_one_of_that_name(course):
    add_lesson(course, "layernorm")
    assert lesson_names(course) == ["layernorm", NAME, "multihead"]
    assert load_lesson("layernorm", course).home.folder == course / "lessons" / "layernorm"
    assert load_lesson("layernorm").home.ours


@pytest.fixture
def package(tmp_path, monkeypatch) -> Path:
    """An installed package that brings the lesson."""
    from autograder.lessons import installed
    folder = tmp_path / "site" / "norms"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("raise RuntimeError('only its folder is looked for')\n")
    add_lesson(folder)
    about = tmp_path / "site" / "norms-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: norms\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[autograder.lessons]\n{NAME} = norms\nmultihead = norms\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    installed._of_packages.cache_clear()
    yield folder
    installed._of_packages.cache_clear()


def test_a_package_brings_lessons_by_an_entry_point(package, tmp_path):
    assert lesson_names() == ["multihead", "layernorm", NAME]
    assert load_lesson(NAME).home.roots == (package,)
    assert load_lesson("multihead").home.ours
    (tmp_path / "work.py").write_bytes((package / "solutions" / f"{NAME}.py").read_bytes())
    [grade] = api.check(tmp_path / "work.py", lesson=NAME)
    assert (grade.lesson, grade.points) == (NAME, 10)


def test_what_travels_is_the_same_lesson_with_the_same_version(course):
    own = load_lesson(NAME, course)
    there = carried(NAME, to_carry(own))
    assert lesson_names(there) == [NAME, *INSTALLED]
    copy = load_lesson(NAME, there)
    assert copy is not own
    assert checks_version(copy) == checks_version(own)
    assert copy.modules_in("nl") == own.modules_in("nl")
    assert len(copy.mistakes) == len(own.mistakes)
    assert copy.names_in_an_example("np") == own.names_in_an_example("np")
    assert to_carry(load_lesson("layernorm")) == {}


# --- trust --------------------------------------------------------------------------------------------------------

def test_init_trusts_the_course_that_it_made_and_no_other(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run("init", "mine", "--empty") == 0
    assert is_trusted(Path("mine"))
    assert not is_trusted(tmp_path)
    Path("theirs/lessons").mkdir(parents=True)
    assert run("init", "theirs", "--empty") == 0
    assert not is_trusted(Path("theirs"))
    assert "not used until you run: autograder trust theirs" in capsys.readouterr().out


def test_trust_is_given_and_taken_back(strange, tmp_path, capsys):
    assert run("trust") == 0
    assert capsys.readouterr().out == f"{strange} is trusted; lessons of its own: {NAME}\n"
    assert run("trust", "--list") == 0
    assert str(strange) in capsys.readouterr().out.splitlines()
    assert not (tmp_path / "ran").exists()
    assert lesson_names(strange)[0] == NAME
    assert run("trust", "--remove") == 0
    assert lesson_names(strange) == INSTALLED
    assert run("trust", "--remove") == 2
    assert run("trust", "nowhere") == 2
    assert os.stat(trusted_file()).st_mode & 0o777 == 0o600


def test_the_list_is_where_the_user_keeps_configuration(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert trusted_courses() == []
    trust(tmp_path)
    assert json.loads((tmp_path / "config/multihead-autograder/courses.json").read_text()) == [str(tmp_path)]
    distrust(tmp_path)
    assert trusted_courses() == []
    trusted_file().write_text('"everything"')
    with pytest.raises(CannotTrust, match="is not a list of folders; repair it, or remove it"):
        is_trusted(tmp_path)
    trusted_file().write_bytes(b"\xff")
    with pytest.raises(CannotTrust, match="cannot be read"):
        trust(tmp_path)


def test_two_who_trust_at_the_same_time_both_do(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    courses = [tmp_path / str(number) for number in range(24)]
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(trust, courses))
    assert trusted_courses() == sorted(map(str, courses))


def test_a_link_to_a_trusted_course_is_that_course_and_a_moved_one_is_not(course):
    link = course.parent / "link"
    link.symlink_to(course)
    assert lesson_names(link)[0] == NAME
    course.rename(course.parent / "moved")
    assert lesson_names(course.parent / "moved") == INSTALLED


@pytest.mark.parametrize("arguments", [
    ["check", "work.py", "--lesson", NAME], ["grade", "--lesson", NAME], ["release", "--lesson", f"{NAME}"],
    ["verify", "--quick", "--lesson", NAME], ["demo", "class", "--lesson", NAME],
    ["package", "gradescope", "--lesson", NAME], ["new", "check", "layer_norm", "x", "--lesson", NAME]])
def test_a_lesson_of_an_unknown_course_is_one_line_that_says_how_to_trust_it(strange, tmp_path, capsys, arguments):
    assert run(*arguments) == 2
    said = capsys.readouterr().err
    assert f"{NAME} in {strange}/lessons is not used: " in said
    assert f"autograder trust {strange}" in said
    assert said.count("\n") == 1
    assert not (tmp_path / "ran").exists()


def test_settings_of_a_lesson_that_is_not_trusted_say_the_same(strange, tmp_path, capsys):
    (strange / "autograder.toml").write_text(f"[lessons.{NAME}]\nskip = ['layer_norm']\n")
    assert run("grade") == 2
    assert f"autograder trust {strange}" in capsys.readouterr().err
    assert not (tmp_path / "ran").exists()


def test_a_folder_that_is_checked_brings_no_lessons(strange, tmp_path, capsys, monkeypatch):
    """Not from below the current folder either, not out of a zip, and not by a settings file."""
    (strange / "work.py").write_bytes((strange / "solutions" / f"{NAME}.py").read_bytes())
    monkeypatch.chdir(tmp_path)
    archive = shutil.make_archive("class", "zip", strange)
    for path in (strange / "work.py", strange, archive):
        grades = api.check(path, course=tmp_path)
        assert grades
        assert NAME not in {grade.lesson for grade in grades}
    trust(tmp_path)
    (tmp_path / "autograder.toml").write_text(f'course = "{strange}"\n')
    assert run("check", strange / "work.py") == 2
    assert "there is no setting 'course'" in capsys.readouterr().err
    assert not (tmp_path / "ran").exists()


@pytest.mark.slow
def test_lessons_in_a_students_folder_of_a_trusted_course_are_not_loaded(course, strange, tmp_path, monkeypatch):
    shutil.copytree(strange, course / "submitted" / "student-01" / NAME)
    monkeypatch.chdir(course)
    run("grade", "--lesson", NAME)
    assert untrusted(course / "submitted" / "student-01" / NAME)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("arguments", [
    ["check", "work.py"], ["grade"], ["grade", "--dry-run"], ["diff"], ["release"], ["verify", "--quick"],
    ["feedback"]])
def test_no_other_lesson_takes_the_place_of_one_that_is_not_trusted(strange, tmp_path, capsys, arguments):
    (strange / "work.py").write_bytes((strange / "solutions" / f"{NAME}.py").read_bytes())
    hand_in(strange, "student-01", solved(strange))
    assert run(*arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert f"autograder trust {strange}" in said.err
    assert said.err.count("\n") == 1
    assert not (tmp_path / "ran").exists()


def test_an_installed_lesson_that_is_named_is_graded_there_all_the_same(strange, tmp_path, capsys):
    (strange / "work.py").write_bytes((strange / "solutions" / f"{NAME}.py").read_bytes())
    assert run("check", "work.py", "--lesson", "layernorm") == 0
    assert capsys.readouterr().err == ""
    assert not (tmp_path / "ran").exists()


def test_pytest_grades_no_other_lesson_either(strange, tmp_path):
    config = SimpleNamespace(option=SimpleNamespace(submission_lesson=None),
                             invocation_params=SimpleNamespace(dir=strange))
    with pytest.raises(pytest.UsageError, match=f"autograder trust {strange}"):
        pytest_plugin._lessons(config)
    config.option.submission_lesson = "layernorm"
    assert [lesson.name for lesson in pytest_plugin._lessons(config)] == ["layernorm"]
    assert not (tmp_path / "ran").exists()


# --- what is wrong with a lesson ----------------------------------------------------------------------------------

@pytest.mark.parametrize(("file", "content", "said"), [
    ("lesson.py", "LESSON = 1\n", "lessons/bad/lesson.py has no LESSON = Lesson(...)"),
    ("lesson.py", "import os\n\n1 / 0\n", "lessons/bad/lesson.py, line 3: ZeroDivisionError: division by zero"),
    ("lesson.py", "def (\n", "lessons/bad/lesson.py, line 1: SyntaxError"),
    ("checks/layer_norm.py", "raise OSError('x')\n", "lessons/bad/checks/layer_norm.py, line 1: OSError: x"),
    ("checks/layer_norm.py", "from lessons.bad import probes\n", "imports its own parts as in `from . import probes`"),
    ("other_ways.py", "OTHER_WAYS = {'layer_nrm': []}\n", "expected OTHER_WAYS = {\"layer_norm\": [OtherWay(text("),
    ("other_ways.py", "WAYS = {}\n", "lessons/bad/other_ways.py: expected OTHER_WAYS = "),
    ("mistakes/layer_norm.py", "def (\n", "lessons/bad/mistakes/layer_norm.py, line 1: SyntaxError"),
    ("../../solutions/bad.py", "import os\n\ndef f(x)\n", "solutions/bad.py, line 3: SyntaxError: expected ':'"),
    ("../../solutions/bad.py", "import os\n\n1 / 0\n", "solutions/bad.py, line 3: ZeroDivisionError: division by"),
    ("../../solutions/bad.py", "import numpy\n", "solutions/bad.py has no function layer_norm, which is an exercise"),
    ("../../assignments/bad/bad.ipynb", "{", "assignments/bad/bad.ipynb is not a notebook: Expecting property name"),
    ("../../assignments/bad/bad.ipynb", "[]", "assignments/bad/bad.ipynb is not a notebook: it has no cells"),
    ("../../solutions/bad.py", None, "solutions/bad.py, and there is no such file"),
    ("../../assignments/bad-en/bad.ipynb", None, "assignments/bad-en/bad.ipynb, and there is no such file")])
def test_a_lesson_that_is_not_in_order_is_one_line_that_names_the_place(course, capsys, file, content, said):
    add_lesson(course, "bad")
    path = course / "lessons" / "bad" / file
    path.write_text(content) if content is not None else path.unlink()
    assert run("verify", "--lesson", "bad") == 2
    line = capsys.readouterr().err
    assert said in line
    assert line.count("\n") == 1


@pytest.mark.parametrize(("added", "said"), [
    ("CHECKS = (*CHECKS, CHECKS[0])", "the check {0} is listed twice in CHECKS"),
    ("CHECKS = CHECKS[:-1]", " together, but layer_norm is worth 4; let their points add up to 1 or to 4"),
    ("CHECKS = ()", "the checks are worth 0 together, but layer_norm is worth 4"),
    ("from dataclasses import replace\nCHECKS = (replace(CHECKS[0], needs=('genral',)), *CHECKS[1:])",
     "the check {0} needs 'genral', and layer_norm has no such check; it has: {0}, ")])
def test_checks_that_would_give_other_points_are_refused_by_every_command(course, capsys, added, said):
    first = load_lesson(NAME, course).exercises[0].checks[0].name
    checks = course / "lessons" / NAME / "checks" / "layer_norm.py"
    checks.write_text(f"{checks.read_text()}\n{added}\n")
    for arguments in (["check", f"solutions/{NAME}.py"], ["verify", "--quick"], ["release"]):
        assert run(*arguments) == 2
        line = capsys.readouterr().err
        assert f"lessons/{NAME}/checks/layer_norm.py: " in line
        assert said.format(first) in line
        assert line.count("\n") == 1


@pytest.mark.slow
def test_a_folder_that_only_looks_like_a_lesson_is_named_once(course, capsys):
    (course / "lessons" / "half").mkdir()
    (course / "lessons" / "__pycache__").mkdir()
    (course / "lessons" / "notes.txt").touch()
    said = "lessons/half has no lesson.py, so it is not used as a lesson"
    assert run("release") == 0
    assert capsys.readouterr().err == f"autograder: {said}\n"
    assert run("grade") == 2
    assert capsys.readouterr().err.count(said) == 1
    assert run("release", "--lesson", "half") == 2
    assert said in (line := capsys.readouterr().err)
    assert line.count("\n") == 1


def test_a_lesson_is_called_as_its_folder(course, capsys):
    (course / "lessons" / NAME).rename(course / "lessons" / "other")
    assert run("verify") == 2
    assert f"the lesson is called '{NAME}', and its folder 'other'" in capsys.readouterr().err


# --- its words in other languages ---------------------------------------------------------------------------------

def test_the_translations_of_a_lesson_lie_with_it(course, capsys):
    checks = course / "lessons" / NAME / "checks" / "layer_norm.py"
    checks.write_text(checks.read_text() + "\nIS_NEW = text('Every token is alike')\n")
    words = course / "lessons" / NAME / "nl.toml"
    words.write_text('"Every token is alike" = "Elk token is gelijk"\n"right" = "iets anders"\n')
    load_lesson(NAME, course)
    assert translate(text("Every token is alike"), "nl") == "Elk token is gelijk"
    assert translate(text("Every token is alike"), "en") == "Every token is alike"
    assert translate(text("right"), "nl") == "goed"                     # what the autograder says stays as it is
    for content, said in (("[a]\n", "expected lines such as"), ("a b\n", "is not TOML in UTF-8")):
        words.write_text(content)
        assert run("verify", "--quick") == 2
        assert f"lessons/{NAME}/nl.toml" in (line := capsys.readouterr().err)
        assert said in line
