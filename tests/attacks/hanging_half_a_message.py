"""Stop reading while the judge sends, with a socket full of one's own words.

points: 7
split_heads: refused timed_out
"""


def split_heads(x, heads):
    while True:
        os.write(3, bytes(10**5))
