"""How the command line behaves towards people and shells."""
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import by_hand
import click
import pytest

from autograder import __version__, cli
from autograder.judge.checks_version import checks_version
from autograder.lessons.installed import lesson_names, load_lesson

ROOT = Path(__file__).parents[1]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")])}
PROGRAM = [sys.executable, str(ROOT / "tests" / "by_hand.py")]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    for name, module in by_hand.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.chdir(tmp_path)
    for name in ("ok.py", "fine.py", "unreadable.py"):
        (tmp_path / name).write_text("")
    return tmp_path


def commands(group: click.Group = cli.cli, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command, by the words that one types."""
    yield above
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*above, name))
        else:
            yield (*above, name)


# --- help ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("words", list(commands()), ids=" ".join)
def test_the_help_of_every_command_has_examples_of_it(words, capsys):
    assert cli.run([*words, "--help"]) == 0
    examples = capsys.readouterr().out.partition("Examples:\n")[2]
    if not examples and words[:-1]:         # one of a group, whose help has them for all
        cli.run([*words[:-1], "--help"])
        examples = capsys.readouterr().out.partition("Examples:\n")[2]
    assert any(line.startswith(f"    autograder {' '.join(words)}".rstrip()) for line in examples.splitlines())


@pytest.mark.parametrize("words", list(commands()), ids=" ".join)
def test_every_option_in_an_example_exists(words, capsys):
    cli.run([*words, "--help"])
    examples = capsys.readouterr().out.partition("Examples:\n")[2]
    for line in examples.splitlines():
        for part in line.partition("#")[0].split("&&"):
            typed = part.split()
            if typed[:1] != ["autograder"]:
                continue
            command, rest = cli.cli, typed[1:]
            while isinstance(command, click.Group) and rest and rest[0] in command.commands:
                command, rest = command.commands[rest[0]], rest[1:]
            known = {name for parameter in command.params for name in parameter.opts} | {"--help"}
            assert {word for word in rest if word.startswith("--")} <= known, line


def test_the_version_names_that_of_the_checks_of_each_lesson(capsys):
    assert cli.run(["--version"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"autograder {__version__}, checks of multihead {checks_version(load_lesson('multihead'))}")
    assert all(f"{name} {checks_version(load_lesson(name))}" in out for name in lesson_names())


# --- mistyped -----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("arguments", "meant"), [
    (["chek", "ok.py"], "check"), (["check", "ok.py", "--jsn", "x"], "--json"),
    (["export", "--format", "brightspce"], "brightspace"), (["package", "gradscope"], "gradescope")])
def test_a_mistyped_word_gets_the_one_that_was_meant(arguments, meant, capsys):
    assert cli.run(arguments) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert meant in err


def test_a_mistyped_student_gets_the_one_that_was_meant(folder):
    (folder / "submitted" / "student-01" / "multihead").mkdir(parents=True)
    done = subprocess.run([sys.executable, "-m", "autograder", "grade", "--student", "studnet-01"], cwd=folder,
                          env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "studnet-01 handed in nothing" in done.stderr
    assert "did you mean student-01?" in done.stderr


# --- the shell ----------------------------------------------------------------------------------------------------

def completed(words: str, folder: Path) -> list[str]:
    done = subprocess.run([sys.executable, "-m", "autograder"], cwd=folder, capture_output=True, text=True, check=True,
                          env={**ENVIRONMENT, "_AUTOGRADER_COMPLETE": "bash_complete", "COMP_WORDS": words,
                               "COMP_CWORD": str(len(words.split(" ")) - 1)})
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


def test_a_shell_completes_commands_options_choices_and_students(folder):
    (folder / "submitted" / "student-07").mkdir(parents=True)
    assert completed("autograder exp", folder) == ["export"]
    assert completed("autograder grade --for", folder) == ["--force"]
    assert completed("autograder export --format bri", folder) == ["brightspace"]
    assert completed("autograder grade --student stu", folder) == ["student-07"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_documented_line_sets_completion_up(shell, folder):
    done = subprocess.run([sys.executable, "-m", "autograder"], cwd=folder, capture_output=True, text=True, check=True,
                          env={**ENVIRONMENT, "_AUTOGRADER_COMPLETE": f"{shell}_source"})
    assert "_AUTOGRADER_COMPLETE" in done.stdout
    assert f"_AUTOGRADER_COMPLETE={shell}_source" in (ROOT / "docs" / "shell.md").read_text()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("arguments", [["check", "ok.py"], ["--help"], *(
    pytest.param(words, marks=pytest.mark.slow) for words in (["check", "ok.py", "fine.py"], ["--version"]))])
def test_a_full_disk_behind_standard_output_is_one_line_that_names_it(arguments, folder):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*PROGRAM, *arguments], cwd=folder, env=ENVIRONMENT, stdout=full, stderr=subprocess.PIPE,
                              text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == ("autograder: cannot write standard output: No space left on device; make room, or write "
                           "elsewhere\n")


# --- colours ------------------------------------------------------------------------------------------------------

def at_a_terminal(folder: Path, **environment: str) -> str:
    """What `check` writes to a terminal."""
    ours, theirs = pty.openpty()
    environment = {**ENVIRONMENT, "TERM": "xterm-256color", **environment}
    with subprocess.Popen([*PROGRAM, "check", "ok.py", "--lang", "en"], cwd=folder, env=environment, stdin=theirs,
                          stdout=theirs, stderr=theirs):
        os.close(theirs)
        said = bytearray()
        try:
            while part := os.read(ours, 65536):
                said += part
        except OSError:                                  # the other end is closed
            pass
    os.close(ours)
    return said.decode()


COLOUR = re.compile(r"\x1b\[[\d;]*(?:3[0-7]|9[0-7]|38;[\d;]+)m")


def words(said: str) -> str:
    return " ".join(re.sub(r"\x1b\[[0-?]*[ -/]*[@-~]", "", said).split())


@pytest.mark.slow
def test_colours_are_for_a_terminal_and_nothing_is_told_by_them_alone(folder):
    coloured = at_a_terminal(folder)
    assert COLOUR.search(coloured)
    for wish in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        plain = at_a_terminal(folder, **wish)
        assert not COLOUR.search(plain)
        assert words(plain) == words(coloured)
    piped = subprocess.run([*PROGRAM, "check", "ok.py", "--lang", "en"], cwd=folder, env=ENVIRONMENT, text=True,
                           capture_output=True, check=True).stdout
    assert "\x1b" not in piped


# --- a pile -------------------------------------------------------------------------------------------------------

def test_a_pile_ends_with_a_table_of_names_and_totals(capsys):
    assert cli.run(["check", "--lang", "en", "ok.py", "fine.py", "unreadable.py"]) == 1
    out = capsys.readouterr().out
    end = out[out.rindex("unreadable.py"):]
    assert re.search(r"\nok +17.5 / 20 *\nfine +17.5 / 20 *\nunreadable +\? / 20 +could not be read\n", end)


def test_a_single_submission_needs_no_such_table(capsys):
    cli.run(["check", "--lang", "en", "ok.py"])
    assert capsys.readouterr().out.count("17.5 / 20") == 1


@pytest.mark.slow
def test_an_error_in_a_python_file_names_the_file_and_the_line(tmp_path):
    (tmp_path / "work.py").write_text("def split_heads(x, heads):\n    return x.reshape(\n")
    done = subprocess.run([sys.executable, "-m", "autograder", "check", "--lang", "en", "work.py"], cwd=tmp_path,
                          env=ENVIRONMENT, capture_output=True, text=True, check=True)
    assert "✗ work.py: raised an error: SyntaxError: '(' was never closed (line 2)\n" in done.stdout
