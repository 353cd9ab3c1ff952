"""Tell which statements of a cell only define something, so that they can run when the rest of the cell cannot."""

import ast
import builtins
import copy
import inspect
import opcode
import warnings
from collections.abc import Mapping
from types import CodeType, ModuleType
from typing import Any

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)
_LONG = 2**16                             # characters: what takes long to read is read once
def _codes(*names: str) -> frozenset[int]:
    """Those of these instructions that this Python has."""
    return frozenset(opcode.opmap[name] for name in names if name in opcode.opmap)


#: what binds names to functions and constants: it can neither fail nor take time
_BINDS = _codes("RESUME", "CACHE", "NOP", "EXTENDED_ARG", "LOAD_CONST", "LOAD_SMALL_INT", "BUILD_TUPLE",
                "MAKE_FUNCTION", "SET_FUNCTION_ATTRIBUTE", "STORE_NAME", "RETURN_VALUE", "RETURN_CONST")
#: what imports and looks up beside that: where it fails, nothing is lost by doing all of it again
_LOOKS_UP = _BINDS | _codes("IMPORT_NAME", "IMPORT_FROM", "POP_TOP", "LOAD_NAME", "LOAD_ATTR", "BUILD_CONST_KEY_MAP",
                            "BUILD_MAP")


def only_definitions(source: str, filename: str, flags: int, looks_up: bool) -> CodeType | None:
    """The code of a whole cell that only binds names to functions and constants; None for any other cell.

    With `looks_up` it may import, and look up what annotations and defaults name. To compile a cell at once takes half
    as long as statement by statement.
    """
    if len(source) > _LONG:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")          # whoever reads it again warns
            code = compile(source, filename, "exec", flags, dont_inherit=True)
        simple = (_LOOKS_UP if looks_up else _BINDS).issuperset(code.co_code[::2])
        return code if simple and "__doc__" not in code.co_names and not code.co_flags & inspect.CO_COROUTINE else None
    except BaseException:                 # `warnings` may be a student's by now
        return None


def names_something(statement: ast.stmt) -> bool:
    """Whether this is an import, or the definition of a function or class."""
    return isinstance(statement, _DEFINITIONS + _IMPORTS)


def imported_names(statement: ast.stmt) -> set[str]:
    """The names that an import statement binds; none for any other statement."""
    if not isinstance(statement, _IMPORTS):
        return set()
    return {alias.asname or alias.name.partition(".")[0] for alias in statement.names}


def without_absent(statement: ast.stmt, absent: set[str]) -> tuple[ast.stmt | None, list[str]]:
    """A definition without the decorators that these names would have to bring, and those in words; None for anything
    else.
    """
    if not isinstance(statement, _DEFINITIONS):
        return None, []
    gone = [decorator for decorator in statement.decorator_list if _root(decorator) in absent]
    bare = copy.copy(statement)
    bare.decorator_list = [decorator for decorator in statement.decorator_list if decorator not in gone]
    return bare, [f"@{ast.unparse(decorator)}" for decorator in gone]


def _root(expression: ast.expr) -> str:
    """The name that an expression such as `numba.njit(cache=True)` begins with."""
    while isinstance(expression, ast.Attribute | ast.Call | ast.Subscript):
        expression = expression.func if isinstance(expression, ast.Call) else expression.value
    return expression.id if isinstance(expression, ast.Name) else ""


def defines(statement: ast.stmt, namespace: Mapping[str, Any]) -> bool:
    """Whether a statement is a definition, an import, a plain assignment, or a choice between those.

    An assignment is plain if it calls nothing of the student's own: that is what hangs or takes long.
    """
    if names_something(statement) or isinstance(statement, ast.Pass):
        return True
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        return all(_is_foreign(call.func, namespace) for call in ast.walk(statement) if isinstance(call, ast.Call))
    if isinstance(statement, ast.If):
        return _all_define(statement.body + statement.orelse, namespace)
    if isinstance(statement, ast.Try):
        handled = [part for handler in statement.handlers for part in handler.body]
        return _all_define(statement.body + handled + statement.orelse + statement.finalbody, namespace)
    return False


def _all_define(statements: list[ast.stmt], namespace: Mapping[str, Any]) -> bool:
    """Also true with `print` and texts beside definitions, as in `except ImportError: print(...)`."""
    if not any(names_something(statement) for statement in statements):
        return False
    return all(defines(statement, namespace) or isinstance(statement, ast.Expr) for statement in statements)


def _is_foreign(function: ast.expr, namespace: Mapping[str, Any]) -> bool:
    """Whether the called function comes from a module that the student did not write: `np.eye(3).astype`, `len`."""
    while isinstance(function, ast.Attribute | ast.Call | ast.Subscript):
        function = function.func if isinstance(function, ast.Call) else function.value
    if isinstance(function, ast.Name):
        root = namespace.get(function.id, getattr(builtins, function.id, None))
        home = root.__name__ if isinstance(root, ModuleType) else _home(root)
        return home not in (None, "__main__") and function.id not in ("exec", "eval", "input")
    return isinstance(function, ast.Constant | ast.JoinedStr | ast.List | ast.Tuple | ast.Dict)


def _home(value: Any) -> str | None:
    """The module that a function, a class or a value's class comes from."""
    home = getattr(value, "__module__", None) or type(value).__module__
    return home if isinstance(home, str) else None
