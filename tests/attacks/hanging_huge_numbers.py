"""Work out a power with more digits than there is time for, in C and without a look at signals.

points: 7
split_heads: timed_out
"""


def split_heads(x, heads):
    sys.set_int_max_str_digits(0)
    return str(7 ** 10**8)
