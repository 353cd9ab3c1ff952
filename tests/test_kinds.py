"""docs/lesson-kinds.md: every kind of answer is checked with autograder.kit alone, and what is wrong has a word."""
from __future__ import annotations

import os
from pathlib import Path

import pytest
from documented import blocks

from autograder import api, cli
from autograder.lessons.trust import trust
from autograder.locale.language import translate
from autograder.records import Grade

FILES = {block.file: block.code for block in blocks("docs/lesson-kinds.md") if block.file}
SOLUTION = "solutions/kinds.py"
WRONG = {
    "sum": ("return float(np.mean(x)), x", "return float(np.sum(x)), x"),
    "list": ("return float(np.mean(x)), x - np.mean(x)", "return x - np.mean(x)"),
    "no_error": ("    if x.size == 0:\n        raise ValueError(\"x has no numbers\")\n", ""),
    "floats": ("order = np.argsort(np.argsort(x))", "order = np.argsort(np.argsort(x)) * 1.0"),
    "ones": ('"top": order == x.size - 1', '"top": (order == x.size - 1) * 1'),
    "reversed": ("np.argsort(np.argsort(x))", "np.argsort(np.argsort(-x))"),
    "no_top": ('"top": order', '"last": order'),
    "other_word": ('    return "up" if', '    return "UP" if'),
    "number": ("        return None\n", "        return 0\n"),
    "nothing": ('    return "up" if', '    "up" if'),
    "lets_through": ("    assert mean == 3.0\n", ""),
    "refuses": ("mean == 3.0", "mean == 4.0"),
}
SAID = {
    "sum": "the mean has the right shape but wrong values",
    "list": "middle should return two things (mean, deviations), but what comes back is an array",
    "no_error": "middle accepts an array without numbers, expected a ValueError, TypeError or AssertionError",
    "floats": "order holds numbers of kind float64, expected whole numbers",
    "ones": "top holds numbers of kind int64, expected True and False",
    "reversed": "order has the right shape but wrong values",
    "no_top": "ranks(x) has no entry 'top'",
    "other_word": "verdict(x) is another text than was expected",
    "number": "verdict(x) should be None, but it is an array or a number",
    "nothing": "verdict(x) should be a piece of text, but it is None (is there a return?)",
    "lets_through": "own_test lets a function through whose mean is wrong",
    "refuses": "own_test refuses a function that is right",
}


@pytest.fixture(scope="module")
def grades(made_once, tmp_path_factory) -> dict[str, Grade]:
    """What each of them gets, and the solution."""
    here = Path.cwd()

    def make(folder: Path) -> None:
        assert cli.run(["init", "--empty", str(folder)]) == 0
        os.chdir(folder)
        Path("solutions").mkdir()
        Path(SOLUTION).write_text(FILES[SOLUTION])
        assert cli.run(["new", "lesson", "kinds", "--points", "2"]) == 0
        for name, code in FILES.items():
            Path(name).write_text(code)
    try:
        course = made_once("kinds-course", make)
    finally:
        os.chdir(here)
    trust(course)
    work = tmp_path_factory.mktemp("work")
    for name, (old, new) in {"right": ("", ""), **WRONG}.items():
        assert not old or FILES[SOLUTION].count(old) == 1, name
        (work / f"{name}.py").write_text(FILES[SOLUTION].replace(old, new) if old else FILES[SOLUTION])
    return {grade.student: grade for grade in api.check(work, course=course)}


def test_the_solution_has_all_points(grades):
    assert (grades["right"].status, grades["right"].points) == ("graded", 8)


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_has_a_word_and_costs_its_own_exercise(grades, name):
    lost = [exercise for exercise in grades[name].exercises if exercise.points != exercise.max_points]
    assert grades[name].status == "graded"
    said = [translate(verdict.message, "en") for exercise in lost for verdict in exercise.verdicts]
    assert SAID[name] in [words if ": " not in words else words.partition(": ")[0] for words in said], said
    assert [exercise.name for exercise in lost] == [next(
        each for each in ("own_test", "verdict", "ranks", "middle")
        if FILES[SOLUTION].index(f"def {each}(") < FILES[SOLUTION].index(WRONG[name][0]))]
