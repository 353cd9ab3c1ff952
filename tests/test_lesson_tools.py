"""What stands beside the notebook and in it to play with: whoever uses it loses nothing, in either language."""
import json
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from editions import EDITIONS, LESSON, RELEASES, read

from autograder.intake import read_bytes
from autograder.judge.engine import Limits
from autograder.lessons.kit.course_file import course_file
from autograder.lessons.kit.lesson import DOES_NOTHING

SOLUTION = course_file(LESSON.reference).read_text(encoding="utf-8")
USES = """
from examples import answer, same
from explore import explore
from gradcheck import gradcheck
from practice import by_hand
import explore as looking
import selfcheck

rng = np.random.default_rng(3)
x = rng.normal(size=(2, 3, 4))
params = {name: rng.normal(size=(4, 4)) for name in ("wq", "wk", "wv", "wo")}
assert gradcheck(multihead, multihead_backward, x, params, 2, np.tril(np.ones((3, 3), dtype=bool))) is True
same("x", answer(merge_heads, answer(split_heads, x, 2)), x, "BTC", "")
explore(split_heads, merge_heads, language="nl")
looking.look(token=1)
by_hand(1, [1, 0, 3])
selfcheck.main()
"""


@pytest.fixture(scope="module")
def engine(engine_with):
    return engine_with(Limits())


def to_play_with(language: str) -> list:
    """The code cells that carry no marks."""
    return [cell for cell in read(RELEASES[language]).cells
            if cell.cell_type == "code" and "nbgrader" not in cell.metadata]


def solved(language: str, played: bool) -> bytes:
    """The released notebook of this edition with the reference written into it."""
    notebook, source = read(RELEASES[language]), read(EDITIONS[language])
    for cell, answer in zip(notebook.cells, source.cells, strict=True):
        if cell.metadata.get("nbgrader", {}).get("solution"):
            cell.source = answer.source.replace("### BEGIN SOLUTION", "").replace("### END SOLUTION", "")
        elif played and cell.cell_type == "code" and "nbgrader" not in cell.metadata:
            cell.source += "\nprint('again')"
    return json.dumps(notebook).encode()


@pytest.mark.slow
def test_a_submission_that_imports_every_tool_keeps_all_points(engine):
    grade = engine.grade(read_bytes("student-01.py", f"{SOLUTION}\n\n# %%\n{USES}".encode(), LESSON))
    assert grade.points == LESSON.points
    assert [(cell.status, cell.error) for cell in grade.cells] == [("ok", "")] * 2
    assert grade.notices == ()


@pytest.mark.slow
def test_an_own_test_may_use_gradcheck(engine):
    own = SOLUTION.replace("    y, cache = multihead(x.copy()", "    from gradcheck import gradcheck\n"
                           "    assert gradcheck(multihead, multihead_backward, x, params, H, allowed)\n"
                           "    y, cache = multihead(x.copy()", 1)
    assert own != SOLUTION
    assert engine.grade(read_bytes("student-01.py", own.encode(), LESSON)).exercises[-1].points == 3


@pytest.mark.parametrize("language", EDITIONS)
@pytest.mark.parametrize("played", [False, True], ids=["untouched", "played-with"])
def test_the_cells_to_play_with_cost_nothing(engine, language, played):
    submission = read_bytes("student-01.ipynb", solved(language, played), LESSON)
    assert len(submission.cells) == len(LESSON.exercises) + (len(to_play_with(language)) if played else 0)
    grade = engine.grade(submission)
    assert (grade.points, grade.language, grade.notices) == (LESSON.points, language, ())
    assert {cell.status for cell in grade.cells} == {"ok"}


@pytest.mark.slow
def test_a_prediction_that_is_no_python_costs_nothing(engine):
    notebook = solved("nl", False).decode().replace('prediction = \\"nog niets\\"', "prediction = [[2, 3], [6")
    submission = read_bytes("student-01.ipynb", notebook.encode(), LESSON)
    assert len(submission.cells) == len(LESSON.exercises) + 4
    assert engine.grade(submission).points == LESSON.points


