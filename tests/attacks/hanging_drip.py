"""Feed the reply byte by byte.

points: 7
split_heads: timed_out
"""


def split_heads(x, heads):
    import time
    os.write(3, b'\0\0\x10\0')
    while True:
        os.write(3, b'a')
        time.sleep(0.05)
