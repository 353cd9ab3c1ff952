"""The layer norm lesson: proven, its notebooks complete, its examples in words, and an error costs once."""
from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from local import Opened

from autograder.authoring.release import release
from autograder.authoring.source import drift
from autograder.intake import read_bytes
from autograder.judge.engine import Assessor, Engine, Limits
from autograder.judge.local_subject import LocalSubject
from autograder.lessons.installed import load_lesson
from autograder.lessons.kit.course_file import course_file
from autograder.lessons.kit.lesson import changed
from autograder.proof import mutation, render, verify
from autograder.proof.fairness import harm, seeded_variant, variant_of

LESSON = load_lesson("layernorm")
REFERENCE = LocalSubject(LESSON.reference_source)
FOLDERS = ["layernorm", "layernorm-en"]
CELLS = [("given", None), ("layer_norm", None), ("example_N1", None), ("example_N2", None),
         ("layer_norm_backward", None), ("example_N3", None), ("example_N4", None),
         ("test_layer_norm", 4), ("test_layer_norm_backward", 6)]
NUMBERS = ["[0, 8, 6, 6]", "[1, 7, 9, 15]", "[-1.6667, 2, 1, 11.3333]", "[-1.4, -0.4, 0.6, 15.6]",           # N1
           "[-0.5, -0.5, 0.5, 0.5]", "[4, 4, 4, 4]",                                                         # N2
           "[0.5, 1.5, -1, -1]", "[1.04, -1.28, -0.72, 0.96]", "[-28, 3, 0, 0]", "[20, 3, 0, 0]"]            # N3
each_edition = pytest.mark.parametrize("folder", FOLDERS)


def cells(step: str, folder: str) -> dict[str, nbformat.NotebookNode]:
    """The code cells of an edition, by their grade_id."""
    notebook = nbformat.read(course_file(f"{step}/{folder}/layernorm.ipynb"), as_version=4)
    return {cell.metadata.nbgrader.grade_id: cell for cell in notebook.cells if "nbgrader" in cell.metadata}


@contextmanager
def beside(folder: str) -> Iterator[None]:
    """The modules beside this edition's notebook can be imported, and nothing of them is left afterwards."""
    kept = {name: sys.modules.pop(name) for name in LESSON.beside if name in sys.modules}
    sys.path.insert(0, str(course_file(f"assignments/{folder}")))
    try:
        yield
    finally:
        del sys.path[0]
        for name in LESSON.beside:
            sys.modules.pop(name, None)
        sys.modules.update(kept)


def assessed(*edits: tuple[str, str]) -> dict[str, float]:
    """The points of each exercise for the reference with these lines changed."""
    code = changed(*edits)(LESSON.reference_source)
    return {exercise.name: exercise.points for exercise in Assessor(LESSON).assess(Opened(code)).exercises}


# --- the proof ----------------------------------------------------------------------------------------------------

@pytest.mark.slow
def test_a_quick_proof_of_the_lesson_holds_and_every_mistake_is_named() -> None:
    proof = verify(LESSON, quick=True)
    assert proof.holds, render(proof)
    assert [claim.exceptions for claim in proof.claims] == [()] * len(proof.claims)
    assert len(LESSON.mistakes) >= 70


@pytest.mark.slow
def test_all_mutants_are_caught_but_those_that_are_known_to_change_nothing() -> None:
    made = mutation.all_mutants(LESSON)
    unharmed = mutation.try_mutants(LESSON, REFERENCE, made, Limits(), lambda what, done, of: None)
    assert {mutant.change for mutant in unharmed} == set(mutation.equivalent_mutants(LESSON))
    assert len(made) > 300


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.data())
def test_any_combination_of_right_steps_keeps_every_point(data: st.DataObject) -> None:
    source = variant_of(LESSON)(lambda *options: data.draw(st.sampled_from(options)))
    assert harm(LESSON, REFERENCE, source) == []


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine(LESSON) as engine:
        yield engine


def test_right_solutions_keep_every_point_behind_the_wall(engine: Engine) -> None:
    for seed in range(8):
        grade = engine.grade(read_bytes(f"variant-{seed}.py", seeded_variant(LESSON, seed).encode(), LESSON))
        assert (grade.points, grade.status) == (10.0, "graded")
        assert grade.for_a_person == ()


