"""Hook into everything that Python calls by itself: imports, audits, displays, excepthooks, builtins.

points: 7
split_heads: wrong
"""
import builtins

heard = []


class Finder:
    def find_spec(self, name, path=None, target=None):
        heard.append(name)
        return None


sys.meta_path.insert(0, Finder())
sys.path_hooks.insert(0, lambda path: heard.append(path) or (_ for _ in ()).throw(ImportError))
sys.addaudithook(lambda event, args: heard.append(event))
sys.displayhook = sys.breakpointhook = sys.unraisablehook = lambda *_: heard.append(_)
builtins.__build_class__ = lambda function, name, *bases, _made=builtins.__build_class__, **more: _made(
    function, name, *bases, **more)
builtins.isinstance = lambda value, kind, _asked=isinstance: _asked(value, kind)
right = split_heads                                                       # noqa: F821


def split_heads(x, heads):
    return right(x, heads) + 1
