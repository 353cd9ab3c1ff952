"""The order of the worlds, and what an error costs."""
from functools import lru_cache

import pytest
from local import LESSON, Opened, source

from autograder.judge.engine import Assessor
from autograder.judge.local_subject import LocalSubject
from autograder.judge.worlds import AskIn
from autograder.lessons.kit.lesson import Mistake, Unanswered
from autograder.lessons.multihead import probes
from autograder.records import ExerciseGrade

SPLIT = ("x = x.reshape(B, T, heads, C // heads) ", "return x.reshape(B, heads, T, C // heads) ")
SCALE = ("/ np.sqrt(q.shape[-1])", "")


@lru_cache
def assessor() -> Assessor:
    return Assessor(LESSON)


def assess(code: str) -> dict[str, ExerciseGrade]:
    return {grade.name: grade for grade in assessor().assess(Opened(code)).exercises}


def points(code: str) -> dict[str, float | None]:
    return {name: grade.points for name, grade in assess(code).items()}


def verdict(grades: dict[str, ExerciseGrade], exercise: str, check: str):
    return next(one for one in grades[exercise].verdicts if one.check == check)


FULL = {"split_heads": 3, "merge_heads": 2, "multihead": 5, "multihead_backward": 7, "own_test": 3}


def test_the_reference_gets_full_points_in_its_own_world_alone() -> None:
    opened = Opened(source())
    grades = assessor().assess(opened).exercises
    assert {grade.name: grade.points for grade in grades} == FULL
    assert all(one.world == "own" for grade in grades for one in grade.verdicts)
    assert opened.installed == [()] * (1 + len(LESSON.exercises[-1].implementations))


def test_a_wrong_split_costs_only_split_heads() -> None:
    grades = assess(source(SPLIT))
    assert {name: grade.points for name, grade in grades.items()} == {**FULL, "split_heads": 0}
    passed = verdict(grades, "multihead", "irregular-mask")
    assert (passed.world, passed.message.values["functions"]) == ("stand-in", "split_heads")


def test_only_the_function_that_is_wrong_itself_is_blamed() -> None:
    passed = verdict(assess(source(SPLIT)), "multihead_backward", "dx")
    assert (passed.world, passed.message.values["functions"]) == ("stand-in", "split_heads")


def test_the_worked_examples_pay_in_the_stand_in_world_too() -> None:
    grades = assess(source(SPLIT))
    assert verdict(grades, "multihead_backward", "worked-example-w3").points == 0.25


def test_stand_ins_come_after_the_own_world_and_in_a_fresh_process_each() -> None:
    opened = Opened(source(SPLIT))
    assessor().assess(opened)
    pair = ("split_heads", "merge_heads")
    assert opened.installed[:3] == [(), pair, pair]


def test_where_earlier_exercises_are_right_nothing_stands_in() -> None:
    opened = Opened(source(('"k": np.swapaxes(dscores, -1, -2) @ q', '"k": np.swapaxes(dscores, -1, -2) @ k')))
    grades = {grade.name: grade.points for grade in assessor().assess(opened).exercises}
    assert grades["multihead_backward"] < 7
    assert all(not installed for installed in opened.installed)


def test_the_true_derivative_of_a_known_wrong_forward_is_right_in_its_own_world() -> None:
    grades = assess(source(SCALE))
    assert grades["multihead"].diagnosis.mistakes == ("scale-none",)
    assert verdict(grades, "multihead_backward", "dwq").world == "own-derivative"
    assert verdict(grades, "multihead_backward", "large-case").verdict == "passed"
    assert verdict(grades, "multihead_backward", "route-q").world == "own-derivative"


NO_ATTENTION = '''
def multihead(x, params, heads, allowed):
    x = np.array(x, dtype=float)
    q, k = np.tanh(x @ params["wq"]), np.tanh(x @ params["wk"])
    return q * k + x @ params["wv"], {"x": x, "heads": heads, "q": q, "k": k, "joined": x}


def multihead_backward(cache, params, dy):
    x, q, k = cache["x"], cache["q"], cache["k"]
    parts = {"wq": dy * k * (1 - q ** 2), "wk": dy * q * (1 - k ** 2), "wv": dy}
    grads = {name: np.einsum("btc,bte->ce", x, part) for name, part in parts.items()}
    grads["wo"] = np.zeros(x.shape[-1:] * 2)
    return sum(part @ params[name].T for name, part in parts.items()), grads
'''


