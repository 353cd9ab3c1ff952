"""Send a right answer early, so that the real one is taken for the answer to the next question.

points: 7
split_heads: refused wrong
seconds: 0.5
"""
import numpy as np

_split = split_heads


def split_heads(x, heads):
    frame = sys._getframe()
    while "ask" not in frame.f_locals:
        frame = frame.f_back
    messages = sys.modules["autograder.sandbox.wire.messages"]
    body = messages.encode(messages.Answer(frame.f_locals["ask"].nonce, "answered", np.zeros((2, 3))))
    os.write(3, len(body).to_bytes(4) + body)
    return _split(x, heads)
