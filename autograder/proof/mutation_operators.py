"""Define the mutation operators: one small change in one place of one function, everything else unchanged.

The operators are ours. cosmic-ray (13 dependencies, a database, files changed in place) and mutmut (libcst, textual,
coverage) know operators, comparisons and numbers; neither swaps names, keys, axes, einsum letters or arguments, nor
drops a call or a statement, which are the typical errors in array code. The proof also runs where only the autograder
is installed.
The texts of messages are left alone: they are not graded.
"""

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any


@dataclass
class Scope:
    """What a function can refer to: the names bound in it and where, the functions it may call, and its text keys."""

    names: dict[str, int] = field(default_factory=dict)         # name -> the line that binds it first
    functions: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)


#: a node -> its replacement; a list is several statements, an empty list removes the node
Operator = Callable[[Any, Scope], Iterator[Any]]
OPERATORS: list[tuple[type[ast.AST], Operator]] = []


def operator(*kinds: type[ast.AST]) -> Callable[[Operator], Operator]:
    """Register an operator for these kinds of nodes."""
    def register(function: Operator) -> Operator:
        OPERATORS.extend((kind, function) for kind in kinds)
        return function
    return register


def replacements(node: ast.AST, scope: Scope) -> Iterator[Any]:
    """Everything that may replace this node, by any operator."""
    for kind, function in OPERATORS:
        if isinstance(node, kind):
            yield from function(node, scope)


def like(node: ast.AST, **fields: Any) -> Any:
    """A copy of the node with these fields changed."""
    other = copy.deepcopy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


# --- operators and comparisons ------------------------------------------------------------------------------------

_ARITHMETIC: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult), ast.Sub: (ast.Add,), ast.Mult: (ast.Add, ast.FloorDiv),
    ast.Div: (ast.Mult, ast.FloorDiv), ast.FloorDiv: (ast.Div, ast.Mod, ast.Mult),
    ast.Mod: (ast.FloorDiv, ast.Mult), ast.Pow: (ast.Mult,), ast.MatMult: (ast.Mult, ast.Add)}
_COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)


@operator(ast.BinOp)
def _other_arithmetic(node: ast.BinOp, scope: Scope) -> Iterator[ast.expr]:
    """a - b -> a + b, a * b; b - a; a, b."""
    yield from (like(node, op=kind()) for kind in _ARITHMETIC[type(node.op)])
    if not isinstance(node.op, (ast.Add, ast.Mult)):
        yield like(node, left=node.right, right=node.left)
    yield from (node.left, node.right)


@operator(ast.Compare)
def _other_comparison(node: ast.Compare, scope: Scope) -> Iterator[ast.expr]:
    """a < b -> a <= b, a == b, ...; only for comparisons of two numbers."""
    if len(node.ops) == 1 and type(node.ops[0]) in _COMPARISONS:
        yield from (like(node, ops=[kind()]) for kind in _COMPARISONS if kind is not type(node.ops[0]))


@operator(ast.BoolOp)
def _other_connective(node: ast.BoolOp, scope: Scope) -> Iterator[ast.expr]:
    """a or b -> a and b, a, b."""
    yield like(node, op=ast.And() if isinstance(node.op, ast.Or) else ast.Or())
    yield from node.values


@operator(ast.UnaryOp)
def _without_sign(node: ast.UnaryOp, scope: Scope) -> Iterator[ast.expr]:
    """not a -> a, -a -> a."""
    yield node.operand


@operator(ast.If, ast.IfExp, ast.While)
def _negated_condition(node: Any, scope: Scope) -> Iterator[ast.AST]:
    """if a -> if not a."""
    yield like(node, test=ast.UnaryOp(ast.Not(), node.test))


# --- constants, keys, axes ----------------------------------------------------------------------------------------

@operator(ast.Constant)
def _other_number(node: ast.Constant, scope: Scope) -> Iterator[ast.expr]:
    """2 -> 3, 1, 0, -2; True -> False."""
    if isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node.value, (int, float)):
        values = dict.fromkeys((node.value + 1, node.value - 1, 0, -node.value))
        yield from (ast.Constant(value) for value in values if value != node.value)


@operator(ast.Constant)
def _other_key(node: ast.Constant, scope: Scope) -> Iterator[ast.expr]:
    """params["wq"] -> params["wk"], ...: any other key that the function uses."""
    if node.value in scope.keys:
        yield from (ast.Constant(key) for key in scope.keys if key != node.value)


