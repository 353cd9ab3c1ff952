"""Decide whether code could see what earlier calls left in the process's memory: addresses, old bytes, memory in use.

No name has to be kept for that. The text of a function holds its address, and the order of a set follows addresses;
records with gaps and long doubles show bytes that were never written; a MemoryError tells how much others hold. What
honest tests do near these is narrow, so everything else is refused: texts are made for messages only, sets are only
compared, kinds of numbers are called by name, and no handler is wide enough for a MemoryError.
"""

import ast
from collections.abc import Mapping

from autograder.sandbox.forgetful.harmless import EXCEPTIONS, FUNCTIONS
from autograder.sandbox.forgetful.nodes import children, walk

_WIDE = frozenset({"Exception", "BaseException"})
_MAKE_TEXT = frozenset({"str", "repr", "format", "join", "replace", "strip", "upper", "lower"})
_MAKE_SETS = frozenset({"set", "frozenset", "union", "intersection", "difference"})
_VIEWS = frozenset({"keys", "items"})
#: builtins that may only be called, and only where this file says so
_ONLY_CALLED = FUNCTIONS & (_MAKE_TEXT | _MAKE_SETS)
_CAREFUL = _MAKE_TEXT | _MAKE_SETS | _VIEWS
_TAKEN = FUNCTIONS | EXCEPTIONS
#: the nodes that bind a name in the function around them
_BINDS = frozenset({ast.arg, ast.FunctionDef, ast.ExceptHandler, ast.Name, ast.ImportFrom})
#: the number of arguments before the one that is a kind of number
_BEFORE_KIND = {"array": 1, "asarray": 1, "ascontiguousarray": 1, "eye": 3, "full": 2, "full_like": 2, "identity": 1,
                "ones": 1, "ones_like": 1, "zeros": 1, "zeros_like": 1, "tri": 3, "arange": 3, "indices": 1,
                "linspace": 5, "astype": 0}
_KINDS = frozenset({"bool", "int", "float", "complex", "bool_", "float16", "float32", "float64", "int8", "int16",
                    "int32", "int64", "f2", "f4", "f8", "i1", "i2", "i4", "i8"})
_LONGEST = 24                             # of a text that is not a message: an address has more letters before it


def unseen(function: ast.FunctionDef, meant: Mapping[str, str]) -> bool:
    """Whether this function sees no memory but its own values; `meant` are the cells' imports."""
    for node in walk(function):
        if type(node) not in _BINDS:
            continue
        bound = (node.arg if isinstance(node, ast.arg) else
                 node.name if isinstance(node, ast.FunctionDef | ast.ExceptHandler) else
                 node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else "")
        hides = bound in _TAKEN or bound in meant and node is not function
        if hides or isinstance(node, ast.ImportFrom):
            return False
    defaults = [*function.args.defaults, *[default for default in function.args.kw_defaults if default is not None]]
    return all(_Eyes(meant).closed(part) for part in [*defaults, *function.body])


def tells_nothing(value: ast.expr, meant: Mapping[str, str]) -> bool:
    """Whether the value that a cell assigns to a name is as harmless as in the function that uses it."""
    return _Eyes(meant).closed(value)


def _short(value: object) -> bool:
    """Whether a constant is not a text that others could be written into, or made with `%`."""
    return not isinstance(value, bytes) and not (isinstance(value, str) and (len(value) > _LONGEST or "%" in value))


#: the nodes of which anything but what is in them is looked at
_LOOKED_AT = frozenset({ast.Expr, ast.Assert, ast.Raise, ast.Call, ast.Try, ast.Name, ast.Attribute, ast.Set,
                        ast.SetComp, ast.Constant, ast.JoinedStr})


