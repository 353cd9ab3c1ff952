"""python -m selfcheck: the notebook's own examples from a terminal, whatever stands in the notebook."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import nbformat
import pytest
from editions import LESSON, RELEASES, beside
from waiting import HANGS

from autograder.lessons.kit.course_file import course_file

STUBS = ("split_heads", "merge_heads", "multihead", "multihead_backward", "own_test")


with beside("nl"):
    selfcheck = import_module("selfcheck")


@pytest.fixture
def folder(tmp_path) -> Path:
    """A student's folder: what was released, beside a notebook with the reference's functions in it."""
    for path in LESSON.beside.values():
        shutil.copy(course_file(path), tmp_path)
    notebook = nbformat.read(course_file("release/multihead/multihead.ipynb"), as_version=4)
    reference = nbformat.read(course_file(LESSON.editions["nl"]), as_version=4)
    solved = {cell.metadata.nbgrader.grade_id: cell.source for cell in reference.cells
              if cell.metadata.get("nbgrader", {}).get("solution")}
    for cell in notebook.cells:
        if (grade_id := cell.metadata.get("nbgrader", {}).get("grade_id")) in solved:
            cell.source = solved[grade_id]
    nbformat.write(notebook, tmp_path / "multihead.ipynb")
    return tmp_path


def edit(folder: Path, change) -> None:
    path = folder / "multihead.ipynb"
    notebook = nbformat.read(path, as_version=4)
    change({cell.metadata.get("nbgrader", {}).get("grade_id", cell.id): cell for cell in notebook.cells}, notebook)
    nbformat.write(notebook, path)


def run(folder: Path, *arguments: str, code: int) -> str:
    patience = () if "--seconds" in arguments else ("--seconds", "100")         # the machine may be busy
    done = subprocess.run([sys.executable, "-m", "selfcheck", *arguments, *patience], cwd=folder, capture_output=True,
                          encoding="utf-8", env={**os.environ, "PYTHONUTF8": "1"}, timeout=HANGS)
    assert "Traceback" not in done.stdout + done.stderr
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def put(name: str, code: str):
    """A change of the notebook: this code in that cell."""
    def change(cells, notebook):
        cells[name].source = code
    return change


def test_a_right_notebook_holds_in_every_example(folder):
    out = run(folder, "multihead.ipynb", code=0)
    assert "■■■■■ 5 van 5 delen\nAlle 10 voorbeelden kloppen" in out
    assert f"      {'■' * 12} 12 van 12 gevangen\n" in out
    assert out.count("✓") == 10
    assert "✗" not in out
    assert [line for line in out.splitlines() if re.match(r"\d\. ", line)] == [
        f"{number}. {name}" for number, name in enumerate(STUBS, start=1)]


def test_an_untouched_notebook_says_of_each_function_that_it_is_not_written(folder):
    shutil.copy(course_file("release/multihead/multihead.ipynb"), folder)
    out = run(folder, code=1)                           # the folder's only notebook needs no name
    assert "0 van de 10 voorbeelden kloppen" in out
    for name in ("split_heads", "merge_heads", "multihead", "own_test"):
        assert f"{name} is nog niet geschreven" in out


@pytest.mark.parametrize("language", RELEASES)
def test_each_function_has_three_hints_that_are_asked_for_one_by_one(language, monkeypatch, capsys):
    monkeypatch.chdir(RELEASES[language].parent)
    with beside(language):
        selfcheck = import_module("selfcheck")
    for name in STUBS:
        said = []
        for number in (1, 2, 3):
            assert selfcheck.main(["--hint", name if number == 1 else f"{name}:{number}"]) == 0
            said.append(capsys.readouterr().out)
        assert len(set(said)) == 3
        assert [f"--hint {name}:{number + 2}" in text for number, text in enumerate(said)] == [True, True, False]
        assert ("van 3" if language == "nl" else "of 3") in said[0]


@pytest.mark.parametrize("wanted", ["split", "split_heads:4", "split_heads:", ":2", "split_heads:x", "split_heads:-1"])
def test_a_hint_that_is_not_there_is_answered_with_those_that_are(wanted, monkeypatch, capsys):
    monkeypatch.chdir(RELEASES["nl"].parent)
    with beside("nl"):
        code = import_module("selfcheck").main(["--hint", wanted])
    out, err = capsys.readouterr()
    assert (code, out) == ((2, "") if wanted != "split_heads:" else (0, out))
    if code:
        assert err.startswith(f"Een hint {wanted} is er niet. Kies uit split_heads, merge_heads, multihead,")


def test_the_words_are_those_of_the_notebooks_own_cell(folder):
    direct = "def split_heads(x, heads):\n    return x.reshape(*x.shape[:1], heads, x.shape[1], -1)"
    edit(folder, put("split_heads", direct))
    out = run(folder, "multihead.ipynb", code=1)
    namespace = {}
    cells = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell.source
             for cell in nbformat.read(folder / "multihead.ipynb", as_version=4).cells}
    with beside("nl"):
        exec(cells["given"], namespace)
        exec(direct, namespace)
        with pytest.raises(AssertionError) as said:
            exec(cells["example_W1_split"], namespace)
    for line in str(said.value).splitlines():
        assert f"      {line}\n" in out


def test_an_error_is_one_line_with_its_place(folder):
    edit(folder, put("multihead", "def multihead(x, params, heads, allowed):\n    return undefined, {}"))
    out = run(folder, "multihead.ipynb", code=1)
    assert "NameError" in out
    assert "undefined" in out


@pytest.mark.parametrize(("code", "words"), [
    ("def merge_heads(h):\n    return h[", "SyntaxError"), *(pytest.param(*one, marks=pytest.mark.slow) for one in [
        ("import torch_of_mine", "ModuleNotFoundError"), ("raise ValueError", "ValueError"),
        ("exit()", "stopte Python"), ("import os; os._exit(3)", "stopte Python"),
        ("import ctypes; ctypes.string_at(0)", "stopte Python"), ("input()", "EOFError"),
        ("def f(n): return f(n + 1)\nf(0)", "RecursionError")])])
def test_an_own_cell_that_fails_is_named_and_the_others_are_still_tried(folder, code, words):
    def change(cells, notebook):
        notebook.cells.insert(4, nbformat.v4.new_code_cell(code))
    edit(folder, change)
    out = run(folder, "multihead.ipynb", code=0)
    assert "! cel 5" in out
    assert words in out
    assert "Alle 10 voorbeelden kloppen" in out


@pytest.mark.slow
def test_an_endless_loop_is_left_after_its_time(folder):
    edit(folder, put("multihead_backward", "import time\ndef multihead_backward(dy, cache, params):\n"
                                           "    while True: time.sleep(1)"))
    out = run(folder, "multihead.ipynb", "--seconds", "4", code=1)
    assert out.count("is na 4 seconden nog niet klaar, en meer tijd krijgt een cel hier niet") >= 2
    assert "✓ Voorbeeld: acht getallen" in out


def test_what_cells_print_and_draw_does_not_get_between(folder):
    code = 'import os\n%matplotlib inline\n!ls\nprint("[1, null]")\nos.write(1, b"[2, null]\\n")\ndisplay(3)'
    def change(cells, notebook):
        notebook.cells.insert(4, nbformat.v4.new_code_cell(code))
    edit(folder, change)
    out = run(folder, "multihead.ipynb", code=0)
    assert "null" not in out
    assert "cel 5" not in out


def test_without_nbgraders_marks_examples_are_known_by_what_they_do(folder):
    def change(cells, notebook):
        for cell in notebook.cells:
            cell.metadata = {"id": "x", "colab": {}}
    edit(folder, change)
    assert "Alle 10 voorbeelden kloppen" in run(folder, "multihead.ipynb", code=0)


def test_the_language_is_the_notebooks_and_can_be_chosen(folder):
    assert "All 10 examples hold" in run(folder, "multihead.ipynb", "--lang", "en", code=0)
    assert selfcheck.language_of([("markdown", "## The axes\nWe count from 0.", {})]) == "en"
    for dutch, english in selfcheck.WORDS.values():
        assert sorted(re.findall(r"{\w+", dutch)) == sorted(re.findall(r"{\w+", english))


@pytest.mark.parametrize(("content", "words"), [
    ('{"cells": [', "geen goede JSON op regel 1"), ("", "geen goede JSON"), ("[]", "geen cellen"),
    ('{"worksheets": []}', "geen cellen"), ('{"cells": [3]}', "geen cellen"),
    ('{"cells": [{"metadata": [1]}]}', "geen cellen"), ('{"cells": [{"metadata": {"nbgrader": 3}}]}', "geen cellen"),
    ('{"cells": [{"source": [3]}]}', "geen cellen"), ('{"cells": 3}', "geen cellen"), (b"\xff\xfe\x00", "geen tekst"),
])
def test_what_is_no_notebook_is_said_in_one_line(folder, content, words):
    path = folder / "multihead.ipynb"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    out = run(folder, "multihead.ipynb", code=2)
    assert words in out
    assert len(out.splitlines()) == 1


def test_a_missing_notebook_is_said_in_one_line(folder):
    assert "is er niet" in run(folder, "huiswerk.ipynb", code=2)
    (folder / "kladje.ipynb").write_text("{}")
    assert "kladje.ipynb, multihead.ipynb" in run(folder, code=2)
    for path in folder.glob("*.ipynb"):
        path.unlink()
    assert "geen notebook" in run(folder, code=2)


def test_a_notebook_without_examples_says_so(folder):
    (folder / "multihead.ipynb").write_text(json.dumps({"cells": [{"cell_type": "code", "source": ["x = 1"]}]}))
    assert "no examples" in run(folder, "multihead.ipynb", code=1)


def test_colours_are_for_terminals(folder):
    assert "\x1b" not in run(folder, "multihead.ipynb", code=0)
    assert selfcheck.paint("✓", "ok", True) != selfcheck.paint("✓", "ok", False) == "✓"


def test_watching_tries_again_at_every_save_until_ctrl_c(folder):
    command = [sys.executable, "-u", "-m", "selfcheck", "multihead.ipynb", "--watch"]
    watching = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                env={**os.environ, "PYTHONUTF8": "1"})
    try:
        assert "Alle 10" in until(watching, "Ctrl-C")
        edit(folder, put("merge_heads", "def merge_heads(h):\n    return h"))
        assert "van de 10 voorbeelden kloppen" in until(watching, "Ctrl-C")
        (folder / "multihead.ipynb").write_text("{")
        assert "geen goede JSON" in until(watching, "Ctrl-C")
        watching.send_signal(signal.SIGINT)
        left = watching.communicate(timeout=HANGS)[0]
        assert watching.returncode == 0
        assert "Traceback" not in left
    finally:
        watching.kill()
        watching.wait()


def until(process: subprocess.Popen, words: str) -> str:
    """What a process says up to the line with these words."""
    lines = []
    for line in process.stdout:
        lines.append(line)
        if words in line:
            break
    return "".join(lines)


def test_only_numpy_is_needed():
    source = course_file(LESSON.beside["selfcheck"]).read_text(encoding="utf-8")
    imported = set(re.findall(r"^(?:import|from) (\w+)", source, re.M))
    assert imported <= sys.stdlib_module_names


@pytest.mark.parametrize("name", ["selfcheck", "explore"])
def test_both_editions_have_the_same_file(name):
    one, other = (course_file(edition).with_name(f"{name}.py").read_bytes() for edition in LESSON.editions.values())
    assert one == other