@pytest.mark.parametrize("language", EDITIONS)
def test_an_untouched_notebook_has_nothing_in_any_language(engine, language):
    grade = engine.grade(read_bytes("student-01.ipynb", RELEASES[language].read_bytes(), LESSON))
    assert (grade.points, grade.language, grade.notices) == (0, language, ())


@pytest.mark.slow
def test_a_class_may_mix_languages(tmp_path):
    """`autograder check` answers each edition under the one assignment, and in its own language unless one is asked."""
    for student, language in (("student-01", "nl"), ("student-02", "en")):
        folder = tmp_path / student / "multihead"
        shutil.copytree(RELEASES[language].parent, folder)
        (folder / "multihead.ipynb").write_bytes(solved(language, True))
    run = subprocess.run([sys.executable, "-m", "autograder", "check", str(tmp_path), "--json", "-"],
                         capture_output=True, text=True, check=True)
    grades = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
    assert [(grade["student"], grade["points"], grade["status"]) for grade in grades] == [
        ("student-01", 20, "graded"), ("student-02", 20, "graded")]
    assert all(Path(grade["submission"]).parent.name == "multihead" for grade in grades)


@pytest.mark.slow
@pytest.mark.parametrize(("options", "words"), [
    ([], ("split_heads is nog niet geschreven", "split_heads is not written yet")),
    (["--lang", "nl"], ("split_heads is nog niet geschreven", "split_heads is nog niet geschreven")),
    (["--lang", "en"], ("split_heads is not written yet", "split_heads is not written yet")),
])
def test_students_are_answered_in_the_language_of_their_notebook_unless_one_is_asked(tmp_path, options, words):
    for student, language in (("student-01", "nl"), ("student-02", "en")):
        shutil.copytree(RELEASES[language].parent, tmp_path / student / "multihead")
    run = subprocess.run([sys.executable, "-m", "autograder", "check", str(tmp_path), *options],
                         capture_output=True, text=True, check=True)
    first, second = run.stdout.split("student-02  ")[:2]
    assert words[0] in first
    assert words[1] in second


@pytest.mark.slow
def test_a_course_answers_each_student_in_the_language_of_the_notebook(tmp_path):
    for folder in ("multihead", "multihead-en"):
        shutil.copytree(course_file(f"assignments/{folder}"), tmp_path / "assignments" / folder)
    shutil.copy(course_file("nbgrader_config.py"), tmp_path)
    for student, language in (("student-01", "nl"), ("student-02", "en")):
        shutil.copytree(RELEASES[language].parent, tmp_path / "submitted" / student / "multihead")
    subprocess.run([sys.executable, "-m", "autograder", "grade", "--jobs", "1"], cwd=tmp_path, check=True,
                   capture_output=True)
    for student, language in (("student-01", "nl"), ("student-02", "en")):
        assert f'<html lang="{language}">' in (tmp_path / f"feedback/{student}/multihead.html").read_text("utf-8")
    rows = sqlite3.connect(tmp_path / "gradebook.db")
    assert rows.execute("select name from assignment").fetchall() == [("multihead",)]
    assert rows.execute("select distinct auto_comment from comment").fetchall() == [("No response.",)]


def test_files_beside_the_notebook_are_nobodys_submission(tmp_path):
    shutil.copytree(RELEASES["en"].parent, tmp_path / "download")
    run = subprocess.run([sys.executable, "-m", "autograder", "check", str(tmp_path), "--json", "-"],
                         capture_output=True, text=True, check=True)
    assert [json.loads(line)["submission"] for line in run.stdout.splitlines() if line.startswith("{")] == [
        "download/multihead.ipynb"]


def test_what_only_shows_something_does_nothing_behind_the_wall():
    assert {module for module, source in LESSON.modules.items() if source == DOES_NOTHING} == set(LESSON.shows)
    names = {}
    exec(DOES_NOTHING, names)
    assert names["__getattr__"]("explore")(1, language="nl") is None
    with pytest.raises(AttributeError):
        names["__getattr__"]("__path__")
