"""Refuse frames that would take far more memory decoded than they have bytes."""
from __future__ import annotations

from autograder.sandbox.wire.wire import FRAME_CAP, Frame, WireError

ITEM_CAP = 100_000                        # numbers, texts, arrays, dicts, ... in one frame


def refuse_crowds(body: Frame, texts: int = FRAME_CAP) -> None:
    """Raise WireError if a large body holds more than ITEM_CAP items, or more than so many bytes of texts.

    Decoded, 16 MB of empty dicts would take 1 GB, and a text with one rare letter four times its bytes.
    """
    if len(body) <= 2**18:
        return
    at, items = 0, 0
    while at < len(body):
        items += 1
        code, size = body[at], _item_size(body, at)
        at += size
        if code in _TEXTS:
            texts -= size
        if items > ITEM_CAP or texts < 0:
            raise WireError("a frame with more texts than fit" if texts < 0 else
                            f"a frame with more than {ITEM_CAP} items")


def _item_size(body: Frame, at: int) -> int:
    """The number of bytes of the msgpack item at this place, without the items that it announces."""
    code = body[at]
    if 0xa0 <= code <= 0xbf:                                              # a short text
        return 1 + (code & 0x1f)
    width = _LENGTH_WIDTH.get(code)
    if width is None:
        return 1 + _FIXED_SIZE.get(code, 0)
    return 1 + width + int.from_bytes(body[at + 1:at + 1 + width]) + (0xc7 <= code <= 0xc9)


_TEXTS = {*range(0xa0, 0xc0), 0xd9, 0xda, 0xdb}
_LENGTH_WIDTH = {0xc4: 1, 0xc5: 2, 0xc6: 4, 0xc7: 1, 0xc8: 2, 0xc9: 4, 0xd9: 1, 0xda: 2, 0xdb: 4}    # bin, ext, str
_FIXED_SIZE = {0xca: 4, 0xcb: 8, 0xcc: 1, 0xcd: 2, 0xce: 4, 0xcf: 8, 0xd0: 1, 0xd1: 2, 0xd2: 4, 0xd3: 8,
               0xd4: 2, 0xd5: 3, 0xd6: 5, 0xd7: 9, 0xd8: 17, 0xdc: 2, 0xdd: 4, 0xde: 2, 0xdf: 4}
