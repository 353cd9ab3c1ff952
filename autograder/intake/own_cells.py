"""Find the student's own cells in a notebook.

All code cells are, in any position, except those that the course gave: the engine runs its own copy of what it needs,
and flags in the student's file are not trusted. A given cell is recognised by its grade_id, or if a tool removed that,
by its text.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterable
from itertools import islice

from autograder.intake.names import listed
from autograder.intake.template import Template, normalised
from autograder.lessons.kit.lesson import UNWRITTEN, Lesson
from autograder.records import Cell, NotebookCell, Text, text

NOT_READ = text("The notebook imports {file}, which is beside it and is not read. Its functions belong in the "
                "notebook.", file="")
ELSEWHERE = text("{names} is in {file}, which was not graded. Put everything into one notebook.", names="", file="")
OF_FILES = frozenset((NOT_READ.template, ELSEWHERE.template))     # about files beside the one that was graded
PLACES = 200                              # at which a name is looked up
NEAR = 700                                # characters on either side; no way to bind a name is longer
_FENCE = re.compile(r"^```.*$\n?", re.MULTILINE)
_FENCED = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_TO_A_FILE = re.compile(r"\s*%%(?:writefile|file)\b.*\n?")
_COMMENT = re.compile(r"^[ \t]*#.*$", re.MULTILINE)
_BY_NAME = re.compile(r"\b(?:globals|locals|vars|setattr|exec|eval|__dict__|__main__)\b")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp,
           ast.GeneratorExp)
_BOUND = r"\bNAME\b(?![ \t]*[(.\[])|\bclass[\s\\]+NAME\b"        # wherever code binds a NAME; a call does not
_MAGIC = re.compile(r"^([ \t]*)[%!].*$", re.MULTILINE)
_WAYS = (                                 # ways to bind a NAME; bounded, so that no file takes forever
    r"\b(?:def|class)[ \t]+NAME\b",
    r"""(?<![\w.'"])NAME[ \t]*(?::[^=\n]{0,200})?[-+*/|&^%@<>]{0,2}=(?!=)""",       # f = g, f: Callable = g, f := g
    r"""^(?:[^\n#(]|(?<![\w\])])\()*?(?<![\w.'"])NAME\b"""
    r"""(?:[^\n=;'"]|\[['"]\w*['"]\]){0,200}(?<![=!<>])=(?!=)""",                     # f, (g, h["x"]) = i
    r"(?<![\w.])NAME\b[\w\s,.*)\]]{0,200}[)\]][ \t]*=(?!=)",                     # (f,\n g) = h
    r"\bas[ \t]+NAME\b",
    r"\bimport\b[^\n;#]{0,200}\bNAME\b",
    r"\bimport[ \t]*\([^)]{0,500}\bNAME\b",
    r"\bfor\b(?:(?!\bin\b)[^\n]){0,200}?\bNAME\b[^\n]{0,200}\bin\b",
    r"\bcase\b[^\n]{0,200}\bNAME\b[^\n]{0,200}:",
)


def own_cells(cells: list[NotebookCell], template: Template, lesson: Lesson) -> tuple[tuple[Cell, ...], list[Text]]:
    """The student's cells in order, and a notice for everything unexpected about them."""
    code = [cell for cell in cells if cell.kind == "code"]
    last = {cell.grade_id: cell for cell in code}       # of several with the same id nbgrader takes the last as given
    given = [cell for grade_id, cell in last.items() if grade_id in template.given]
    left_out = {cell.index for cell in given}
    own = [cell for cell in code if cell.index not in left_out and normalised(cell.source) not in template.code]
    merged = _merged(given, own, template, lesson)
    given, own = [cell for cell in given if cell not in merged], own + merged
    own, unfiled = _unfiled(own, lesson)
    rescued = _rescued(cells, own, template, lesson)
    notices = [*_changed(given, template), *_put_back(cells, template), *_marked_anew(cells, template),
               *_repeated(code), *_run_after_all(merged), *_made_code(rescued), *_run_though_filed(unfiled),
               *_undone(own, lesson), *_shadowed(own, lesson),
               *_missing(own + rescued, lesson, marked=any(cell.grade_id for cell in cells))]
    own = sorted((cell for cell in own + rescued if cell.source.strip()), key=lambda cell: cell.index)
    return tuple(Cell(cell.index, cell.source, cell.grade_id) for cell in own), notices


def defines(source: str, name: str) -> bool:
    """Whether a line of the source begins the definition of this function, or assigns to its name, among others."""
    few = r"[\w \t,]{0,200}"              # bounded, so that no file takes forever
    return name in source and re.search(
        rf"^(?:(?:async )?def[ \t]+{name}[ \t]*\(|(?:{few},[ \t]*)?{name}[ \t]*(?:,{few})?=(?!=))", source,
        re.MULTILINE) is not None


def writes(source: str, name: str) -> bool:
    """Whether the source defines this function, and its last definition there is not the released stub."""
    if not defines(source, name):
        return False
    bodies = re.findall(rf"^(?:async )?def[ \t]+{name}[ \t]*\(.*(?:\n(?:[ \t)].*|(?=\n|\Z)))*", source, re.MULTILINE)
    return not (bodies and UNWRITTEN in bodies[-1])


def may_define(source: str, name: str) -> bool:
    """Whether running the source might define this name in any way; comments and calls do not."""
    if defines(source, name):
        return True
    if name not in source:
        return False
    source = _COMMENT.sub("", source.replace("\\\n", " "))
    places = [match.start() for match in islice(re.finditer(rf"\b{name}\b", source), PLACES + 1)]
    if len(places) > PLACES:
        return True                       # a file that uses the name so often may do anything
    ways = [re.compile(way.replace("NAME", name), re.MULTILINE) for way in _WAYS]
    return bool(places) and (_BY_NAME.search(source) is not None or any(
        way.search(around) for around in _around(source, places) for way in ways))


def _around(source: str, places: Iterable[int]) -> Iterable[str]:
    """The text near each of these places, from the beginning of a line if one is near."""
    for place in places:
        start = max(0, place - NEAR)
        line = source.rfind("\n", max(0, start - NEAR), start)
        yield source[line + 1 if line >= 0 else start:place + NEAR]


def _merged(given: list[NotebookCell], own: list[NotebookCell], template: Template,
            lesson: Lesson) -> list[NotebookCell]:
    """Cells marked as given that hold solutions found nowhere else: two cells merged into one."""
    written = {exercise.name for exercise in lesson.exercises
               if any(may_define(cell.source, exercise.name) and UNWRITTEN not in cell.source for cell in own)}
    unwritten = [exercise.name for exercise in lesson.exercises if exercise.name not in written]
    return [cell for cell in given if normalised(cell.source) not in template.given[cell.grade_id]
            and any(defines(cell.source, name) for name in unwritten)]


def _unfiled(own: list[NotebookCell], lesson: Lesson) -> tuple[list[NotebookCell], list[NotebookCell]]:
    """The same cells, and those of them that only wrote a solution to a file, which nothing can import.

    Such a cell is replaced by its content, if the function is defined nowhere else.
    """
    lost = [exercise.name for exercise in lesson.exercises if not any(
        writes(cell.source, exercise.name) and not _TO_A_FILE.match(cell.source) for cell in own)]
    unfiled = {cell.index: NotebookCell(cell.index, "code", _TO_A_FILE.sub("", cell.source, count=1), cell.grade_id)
               for cell in own if _TO_A_FILE.match(cell.source) and any(defines(cell.source, name) for name in lost)}
    return [unfiled.get(cell.index, cell) for cell in own], list(unfiled.values())


def _rescued(cells: list[NotebookCell], own: list[NotebookCell], template: Template,
             lesson: Lesson) -> list[NotebookCell]:
    """Solutions in cells that became text by accident, for functions that no code cell could define."""
    texts = [cell for cell in cells if cell.kind != "code" and normalised(cell.source) not in template.prose]
    rescued: dict[int, NotebookCell] = {}
    for exercise in lesson.exercises:
        if any(may_define(cell.source, exercise.name) for cell in own):
            continue
        for cell in texts:
            if defines(cell.source, exercise.name):
                source = _code_in(cell.source, exercise.name)
                rescued[cell.index] = NotebookCell(cell.index, "code", source, cell.grade_id)
    return list(rescued.values())


def _code_in(prose: str, name: str) -> str:
    """The part of a text cell between fences, if that defines the function; else the whole cell."""
    fenced = "\n".join(_FENCED.findall(prose))
    return fenced if defines(fenced, name) else _FENCE.sub("", prose)


def _changed(given: list[NotebookCell], template: Template) -> Iterable[Text]:
    changed = [cell.grade_id for cell in given if normalised(cell.source) not in template.given[cell.grade_id]]
    if changed:
        yield text("Given cells were changed: {cells}. What was changed there is not run and not graded; code of your "
                   "own belongs in the other cells.", cells=listed(changed))


def _put_back(cells: list[NotebookCell], template: Template) -> Iterable[Text]:
    """Which given cells were deleted or are no longer code; empty if hardly any were handed in."""
    there = {cell.grade_id for cell in cells if cell.kind == "code"}
    texts = {normalised(cell.source) for cell in cells if cell.kind == "code"}
    gone = [name for name, forms in template.given.items() if name not in there and not forms & texts]
    if gone and len(gone) < len(there & template.given.keys()):
        yield text("Given cells were missing, and the autograder put them back: {cells}.", cells=listed(gone))


def _marked_anew(cells: list[NotebookCell], template: Template) -> Iterable[Text]:
    changed = {cell.grade_id: None for cell in cells
               if cell.grade_id and cell.marks not in template.marks.get(cell.grade_id, {cell.marks})}
    if changed:
        yield text("nbgrader's marks (points, kind of cell) were changed in {cells}; those of the course count.",
                   cells=listed(changed))


def _run_after_all(merged: list[NotebookCell]) -> Iterable[Text]:
    if merged:
        yield text("Cell {cells} was given, but holds a solution that is nowhere else, so it was run.",
                   cells=listed(str(cell.index + 1) for cell in merged))


def _repeated(code: list[NotebookCell]) -> Iterable[Text]:
    counts = Counter(cell.grade_id for cell in code if cell.grade_id)
    repeated = [grade_id for grade_id, count in counts.items() if count > 1]
    if repeated:
        yield text("These cells are in the notebook more than once: {cells}. All of them are run in order, and the "
                   "last definition counts.", cells=listed(repeated))


def _made_code(rescued: list[NotebookCell]) -> Iterable[Text]:
    if rescued:
        yield text("Cell {cells} is a text cell but holds a solution, so it was read as code.",
                   cells=listed(str(cell.index + 1) for cell in rescued))


def _run_though_filed(unfiled: list[NotebookCell]) -> Iterable[Text]:
    if unfiled:
        yield text("Cell {cells} only writes its code to a file (%%writefile), and the function is nowhere else, "
                   "so the cell was run.", cells=listed(str(cell.index + 1) for cell in unfiled))


def _undone(own: list[NotebookCell], lesson: Lesson) -> Iterable[Text]:
    """Which solutions are above the cell with the stub, which runs later."""
    undone = []
    for exercise in lesson.exercises:
        cells = [cell for cell in own if defines(cell.source, exercise.name)]
        if cells and not writes(cells[-1].source, exercise.name) and any(
                writes(cell.source, exercise.name) for cell in cells):
            undone.append(exercise.name)
    if undone:
        yield text("The cell with the empty function is below your own and runs later, so it is the one that "
                   "counts: {names}. Move your code into that cell, or delete it.", names=listed(undone))


def _shadowed(own: list[NotebookCell], lesson: Lesson) -> Iterable[Text]:
    """Which cells give a function's name to something else, after the function was defined."""
    defined = {exercise.name: cell for exercise in lesson.exercises for cell in own if exercise.name in cell.source
               and re.search(rf"^(?:async )?def[ \t]+{exercise.name}\b", cell.source, re.MULTILINE)}
    later = {name: cell for cell in own for name in _given_away(cell.source, [
        name for name, known in defined.items() if cell.index > known.index])}
    for name in defined:
        if name in later:
            yield text("Cell {cell} gives the name {name} to something else, and that is what counts: the function "
                       "from cell {defined} is lost. Use another name there, or delete that cell.",
                       cell=later[name].index + 1, name=name, defined=defined[name].index + 1)


def _given_away(source: str, names: Iterable[str]) -> list[str]:
    """Which of these names a cell gives to something else, outside its functions."""
    names = [name for name in names if name in source and re.search(_BOUND.replace("NAME", name), source)]
    try:
        tree = ast.parse(_MAGIC.sub(r"\1pass", source)) if names else ast.Module([], [])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [name for name in names if _gives_away(tree, name)]


def _gives_away(tree: ast.Module, name: str) -> bool:
    """Whether this code gives the name to something else, outside its functions; what is made of the function is not.
    """
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and (
                node.value is None or _passes_on(node.value, name)):
            continue
        if name in (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id,
                    isinstance(node, ast.alias) and node.name != name and node.asname,
                    isinstance(node, ast.ClassDef) and node.name):
            return True
        todo += [] if isinstance(node, _SCOPES) else ast.iter_child_nodes(node)
    return False


def _passes_on(value: ast.expr, name: str) -> bool:
    """Whether this names the function other than by calling it: `timed(f)` makes something of f, `f(x)` does not."""
    called = {id(each.func) for each in ast.walk(value) if isinstance(each, ast.Call)}
    return any(isinstance(each, ast.Name) and each.id == name and id(each) not in called for each in ast.walk(value))


def _missing(own: list[NotebookCell], lesson: Lesson, marked: bool) -> Iterable[Text]:
    """Which functions nothing defines; only a file with nbgrader's metadata had a cell for each."""
    ids = {cell.grade_id for cell in own}
    missing = [exercise.name for exercise in lesson.exercises
               if exercise.name not in ids and not any(may_define(cell.source, exercise.name) for cell in own)]
    if missing and marked:
        yield text("The solution cell was removed, and no other cell defines the function: {names}.",
                   names=listed(missing))
    elif missing:
        yield text("No code in what was handed in defines the function: {names}.", names=listed(missing))
