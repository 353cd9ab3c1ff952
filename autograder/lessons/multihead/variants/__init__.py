"""Right solutions, composed at random from the ways in which each step can be written; none may lose a point.

`pick(a, b, ...)` chooses one of its arguments: by a seeded generator, or by a property-based test that can shrink.
"""

from autograder.lessons.kit.writing import Pick, dressed
from autograder.lessons.multihead.variants.backward import multihead_backward
from autograder.lessons.multihead.variants.forward import multihead
from autograder.lessons.multihead.variants.heads import merge_heads, split_heads
from autograder.lessons.multihead.variants.imports import IMPORTS
from autograder.lessons.multihead.variants.writing import Plan

__all__ = ["variant"]


def variant(pick: Pick) -> str:
    """The source of four right functions, as a student could have written them."""
    plan = Plan.picked(pick)
    functions = [split_heads(pick, plan), merge_heads(pick), multihead(pick, plan), multihead_backward(pick, plan)]
    return "\n\n".join([IMPORTS, *dressed(pick, functions)]) + "\n"
