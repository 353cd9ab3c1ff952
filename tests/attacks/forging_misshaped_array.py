"""Send arrays whose shape and length disagree, with negative, huge and overflowing sizes.

points: 5
split_heads: refused
merge_heads: refused
"""
import struct

import msgspec

SHAPES = [(2**63, 2), (2**32, 2**32), (2**64 - 1,), (0, 2**63), (5,), (1,) * 9]
sent = [0]


def send(ask):
    shape = SHAPES[sent[0] % len(SHAPES)]
    sent[0] += 1
    array = msgspec.msgpack.Ext(1, struct.pack(f">BB{len(shape)}Q", 11, len(shape), *shape) + bytes(16))
    body = msgspec.msgpack.encode(["answer", ask.nonce, "answered", array, [], [], "", "", [], None])
    os.write(3, len(body).to_bytes(4) + body)


def split_heads(x, heads=None):
    frame = sys._getframe()
    while "ask" not in frame.f_locals:
        frame = frame.f_back
    send(frame.f_locals["ask"])
    return x


merge_heads = split_heads