def test_no_two_mistakes_share_an_id_or_a_hint() -> None:
    for words in ([mistake.id for mistake in LESSON.mistakes], [mistake.hint.template for mistake in LESSON.mistakes]):
        assert len(words) == len(set(words))


# --- an error costs once ------------------------------------------------------------------------------------------

def test_a_wrong_forward_costs_nothing_on_the_way_back() -> None:
    points = assessed(("std = np.sqrt(var + eps) ", "std = np.sqrt(var) + eps "))
    assert points == {"layer_norm": 4.0 - 0.25 - 0.5, "layer_norm_backward": 6.0}         # N2, and the check of eps


def test_a_backward_that_is_true_to_a_known_wrong_forward_keeps_what_a_derivative_can_show() -> None:
    """Divided by C - 1 in both: the way back is its true derivative, and the reference's cache does not suit it."""
    points = assessed(("np.mean(centred ** 2, axis=-1, keepdims=True)", "x.var(axis=-1, keepdims=True, ddof=1)"),
                      ("x_hat * np.mean(dx_hat * x_hat, axis=-1, keepdims=True)",
                       "x_hat * np.sum(dx_hat * x_hat, axis=-1, keepdims=True) / (dy.shape[-1] - 1)"))
    assert points["layer_norm"] == 0.75 + 0.25 + 0.125         # centred; arguments kept; the same again
    assert 4.0 <= points["layer_norm_backward"] < 6.0


def test_a_million_more_costs_a_one_pass_variance_one_check_and_no_more() -> None:
    points = assessed(("np.mean(centred ** 2, axis=-1, keepdims=True)",
                       "np.mean(x ** 2, axis=-1, keepdims=True) - mean ** 2"))
    assert points == {"layer_norm": 3.75, "layer_norm_backward": 6.0}


@pytest.mark.slow
def test_gradients_that_were_nudged_are_too_slow_for_a_large_case_and_a_person_hears_of_it() -> None:
    code = LESSON.reference_source.replace("    return dx, dgain, dbias", """\
    dx = np.zeros(dy.shape)
    for place in np.ndindex(dy.shape):
        ends = []
        for step in (1e-6, -1e-6):
            moved = x_hat * std
            moved[place] += step
            rest = std ** 2 - np.mean((x_hat * std) ** 2, axis=-1, keepdims=True)
            centred = moved - moved.mean(axis=-1, keepdims=True)
            spread = np.sqrt(np.mean(centred ** 2, axis=-1, keepdims=True) + rest)
            ends.append(np.sum(dy * gain * centred / spread))
        dx[place] = (ends[0] - ends[1]) / 2e-6
    return dx, dgain, dbias""")
    with Engine(LESSON, Limits(seconds=2.0)) as engine:
        grade = engine.grade(read_bytes("nudged.py", code.encode(), LESSON))
    large = next(verdict for verdict in grade.exercises[1].verdicts if verdict.check == "large-case")
    assert large.verdict == "timed_out"
    assert "nudging" in " ".join(reason.template for reason in grade.for_a_person)


# --- the notebooks ------------------------------------------------------------------------------------------------

@each_edition
def test_the_cells_and_their_points_are_frozen(folder: str) -> None:
    marks = [cell.metadata.nbgrader for cell in cells("assignments", folder).values()]
    assert [(mark.grade_id, mark.get("points")) for mark in marks] == CELLS


def test_every_edition_holds_the_reference() -> None:
    assert drift(LESSON) == []


@each_edition
def test_the_source_runs_from_top_to_bottom(folder: str) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    with beside(folder):
        for grade_id, cell in cells("assignments", folder).items():
            if not grade_id.startswith("test_"):
                exec(compile(cell.source, grade_id, "exec"), names)


@each_edition
@pytest.mark.parametrize("number", NUMBERS)
def test_every_number_of_the_worked_examples_reaches_the_student(folder: str, number: str) -> None:
    assert number in course_file(f"release/{folder}/layernorm.ipynb").read_text(encoding="utf-8")


@each_edition
@pytest.mark.parametrize("grade_id", [grade_id for grade_id, _ in CELLS if grade_id.startswith("example_")])
def test_no_example_passes_on_untouched_stubs(folder: str, grade_id: str) -> None:
    names: dict[str, object] = {}
    released = cells("release", folder)
    for cell in released.values():
        if cell.metadata.nbgrader.solution or cell.metadata.nbgrader.grade_id == "given":
            exec(cell.source, names)
    with beside(folder), pytest.raises(AssertionError, match=r"raise NotImplementedError\(\)"):
        exec(released[grade_id].source, names)


