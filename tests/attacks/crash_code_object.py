"""Run bytecode that no compiler made.

points: 7
split_heads: crashed timed_out raised
"""


def split_heads(x, heads):
    def broken():
        pass
    broken.__code__ = broken.__code__.replace(co_code=b"\x64\xff" * 50 + b"\x53\x00", co_stacksize=1)
    return broken()
