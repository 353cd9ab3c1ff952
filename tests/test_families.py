"""What is said of answers that no known mistake explains: the steps that give them, or the first one that is wrong."""
from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from local import LESSON, Opened, source

from autograder.judge.engine import Assessor
from autograder.judge.families import Families
from autograder.judge.local_subject import LocalSubject
from autograder.locale.language import translate
from autograder.records import Call, ExerciseGrade, Outcome

DK = '"k": np.swapaxes(dscores, -1, -2) @ q'
SCALE = "np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])"
ADD = "dx = dx + dpart @ params[name].T"
assessor = cache(lambda: Assessor(LESSON))


def graded(*edits: tuple[str, str], then: str = "") -> dict[str, ExerciseGrade]:
    return {grade.name: grade for grade in assessor().assess(Opened(source(*edits, then=then))).exercises}


def said(grade: ExerciseGrade) -> str:
    return " | ".join(translate(hint, "en") for hint in grade.diagnosis.hints)


@pytest.mark.parametrize(("exercise", "edit", "id", "words"), [
    ("multihead", (SCALE, "np.swapaxes(k, -1, -2) / 8"), "scores-by-8", "J, Y: exactly what comes out with scores "
                                                                        "divided by 8"),
    ("multihead", (SCALE, "np.swapaxes(k, -1, -2) / np.sqrt(2 * q.shape[-1])"), "scores-by-√(2d)", "divided by √(2d)"),
    ("multihead", ('x @ params["wq"]', 'x @ params["wq"].T'), "q-transposed", "Q = X·WQᵀ"),
    ("multihead", ("= attention(q, k, v, allowed)", "= attention(q, k, v, np.roll(allowed, 1, axis=1))"),
     "mask-columns-shifted-by-1", "the mask shifted by 1 along its columns"),
    ("multihead", ("= attention(q, k, v, allowed)", "= attention(q, k, v, allowed | np.eye(len(allowed), dtype=bool))"),
     "mask-diagonal-forced", "a mask in which every token sees itself"),
    ("multihead", ("joined = merge_heads(mixed)", "joined = merge_heads(np.roll(mixed, 1, axis=1))"), "join-rolled",
     "one place further on"),
    ("multihead", ('y = joined @ params["wo"]', 'y = 3 * joined @ params["wo"]'), "times-3", "Y: exactly 3 times"),
    ("multihead_backward", (ADD, f"{ADD} * (1 + (name == 'wk'))"), "dx-twice-k", "the route through K twice"),
    ("multihead_backward", (ADD, f"{ADD} * (-1 if name == 'wq' else 1)"), "dx-minus-q", "is subtracted"),
    ("multihead_backward", (DK, '"k": np.swapaxes(dscores, -1, -2) @ q * 0'), "all-zeros + dx", "dWK: all zeros"),
    ("multihead_backward", ('"btc,bte->ce", x, dpart', '"btc,bte->ce", x[:, :-1], dpart[:, :-1]'),
     "sums-without-last-token", "a sum without the last token"),
    ("multihead_backward", ('"btc,bte->ce", x, dpart', '"c,e->ce", x[-1, -1], dpart[-1, -1]'),
     "sums-last-of-all", "the last token of the last sequence alone"),
    ("merge_heads", ("h = h.swapaxes(1, 2)", "H, h = H - 1, h[:, 1:].swapaxes(1, 2)"), "head-without-first",
     "the first of the heads missing"),
    ("multihead_backward", ("djoined = dy @", "djoined = 0.5 * dy @"), "times-1/2", "1/2 times"),
    ("split_heads", ("return x.swapaxes(1, 2)", "return np.roll(x.swapaxes(1, 2), 1, axis=2)"), "time-rolled",
     "the tokens shifted by one"),
    ("merge_heads", ("h = h.swapaxes(1, 2)", "h = h[..., ::-1].swapaxes(1, 2)"), "number-elsewhere",
     "[0, 0, 0] of the result (B, T, C) holds h[0, 0, 0, 3], and h[0, 0, 0, 0] belongs there"),
])
def test_the_steps_that_give_the_answers_are_named(exercise: str, edit: tuple[str, str], id: str, words: str) -> None:
    grade = graded(edit)[exercise]
    assert grade.points < grade.max_points
    assert words in said(grade)
    assert set(grade.diagnosis.mistakes) >= {one for one in id.split(" + ") if one != "dx"}


def test_a_choice_that_would_spoil_what_is_right_is_not_named() -> None:
    """dK = 0 gives the same dX as a dX without the route through K, and dWK is right."""
    grade = graded((ADD, f"{ADD} * (name != 'wk')"), ('grads = {"wo": np.einsum("btj,btc->jc", cache["joined"], dy)}',
                   'grads = {"wo": np.einsum("btj,btc->jc", cache["joined"], dy) / len(dy)}'))["multihead_backward"]
    assert set(grade.diagnosis.mistakes) == {"times-1/B", "dx-missing-k"}


def test_one_answer_for_all_questions_is_said_to_be_one() -> None:
    for name, last in (("multihead_backward", "return dx, grads"), ("split_heads", "return x.swapaxes(1, 2)")):
        what = last.removeprefix("return ")
        edit = last, f"if not KEPT:\n        KEPT.append(({what}))\n    return KEPT[0]"
        grade = graded(edit, then="KEPT = []")[name]
        assert grade.diagnosis.mistakes == ("same-for-all",)
        assert "does it remember the first one?" in said(grade)


def test_a_condition_is_told_without_a_wider_one() -> None:
    grade = graded(("C % heads != 0", "C % heads != 0 or T % heads != 0"))["split_heads"]
    assert list(grade.diagnosis.mistakes) == ["where-three-heads", "where-T-in-heads"]
    assert "only where T cannot be divided by H" in said(grade)