@each_edition
@pytest.mark.parametrize(("grade_id", "edit", "words"), [
    ("example_N1", ("np.mean(centred ** 2, axis=-1, keepdims=True)", "x.var(axis=-1, keepdims=True, ddof=1)"), "C = 4"),
    ("example_N1", ("y = gain * x_hat + bias ", "y = gain * (x_hat + bias) "), "gain"),
    ("example_N1", ('"std": std,', '"std": std[..., 0],'), "(1, 2, 1)"),
    ("example_N1", ('return y, {"x_hat"', 'return {"x_hat"'), "(y, cache)"),
    ("example_N2", ("np.sqrt(var + eps)", "(np.sqrt(var) + eps)"), "[-0.5, -0.5, 0.5, 0.5]"),
    ("example_N3", ("(dx_hat - by_mean - by_var)", "(dx_hat - by_var)"), "via|through"),
    ("example_N3", ("(dx_hat - by_mean - by_var)", "(dx_hat - by_mean)"), "variantie|variance"),
    ("example_N3", ("np.sum(dy * x_hat, axis=(0, 1))", "np.mean(dy * x_hat, axis=(0, 1))"), "dgain is"),
    ("example_N4", ("dx_hat = dy * gain ", "dx_hat = dy "), "dx[0, 0, 0] is"),
])
def test_an_example_refuses_in_words(folder: str, grade_id: str, edit: tuple[str, str], words: str) -> None:
    names: dict[str, object] = {}
    exec(changed(edit)(LESSON.reference_source), names)
    with beside(folder), pytest.raises(AssertionError) as refusal:
        exec(cells("release", folder)[grade_id].source, names)
    assert any(word in str(refusal.value) for word in words.split("|"))


@pytest.mark.slow
@each_edition
def test_a_fresh_release_equals_the_committed_one(folder: str, tmp_path: Path) -> None:
    shutil.copytree(course_file(f"assignments/{folder}"), tmp_path / "assignments" / folder,
                    ignore=shutil.ignore_patterns("__pycache__", ".*"))
    shutil.copy(course_file("nbgrader_config.py"), tmp_path)
    made = release(tmp_path, folder, f"sqlite:///{tmp_path}/gradebook.db")
    assert (made.folder / "layernorm.ipynb").read_bytes() == course_file(
        f"release/{folder}/layernorm.ipynb").read_bytes()
    assert made.files == ("layernorm.ipynb", "slips.py", "examples.py", "selfcheck.py")
    assert made.points == 10
    for name in made.files[1:]:
        assert (made.folder / name).read_bytes() == course_file(f"release/{folder}/{name}").read_bytes()


def test_an_untouched_notebook_of_either_edition_is_worth_nothing(engine: Engine) -> None:
    for folder in FOLDERS:
        data = course_file(f"release/{folder}/layernorm.ipynb").read_bytes()
        grade = engine.grade(read_bytes("layernorm.ipynb", data, LESSON))
        assert (grade.points, grade.notices) == (0.0, ())
        assert grade.language == ("en" if folder.endswith("-en") else "nl")


def test_the_notebook_is_dutch_where_students_read() -> None:
    words = json.dumps([cell.source for cell in cells("release", "layernorm").values()], ensure_ascii=False)
    assert "verwacht" in words
    assert "expected" not in words


