"""Which room may import which: the design as one table."""
import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "autograder"
#: what everybody may use
GROUND = {"records", "stages", "atomic", "decoding", "faults", "locale"}
#: a room -> the rooms, besides the ground, that it may import; lower rooms stand first
ALLOWED = {
    "sandbox/wire": set(),
    "lessons/kit": {"sandbox/wire"},
    "kit": {"lessons/kit"},
    "lessons/<name>": {"lessons/kit", "kit"},
    "lessons": {"lessons/kit"},
    "sandbox/forgetful": set(),
    "sandbox/inside": {"sandbox/wire", "sandbox/forgetful"},
    "sandbox": {"sandbox/wire", "sandbox/inside"},
    "judge": {"lessons/kit", "sandbox", "sandbox/wire"},
    "intake": {"lessons/kit"},
    "proof": {"lessons/kit", "intake", "judge", "sandbox"},
    "testing": {"lessons", "lessons/kit", "proof", "judge"},
    "course": {"lessons", "lessons/kit", "intake", "judge"},
    "output": set(),
    "output/exports": {"output"},
    "report": {"output"},
    "nbgrader": {"lessons", "lessons/kit", "intake", "course", "judge", "output"},
    "authoring": {"lessons", "lessons/kit", "intake", "nbgrader"},
    "authoring/new": {"lessons", "lessons/kit", "intake"},
    "authoring/demo": {"lessons", "lessons/kit"},
    "integrations": {"lessons", "lessons/kit", "intake", "course", "output", "output/exports", "sandbox"},
    "run": {"lessons", "lessons/kit", "course", "judge", "nbgrader", "output", "output/exports"},
    "doctor": {"lessons", "course", "judge", "nbgrader"},
    "api": {"lessons", "intake", "sandbox", "judge", "course", "proof", "run"},
    "cli": {"lessons", "lessons/kit", "intake", "judge", "course", "output", "output/exports", "report",
            "nbgrader", "authoring", "authoring/new", "authoring/demo", "integrations", "proof", "run", "doctor",
            "api"},
}
#: rooms within a folder; its other files are the folder's own
INNER = {"sandbox": ("wire", "forgetful", "inside"),
         "output": ("exports",), "authoring": ("new", "demo"), "lessons": ("kit",)}

#: old places that others start by name -> where they lead, for one version
FORWARDS = {"package/__init__.py": set(), "package/run.py": {"autograder.integrations.run"},
            "pytest_plugin.py": {"autograder.integrations.pytest_plugin"}}


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py")
                  if "_course" not in path.parts and path.relative_to(PACKAGE).as_posix() not in FORWARDS)


def room_of(parts: tuple[str, ...]) -> str:
    """The room in which the module with this name, in parts below `autograder`, lies."""
    folder, inner = parts[0], parts[1:2]
    if inner and inner[0] in INNER.get(folder, ()):
        return f"{folder}/{inner[0]}"
    if folder == "lessons" and inner and (PACKAGE / folder / inner[0]).is_dir():
        return "lessons/<name>"
    return folder


@cache
def import_statements(path: Path) -> list[ast.Import | ast.ImportFrom]:
    """Those of a file, wherever in it they are."""
    return [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Import | ast.ImportFrom)]


def imports(path: Path) -> set[str]:
    """The full names of everything of ours that a file imports."""
    found = set()
    for node in import_statements(path):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "autograder":
            found |= {_module(node.module, name.name) for name in node.names}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names if name.name.split(".")[0] == "autograder"}
    return found - {"autograder"}


def _module(package: str, name: str) -> str:
    """What `from package import name` loads: a module of that name, if there is one."""
    folder = PACKAGE.joinpath(*package.split(".")[1:])
    return f"{package}.{name}" if (folder / f"{name}.py").exists() or (folder / name).is_dir() else package


def imported_rooms(path: Path) -> set[str]:
    own = room_of(path.relative_to(PACKAGE).with_suffix("").parts)
    return {room_of(tuple(name.split(".")[1:])) for name in imports(path)} - {own}


def test_every_module_imports_only_what_the_table_allows() -> None:
    found = [path for path in modules() if path.parent != PACKAGE]
    too_much = {}
    for path in found:
        room = room_of(path.relative_to(PACKAGE).with_suffix("").parts)
        others = imported_rooms(path) - (ALLOWED[room] | GROUND if room not in GROUND else {"records"})
        if others:
            too_much[str(path)] = others
    assert len(found) > 100
    assert too_much == {}


def test_the_package_itself_is_only_a_door() -> None:
    """`import autograder` loads none of its modules; the functions of `api` come when they are asked for."""
    assert imported_rooms(PACKAGE / "__init__.py") == {"api"}
    code = "import autograder, sys; print([name for name in sys.modules if name.startswith('autograder.')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout.strip() == b"[]"


def test_the_ground_imports_nothing_but_records() -> None:
    for path in (PACKAGE / f"{name}.py" for name in ("records", "stages", "atomic", "decoding")):
        assert imported_rooms(path) == set(), path


def test_every_arrow_of_the_table_is_used_and_none_runs_back_up() -> None:
    used: dict[str, set[str]] = {}
    for path in modules():
        used.setdefault(room_of(path.relative_to(PACKAGE).with_suffix("").parts), set()).update(imported_rooms(path))
    order = list(ALLOWED)
    for room, allowed in ALLOWED.items():
        assert used[room] - GROUND == allowed, room
        assert all(order.index(other) < order.index(room) or (room, other) == ("sandbox", "sandbox/inside")
                   for other in allowed), room


def beyond(room: str, without: str = "") -> set[str]:
    """Every room that can be reached from this one, other than by the arrow to `without`."""
    return {far for near in ALLOWED[room] if near != without for far in {near} | beyond(near)}


def test_the_drawing_shows_the_table() -> None:
    """An arrow is left out where others lead there too: with all of them nobody could follow one."""
    page = (PACKAGE.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    drawing = page.partition("```mermaid\n")[2].partition("```")[0]
    names = dict(re.findall(r'(\w+)\["([^"]+)"\]', drawing))
    arrows = {(names[room], names[other]) for room, others in re.findall(r"(\w+) --> ([\w &]+)", drawing)
              for other in others.split(" & ")}
    assert set(names.values()) == set(ALLOWED)
    assert arrows == {(room, other) for room, allowed in ALLOWED.items() for other in allowed
                      if other not in beyond(room, without=other)}


@pytest.mark.parametrize("path", FORWARDS)
def test_old_places_only_lead_to_the_new_ones(path: str) -> None:
    assert imports(PACKAGE / path) == FORWARDS[path]


def test_what_others_start_by_its_old_name_still_starts() -> None:
    from autograder import pytest_plugin
    from autograder.integrations import pytest_plugin as new
    assert pytest_plugin.pytest_addoption is new.pytest_addoption
    shown = subprocess.run([sys.executable, "-m", "autograder.package.run", "--help"], capture_output=True, check=True)
    assert b"autograder.integrations.run" in shown.stdout


def test_checks_and_mistakes_never_import_each_other_or_the_solutions() -> None:
    for path in modules():
        for own, other in (("checks", "mistakes"), ("mistakes", "checks")):
            if own in path.parts:
                assert not any(f".{other}" in name for name in imports(path)), path


def test_only_two_rooms_import_nbgrader() -> None:
    for path in modules():
        if room_of(path.relative_to(PACKAGE).with_suffix("").parts) not in ("nbgrader", "authoring"):
            names = {name.name for node in import_statements(path) if isinstance(node, ast.Import)
                     for name in node.names}
            assert not any(name.split(".")[0] == "nbgrader" for name in names), path