class _Eyes:
    """One walk through a function; `parent` is the node around a node."""

    def __init__(self, meant: Mapping[str, str]):
        self._meant = meant

    def closed(self, node: ast.AST, parent: ast.AST | None = None) -> bool:
        """Whether nothing here looks at the memory."""
        if type(node) not in _LOOKED_AT:
            return self._within(node)
        match node:
            case ast.Expr(value=ast.Constant()):                    # a docstring
                return True
            case ast.Assert():
                return self.closed(node.test, node) and (node.msg is None or self._message(node.msg))
            case ast.Raise(exc=ast.Call(func=ast.Name() as kind, args=said, keywords=[])) if kind.id in EXCEPTIONS:
                return all(map(self._message, said)) and (node.cause is None or self.closed(node.cause, node))
            case ast.Raise(exc=ast.Name() as kind) if kind.id in _WIDE:
                return True
            case ast.Call():
                return self._call(node, parent)
            case ast.Try() if node.finalbody or not all(handler.type for handler in node.handlers):
                return False
            case ast.Name(id=name) if name in _WIDE or name in _ONLY_CALLED or self._name(node) in _BEFORE_KIND:
                return False
            case ast.Attribute(attr=name) if name in _CAREFUL or name in _BEFORE_KIND:
                return False
            case ast.Set(elts=parts) if all(isinstance(part, ast.Constant) for part in parts):
                return all(self.closed(part, node) for part in parts)
            case ast.Set() | ast.SetComp() if not _only_compared(parent):
                return False
            case ast.Constant(value=str()) if isinstance(parent, ast.BinOp):
                return False
            case ast.Constant(value=value):
                return _short(value)
            case ast.JoinedStr():
                return False
        return self._within(node)

    def _within(self, node: ast.AST) -> bool:
        return all(self.closed(child, node) for child in children(node))

    def _message(self, node: ast.expr) -> bool:
        """The same for what only a person reads, so that texts may be made for it."""
        match node:
            case ast.Constant():
                return True
            case ast.JoinedStr(values=parts) | ast.Tuple(elts=parts):
                return all(map(self._message, parts))
            case ast.FormattedValue():
                return self._message(node.value) and (node.format_spec is None or self._message(node.format_spec))
            case ast.BinOp(op=ast.Add() | ast.Mod()):
                return self._message(node.left) and self._message(node.right)
            case ast.Call(keywords=[]) if self._name(node.func) in _MAKE_TEXT:
                of = [node.func.value] if isinstance(node.func, ast.Attribute) else []
                return all(map(self._message, [*of, *node.args]))
        return self.closed(node)

    def _call(self, node: ast.Call, parent: ast.AST | None) -> bool:
        name = self._name(node.func)
        if name == "print" and isinstance(node.func, ast.Name):
            return all(map(self._message, [*node.args, *[keyword.value for keyword in node.keywords]]))
        if name == "isinstance" and len(node.args) == 2 and _kinds_of_things(node.args[1]):
            return self.closed(node.args[0], node)
        if name in _MAKE_TEXT or name in _MAKE_SETS and not _only_compared(parent):
            return False
        if name in _VIEWS and not _only_read(node, parent) or not self._kinds_are_named(node, name):
            return False
        if isinstance(node.func, ast.Name):
            function = node.func.id not in _WIDE
        else:
            function = self._within(node.func) if isinstance(node.func, ast.Attribute) else self.closed(node.func, node)
        return function and all(self.closed(arg, node) for arg in node.args) and all(
            self._message(keyword.value) if keyword.arg == "err_msg" else self.closed(keyword.value, node)
            for keyword in node.keywords)

    def _kinds_are_named(self, node: ast.Call, name: str) -> bool:
        """Whether no texts, records or long doubles can come out of it through a kind that it is given."""
        kinds = [keyword.value for keyword in node.keywords if keyword.arg == "dtype"]
        if name in _BEFORE_KIND:
            if any(isinstance(arg, ast.Starred) for arg in node.args):
                return False
            kinds += node.args[_BEFORE_KIND[name]:][:1]
        return all(map(self._is_kind_of_number, kinds))

    def _is_kind_of_number(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Constant):
            return node.value is None or node.value in _KINDS
        return isinstance(node, ast.Attribute) and node.attr == "dtype" or self._name(node) in _KINDS

    def _name(self, node: ast.expr) -> str:
        """The name of what an attribute, an imported name or a builtin calls; "" for a name of the student's own."""
        if isinstance(node, ast.Attribute):
            return node.attr
        if not isinstance(node, ast.Name):
            return ""
        return self._meant[node.id].rpartition(".")[2] if node.id in self._meant else node.id * (node.id in FUNCTIONS)


def _only_compared(parent: ast.AST | None) -> bool:
    """Whether the node in this is only asked for its length, or compared, whatever its order."""
    return isinstance(parent, ast.Compare) or (isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name)
                                               and parent.func.id == "len")


def _only_read(node: ast.Call, parent: ast.AST | None) -> bool:
    """Whether a dict's view is only iterated or compared, and never joined with another into a set."""
    return isinstance(parent, ast.Compare | ast.Starred) or (
        isinstance(parent, ast.For | ast.comprehension) and parent.iter is node) or (
        isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) and parent.func.id in FUNCTIONS)


def _kinds_of_things(node: ast.expr) -> bool:
    return all(isinstance(part, ast.Name | ast.Attribute | ast.Tuple | ast.Load) for part in walk(node))
