"""Answer with a dict that holds the next one twice, and so on: small in memory, without end to whoever walks it.

points: 8
merge_heads: wrong
"""


def merge_heads(h):
    answer = {}
    for _ in range(1000):
        answer = {"a": answer, "b": answer}
    return answer
