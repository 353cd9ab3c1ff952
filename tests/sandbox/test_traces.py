"""A test that could see in memory what an earlier call left there is not known to keep nothing."""
from itertools import combinations

import numpy as np
import pytest

from autograder.intake import from_sources
from autograder.judge.engine import Engine
from autograder.lessons.installed import load_lesson
from autograder.records import Call, Cell, Grade, Proxy
from autograder.sandbox.forgetful.analysis import forgets
from autograder.sandbox.student import Sandbox

TEST = "def own_test(f, g):\n    "
SEEING = {
    "imported zeros": 'from numpy import zeros as z\n' + TEST + "a = z(3, 'V16')",
    "imported inside": TEST + "from numpy import zeros as z\n    a = z(3, 'V16')",
    "alias in function": TEST + "z = np.zeros\n    a = z(3, 'V16')",
    "map": TEST + "a = list(map(np.zeros, [3], ['V16']))",
    "shadow float": TEST + "float = 'V16'\n    a = np.zeros(3, float)",
    "shadow float by arg": 'def h(float):\n    return np.zeros(3, float)\n\n' + TEST + "h('V16')",
    "shadow by for": TEST + "for float in ['V16']:\n        np.zeros(3, float)",
    "shadow by walrus": TEST + "np.zeros(3, (float := 'V16'))",
    "shadow by except": TEST + 'try:\n        f(1)\n    except ValueError as float:\n        np.zeros(3, float)',
    "shadow by lambda": TEST + "(lambda float: np.zeros(3, float))('V16')",
    "starred": TEST + "np.zeros(*[3, 'V16'])",
    "message walrus": TEST + "try:\n        assert 0, (s := f'{f}')\n    except AssertionError:\n        pass",
    "message append":
        TEST + "L = []\n    try:\n        assert 0, L.append(f'{f}')\n    except AssertionError:\n        pass",
    "message nested append":
        TEST + "L = []\n    try:\n        assert 0, f'{L.append(str(f))}'\n    except AssertionError:\n        pass",
    "print to": TEST + 'print(L.append(str(f)))',
    "percent cell": "S = '%s'\n" + TEST + 'a = S % f',
    "percent": TEST + "a = '%s' % f",
    "long cell": "S = 'x' * 60\n" + TEST + 'a = np.array([S])',
    "args": TEST + "try:\n        raise ValueError(f'{f}')\n    except ValueError as e:\n        e.args",
    "bare": TEST + 'try:\n        f(1)\n    except:\n        pass',
    "alias Exception": 'E = Exception\n' + TEST + 'try:\n        f(1)\n    except E:\n        pass',
    "alias set": 'E = set\n' + TEST + 'E([f])',
    "alias str": 'E = str\n' + TEST + 'E(f)',
    "suppress": TEST + 'with np.testing.assert_raises(Exception):\n        f(1)',
    "suppress tuple": TEST + 'with np.testing.assert_raises((ValueError, BaseException)):\n        f(1)',
    "isinstance walrus": TEST + 'isinstance(1, (s := str))',
    "return Exception":
        'def h():\n    return Exception\n\n' + TEST + 'try:\n        f(1)\n    except h():\n        pass',
    "cause": TEST + 'raise ValueError() from L.append(str(f))',
    "keys or": TEST + 'd = {f: 1}.keys() | {g: 2}.keys()',
    "keys name": TEST + 'd = {f: 1}.keys()\n    list(d | d)',
    "keys map": TEST + 'list(map(dict.keys, [{f: 1}]))',
    "setcomp": TEST + 'for x in {y for y in (f, g)}:\n        pass',
    "set arg": TEST + '[*{f, g}]',
    "set method": TEST + 'list(frozenset().union([f]))',
    "finally": TEST + 'try:\n        f(1)\n    finally:\n        return',
    "helper": "def h(x):\n    return f'{x}'\n\n" + TEST + 'h(f)',
    "helper by default arg": "def h(x, k='V16'):\n    return np.zeros(3, k)\n\n" + TEST + 'h(f)',
    "nested default": TEST + "def h(k='V16'):\n        return np.zeros(3, dtype=k)",
    "nested function named": TEST + 'def float():\n        return 1\n    np.zeros(3, float)',
    "long default":
        "def h(k='xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'):\n    return np.array(k)\n\n" + TEST + 'h(f)',
    "long default lambda": TEST + "h = lambda k='xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx': np.array(k)",
    "kw dtype imported": 'from numpy import dtype\n' + TEST + "np.zeros(3, dtype=dtype('V16'))",
    "dtype call": TEST + "np.zeros(3, dtype=np.dtype('V16'))",
    "dtype attr": TEST + "d = np.dtype('V16')\n    np.zeros(3, d)",
    "array of scalar": TEST + "np.array(np.zeros(1, 'V8')[0])",
    "decorator inside": TEST + '@str\n    def h():\n        pass',
    "sorted key": TEST + 'sorted([f, g], key=str)',
    "format": TEST + 'format(f)',
    "type text": TEST + "f'{f}'",
    "astype str": TEST + 'np.array([f]).astype(str)',
    "astype U": TEST + "np.array([f]).astype('U60')",
    "np.astype": TEST + "np.astype(np.array([f]), 'U60')",
    "array dtype str": TEST + 'np.array([f], str)',
    "bytes": TEST + "b'%a' % f",
    "add texts": TEST + "s = 'abcdefghij' + 'abcdefghijklmnopqrstuv'",
    "ann": TEST + 'x: str = str(f)',
    "kw_default": "def h(*, k=b'%a'):\n    return k % 3\n\n" + TEST + 'h()',
    "another name for an import": 'from numpy import zeros\nz = zeros\n\n\n' + TEST + "a = z(3, 'V16')",
    "a comparison that takes every error for an inequality": TEST + "assert np.array_equal([0] * 10**8, f(1))",
}
BLIND = {
    "messages": TEST + "y = f(1)\n    assert y == 1, f'expected {1:.3f}, got {y}' + str(y) + ', '.join(('a', repr(y)))",
    "an error with a text": TEST + "if f(1) != 1:\n        raise ValueError('%s is not 1' % f(1))",
    "an error of any kind": TEST + "raise Exception('wrong')",
    "printing": TEST + "print('y =', str(f(1)), f'{f(1)}')",
    "sets of names compared": TEST + "y, d = f(1)\n    assert set(d) == {'wq', 'wk'} and len(set(d)) == 2",
    "a set of names gone through": TEST + "for name in {'wq', 'wk'}:\n        assert f(name) == 1",
    "dicts gone through": TEST + "d = f(1)\n    for k, v in [*d.items(), *zip(d.keys(), d)]:\n        assert v == 1",
    "kinds of numbers":
        "from numpy import float32\n\n\n" + TEST + "x = np.zeros(3, int).astype(float32)\n"
        "    assert f(np.array(x, dtype='float64')).dtype == x.dtype and isinstance(x, (np.ndarray, set))\n"
        "    y = np.ones((2, 3), dtype=x.dtype)",
    "einsum": TEST + "assert np.einsum('bhqk,bhkd->bhqd', f(1), g(2)).sum() == 1",
    "a narrow handler": TEST + "try:\n        f(1)\n    except (ValueError, TypeError):\n        pass",
    "a narrow with": TEST + "with np.testing.assert_raises(ValueError):\n        f(1)",
}


