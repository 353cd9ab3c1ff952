"""Ignore every signal that can be ignored, then wait.

points: 7
split_heads: timed_out
"""


def split_heads(x, heads):
    import signal
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            continue
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    while True:
        pass
