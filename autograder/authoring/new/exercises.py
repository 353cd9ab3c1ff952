"""Make a new exercise in an existing lesson, or a new lesson with its first exercise."""

import ast
import builtins
from dis import get_instructions
from typing import Any

import nbformat

from autograder.authoring.new.checkout import CannotMake, Checkout, Made, rendered, snake
from autograder.authoring.new.editing import appended, importing, with_argument
from autograder.authoring.new.notebooks import Function, new_notebook, with_exercise
from autograder.intake.regions import bodies

EDITIONS = {"nl": "", "en": "-en"}              # language -> suffix of the folder's name


def new_exercise(checkout: Checkout, lesson_name: str, name: str, points: int, parameters: str) -> Made:
    """A function that students write: its checks, mistakes and solution, its cells in each edition, and its test.

    A solution that has the function already stays as it is, and the cells are made of it.
    """
    lesson = checkout.lesson(lesson_name)
    name, words = snake(name, "an exercise"), _words(name, points, parameters)
    if name in [exercise.name for exercise in lesson.exercises]:
        raise CannotMake(f"{lesson.name} already has an exercise {name!r}; choose another name")
    here, full = checkout.folder(lesson.name), f"autograder.lessons.{lesson.name}"
    solution = checkout.read(lesson.reference)
    written = [each for each in _functions(solution, lesson.reference, points) if each.name == name]
    if not written and name in _bound(solution):
        raise CannotMake(f"{lesson.reference} has {name} already, but not as a function that begins with def; write it "
                         "so, or choose another name")
    function = written[0] if written else Function(**words)
    made = _own_files(checkout, lesson.name, function.words)
    relying = function.relying(exercise.name for exercise in lesson.exercises)
    entry = f'        Exercise("{name}", "test_{name}", {points}, {name}.CHECKS{relying}),'
    made.files |= {
        f"{here}/lesson.py": importing(with_argument(
            checkout.read(f"{here}/lesson.py"), "Lesson", "exercises", entry), ".checks", name, f"{full}.checks"),
        f"{here}/mistakes/__init__.py": appended(importing(
            checkout.read(f"{here}/mistakes/__init__.py"), ".", name, f"{full}.mistakes"),
            "MISTAKES", f"*{name}.MISTAKES")}
    if not written:
        made.files[lesson.reference] = f"{solution.rstrip()}\n\n\n{rendered('solution.py', **words)}"
    for language, path in lesson.editions.items():
        notebook = nbformat.reads(checkout.read(path), as_version=4)
        made.files[path] = _saved(with_exercise(notebook, function, language))
    made.opens = f"{here}/checks/{name}.py:1" if written else made.line_of(lesson.reference, f"def {name}(")
    return made


def new_lesson(checkout: Checkout, lesson_name: str, name: str, points: int, parameters: str,
               language: str = "en") -> Made:
    """Every part that a lesson has, in this language (in a checkout, in both), with an exercise for each function.

    A course may have solutions/<lesson>.py already; else there is one function of this name, to be written.
    """
    lesson_name, solution = snake(lesson_name, "a lesson"), f"solutions/{lesson_name}.py"
    if lesson_name in (*checkout.names, "shared"):
        raise CannotMake(f"there is already a lesson {lesson_name!r}; choose another name")
    written = checkout.is_course and (checkout.root / solution).is_file()
    name = name or lesson_name
    functions = _in_solution(checkout.read(solution), solution, points) if written else [
        Function(**_words(snake(name, "an exercise"), points, parameters))]
    editions = {language: ""} if checkout.is_course else EDITIONS
    names = [each.name for each in functions]
    values = {"lesson": lesson_name, "functions": functions, "relying": {
        each.name: each.relying(names[:names.index(each.name)]) for each in functions}, "editions": {
        language: f"assignments/{lesson_name}{ending}/{lesson_name}.ipynb" for language, ending in editions.items()}}
    made = _own_files(checkout, lesson_name, *(each.words for each in functions))
    made.files |= _whole_lesson(checkout, values)
    if not written:
        made.files[solution] = (rendered("lesson/solution.py", course=checkout.is_course, **values)
                                + rendered("solution.py", **functions[0].words))
    for path in made.files:
        checkout.must_be_new(path)
    made.opens = f"{checkout.folder(lesson_name)}/probes.py:1" if written else made.line_of(
        solution, f"def {functions[0].name}(")
    return made


