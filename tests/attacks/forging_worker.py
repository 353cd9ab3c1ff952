"""Replace the worker's own functions: what it says stays a candidate answer.

points: 7
split_heads: wrong
"""
import numpy as np

calling = sys.modules["autograder.sandbox.wire.calling"]
worker = sys.modules["autograder.sandbox.inside.worker"]
messages = sys.modules["autograder.sandbox.wire.messages"]
_perform = calling.perform


def perform(namespace, name, sent, special):
    live, answer = _perform(namespace, name, sent, special)
    if name == "split_heads":
        answer.value = np.ones((2, 3, 4, 5))
    return live, answer


worker.perform = perform