@operator(ast.Constant)
def _other_subscripts(node: ast.Constant, scope: Scope) -> Iterator[ast.expr]:
    """einsum "btc,bte->ce": two letters of one operand swapped, or a letter renamed so that it matches no other."""
    if not (isinstance(node.value, str) and "->" in node.value):
        return
    operands = node.value.replace("->", ",").split(",")
    for index, letters in enumerate(operands):
        exchanged = [letters.translate(str.maketrans(a + b, b + a)) for a, b in combinations(letters, 2)]
        renamed = [letters.replace(a, "z") for a in letters] if index < len(operands) - 1 else []
        for other in exchanged + renamed:
            *inputs, output = (*operands[:index], other, *operands[index + 1:])
            yield ast.Constant(f"{','.join(inputs)}->{output}")


# --- names and calls ----------------------------------------------------------------------------------------------

@operator(ast.Name)
def _other_name(node: ast.Name, scope: Scope) -> Iterator[ast.expr]:
    """x -> any other name bound by then; a function of the module -> another one."""
    if isinstance(node.ctx, ast.Load) and node.id in scope.names:
        yield from (ast.Name(name, node.ctx) for name, line in scope.names.items()
                    if name != node.id and line < node.lineno)
    elif node.id in scope.functions:
        yield from (ast.Name(name, node.ctx) for name in scope.functions if name != node.id)


@operator(ast.Attribute)
def _without_attribute(node: ast.Attribute, scope: Scope) -> Iterator[ast.expr]:
    """w.T -> w; np.zeros -> np.ones."""
    if node.attr == "T":
        yield node.value
    elif node.attr == "zeros":
        yield like(node, attr="ones")


@operator(ast.Call)
def _without_call(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """f(a, b) -> a, b; a.f(b) -> a."""
    if isinstance(node.func, ast.Attribute) and not (isinstance(node.func.value, ast.Name)
                                                     and node.func.value.id not in scope.names):
        yield node.func.value
    yield from node.args


@operator(ast.Call)
def _other_arguments(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """f(a, b) -> f(b, a), f(a), f(b); f(a, key=b) -> f(a)."""
    for i, j in combinations(range(len(node.args)), 2):
        args = list(node.args)
        args[i], args[j] = args[j], args[i]
        yield like(node, args=args)
    if len(node.args) + len(node.keywords) > 1:
        yield from (like(node, args=node.args[:i] + node.args[i + 1:]) for i in range(len(node.args)))
    yield from (like(node, keywords=node.keywords[:i] + node.keywords[i + 1:]) for i in range(len(node.keywords)))


@operator(ast.Tuple, ast.List)
def _other_parts(node: Any, scope: Scope) -> Iterator[ast.expr]:
    """B, T, C -> T, B, C; (a, b) -> (b, a), and with one of several left out."""
    for i, j in combinations(range(len(node.elts)), 2):
        elts = list(node.elts)
        elts[i], elts[j] = elts[j], elts[i]
        yield like(node, elts=elts)
    if len(node.elts) > 1:
        yield from (like(node, elts=node.elts[:i] + node.elts[i + 1:]) for i in range(len(node.elts)))


@operator(ast.Dict)
def _without_entry(node: ast.Dict, scope: Scope) -> Iterator[ast.expr]:
    """{"x": x, "heads": heads} without one of its entries."""
    for i in range(len(node.keys)):
        yield like(node, keys=node.keys[:i] + node.keys[i + 1:], values=node.values[:i] + node.values[i + 1:])


# --- statements ---------------------------------------------------------------------------------------------------

@operator(ast.Assign, ast.AugAssign, ast.Expr, ast.Raise, ast.If, ast.For, ast.Return)
def _without_statement(node: ast.stmt, scope: Scope) -> Iterator[list[ast.stmt]]:
    """The statement left out, with everything inside it."""
    yield []


@operator(ast.If)
def _without_condition(node: ast.If, scope: Scope) -> Iterator[list[ast.stmt]]:
    """if a: b -> b."""
    yield node.body


@operator(ast.Return)
def _negated_return(node: ast.Return, scope: Scope) -> Iterator[ast.stmt]:
    """return a -> return -a, part by part."""
    if node.value is None:
        return
    parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
    for index, part in enumerate(parts):
        if not isinstance(part, ast.Dict):
            negated: list[ast.expr] = [ast.UnaryOp(ast.USub(), p) if i == index else p for i, p in enumerate(parts)]
            yield like(node, value=ast.Tuple(negated, ast.Load()) if len(parts) > 1 else negated[0])