def _whole_lesson(checkout: Checkout, values: dict[str, Any]) -> dict[str, str]:
    """The files that a lesson has once."""
    lesson, here = values["lesson"], checkout.folder(values["lesson"])
    parts = ["lesson.py", "probes.py", "checks/__init__.py", "mistakes/__init__.py"]
    parts += [] if checkout.is_course else ["__init__.py", "proof.toml"]
    made = {f"{here}/{part}": rendered(f"lesson/{part.replace('/', '_')}", **values) for part in parts}
    if checkout.is_course:
        made[f"tests/test_{lesson}.py"] = rendered("lesson/test.py", **values)
    for language, path in values["editions"].items():
        notebook = new_notebook(lesson, language)
        for each in values["functions"]:
            notebook = with_exercise(notebook, each, language)
        made[path] = _saved(notebook)
    return made


def _in_solution(source: str, path: str, points: int) -> list[Function]:
    """The functions of a solution that is already there, but for private ones; CannotMake if there are none."""
    found = _functions(source, path, points)
    if not found:
        raise CannotMake(f"{path} has no function for students to write")
    return found


def _bound(source: str) -> set[str]:
    """The names that a solution gives to something, in whatever way, outside its functions."""
    code = compile(source, "solution", "exec", dont_inherit=True)
    return {each.argval for each in get_instructions(code) if each.opname == "STORE_NAME"}


def _functions(source: str, path: str, points: int) -> list[Function]:
    """The functions of a solution that is already there, but for private ones."""
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise CannotMake(f"{path}, line {error.lineno}: {error.msg}") from None
    lines, own = source.splitlines(), bodies(source)
    return [Function(node.name, points, ast.unparse(node.args),
                      "\n".join(lines[node.body[0].lineno - 1:node.body[0].end_lineno]).strip()
                      if ast.get_docstring(node) else Function.about, tuple(own[node.name]),
                     frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name))
                     - {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)})
             for node in tree.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]


def _own_files(checkout: Checkout, lesson: str, *functions: dict[str, Any]) -> Made:
    """The files that belong to these exercises alone."""
    files, here = {}, checkout.folder(lesson)
    for words in functions:
        name = words["name"]
        files |= {f"{here}/checks/{name}.py": rendered("checks.py", lesson=lesson, **words),
                  f"{here}/mistakes/{name}.py": rendered("mistakes.py", lesson=lesson, **words)}
        if not checkout.is_course:
            files[f"tests/exercises/test_{lesson}_{name}.py"] = rendered("exercise_test.py", lesson=lesson, **words)
    for path in files:
        checkout.must_be_new(path)
    return Made(checkout.root, files)


def _words(name: str, points: int, parameters: str) -> dict[str, Any]:
    if name in {*dir(builtins), "np"}:
        raise CannotMake(f"{name!r} cannot be the name of an exercise: the rest of a notebook needs what is called so "
                         "already; choose another name")
    try:
        ast.parse(f"def {name}({parameters}): pass")
    except SyntaxError:
        raise CannotMake(f"{parameters!r} cannot be the parameters of a function; expected names like \"x, heads\""
                         ) from None
    if points < 1:
        raise CannotMake(f"an exercise cannot be worth {points} points; expected 1 or more")
    return {"name": name, "points": points, "parameters": parameters}


def _saved(notebook: nbformat.NotebookNode) -> str:
    return nbformat.writes(notebook) + "\n"