#: what the student wrote, the example, and the words of it in Dutch that name this slip
SLIPS = [
    (("np.mean(centred ** 2, axis=-1, keepdims=True)", "x.var(axis=-1, keepdims=True, ddof=1)"), "N1",
     "Je deelt door C - 1"),
    (("std = np.sqrt(var + eps) ", "std = var + eps "), "N1", "Dit is de variantie"),
    (("x_hat = centred / std ", "x_hat = centred "), "N1", "Dit zijn de afwijkingen"),
    (("x_hat = centred / std ", "x_hat = x / std "), "N1", "Trek eerst het gemiddelde eraf"),
    (("y = gain * x_hat + bias ", "y = gain * x_hat "), "N1", "bias ontbreekt nog"),
    (("y = gain * x_hat + bias ", "y = x_hat "), "N1", "Dit is x̂"),
    (("y = gain * x_hat + bias ", "y = gain * (x_hat + bias) "), "N1", "Eerst gain, dan bias"),
    (("np.sqrt(var + eps)", "(np.sqrt(var) + eps)"), "N2", "Hier is eps na de wortel opgeteld"),
    (("np.sqrt(var + eps)", "np.sqrt(var + 1e-9)"), "N2", "eps doet hier niet mee"),
    (("np.sum(dy, axis=(0, 1))", "np.mean(dy, axis=(0, 1))"), "N3", "Je hebt gemiddeld"),
    (("np.sum(dy * x_hat, axis=(0, 1))", "dbias_of(dy)"), "N3", "Dit is dbias"),
    (("(dx_hat - by_mean - by_var)", "dx_hat"), "N3", "Alleen de rechtstreekse route is over"),
    (("(dx_hat - by_mean - by_var)", "(dx_hat - by_var)"), "N3", "De route via het gemiddelde ontbreekt"),
    (("(dx_hat - by_mean - by_var)", "(dx_hat - by_mean)"), "N3", "De route via de variantie ontbreekt"),
    (("dx = (dx_hat - by_mean - by_var) / std ", "dx = dx_hat - by_mean - by_var "), "N3", "Je deelt niet door std"),
    (("dx_hat = dy * gain ", "dx_hat = dy "), "N3", "gain doet hier niet mee"),
    (("return dx, dgain, dbias", "return dx, dgain"), "N3", "verwacht: het drietal"),
    (("np.sum(dy, axis=(0, 1))", "np.sum(dy, axis=0)"), "N3", "heeft vorm (2, 4), verwacht: (4,), dus (C)"),
    (("x = np.asarray(x, dtype=float)", "x -= 1"), "N1", "layer_norm verandert een argument: in x staan nu andere"),
]


@pytest.mark.parametrize(("edit", "example", "words"), SLIPS)
def test_a_slip_is_named_in_words(edit: tuple[str, str], example: str, words: str) -> None:
    names: dict[str, object] = {"dbias_of": lambda dy: dy.sum(axis=(0, 1))}
    exec(changed(edit)(LESSON.reference_source), names)
    with beside("layernorm"), pytest.raises(AssertionError) as refusal:
        exec(cells("release", "layernorm")[f"example_{example}"].source, names)
    assert words in str(refusal.value)


@each_edition
def test_right_functions_pass_each_example_and_hear_how_far_they_are(folder: str, capsys) -> None:
    names: dict[str, object] = {}
    exec(LESSON.reference_source, names)
    with beside(folder):
        for name in ("N1", "N2", "N3", "N4"):
            exec(cells("release", folder)[f"example_{name}"].source, names)
    lines = capsys.readouterr().out.splitlines()
    assert [line[:2] for line in lines[1::2]] == ["□□", "■□", "■□", "■■"]
    assert all(line.startswith("✓") for line in lines[::2])
    assert lines[-1].startswith("■■ 2 ")


@each_edition
def test_each_part_has_its_picture_a_prediction_and_three_hints(folder: str) -> None:
    notebook = nbformat.read(course_file(f"release/{folder}/layernorm.ipynb"), as_version=4)
    texts = [cell.source for cell in notebook.cells]
    parts = [place for place, words in enumerate(texts) if words.startswith(("## 1.", "## 2."))]
    assert all(texts[place + 1].startswith("<img ") for place in parts)
    predictions = [words for words in texts if words.startswith(("# Voorspel", "# Predict"))]
    assert len(predictions) == 2
    for words in predictions:
        exec(words, {"np": np})
    for name in ("layer_norm", "layer_norm_backward"):
        assert sum(words.count(f" <code>{name}</code>: ") for words in texts) == 3


def test_every_picture_draws_itself_and_has_its_dark_colours() -> None:
    from autograder.lessons.layernorm import pictures  # slow to import
    for name, language in product(pictures.PICTURES, ("nl", "en")):
        svg, alt = pictures.picture(name, language)
        ElementTree.fromstring(svg)
        assert b"prefers-color-scheme:dark" in svg, (name, language)
        assert 80 < len(alt) < 500, (name, language)
        assert '"' not in alt, (name, language)
