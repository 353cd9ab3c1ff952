"""Mutants: what changes, that each is caught, and that the list of those that change nothing is right."""
import ast
from functools import cache

import pytest

from autograder.judge.engine import Limits
from autograder.judge.local_subject import LocalSubject
from autograder.lessons.installed import load_lesson
from autograder.proof import mutation
from autograder.proof.mutants import Mutant, mutants

LESSON = load_lesson("multihead")
SOURCE = '''\
"""A module."""
import numpy as np
from given import given


def other(a):
    return a


def graded(x, w):
    """Never changed."""
    if not x.ndim < 3:
        raise ValueError(f"x has {x.ndim} axes, not 3")
    y = other(x @ w["wq"].T)
    z = np.einsum("btc,ce->bte", y, w["wk"])
    return y, {"z": z}
'''


@pytest.fixture(scope="module")
def reference() -> LocalSubject:
    return LocalSubject(LESSON.reference_source)


@pytest.fixture(scope="module")
def made() -> list[Mutant]:
    return mutation.all_mutants(LESSON)


def unharmed(reference: LocalSubject, chosen: list[Mutant]) -> set[str]:
    """The changes that keep every point."""
    return {mutant.change for mutant in
            mutation.try_mutants(LESSON, reference, chosen, Limits(), lambda what, done, of: None)}


# --- what changes -------------------------------------------------------------------------------------------------

@cache
def of_graded() -> list[Mutant]:
    return mutants(SOURCE, ["graded"])


@pytest.mark.parametrize("change", [
    "if not x.ndim < 3: -> if not x.ndim <= 3:", "if not x.ndim < 3: -> if not x.ndim == 3:",          # comparisons
    "if not x.ndim < 3: -> if x.ndim < 3:", "if not x.ndim < 3: -> if not not x.ndim < 3:",            # negation
    "if not x.ndim < 3: -> if not x.ndim < 2:", "if not x.ndim < 3: -> if not x.ndim < -3:",           # constants
    "if not x.ndim < 3: -> if not w.ndim < 3:",                                                        # names
    "raise ValueError('x has...') -> pass",                                                            # statements
    "if not x.ndim < 3:; raise ValueError('x has...') -> nothing",
    "if not x.ndim < 3:; raise ValueError('x has...') -> raise ValueError('x has...')",
    "y = other(x @ w['wq'].T) -> nothing",
    "y = other(x @ w['wq'].T) -> y = x @ w['wq'].T",                                                   # calls
    "y = other(x @ w['wq'].T) -> y = other(x @ w['wq'])",                                              # attributes
    "y = other(x @ w['wq'].T) -> y = other(x * w['wq'].T)",                                            # operators
    "y = other(x @ w['wq'].T) -> y = other(w['wq'].T @ x)",
    "y = other(x @ w['wq'].T) -> y = other(x @ w['wk'].T)",                                            # keys
    "z = np.einsum('btc,ce->bte', y, w['wk']) -> z = np.einsum('btc,ec->bte', y, w['wk'])",            # axes
    "z = np.einsum('btc,ce->bte', y, w['wk']) -> z = np.einsum('btc,ce->bet', y, w['wk'])",
    "z = np.einsum('btc,ce->bte', y, w['wk']) -> z = np.einsum('btz,ce->bte', y, w['wk'])",
    "z = np.einsum('btc,ce->bte', y, w['wk']) -> z = np.einsum('btc,ce->bte', w['wk'], y)",            # arguments
    "return (y, {'z': z}) -> return ({'z': z}, y)", "return (y, {'z': z}) -> return (-y, {'z': z})",   # answers
    "return (y, {'z': z}) -> return (y, {})", "return (y, {'z': z}) -> nothing",
])
def test_there_is_a_mutant_for_every_kind_of_slip(change: str):
    assert f"graded: {change}" in {mutant.change for mutant in of_graded()}


