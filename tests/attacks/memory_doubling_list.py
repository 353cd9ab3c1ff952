"""Double a list until there is no more.

points: 14
split_heads: out_of_memory
"""


def split_heads(x, heads):
    grown = [0] * 1000
    while True:
        grown += grown
