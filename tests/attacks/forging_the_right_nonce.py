"""Send a reply with the right nonce, found in the worker's frames: it is a candidate answer like any other.

points: 7
split_heads: wrong timed_out
seconds: 0.5
"""
import numpy as np
import time


def split_heads(x, heads):
    frame = sys._getframe()
    while "ask" not in frame.f_locals:
        frame = frame.f_back
    messages = sys.modules["autograder.sandbox.wire.messages"]
    body = messages.encode(messages.Answer(frame.f_locals["ask"].nonce, "answered", np.zeros((2, 3, 4, 5))))
    os.write(3, len(body).to_bytes(4) + body)
    time.sleep(30)