@pytest.mark.parametrize(("exercise", "edit", "words"), [
    ("multihead", ('y = joined @ params["wo"]', 'y = np.cbrt(joined @ params["wo"])'),
     "J is right (cache['joined']), and Y is not"),
    ("multihead", ("joined = merge_heads(mixed)", "joined = merge_heads(mixed)\n    joined[:, 2] += 1"),
     "In J only time step 2 differs (counting from 0)"),
    ("multihead", ('"joined": joined}', '"joined": np.cbrt(joined)}'), "Y is right, and cache['joined'] is not J"),
    ("multihead", ('"joined": joined}', '"joined": joined + 1}'),
     "Y is right, and cache['joined'] is J, but with one and the same number added everywhere"),
    ("multihead_backward", (DK, '"k": np.cbrt(np.swapaxes(dscores, -1, -2) @ q)'),
     "dWO, dWV, dWQ: right. dWK is not right"),
    ("multihead_backward", ("return dx, grads", "return dx + np.cbrt(dy), grads"),
     "dWO, dWV, dWK and dWQ are right, so dQ, dK and dV are too"),
    ("multihead_backward", (ADD, f"{ADD} * {{'wq': 0.25, 'wk': 1, 'wv': 0.75}}[name]"),
     "dX is 0.25 times the route through Q, 1 times that through K and 0.75 times that through V"),
])
def test_else_the_first_wrong_step_is_named_with_what_is_right(exercise: str, edit: tuple[str, str], words: str
                                                               ) -> None:
    assert words in said(graded(edit)[exercise])


def test_a_known_mistake_goes_before_the_steps() -> None:
    assert graded((SCALE, "np.swapaxes(k, -1, -2)"))["multihead"].diagnosis.mistakes == ("scale-none",)


def test_the_right_forward_is_taken_where_an_earlier_function_is_wrong() -> None:
    grades = graded(("return x.swapaxes(1, 2)", "return x.swapaxes(1, 2)[:, ::-1]"), (ADD, f"{ADD} * 7"))
    assert "7" not in said(grades["multihead"])
    assert grades["multihead_backward"].diagnosis.mistakes == ("routes-counted",)


def test_a_true_derivative_of_steps_that_are_known_keeps_its_points() -> None:
    grades = graded((SCALE, "np.swapaxes(k, -1, -2) / 8"), ("/ np.sqrt(q.shape[-1])", "/ 8"))
    assert grades["multihead"].points < 5
    by_world = {verdict.check: verdict.world for verdict in grades["multihead_backward"].verdicts}
    assert by_world["dwq"] == by_world["dx"] == "own-derivative"


def test_a_true_derivative_of_a_forward_that_is_right_but_for_a_factor_keeps_its_points() -> None:
    grades = graded(('y = joined @ params["wo"]', 'y = 0.5 * joined @ params["wo"]'),
                    ("dy = np.asarray(dy, dtype=float)", "dy = 0.5 * np.asarray(dy, dtype=float)"))
    assert grades["multihead"].points < 5
    assert grades["multihead_backward"].points == 7


@pytest.mark.parametrize("y", ["np.zeros(x.shape)", "np.cbrt(joined @ params['wo'])"])
def test_a_derivative_of_zeros_or_of_what_nothing_explains_earns_nothing_for_that(y: str) -> None:
    grades = graded(('y = joined @ params["wo"]', f"y = {y}"), then="def multihead_backward(cache, params, dy):\n"
                    "    return 0 * dy + 1e-9, {name: 0 * matrix for name, matrix in params.items()}\n")
    assert all(verdict.world != "own-derivative" for verdict in grades["multihead_backward"].verdicts)


ODD = [None, 1, "text", (), (None, None), ({}, {}), (np.zeros(3), np.zeros(3)), (np.full((2, 5, 12), np.nan), {}),
       (np.full((2, 5, 12), np.inf), {"joined": np.full((2, 5, 12), np.nan), "wq": np.full((12, 12), np.nan)}),
       (np.zeros((0, 0)), {"joined": np.zeros(0), "wq": np.zeros(0)}), np.zeros((2, 3, 5, 4)),
       (np.full((2, 5, 12), 1e300), {name: np.full((12, 12), 1e300) for name in ("wq", "wk", "wv", "wo")}),
       (np.ones((2, 5, 12), dtype=bool), {name: np.ones((12, 12), dtype=bool) for name in ("wq", "wk", "wv", "wo")}),
       np.array(["a"]), np.zeros((2, 5, 12), dtype=complex)]


@pytest.mark.parametrize("value", ODD, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("exercise", ["split_heads", "merge_heads", "multihead", "multihead_backward"])
def test_whatever_is_answered_a_word_is_found_or_none(exercise: str, value: object) -> None:
    families = assessor().catalogue.families
    model = next(model for model in LESSON.models if model.exercise == exercise)
    answers: dict[Call, Outcome] = {call: Outcome("answered", value)
                                    for call in (*(trial.call for trial in model.trials), *model.also)}
    with np.errstate(all="ignore"):
        assert isinstance(families.words(exercise, answers), list)
        assert families.explains(exercise, answers) is False


def test_every_way_gives_something_else_than_the_right_one() -> None:
    """A way that changes nothing in any question would be named of right answers."""
    families = Families(LESSON, LocalSubject(LESSON.reference_source))
    for model in LESSON.models:
        right = {trial.call: families._outcome(model, trial, ()) for trial in model.trials}
        for step in model.steps:
            for way in step.ways:
                seen = [families._outcome(model, trial, (way,)) for trial in model.trials]
                assert any(one is None or any(not np.array_equal(one[leaf], right[trial.call][leaf])
                                              for leaf in model.leaves)
                           for one, trial in zip(seen, model.trials, strict=True)), way.id
