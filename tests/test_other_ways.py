"""Work that was written or handed in in another way keeps its points, or a person is asked to look."""
from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from notebooks import code, data, notebook
from sampled import by_turns

from autograder.course.store import named
from autograder.intake import read, read_bytes, read_folder
from autograder.judge.engine import Engine, Limits
from autograder.lessons.installed import load_lesson
from autograder.locale.language import translate
from autograder.records import Grade

LESSON = load_lesson("multihead")
SOURCE = LESSON.reference_source
SPLIT, MERGE = (re.search(rf"^def {name}\b.*\n(?:(?:[ )].*)?\n)*", SOURCE, re.MULTILINE)[0]
                for name in ("split_heads", "merge_heads"))
HEAD = SOURCE[:SOURCE.index("def split_heads")]


def as_marimo() -> str:
    body = HEAD.strip().replace("\n", "\n    ")
    functions = SOURCE[SOURCE.index("def split_heads"):].replace("\ndef ", "\n@app.function\ndef ")
    return f"import marimo\n\napp = marimo.App()\n\nwith app.setup:\n    {body}\n\n\n@app.function\n{functions}\n"


def edited(*edits: tuple[str, str]) -> str:
    found = SOURCE
    for old, new in edits:
        assert old in found, old
        found = found.replace(old, new)
    return found


WAYS = {
    "marimo's functions": (as_marimo(), "a marimo notebook"),
    "an absent annotation": (edited(("def split_heads(", "import torch\n\n\ndef split_heads("),
                                    ("def merge_heads(h", "def merge_heads(h: torch.Tensor")),
                             "No module named 'torch'"),
    "an absent decorator": (edited(("def split_heads(", "from numba import njit\n\n\ndef split_heads("),
                                   ("def merge_heads(", "@njit(cache=True)\ndef merge_heads(")),
                            "@njit(cache=True) could not be imported"),
    "IPython's display": ("from IPython.display import HTML, Markdown, clear_output, display\nimport IPython\n"
                          "display(Markdown('# Heads'), HTML('x'))\nclear_output(wait=True)\n" + SOURCE, ""),
    "spaces of a word processor": (SOURCE.replace("    return", "\u00a0\u00a0\u00a0\u00a0return", 1) + "\nx = “een”\n",
                                   "quotes or spaces as word processors write"),
}


@pytest.fixture
def graded(engine_with: Callable[[Limits], Engine]) -> Callable[..., Grade]:
    def grade(name: str, content: bytes) -> Grade:
        return engine_with(Limits()).grade(read_bytes(name, content, LESSON, "student-01"))
    return grade


@pytest.mark.parametrize("way", by_turns(WAYS, 3, 1))
def test_a_right_solution_in_another_form_keeps_its_points_and_says_why(graded, way) -> None:
    source, says = WAYS[way]
    grade = graded("work.py", source.encode())
    assert [exercise.points for exercise in grade.exercises[:4]] == [3, 2, 5, 7]
    said = " ".join(translate(notice, "en") for notice in grade.notices)
    assert says in said
    assert says or "module" not in said


def test_a_script_called_a_notebook_is_read_as_the_script_that_it_is() -> None:
    submission = read_bytes("multihead.ipynb", b'"""Mine."""\n' + SOURCE.encode(), LESSON)
    assert submission.unreadable is None
    assert "holds Python code" in translate(submission.notices[0], "en")
    for content in (b'["a list"]', b"<html>def f(x): pass</html>", b"{\n\"cells\": [", b"a letter to my teacher"):
        assert read_bytes("multihead.ipynb", content, LESSON).unreadable is not None


def put(folder: Path, **files: str) -> Path:
    for name, source in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data(notebook(code(source))) if path.suffix == ".ipynb" else source.encode())
    return folder


def test_a_module_beside_the_notebook_is_named_and_a_person_is_asked_to_look(tmp_path, engine_with) -> None:
    files = {"multihead.ipynb": f"{HEAD}from mijn_functies import split_heads\n{SOURCE.replace(SPLIT, '')}",
             "mijn_functies.py": f"import numpy as np\n\n{SPLIT}", "other.py": "x = 1"}
    submission = read_folder(put(tmp_path / "a", **files), "student-01", LESSON)
    said = [translate(why, "en") for why in submission.for_a_person]
    assert said == ["The notebook imports mijn_functies.py, which is beside it and is not read. Its functions "
                    "belong in the notebook."]
    assert submission.for_a_person[0] in submission.notices
    (checked,) = read([put(tmp_path / "class/student-01/multihead", **files).parents[1]], LESSON)
    assert checked.for_a_person == submission.for_a_person
    grade = engine_with(Limits()).grade(submission)
    assert submission.for_a_person[0] in grade.for_a_person
    alone = read_folder(put(tmp_path / "b", **{"multihead.ipynb": files["multihead.ipynb"]}), "student-01", LESSON)
    assert alone.for_a_person == ()
    assert submission.for_a_person[0] not in named(grade, alone, len(submission.notices)).for_a_person


def test_work_spread_over_two_notebooks_names_both_and_asks_a_person(tmp_path) -> None:
    put(tmp_path, **{"multihead.ipynb": SPLIT, "deel 2.ipynb": MERGE})
    submission = read_folder(tmp_path, "student-01", LESSON)
    assert [translate(why, "en") for why in submission.for_a_person] == [
        "merge_heads is in deel 2.ipynb, which was not graded. Put everything into one notebook."]


@pytest.mark.parametrize(("scratch", "named_there"), [
    ("split_heads = split_heads(x, 2)", True), ("for split_heads in range(3):\n    pass", True),
    ("a, split_heads = 1, 2", True), ("mine = split_heads(x, 2)", False), ("split_heads == 3", False),
    ("def split_heads(x, heads):\n    return x", False),
    ("%matplotlib inline\nif (split_heads := None) is None:\n    pass", True), ("import numpy as split_heads", True),
    ("with open('x') as split_heads:\n    pass", True), ("class split_heads:\n    pass", True),
    ("split_heads: object", False), ("split_heads = timed(split_heads)", False), ("x[split_heads] = 3", False),
    ("class Mine:\n    split_heads = 3", False), ("def other():\n    split_heads = 3", False),
    ("[split_heads for split_heads in range(3)]", False), ("other.split_heads = 3", False),
    ("from mine import split_heads", False), ("this is no Python", False)])
def test_a_scratch_cell_that_takes_a_functions_name_is_named(scratch, named_there) -> None:
    submission = read_bytes("work.ipynb", data(notebook(code(SPLIT), code("x = 1"), code(scratch))), LESSON)
    said = " ".join(translate(notice, "en") for notice in submission.notices)
    assert ("Cell 3 gives the name split_heads to something else" in said) is named_there


def test_a_function_under_nearly_its_name_is_asked_about(graded) -> None:
    grade = graded("work.py", edited(("def multihead(", "def multi_head(")).encode())
    messages = [translate(verdict.message, "en") for verdict in grade.exercises[2].verdicts if verdict.message]
    assert any("one called multi_head: is that the one?" in message for message in messages)
