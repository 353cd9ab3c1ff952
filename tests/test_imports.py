"""Which module may import which: the design as one table."""
import ast
from pathlib import Path

import pytest

from autograder.sandbox.wall import INSIDE as WALLED_IN

PACKAGE = Path(__file__).parents[1] / "autograder"
OUTPUTS = {"records", "language", "output"}
LESSON = {"records", "lesson", "compare", "picture", "lessons"}
#: a file or folder of the package -> the parts of the package that it may import
ALLOWED = {
    "__init__": set(), "__main__": {"cli"}, "records": set(), "course": set(), "language": {"records"},
    "lesson": {"records", "course", "lessons"},
    "compare": {"records"}, "picture": {"records", "compare"},
    "subject": {"records", "sandbox"},
    "judge": {"records", "lesson", "compare"},
    "trials": {"records", "lesson", "judge"},
    "fingerprint": {"records", "lesson"}, "kept": set(),
    "diagnose": {"records", "lesson", "judge", "subject", "fingerprint", "kept", "version"},
    "score": {"records", "lesson", "judge"},
    "version": {"course", "lesson"},
    "settings": {"records", "lesson"},
    "package": {"grade", "intake", "lesson", "output", "records", "sandbox", "settings"},
    "journal": {"records"},
    "profile": set(),
    "worker": {"records", "lesson", "grade", "profile", "settings", "version"},
    "pools": {"grade", "worker"},
    "cluster": {"pools", "worker"},
    "dispatch": {"records", "journal", "pools", "profile", "score", "worker"},
    "changes": {"records"},
    "intake": {"records", "lesson", "course"},
    "sandbox": {"records", "sandbox"},
    "lessons": LESSON,
    "grade": {"records", "lesson", "judge", "diagnose", "score", "subject", "sandbox", "version", "profile", "trials"},
    "grade_course": {"changes", "records", "lesson", "grade", "dispatch", "journal", "pools", "cluster", "profile",
                     "worker", "nbgrader", "settings"},
    "proof": {"records", "lesson", "judge", "diagnose", "score", "subject", "grade", "proof", "compare", "course",
              "sandbox", "intake"},
    "nbgrader": {"records", "lesson", "course", "intake", "grade", "language", "output", "journal", "version",
                 "settings", "profile"},
    "output": OUTPUTS,
    "demo": {"course", "lesson", "intake", "records", "nbgrader"},
    "scaffold": {"lesson", "nbgrader"},
    "locale": {"language"},
    "pytest_plugin": None, "cli": None,          # they put everything together
}
#: what runs in the student's process: nothing of the judge's, so that nothing of it can be read there
INSIDE = set(WALLED_IN) - {"__init__"}


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if "_course" not in path.parts)


def part_of(path: Path) -> str:
    relative = path.relative_to(PACKAGE)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


def imports(path: Path) -> set[str]:
    """The full names of everything of ours that a file imports, wherever in the file it does so."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "autograder":
            names = {f"autograder.{name.name}" for name in node.names if not name.name.startswith("_")}
            found |= names if node.module == "autograder" else {node.module}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names if name.name.split(".")[0] == "autograder"}
    return found


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_module_imports_only_what_the_table_allows(path: Path) -> None:
    allowed = ALLOWED[part_of(path)]
    if allowed is not None:
        assert {name.split(".")[1] for name in imports(path)} <= allowed | {part_of(path)}


def test_checks_and_mistakes_never_import_each_other_or_the_solutions() -> None:
    for path in modules():
        for own, other in (("checks", "mistakes"), ("mistakes", "checks")):
            if own in path.parts:
                assert not any(f".{other}" in name for name in imports(path)), path


@pytest.mark.parametrize("name", sorted(INSIDE))
def test_what_runs_beside_the_student_imports_nothing_of_the_judges(name: str) -> None:
    allowed = {f"autograder.sandbox.{module}" for module in INSIDE} | {"autograder.sandbox"}
    assert imports(PACKAGE / "sandbox" / f"{name}.py") <= allowed


def test_only_one_folder_imports_nbgrader() -> None:
    for path in modules():
        if part_of(path) != "nbgrader":
            tree = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            names = {name.name for node in tree if isinstance(node, ast.Import) for name in node.names}
            assert not any(name.split(".")[0] == "nbgrader" for name in names), path
