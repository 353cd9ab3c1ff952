"""Let a timer interrupt everything, all the time.

points: 7
split_heads: timed_out
"""


def split_heads(x, heads):
    import signal
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 1e-5, 1e-5)
    while True:
        pass
