"""Find the first wrong step when no other way of doing it is known: what is right before it says where to look."""

from collections.abc import Mapping

import numpy as np

from autograder.lessons.kit.compare import TOLERANCE, alike, odd_one_out, off, place, relative_error
from autograder.lessons.kit.relation import misshapen, turned_into, vague
from autograder.lessons.multihead import probes
from autograder.lessons.multihead.families.common import cut
from autograder.lessons.multihead.families.insides import but, first_inside
from autograder.lessons.multihead.families.kept import of_right_output
from autograder.records import Call, Subject, Text, text

Word = tuple[str, Text]
Given = Mapping[Call, Mapping[str, np.ndarray]]
CASES = (probes.ONE_TOKEN, probes.ONE_HEAD, probes.FULL_MASK, probes.NARROW_HEADS)
ROUNDED = 3e-3  # float16 and three decimals stay below this, every real fault is above it
_MATRICES = ("dWO", "dWV", "dWK", "dWQ")


# --- multihead ----------------------------------------------------------------------------------------------------

def of_forward(given: Given, reference: Subject) -> Word | None:
    """From J and Y: the last step, the differing part of Y, or what the cases in which Y is right have in common."""
    leaves = given.get(probes.GENERAL.forward, {})
    y, cache = reference.answer(probes.GENERAL.forward).value
    own = leaves.get("J")
    if found := _other_shape(given, reference):
        return found
    if alike(leaves.get("Y"), y):
        return of_right_output(leaves, given.get(probes.LARGE_SCORES.forward, {}).get("Y"), reference)
    if leaves.get("Y") is None or leaves["Y"].shape != y.shape:
        return None
    if not np.isfinite(leaves["Y"]).all():
        return _not_finite(given, leaves, reference)
    if relative_error(leaves["Y"], y) < ROUNDED:
        return "rounded", text("Y is right to about {digits} digits only: is something rounded, kept in a type that "
                               "holds few digits, or changed a little on the way?",
                               digits=int(-np.log10(relative_error(leaves["Y"], y))))
    if alike(own, cache["joined"]):
        where = but(leaves["Y"], y, "Y", "BTC") or text("look at the step from J to Y")
        return "last-step", text("J is right (cache['joined']), and Y is not: {where}", where=where)
    last = own is not None and own.shape == y.shape and alike(leaves["Y"], own @ probes.GENERAL.params["wo"])
    right = {case: _right(given, reference, case.forward) for case in CASES}
    odd = None if right[probes.FULL_MASK] else _odd_part(leaves["Y"], y, own if last else None, cache["joined"])
    inside = first_inside(leaves, cache["attention"], probes.GENERAL.allowed) if last else None
    whole = _all_of_it(own, cache["joined"]) if last else None
    whole, odd = (odd, whole) if whole and odd and vague(whole[0].removeprefix("joined-")) else (whole, odd)
    found = _most_telling(inside, whole, odd) or _by_cases(right)
    if found and found is inside and right[probes.FULL_MASK] and right[probes.ONE_TOKEN]:
        found = "mask", text("{one}. {other}", one=_WITH_A_FULL_MASK, other=found[1])
    if found and last:
        return found[0], text("Y is J·WO of your own J, so the last step is right. {where}", where=found[1])
    return found


def _most_telling(inside: Word | None, whole: Word | None, odd: Word | None) -> Word | None:
    """Which of these to say: zeros in some places first, then the first wrong step, and what differs beside it."""
    if inside is None or inside[0] == "mixing" or whole and whole[0].startswith("joined-zeros"):
        return whole or odd or inside
    if odd and inside[0] in ("scores", "weights-sum"):
        return inside[0], text("{one}. {other}", one=inside[1], other=odd[1])
    return inside


def _other_shape(given: Given, reference: Subject) -> Word | None:
    """What is different about a Y of another shape, if it is the same for every question."""
    found = [misshapen(leaves["Y"], y, "BTC") for call, leaves in given.items() if "Y" in leaves
             and leaves["Y"].shape != (y := reference.answer(call).value[0]).shape]
    one = found[0] if len({each and each[0] for each in found}) == 1 else None
    return one and (f"y-{one[0]}", text("{name} is what it should be, but with {what}", name="Y", what=one[1]))


