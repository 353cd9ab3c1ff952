"""All that knows nbgrader: its gradebook, its preprocessors, its folders, and a kernel for its notebooks."""
import sys as _sys
from importlib import import_module as _import_module
from importlib.util import find_spec as _find_spec
from types import ModuleType as _ModuleType


def _is_valid_syntax(term: str, value: str) -> bool:
    """What `rfc3987_syntax` says, which is loaded by the first question."""
    del _sys.modules["rfc3987_syntax"]
    return _import_module("rfc3987_syntax").is_valid_syntax(term, value)


# nbformat imports jsonschema, and that a grammar of international addresses (as long as all the rest together), for a
# format that no notebook has.
if not {"jsonschema", "rfc3987_syntax"} & {*_sys.modules} and _find_spec("rfc3987_syntax"):
    _later = _ModuleType("rfc3987_syntax", "Loaded when it is used.")
    _later.__dict__["is_valid_syntax"] = _is_valid_syntax
    _sys.modules["rfc3987_syntax"] = _later
