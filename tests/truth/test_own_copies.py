"""Own tests that compare with a copy of the student's own functions, however the copy was made."""
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sampled import by_turns

from autograder.judge.engine import Engine, Limits
from autograder.locale.language import translate
from autograder.records import Cell, Grade, Submission

RIGHT = (Path(__file__).parent / "right.py").read_text(encoding="utf-8")
HEAD, TEST = RIGHT[:RIGHT.index("my_multihead")], RIGHT[RIGHT.index("def compare"):]
FORWARD = HEAD[HEAD.index("def multihead("):]

#: what is done wrong: the exercise that loses points, and the change
WRONG = {
    "multihead": ('for name in ("wq", "wk", "wv")]', 'for name in ("wk", "wq", "wv")]'),
    "multihead_backward": ("dx += part @", "dx = part @"),
    "split_heads": (".swapaxes(1, 2)\n\n\ndef merge", ".swapaxes(1, 2)[:, ::-1]\n\n\ndef merge"),
    "merge_heads": ("return h.swapaxes(1, 2).reshape(B, T, H * d)",
                    "h = h.copy()\n    h[:, -1] = 0\n    return h.swapaxes(1, 2).reshape(B, T, H * d)"),
}
OF_CODE = """
import types
my_multihead = types.FunctionType(multihead.__code__, globals(), "my_multihead")
my_backward = types.FunctionType(multihead_backward.__code__, globals(), "my_backward")
"""
#: how the copy is made -> whether what is wrong can be replaced in it
COPIES: dict[str, tuple[Callable[[str], str], bool]] = {
    "of the code": (lambda code: OF_CODE, True),
    "pasted": (lambda code: code[code.index("def multihead("):].replace("def multihead(", "def my_multihead(").replace(
        "def multihead_backward(", "def my_backward("), False),
}


@pytest.fixture(scope="session")
def graded(engine_with: Callable[[Limits], Engine]) -> Callable[[str], Grade]:
    def grade(code: str) -> Grade:
        return engine_with(Limits()).grade(Submission("work.py", "student-01", "multihead", (Cell(0, code),)))
    return grade


@pytest.mark.parametrize("copy", COPIES)
@pytest.mark.parametrize("wrong", by_turns(WRONG, 2, 1))
def test_a_copy_costs_nothing_or_a_person_is_asked(graded: Callable[[str], Grade], wrong: str, copy: str) -> None:
    assert HEAD.count(WRONG[wrong][0]) == 1
    code = HEAD.replace(*WRONG[wrong])
    made, replaceable = COPIES[copy]
    grade = graded(f"{code}\n\n{made(code)}\n\n{TEST}")
    lost = {one.name for one in grade.exercises if one.points != one.max_points}
    asked = [translate(one, "en") for one in grade.for_a_person]
    if replaceable or wrong in ("split_heads", "merge_heads"):          # a pasted function calls these by their names
        assert (lost, asked) == ({wrong}, [])
    else:
        assert lost == {wrong, "own_test"}
        assert any(f"own_test accepts the student's own {wrong}," in sentence for sentence in asked), asked


@pytest.mark.parametrize("stub", ["np.zeros(x.shape)", *(
    pytest.param(stub, marks=pytest.mark.slow) for stub in (
        "x @ params['wv'] @ params['wo']", "x + 0.0", "x @ params['wo']",
        "np.tanh(x @ (params['wq'] + params['wk'] + params['wv'] + params['wo']))",
        "np.cumsum(x @ params['wv'] @ params['wo'], axis=1)", "np.full(x.shape, x.mean())"))])
def test_a_stub_earns_nothing_by_a_copy(graded: Callable[[str], Grade], stub: str) -> None:
    code = f"{HEAD}\n\ndef multihead(x, params, heads, allowed):\n    y = {stub}\n    return y, {{'x': x}}\n\n\n"
    grade = graded(code + RIGHT[RIGHT.index("my_multihead"):])
    assert {one.name: one.points for one in grade.exercises}["own_test"] == 0


@pytest.mark.slow
def test_a_bound_of_ours_is_called_that(graded: Callable[[str], Grade]) -> None:
    """A test with arrays of some MB: nobody's fault, so a person is asked."""
    test = TEST.replace("size=(2, 3, 6)", "size=(200, 3, 6000)").replace("size=(6, 6)", "size=(1, 6000)")
    assert test != TEST
    grade = graded(f"{HEAD}\n\nmy_multihead, my_backward = multihead, multihead_backward\n\n\n{test}")
    said = [translate(verdict.message, "en") for one in grade.exercises for verdict in one.verdicts if verdict.message]
    assert any("That is not your fault" in sentence for sentence in said), said
    assert any("a person should look at own_test" in translate(one, "en") for one in grade.for_a_person)
