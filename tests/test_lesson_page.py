"""docs/lesson.md: whoever follows it has a lesson that is proven, in five files."""
from __future__ import annotations

import json
from pathlib import Path

import pytest
from documented import blocks

from autograder import api, cli
from autograder.lessons.installed import load_lesson
from autograder.testing import facts_of

PAGE = "docs/lesson.md"
FILES = {block.file: block.code for block in blocks(PAGE) if block.file}
SOLUTION, CHECKS = "solutions/softmax.py", "lessons/softmax/checks/softmax.py"


@pytest.fixture
def course(tmp_path, monkeypatch) -> Path:
    """The course with the solution, and what `autograder new lesson` makes of it."""
    monkeypatch.chdir(tmp_path)
    assert cli.run(["init", "--empty"]) == 0
    Path("solutions").mkdir()
    Path(SOLUTION).write_text(FILES[SOLUTION])
    assert cli.run(["new", "lesson", "softmax", "--points", "4"]) == 0
    return tmp_path


def finish(course: Path) -> None:
    """Write the other files of the page, and the notebook's texts."""
    for name, code in FILES.items():
        (course / name).write_text(code)
    notebook = course / "assignments" / "softmax" / "softmax.ipynb"
    notebook.write_text(notebook.read_text().replace("TODO: ", ""))


def left(course: Path) -> list[str]:
    return [fact.says for fact in facts_of("softmax", str(course / "tests" / "test_softmax.py"))]


def test_five_files_are_edited(course):
    assert {*FILES} | {"assignments/softmax/softmax.ipynb"} == {
        SOLUTION, CHECKS, "lessons/softmax/probes.py", "lessons/softmax/mistakes/softmax.py",
        "assignments/softmax/softmax.ipynb"}
    for name in FILES:
        assert (course / name).is_file()


def test_a_new_lesson_is_green_and_lists_what_is_left(course, capsys):
    facts = facts_of("softmax", str(course / "tests" / "test_softmax.py"))
    assert [fact.says for fact in facts] == [
        f"{CHECKS}: the words of the check general say TODO",
        "lessons/softmax/mistakes/softmax.py: the mistake softmax-slip says TODO",
        "assignments/softmax/softmax.ipynb: these cells say TODO: introduction, softmax-text, example-softmax"]
    for fact in facts:
        with pytest.raises(pytest.skip.Exception):
            fact.check()
    assert cli.run(["verify"]) == 3
    said = capsys.readouterr().out
    assert [line.removeprefix("  - ") for line in said.splitlines()[1:]][-3:] == [fact.says for fact in facts]


def test_the_notebook_has_the_solutions_first_line_and_docstring_and_the_points(course):
    cells = json.loads((course / "assignments/softmax/softmax.ipynb").read_text())["cells"]
    sources = {cell["id"]: "".join(cell["source"]) for cell in cells}
    assert sources["softmax"].startswith('def softmax(scores):\n    """Turn scores (B, T) into weights (B, T): ')
    assert "### BEGIN SOLUTION\n    scores = np.array(scores, dtype=float)\n" in sources["softmax"]
    assert sources["points"].endswith("| `softmax` | 4 |")


@pytest.mark.slow
def test_whoever_follows_the_page_has_a_lesson_that_is_proven(course, capsys):
    finish(course)
    facts = facts_of("softmax", str(course / "tests" / "test_softmax.py"))
    assert [fact.says for fact in facts] == [
        "the solution earns every point", "an empty function earns nothing", "over-all-rows", "no-maximum"]
    for fact in facts:
        fact.check()
    assert cli.run(["verify"]) == 0
    assert cli.run(["release"]) == 0
    assert "release/softmax: softmax.ipynb; 4 points; " in capsys.readouterr().out
    [grade] = api.check(course / SOLUTION, course=course)
    assert (grade.lesson, grade.points) == ("softmax", 4)
    assert [verdict.max_points for verdict in grade.exercises[0].verdicts] == [2, 1, 1]


@pytest.mark.slow
def test_points_are_changed_in_one_place(course, capsys):
    finish(course)
    path = course / "lessons" / "softmax" / "lesson.py"
    path.write_text(path.read_text().replace('"test_softmax", 4', '"test_softmax", 6'))
    assert [check.points for check in load_lesson("softmax", course).exercises[0].checks] == [3, 1.5, 1.5]
    assert cli.run(["release"]) == 0
    assert "; 6 points; " in capsys.readouterr().out
    assert "| `softmax` | 6 |" in (course / "release" / "softmax" / "softmax.ipynb").read_text()
    for fact in facts_of("softmax", str(course / "tests" / "test_softmax.py")):
        fact.check()


def test_a_mutant_that_no_check_notices_is_named_with_its_line_until_it_is_excused_there(course, capsys):
    finish(course)
    solution = course / SOLUTION
    solution.write_text(FILES[SOLUTION].replace("# same: of two axes, -1 is 1", "# the sum of a row"))
    assert cli.run(["verify"]) == 3
    said = capsys.readouterr().out
    assert f"- {SOLUTION}, line 9: softmax: return powers / np.sum(powers, axis=-1, keepdims=True) -> " in said
    assert "write `# same: and why` behind that line" in said
    assert "line 7" not in said                         # a guard
    assert "line 8" not in said


@pytest.mark.slow
def test_an_excuse_that_is_not_needed_is_named(course, capsys):
    finish(course)
    short = "powers = np.exp(scores - top)      # same: no reason"
    (course / SOLUTION).write_text(FILES[SOLUTION].replace(
        "powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True)) ",
        f"top = np.max(scores, axis=-1, keepdims=True)  # same: others would do\n    {short}"))
    mistakes = course / "lessons" / "softmax" / "mistakes" / "softmax.py"
    mistakes.write_text(mistakes.read_text().replace("np.exp(scores - np.max(scores, axis=-1, keepdims=True))",
                                                     "np.exp(scores - top)"))
    assert cli.run(["verify"]) == 3
    said = capsys.readouterr().out
    assert f"- {SOLUTION}, line 9: the checks catch every mutant of this line, so `# same:` can go" in said
    assert said.count("\nBROKEN ") == 1


def test_a_mistake_that_no_check_catches_fails_its_own_test(course):
    finish(course)
    checks = course / CHECKS
    checks.write_text(FILES[CHECKS].replace("(general, large, keeps_scores)", "(general, keeps_scores)").replace(
        '"1/2"', '"3/4"'))
    facts = {fact.says: fact for fact in facts_of("softmax", str(course / "tests" / "test_softmax.py"))}
    facts["over-all-rows"].check()
    with pytest.raises(pytest.fail.Exception, match="no check catches it"):
        facts["no-maximum"].check()
