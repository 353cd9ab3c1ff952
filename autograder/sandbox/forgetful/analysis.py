"""Decide from the source, before any of it runs, whether a function keeps nothing from one call to the next.

A student's own test must meet every implementation with no memory of the others. A fresh process for each ensures that,
and costs ten milliseconds. One process ensures it too, if the test cannot remember: nothing that it can reach, and no
cell, does anything but what is listed here; nor can it see what is left of an earlier call in memory (`traces`).
Anything that is not listed makes the answer no, which costs time and never points. What such code can leave behind all
the same is the state of NumPy's global random numbers and of `errstate`, which the worker restores.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import FunctionType, ModuleType
from typing import Any

from autograder.sandbox.forgetful.harmless import ATTRIBUTES, EXCEPTIONS, FUNCTIONS
from autograder.sandbox.forgetful.nodes import children, walk
from autograder.sandbox.forgetful.traces import tells_nothing, unseen

#: listed nodes may contain listed nodes; `global`, `nonlocal`, classes, generators and `await` are not listed
_KINDS = (
    ast.FunctionDef, ast.Lambda, ast.arguments, ast.arg, ast.Return, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For,
    ast.While, ast.If, ast.With, ast.withitem, ast.Raise, ast.Try, ast.ExceptHandler, ast.Assert, ast.Import,
    ast.ImportFrom, ast.alias, ast.Expr, ast.Pass, ast.Break, ast.Continue, ast.BoolOp, ast.NamedExpr, ast.BinOp,
    ast.UnaryOp, ast.IfExp, ast.Dict, ast.Set, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
    ast.comprehension, ast.Compare, ast.Call, ast.keyword, ast.FormattedValue, ast.JoinedStr, ast.Constant,
    ast.Attribute, ast.Subscript, ast.Starred, ast.Name, ast.List, ast.Tuple, ast.Slice, ast.Load, ast.Store,
    ast.boolop, ast.operator, ast.unaryop, ast.cmpop)
_LISTED = frozenset(each for kind in _KINDS for each in (kind, *kind.__subclasses__()))
_PLAIN = _LISTED - {ast.Import, ast.ImportFrom, ast.Attribute, ast.keyword, ast.Name, ast.FunctionDef,
                    ast.ExceptHandler, ast.arg, ast.alias}
_MODULES = ("numpy", "math")
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.Lambda)
_NAMED = {ast.Name: "id", ast.FunctionDef: "name", ast.ExceptHandler: "name", ast.arg: "arg", ast.alias: "asname"}
_DEPTH = 8                                # names that refer to names that refer to names


def forgets(sources: Sequence[str], function: str, given: Mapping[str, Any]) -> bool:
    """Whether these cells define a function of this name that keeps nothing from one call to the next.

    `given` is the namespace that they start with: the lesson's modules and functions.
    """
    try:
        return _Cells(sources, _places(given)).forget(function)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


class _Cells:
    """The names of all cells together: functions, imports, and values that may be other names for functions."""

    def __init__(self, sources: Sequence[str], given: dict[str, str]):
        cells = [ast.parse(source) for source in sources]
        self._given = given
        self._outside = [node for cell in cells for statement in cell.body for node in _at_work(statement)]
        kinds = [cell for cell, source in zip(cells, sources, strict=True) if "ndarray" in source]
        self._kinds_of_things = {part for cell in kinds for node in walk(cell) for part in _only_compared(node)}
        self._functions: dict[str, list[ast.FunctionDef]] = {}
        self._imports: dict[str, str] = dict(given)
        self._values: dict[str, list[ast.expr | None]] = {}         # None: bound in a way other than `name = ...`
        self._seen: set[tuple[ast.FunctionDef, bool]] = set()
        self._constant: dict[tuple[str, int], bool] = {}

    def forget(self, function: str) -> bool:
        """Whether everything that runs before the function, and all that it can reach, is listed."""
        if not all(map(self._is_listed, self._outside)) or not all(map(self._bind, self._outside)):
            return False
        if not self._every_name_has_one_meaning() or function not in self._functions:
            return False
        if not all(self._has_fixed_defaults(node) for nodes in self._functions.values() for node in nodes):
            return False
        used = {node.id for node in self._outside if isinstance(node, ast.Name)}
        return (all(map(self._is_known, used)) and self._all_forget(used, by_heart=True)
                and self._all_forget({function}, by_heart=False))

    # --- what the cells bind --------------------------------------------------------------------------------------

    def _bind(self, node: ast.AST) -> bool:
        """Record what a statement outside functions binds; False if that is an import that is not listed."""
        if isinstance(node, ast.FunctionDef):
            self._functions.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            return all(self._imports.setdefault(name, what) == what for name, what in self._imported(node))
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                for name, value in _paired(target, node.value):
                    self._values.setdefault(name, []).append(value)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            self._values.setdefault(node.id, [])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            self._values.setdefault(node.name, []).append(None)
        return True

    def _imported(self, node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
        """The names that an import binds and what they refer to; nothing for what is not listed."""
        for name, alias in zip(_names(node), node.names, strict=True):
            if isinstance(node, ast.Import):
                what = alias.name if alias.asname else name
                yield name, what if what in _MODULES or what in self._given.values() else ""
            else:
                what = f"{node.module}.{alias.name}"
                listed = node.module in _MODULES and alias.name in ATTRIBUTES or what in self._given.values()
                yield name, what if listed and not node.level else ""

    def _every_name_has_one_meaning(self) -> bool:
        """Also records which names are bound in any way other than a plain `name = value`."""
        for name, values in self._values.items():
            stores = sum(isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
                         for node in self._outside)
            values += [None] * (stores - len(values))
        taken = {*self._functions, *self._imports, *FUNCTIONS, *EXCEPTIONS}
        imported = self._imports.keys() - self._given.keys()       # a student's own function may take a given name
        return taken.isdisjoint(self._values) and imported.isdisjoint(self._functions)

    def _has_fixed_defaults(self, node: ast.FunctionDef) -> bool:
        """A default lives as long as its function, so a list could be appended to; a decorator could do anything."""
        defaults = [*node.args.defaults, *[default for default in node.args.kw_defaults if default is not None]]
        return not node.decorator_list and all(map(self._is_constant, defaults))

    # --- what can be reached --------------------------------------------------------------------------------------

    def _all_forget(self, names: set[str], by_heart: bool) -> bool:
        """Whether the functions among these names, and all that they can reach, are listed.

        `by_heart`: what runs before any implementation is met may use the values of cells, and may change them.
        """
        return all(self._forgets(node, by_heart) for name in names for node in self._functions.get(name, []))

    def _forgets(self, function: ast.FunctionDef, by_heart: bool) -> bool:
        if (function, by_heart) in self._seen:
            return True
        self._seen.add((function, by_heart))
        if not all(self._is_listed(node) for statement in function.body for node in walk(statement)):
            return False
        free = _free(function, frozenset())
        if not all(map(self._is_known if by_heart else self._is_fixed, free)):
            return False
        return (by_heart or self._sees_nothing(function, free)) and self._all_forget(self._meant(free), by_heart)

    def _sees_nothing(self, function: ast.FunctionDef, free: set[str]) -> bool:
        """Whether neither it nor the values that it takes from outside can reveal what is in memory."""
        values = [value for name in self._meant(free) for value in self._values.get(name, []) if value is not None]
        return unseen(function, self._imports) and all(tells_nothing(value, self._imports) for value in values)

    def _meant(self, names: set[str]) -> set[str]:
        """These names, and all that they are other names for."""
        meant, new = set(), set(names)
        while new:
            meant |= new
            values = [value for name in new for value in self._values.get(name, [])]
            new = {value.id for value in values if isinstance(value, ast.Name)} - meant
        return meant

    def _is_known(self, name: str) -> bool:
        return (name in self._values or name in self._functions or name in self._imports or name in FUNCTIONS
                or name in EXCEPTIONS)

    def _is_fixed(self, name: str, depth: int = _DEPTH) -> bool:
        """Whether a name from outside a function refers to something that cannot be changed."""
        if name not in self._values:
            return self._is_known(name)
        return depth > 0 and all(
            self._is_fixed(value, depth - 1) if isinstance(value, str) else self._is_constant(value, depth - 1)
            for value in {value.id if isinstance(value, ast.Name) else value for value in self._values[name]})

    def _is_constant(self, value: ast.expr | None, depth: int = _DEPTH) -> bool:
        """Numbers, texts and tuples of them, also computed from each other."""
        if isinstance(value, ast.Tuple):
            return all(self._is_constant(part, depth) for part in value.elts)
        if isinstance(value, ast.BinOp):
            return self._is_constant(value.left, depth) and self._is_constant(value.right, depth)
        if isinstance(value, ast.UnaryOp):
            return self._is_constant(value.operand, depth)
        if isinstance(value, ast.Name):
            return depth > 0 and self._stands_for_constants(value.id, depth - 1)
        return isinstance(value, ast.Constant)

    def _stands_for_constants(self, name: str, depth: int) -> bool:
        """Computed once: names that hold others many times over would take forever."""
        if (name, depth) not in self._constant:
            self._constant[name, depth] = name in self._values and all(
                self._is_constant(value, depth) for value in self._values[name])
        return self._constant[name, depth]

    def _is_listed(self, node: ast.AST) -> bool:
        kind = type(node)
        if kind in _PLAIN:
            return True
        if isinstance(node, ast.Attribute):
            listed = node.attr in ATTRIBUTES or node.attr == "ndarray" and node in self._kinds_of_things
            return listed and isinstance(node.ctx, ast.Load)
        if isinstance(node, ast.keyword):                           # `**` may contain a `where`
            return node.arg not in (None, "where")
        if isinstance(node, ast.Import | ast.ImportFrom):
            return all(what for _, what in self._imported(node))
        field = _NAMED.get(kind)
        if field is None:
            return False
        name = getattr(node, field) or ""
        rebound = name == "isinstance" and not isinstance(getattr(node, "ctx", None), ast.Load)
        return not name.startswith("__") and not rebound and not getattr(node, "type_params", None)


def _places(given: Mapping[str, Any]) -> dict[str, str]:
    """The origin of the given names: "numpy", "attention.attention"."""
    return {name: value.__name__ if isinstance(value, ModuleType) else f"{value.__module__}.{value.__name__}"
            for name, value in given.items() if isinstance(value, ModuleType | FunctionType)}


def _at_work(statement: ast.AST) -> Iterator[ast.AST]:
    """Every node that runs with a statement: for a function its defaults and annotations, not its body."""
    yield statement
    for child in children(statement):
        if not isinstance(statement, ast.FunctionDef) or child not in statement.body:
            yield from _at_work(child)


def _only_compared(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of which only the kind is asked: in isinstance, and in annotations."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
        asked = node.args[1:]
    else:
        asked = [getattr(node, field, None) for field in ("annotation", "returns")]
    for part in asked:
        if isinstance(part, ast.Attribute | ast.Tuple | ast.BinOp | ast.Subscript):
            yield from walk(part)


def _names(node: ast.Import | ast.ImportFrom) -> list[str]:
    """The names that an import binds."""
    return [alias.asname or alias.name.partition(".")[0] for alias in node.names]


def _free(node: ast.AST, bound: frozenset[str]) -> set[str]:
    """The names that a node takes from outside the function around it, of which `bound` are its own."""
    if isinstance(node, ast.Name):
        return {node.id} - bound if isinstance(node.ctx, ast.Load) else set()
    if isinstance(node, _FUNCTIONS):
        body = node.body if isinstance(node.body, list) else [node.body]
        rest = [child for child in children(node) if child not in body]
        return _all_free(rest, bound) | _all_free(body, bound | _own(node))
    if isinstance(node, _COMPREHENSIONS):
        first, *rest = [part for each in node.generators for part in (each.iter, each.target, *each.ifs)]
        targets = frozenset(name.id for each in node.generators for name in walk(each.target)
                            if isinstance(name, ast.Name))
        results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        return _free(first, bound) | _all_free([*rest, *results], bound | targets)
    return _all_free(children(node), bound)


def _all_free(nodes: Iterable[ast.AST], bound: frozenset[str]) -> set[str]:
    return {name for node in nodes for name in _free(node, bound)}


def _own(function: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    """The names that are a function's own: its arguments and everything that its body binds."""
    arguments = [node.arg for node in walk(function.args) if isinstance(node, ast.arg)]
    body = function.body if isinstance(function.body, list) else [function.body]
    return frozenset([*arguments, *[name for node in body for name in _binds(node)]])


def _binds(node: ast.AST) -> Iterator[str]:
    """The names that this binds in the function around it, without those that functions in it bind for themselves."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from _names(node)
    elif isinstance(node, ast.FunctionDef | ast.ExceptHandler) and node.name:
        yield node.name
    if isinstance(node, _FUNCTIONS):
        return
    if isinstance(node, _COMPREHENSIONS):                           # only `:=` reaches out of it
        walruses = [part.target for part in walk(node) if isinstance(part, ast.NamedExpr)]
        yield from (target.id for target in walruses)
        return
    for child in children(node):
        yield from _binds(child)


def _paired(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """`a = x` and `a, b = x, y` as pairs of a name and a value."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        for part, its_value in zip(target.elts, value.elts, strict=True):
            yield from _paired(part, its_value)