def test_and_and_or_are_exchanged_and_either_side_is_left_out():
    found = {mutant.change for mutant in mutants("def f(a, b):\n    return a or b", ["f"])}
    assert {f"f: return a or b -> return {other}" for other in ("a and b", "a", "b")} <= found


def test_a_name_is_only_replaced_by_one_that_is_bound_by_then():
    found = mutants("def f(a):\n    b = a\n    c = b\n    return c", ["f"])
    assert "f: b = a -> b = c" not in {mutant.change for mutant in found}
    assert "f: c = b -> c = a" in {mutant.change for mutant in found}


def test_only_the_functions_that_were_named_change():
    assert {mutant.function for mutant in of_graded()} == {"graded"}
    assert all("def other(a):\n    return a\n" in mutant.source for mutant in of_graded())


def test_neither_docstrings_nor_messages_change():
    for mutant in of_graded():
        assert '"""Never changed."""' in mutant.source
        assert ("x has {x.ndim} axes, not 3" in mutant.source) or "x has..." in mutant.change


def test_an_error_is_left_out_but_stays_an_error():
    source = "def graded(x):\n    if x < 0:\n        raise ValueError('x is negative')\n    return x\n"
    changes = [mutant.change for mutant in mutants(source, ["graded"])]
    assert [change for change in changes if change.startswith("graded: raise")] == [
        "graded: raise ValueError('x is negative') -> pass"]


@pytest.mark.slow
def test_every_mutant_is_python_with_a_name_and_a_source_of_its_own(made: list[Mutant]):
    assert len(made) > 900
    assert len({mutant.change for mutant in made}) == len({mutant.source for mutant in made}) == len(made)
    for mutant in made[::50]:
        ast.parse(mutant.source)


@pytest.mark.slow
def test_all_graded_functions_have_mutants_and_the_own_test_has_none(made: list[Mutant]):
    assert {mutant.function for mutant in made} == {"split_heads", "merge_heads", "multihead", "multihead_backward"}


# --- what is caught -----------------------------------------------------------------------------------------------

@pytest.mark.slow
def test_every_seventh_mutant_is_caught_or_known_to_change_nothing(reference: LocalSubject, made: list[Mutant]):
    chosen = made[3::7]
    caught, _ = mutation.claims(LESSON, made, chosen, mutation.try_mutants(
        LESSON, reference, chosen, Limits(), lambda what, done, of: None))
    assert caught.exceptions == ()
    assert caught.of > 100


@pytest.mark.slow
def test_every_mutant_in_the_list_keeps_all_points(reference: LocalSubject, made: list[Mutant]):
    known = mutation.equivalent_mutants(LESSON)
    assert all(why.strip() for why in known.values())
    assert unharmed(reference, [mutant for mutant in made if mutant.change in known]) == set(known)


@pytest.mark.slow
@pytest.mark.parametrize("body", ["while True: pass", "import os; os._exit(0)", "return [0] * 10**10"])
def test_a_mutant_that_hangs_leaves_or_eats_memory_is_caught(reference: LocalSubject, body: str):
    assert unharmed(reference, [Mutant("split_heads", body, f"def split_heads(x, heads):\n    {body}\n")]) == set()


@pytest.mark.slow
def test_a_mutant_that_keeps_all_points_and_is_not_listed_is_an_exception(made: list[Mutant]):
    missed = Mutant("merge_heads", "merge_heads: nothing -> something", "")
    caught, _ = mutation.claims(LESSON, made, made[:50], [missed])
    assert caught.exceptions == ("merge_heads: nothing -> something",)
    assert not caught.holds


def test_an_entry_of_the_list_that_is_no_mutant_any_more_breaks_the_proof(made: list[Mutant]):
    _, listed = mutation.claims(LESSON, [mutant for mutant in made if "swapaxes" not in mutant.change], made, [])
    assert not listed.holds
    assert all("swapaxes" in change for change in listed.exceptions)