def test_a_consistent_pair_without_attention_is_worth_nothing_and_seen_by_a_person() -> None:
    assessment = assessor().assess(Opened(source(then=NO_ATTENTION)))
    grades = {grade.name: grade.points for grade in assessment.exercises}
    assert (grades["multihead"], grades["multihead_backward"]) == (0, 0)
    assert any("true derivative" in why.template for why in assessment.for_a_person)


@pytest.mark.parametrize("body", ["raise ValueError('no')", "raise NotImplementedError()", "return None",
                                  "return args[0]", "return np.zeros((2, 3, 5, 4))",
                                  "return np.random.default_rng(1).normal(size=(2, 5, 12))"])
def test_what_does_nothing_is_worth_nothing(body: str) -> None:
    code = "\n\n\n".join(f"def {name}(*args):\n    {body}" for name in FULL)
    assert points("import numpy as np\n\n\n" + code) == dict.fromkeys(FULL, 0)


def test_nothing_defined_is_missing_and_worth_nothing() -> None:
    grades = assess("import numpy as np")
    assert {one.verdict for grade in grades.values() for one in grade.verdicts} == {"missing"}
    assert all(grade.points == 0 for grade in grades.values())


def test_two_mistakes_in_one_exercise_are_both_named() -> None:
    grades = assess(source(SCALE, ("np.where(allowed, scores, -np.inf)", "np.where(allowed.T, scores, -np.inf)")))
    assert set(grades["multihead"].diagnosis.mistakes) == {"scale-none", "mask-transposed"}


def test_what_no_mistake_explains_gets_no_name_but_a_fact() -> None:
    grades = assess(source(("joined = merge_heads(mixed) ", "joined = np.sinh(merge_heads(mixed)) ")))
    assert grades["multihead"].points < 5
    assert grades["multihead"].diagnosis.mistakes == ("mixing",)
    assert "look at how the weights mix V, and at how the heads are joined" in str(grades["multihead"].diagnosis.hints)
    assert "wrong values" in verdict(grades, "multihead", "irregular-mask").message.template


def test_hidden_numbers_never_reach_a_message() -> None:
    leaking = 'raise ValueError(repr(x.tolist()) + repr(params))'
    grades = assess(source(then=f"def multihead(x, params, heads, allowed):\n    {leaking}"))
    hidden = [one for one in grades["multihead"].verdicts if not one.check.startswith("worked")]
    assert all("[" not in str(one.message.values) for one in hidden)


def test_an_own_test_that_accepts_everything_earns_nothing() -> None:
    assert points(source(then="def own_test(multihead, multihead_backward):\n    pass"))["own_test"] == 0


def test_an_own_test_that_rejects_everything_earns_nothing() -> None:
    grades = assess(source(then="def own_test(multihead, multihead_backward):\n    assert False"))
    assert grades["own_test"].points == 0
    assert verdict(grades, "own_test", "accepts-right-implementations").verdict == "wrong"


ONE_KEY = '''
def own_test(f, b):
    x, w = np.array([[[1.0, 2.0]]]), np.eye(2)
    params = {"wq": w, "wk": w, "wv": 2 * w, "wo": np.array([[1.0, 1.0], [0.0, 1.0]])}
    y, cache = f(x, params, 1, np.ones((1, 1), dtype=bool))
    assert np.allclose(y, [[[2, 6]]])
    dx, grads = b(cache, params, np.array([[[3.0, 5.0]]]))
    assert np.allclose(dx, [[[16, 10]]]) and np.allclose(grads["wq"], 0)
'''


def test_an_own_test_with_one_key_misses_what_one_key_cannot_show() -> None:
    grades = assess(source(then=ONE_KEY))
    missed = {one.check for one in grades["own_test"].verdicts if one.verdict == "wrong"}
    assert {"catches-k-uses-wq", "catches-qk-detached", "catches-avg-over-batch", "catches-mask-ignored"} <= missed
    assert verdict(grades, "own_test", "catches-dx-missing-v").verdict == "passed"
    assert "one key" in verdict(grades, "own_test", "catches-k-uses-wq").message.template


