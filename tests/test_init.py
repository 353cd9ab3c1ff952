"""`autograder init`: a course that works, and nothing overwritten."""
import re
import tomllib
from importlib.resources import files
from pathlib import Path

import msgspec
import pytest

from autograder import cli
from autograder.course.folder import Course
from autograder.course.settings import Settings, read_settings
from autograder.judge.engine import Limits
from autograder.lessons.kit.course_file import course_file


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(*arguments: str) -> int:
    return cli.run(["init", *arguments])


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_course_has_the_lessons_files_and_behaves_as_without_settings(capsys):
    assert run("my-course") == 0
    course = Course.find(Path("my-course"))
    assert course.assignments == {"multihead", "multihead-en"}
    assert course.course_id == "multihead"
    assert read_settings(course.root) == Settings()
    theirs = {path: data for path, data in contents(course.root).items() if path.startswith("assignments/")}
    assert {path.partition("/")[2]: data for path, data in theirs.items()} == {
        f"{folder}/{path}": data for folder in ("multihead", "multihead-en")
        for path, data in contents(course_file(f"assignments/{folder}")).items() if "__pycache__" not in path}
    assert capsys.readouterr().out.endswith("Next, in my-course: autograder release\n")


@pytest.mark.parametrize(("arguments", "assignments", "course_id"), [
    (["--lesson", "layernorm"], {"layernorm", "layernorm-en"}, "layernorm"),
    (["--lesson", "layernorm", "--lesson", "multihead-en", "--lesson", "layernorm"],
     {"layernorm", "layernorm-en", "multihead", "multihead-en"}, "layernorm"),
    (["--empty", "My course (2026)"], set(), "My-course-2026")])
def test_a_course_has_the_lessons_that_were_named(arguments, assignments, course_id):
    assert run(*arguments) == 0
    course = Course.find(Path(*arguments[1:]) if "--empty" in arguments else Path())
    assert course.assignments == assignments
    assert course.course_id == course_id


def test_every_setting_is_there_with_its_default():
    words = files("autograder.authoring").joinpath("course", "autograder.toml").read_text()
    lines = [line.removeprefix("# ") for line in words.splitlines()[2:]]
    said = tomllib.loads("\n".join(lines))
    settings = msgspec.convert(said, Settings)
    assert said.keys() == set(Settings.__struct_fields__) - {"lessons"}
    assert (settings.mark, settings.late) == (Settings().mark, Settings().late)
    assert all(settings.given_limits[name] == getattr(Limits, name) for name in settings.given_limits)
    assert settings.given_limits.keys() == {"seconds", "cell_seconds", "budget", "memory_mb", "isolation"}
    assert (settings.pass_percent, settings.timezone) == (Settings().pass_percent, Settings().timezone)


@pytest.mark.parametrize("there", ["nbgrader_config.py", "autograder.toml", "assignments/essay/essay.ipynb"])
def test_nothing_is_overwritten(there, capsys):
    Path(there).parent.mkdir(parents=True, exist_ok=True)
    Path(there).write_text("# mine")
    assert run() == 2
    assert re.search(rf"already has {there.partition('/')[0]}; ", capsys.readouterr().err)
    assert contents(Path()) == {there: b"# mine"}


def test_a_readme_that_is_there_stays():
    Path("README.md").write_text("mine")
    assert run() == 0
    assert Path("README.md").read_text() == "mine"
    assert Path("autograder.toml").is_file()


@pytest.mark.parametrize(("arguments", "says"), [
    (["--lesson", "multihed"], "there is no lesson 'multihed'"),
    (["--empty", "--lesson", "multihead"], "leave out --lesson"), (["taken/course"], "cannot make taken/course")])
def test_what_cannot_be_made_is_one_line(arguments, says, capsys):
    Path("taken").write_text("")
    assert run(*arguments) == 2
    said = capsys.readouterr().err
    assert says in said
    assert len(said.splitlines()) == 1
    assert contents(Path()) == {"taken": b""}