@pytest.mark.parametrize("source", SEEING.values(), ids=SEEING)
def test_what_could_see_the_memory_is_not_taken_for_forgetful(source: str) -> None:
    assert not forgets([source], "own_test", {"np": np})


@pytest.mark.parametrize("source", BLIND.values(), ids=BLIND)
def test_what_honest_tests_do_near_it_is_recognised(source: str) -> None:
    assert forgets([source], "own_test", {"np": np})


def graded(test: str) -> Grade:
    lesson = load_lesson("multihead")
    source = f"def own_test(multihead, multihead_backward):\n{test}\n"
    with Engine(lesson) as engine:
        return engine.grade(from_sources("s.py", "student-01", [source], lesson))


LOOKS = {
    "how much memory is left": """
    kept = np.ones(30_000_000)
    try:
        np.zeros(85_000_000)
    except Exception:
        assert False
    return lambda: kept
""",
    "the order of a set": """
    assert list({multihead, *range(13)})[0] == 0
    kept = [[] for i in range(100_000)]
    return lambda: kept
""",
}


@pytest.mark.slow
@pytest.mark.parametrize("test", LOOKS.values(), ids=LOOKS)
def test_no_two_implementations_are_told_apart_by_the_memory_that_they_meet(test: str) -> None:
    """By chance, one of them may meet another memory, but none of them does each time."""
    different: set[tuple[int, int]] = set()
    for again in range(8):
        words = [verdict.verdict for verdict in graded(test).exercises[-1].verdicts[1:]]
        pairs = different if again else set(combinations(range(len(words)), 2))
        different = {(one, other) for one, other in pairs if words[one] != words[other]}
        if not different:
            break
    assert not different


def test_what_a_trial_does_to_the_errstate_ends_with_it() -> None:
    source = "def own_test(f):\n    np.seterr(all='raise')\n\n\ndef look():\n    return np.geterr()['over']\n"
    with Sandbox() as sandbox, sandbox.open([Cell(0, source)], modules={}, prelude="import numpy as np") as student:
        assert student.answer(Call("own_test", (Proxy("f"),))).status == "answered"
        assert student.answer(Call("look", ())).value == "warn"