def _not_finite(given: Given, leaves: Mapping[str, np.ndarray], reference: Subject) -> Word | None:
    """Where nan and inf come from."""
    _, cache = reference.answer(probes.GENERAL.forward).value
    inside = first_inside(leaves, cache["attention"], probes.GENERAL.allowed)
    if inside and inside[0] != "mixing":
        return inside
    if _right(given, reference, probes.FULL_MASK.forward):
        return "mask-not-finite", text("With a full mask everything is right; where the mask blocks keys, nan or inf "
                                       "comes out: what becomes of blocked scores on the way to the weights?")
    return None


def _all_of_it(joined: np.ndarray | None, want: np.ndarray) -> Word | None:
    """What one simple thing is different about J as a whole."""
    H = probes.GENERAL.heads
    found = None if joined is None else turned_into(cut(joined, H), cut(want, H), "BHTd")
    return found and (f"joined-{found[0]}", text("{name} is what it should be, but with {what}",
                                                 name="J", what=found[1]))


def _odd_part(y: np.ndarray, want: np.ndarray, joined: np.ndarray | None, joined_want: np.ndarray
              ) -> Word | None:
    """The one sequence, token or head that differs from all others."""
    if joined is not None:
        B, T, C = joined.shape
        H = probes.GENERAL.heads
        y, want = (array.reshape(B, T, H, C // H) for array in (joined, joined_want))
    found = odd_one_out(off(y, want))
    if found is None or found[0] > (1 if joined is None else 2):
        return None
    where = place(y, want, "BTC" if joined is None else "BTHd")
    return "odd-part", text("In {what} {where}: what does your code do differently there?",
                            what="Y" if joined is None else "J", where=where)


def _right(given: Given, reference: Subject, call: Call) -> bool | None:
    """Whether Y is right for this question; None if it was not answered with numbers."""
    leaves = given.get(call)
    if not leaves or "Y" not in leaves or not np.isfinite(leaves["Y"]).all():
        return None
    y = reference.answer(call).value[0]
    return alike(leaves.get("Y"), y)


_WITH_A_FULL_MASK = text("With a full mask everything is right, and with another mask it is not: look at what the mask "
                         "does")


def _by_cases(right: Mapping[probes.Case, bool | None]) -> Word | None:
    """What the cases in which it is right have in common, if only one thing distinguishes them from the others."""
    one_token, one_head, full, narrow = (right[case] for case in CASES)
    if one_token is False:
        return "values", text("Even with a single token the result is wrong. Its weight has to be one: look at that, "
                              "at X and V, at how heads are cut and joined, and at anything else between V and J")
    if one_token is None or None in (one_head, full, narrow):
        return None
    if full:
        return "mask", _WITH_A_FULL_MASK
    if one_head and not narrow:
        return "heads", text("With one head everything is right, and with several it is not: look at what each head "
                             "gets")
    if narrow and not one_head:
        return "width", text("With heads of one feature everything is right, and with wider ones it is not: where does "
                             "the width of a head come in?")
    return "weights", text("With a single token everything is right, and with several it is not. So look where tokens "
                           "meet: what each head gets of Q and K, the scores, the mask, the softmax, and what is mixed")


# --- multihead_backward -------------------------------------------------------------------------------------------

def of_backward(given: Given, reference: Subject) -> Word | None:
    """dWO tells J and dY, dWV the way to V, dWK and dWQ the way through the scores, dX the routes."""
    leaves = given.get(probes.GENERAL.backward, {})
    dx, grads = reference.answer(probes.GENERAL.backward).value
    want = {f"d{name.upper()}": grads[name] for name in probes.WEIGHTS}
    if not leaves.keys() >= want.keys():
        return None
    if error := _rounded({"dX": dx, **want}, leaves):
        return "rounded", text("The gradients are right to about {digits} digits only: is something rounded, kept in a "
                               "type that holds few digits, or changed a little on the way?",
                               digits=int(-np.log10(error)))
    wrong = [name for name in _MATRICES if not alike(leaves[name], want[name])]
    right = ", ".join(name for name in _MATRICES if name not in wrong)
    if not wrong:
        return None if alike(leaves.get("dX"), dx) else _routes(leaves.get("dX"), dx, reference)
    first = wrong[0]
    simple = but(leaves[first], want[first], first, "rc")
    look = _THROUGH["both" if {"dWK", "dWQ"} <= {*wrong} and first == "dWK" else first]
    where = simple or look
    if first != "dWO":
        where = _before_or_in_the_sum(first, leaves[first], want[first], simple, look)
    if first != "dWO" and alike(leaves.get("dX"), dx):
        where = text("dX is right, so {part} is too: look at the sum that makes {name} of X and {part}",
                     name=first, part=f"d{first[-1]}")
        where = where if simple is None else text("{one}. {other}", one=simple, other=where)
    if not right:
        return f"first-wrong-{first}", where
    return f"first-wrong-{first}", text("{right}: right. {where}", right=right, where=where)


def _rounded(want: Mapping[str, np.ndarray], got: Mapping[str, np.ndarray]) -> float | None:
    """The largest relative error of all gradients, if each is only a little off."""
    errors = [relative_error(got[name], array) if name in got and got[name].shape == array.shape else np.inf
              for name, array in want.items()]
    return max(errors) if TOLERANCE < max(errors) < ROUNDED else None


_THROUGH = {
    "dWO": text("dWO is not right, and it is made of J and dY alone: look at that product"),
    "dWV": text("dWV is not right: look at dJ, and at the way from dJ to dV"),
    "both": text("dWK and dWQ are not right: look at the way from dJ through the weights to the scores"),
    "dWK": text("dWK is not right: look at the step from the gradient of the scores to dK"),
    "dWQ": text("dWQ is not right: look at the step from the gradient of the scores to dQ"),
}


def _before_or_in_the_sum(name: str, got: np.ndarray, want: np.ndarray, simple: Text | None, look: Text) -> Text:
    """Whether a gradient is a sum of outer products with X at all, and if so where the other factor is wrong."""
    x = np.asarray(probes.GENERAL.x)
    flat = x.reshape(-1, x.shape[-1])                       # (B * T, C), of full row rank
    if got.shape != want.shape or not np.isfinite(got).all():
        return look
    part, should = (np.linalg.lstsq(flat.T, np.asarray(matrix, dtype=float), rcond=None)[0] for matrix in (got, want))
    if not alike(flat.T @ part, np.asarray(got, dtype=float)):
        return simple or text("{name} is not right, and no sum of outer(X, …) over the tokens either: look at that sum",
                              name=name)
    got, want = (cut(array.reshape(x.shape), probes.GENERAL.heads) for array in (part, should))
    letter = f"d{name[-1]}"
    found = but(got, want, text("{part}, read back from {name},", part=letter, name=name), "BHTd") or simple
    where = place(got, want, "BHTd")
    if found or where is None:
        return found or look
    return text("{why} ({part}, read back from it: {where})", why=look, part=letter, where=where)


def _routes(dx: np.ndarray | None, want: np.ndarray, reference: Subject) -> Word | None:
    """All matrices are right, so dQ, dK and dV are: how often does each route count in dX?"""
    _, grads = reference.answer(probes.GENERAL.backward).value
    x, params = probes.GENERAL.x, probes.GENERAL.params
    if dx is not None and (shaped := misshapen(dx, want, "BTC")):
        return "routes", text("dWO, dWV, dWK and dWQ are right. {where}", where=text(
            "{name} is what it should be, but with {what}", name="dX", what=shaped[1]))
    if dx is None or dx.shape != x.shape or not np.isfinite(dx).all():
        return "routes", text("dWO, dWV, dWK and dWQ are right, so dQ, dK and dV are too: look at what dX is made of")
    flat = x.reshape(-1, x.shape[-1])
    routes = [(np.linalg.lstsq(flat.T, grads[name], rcond=None)[0] @ params[name].T).ravel()
              for name in ("wq", "wk", "wv")]
    times = np.linalg.lstsq(np.stack(routes, axis=1), dx.ravel(), rcond=None)[0]
    if relative_error(np.stack(routes, axis=1) @ times, dx.ravel().astype(float)) <= TOLERANCE:
        q, k, v = (f"{number:.3g}" for number in np.round(times, 6) + 0.0)
        return "routes-counted", text("dX is {q} times the route through Q, {k} times that through K and {v} times "
                                      "that through V: how often should each of them count?", q=q, k=k, v=v)
    if found := but(dx, want, "dX", "BTC"):
        return "routes", text("dWO, dWV, dWK and dWQ are right. {where}", where=found)
    return "routes", text("dWO, dWV, dWK and dWQ are right, so dQ, dK and dV are too: look at what dX is made of")
