"""Functions behind functools, contextlib and classes that can be called."""
import contextlib
import functools
import io

_split = split_heads


@functools.wraps(_split)
def split_heads(x, heads):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(KeyError):
        print("splitting")
        return _split(x, heads)


class Forward:
    def __init__(self, function):
        self.function = function

    def __call__(self, *args, **named):
        return self.function(*args, **named)


merge_heads = functools.partial(merge_heads)
multihead = Forward(multihead)
