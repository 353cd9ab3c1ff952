"""Right solutions in other words keep every point, however their steps are combined."""
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.intake import read_bytes
from autograder.judge.engine import Limits
from autograder.judge.local_subject import LocalSubject
from autograder.lessons.installed import load_lesson
from autograder.proof.fairness import harm, seeded_variant, variant_of

LESSON = load_lesson("multihead")
REFERENCE = LocalSubject(LESSON.reference_source)


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.data())
def test_any_combination_of_right_steps_keeps_every_point(data: st.DataObject):
    source = variant_of(LESSON)(lambda *options: data.draw(st.sampled_from(options)))
    assert harm(LESSON, REFERENCE, source) == []


@pytest.mark.parametrize("seeds", [range(1000, 1004), pytest.param(range(1004, 1012), marks=pytest.mark.slow)])
def test_right_solutions_keep_every_point_behind_the_wall(engine_with, seeds):
    engine = engine_with(Limits())
    for seed in seeds:
        name = f"variant-{seed}.py"
        grade = engine.grade(read_bytes(name, seeded_variant(LESSON, seed).encode(), LESSON))
        lost = [(exercise.name, verdict) for exercise in grade.exercises[:-1] for verdict in exercise.verdicts
                if verdict.points != verdict.max_points]
        assert lost == [], name
        assert grade.status == "graded"


def test_the_number_of_a_solution_says_what_it_is():
    assert seeded_variant(LESSON, 5) == seeded_variant(LESSON, 5)
    assert len({seeded_variant(LESSON, seed) for seed in range(200)}) == 200


def test_a_solution_that_loses_points_is_an_exception():
    wrong = seeded_variant(LESSON, 0) + "\n\nright_merge = merge_heads\nmerge_heads = lambda h: 2 * right_merge(h)\n"
    failed = harm(LESSON, REFERENCE, wrong)
    assert "merge_heads: general is wrong" in failed


@pytest.mark.parametrize("fragment", [
    "raise ValueError(", "raise TypeError(", "raise AssertionError(", "raise BadShape(", "assert not (",     # refusals
    "np.int64(heads)", "type(heads) is not int",                                     # NumPy's integers, taken or not
    ".copy()", "np.asfortranarray(", "np.ascontiguousarray(", "np.stack(", "np.split(",        # views, copies, order
    "dtype=np.float32", "y = np.einsum(", "np.tensordot(x", "np.dot(x", "np.matmul(x", "for b in range(",  # arithmetic
    "= OrderedDict({", "= Cache({", ": Kept(q", '"again": lambda', "return Answer(",    # own caches, answers
    "attention_backward(", "scores, -1e9", "-np.inf", "** -0.25", "= softmax(", "np.ma.masked",  # attention
    "print(", "warnings.warn(", "@counted", "functools.partial(", "@staticmethod", "def __call__(", "= lambda *args",
    "split_heads(x=", "merge_heads(h=", "-> np.ndarray:",                              # keywords and annotations
])
def test_what_must_never_cost_points_is_among_the_solutions(fragment: str):
    assert any(fragment in seeded_variant(LESSON, seed) for seed in range(300))