def test_every_mistake_of_an_own_test_is_in_the_catalogue() -> None:
    ids = {mistake.id for mistake in LESSON.mistakes if isinstance(mistake, Mistake)}
    wrong = {name for name in LESSON.exercises[-1].implementations if not name.startswith("right-")}
    assert wrong <= ids


STUB = "raise NotImplementedError()"


def test_an_own_test_that_is_not_written_catches_nothing() -> None:
    grade = assess(source(then=f"def own_test(multihead, multihead_backward):\n    {STUB}"))["own_test"]
    assert {one.verdict for one in grade.verdicts} == {"unwritten"}
    assert {one.message.template for one in grade.verdicts} == {"{function} is not written yet"}


def test_a_missing_cache_is_blamed_on_the_forward_that_is_not_written() -> None:
    grades = assess(source(then=f"def multihead(x, params, heads, allowed):\n    {STUB}\n\n\n"
                                "def multihead_backward(cache, params, dy):\n    return cache['nothing']"))
    said = {(one.message.values["function"], one.message.template) for one in grades["multihead"].verdicts}
    assert said == {("multihead", "{function} is not written yet")}
    told = AskIn("own", LocalSubject(source(then=f"def multihead(x, params, heads, allowed):\n    {STUB}")),
                 assessor().reference)
    with pytest.raises(Unanswered) as caught:
        told.value(probes.GENERAL.backward)
    assert caught.value.function == "multihead"


BUFFER = '''
_buffers = {}


def split_heads(x, heads):
    if isinstance(heads, bool) or not isinstance(heads, int) or x.ndim != 3 or heads < 1 or x.shape[2] % heads:
        raise ValueError("no")
    B, T, C = x.shape
    h = _buffers.setdefault((B, T, C, heads), np.zeros((B, heads, T, C // heads)))
    h[:] = x.reshape(B, T, heads, C // heads).swapaxes(1, 2)
    return h
'''


def test_a_buffer_that_is_filled_again_costs_only_its_own_function() -> None:
    grades = {name: grade.points for name, grade in assess(source(then=BUFFER)).items()}
    assert {name: points for name, points in grades.items() if points != FULL[name]} == {"split_heads": 2.75}


REMEMBERS = '''
_last, _sum = None, 0


def split_heads(x, heads):
    global _last, _sum
    if isinstance(heads, bool) or not isinstance(heads, int) or x.ndim != 3 or heads < 1 or x.shape[2] % heads:
        raise ValueError("no")
    _sum = _sum + x if _last == x.shape else x
    _last = x.shape
    B, T, C = x.shape
    return _sum.reshape(B, T, heads, C // heads).swapaxes(1, 2)
'''


def test_what_a_function_remembers_costs_only_that_function() -> None:
    grades = {name: grade.points for name, grade in assess(source(then=REMEMBERS)).items()}
    assert {name for name, points in grades.items() if points != FULL[name]} == {"split_heads"}


def test_a_refusal_that_sees_one_fraction_only_is_not_said_to_round() -> None:
    edit = ("if isinstance(heads, bool) or not isinstance(heads, (int, np.integer)):",
            "if isinstance(heads, bool) or heads != int(heads):")
    cut = "x = x.reshape(B, T, heads, C // heads) "
    then = (cut, f"heads = int(heads)\n    {cut}")
    assert assess(source(edit, then))["split_heads"].diagnosis.mistakes == ("only-refuses-fractions",)


def test_gradients_in_a_list_are_no_dict_with_other_names() -> None:
    edit = ("return dx, grads\n", "return dx, [grads[name] for name in (\"wq\", \"wk\", \"wv\", \"wo\")]\n")
    assert assess(source(edit))["multihead_backward"].diagnosis.mistakes == ("other-form",)


def test_a_derivative_of_a_wrong_forward_gets_no_hint_against_it() -> None:
    assert assess(source(SCALE))["multihead_backward"].diagnosis.mistakes == ()
