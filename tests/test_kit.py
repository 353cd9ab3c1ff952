"""`autograder.kit`: all that a lesson needs, each name documented and where the engine has it."""
import ast
import inspect
import re
from pathlib import Path

import pytest
from test_imports import PACKAGE, imports

from autograder import kit
from autograder.lessons.kit import lesson

LAYERNORM = sorted((PACKAGE / "lessons" / "layernorm").rglob("*.py"))
TEMPLATES = sorted((PACKAGE / "authoring" / "new" / "templates").rglob("*.jinja"))


def test_every_name_is_listed_by_its_topic():
    topics = kit.__doc__.partition("\n\nThe lesson itself")[2]
    listed = re.findall(r"\b\w+(?=,|$)", topics.partition("\n")[2], re.MULTILINE)
    first = re.findall(r"\b\w+(?=,|$)", topics.partition("\n")[0])
    assert sorted([*first, *listed]) == sorted(set(kit.__all__) - {"VERSION"})
    assert kit.VERSION == "1.1"


@pytest.mark.parametrize("name", [name for name in kit.__all__ if inspect.isroutine(getattr(kit, name))
                                  or inspect.isclass(getattr(kit, name))])
def test_every_name_says_what_it_is(name):
    assert inspect.getdoc(getattr(kit, name))


def test_the_names_are_those_of_the_engine():
    assert kit.Wrong is lesson.Wrong
    assert kit.check is lesson.check


@pytest.mark.parametrize("path", LAYERNORM, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_lesson_imports_nothing_else(path: Path):
    drawing = {"autograder.lessons.kit.canvas"} if path.stem == "pictures" else set()   # it needs Matplotlib
    others = {name for name in imports(path) if not name.startswith("autograder.lessons.layernorm")}
    assert others <= {"autograder.kit", *drawing}
    names = {name.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)
             and node.module == "autograder.kit" for name in node.names}
    assert names <= set(kit.__all__)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_new_lesson_begins_with_the_kit_and_what_tests_it(path: Path):
    modules = re.findall(r"^from (autograder[\w.{} ]*) import", path.read_text(), re.MULTILINE)
    assert {module for module in modules if "{{ lesson }}" not in module} <= {"autograder.kit", "autograder.testing"}
