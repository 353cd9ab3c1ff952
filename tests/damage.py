"""What happens to a notebook between a student and a teacher: each damage makes files out of an honest notebook."""
from __future__ import annotations

import copy
import io
import json
import textwrap
import zipfile
from collections.abc import Callable
from typing import Any

from courses import LESSON, cell_of

from autograder.authoring.demo.notebooks import Assignment

Files = dict[str, bytes]
NAME = "multihead.ipynb"
SOLUTIONS = [exercise.name for exercise in LESSON.exercises]
DAMAGE: dict[str, Callable[[dict], Files]] = {}


def honest() -> dict[str, Any]:
    """The released notebook with right solutions in it."""
    return Assignment.of(LESSON).filled(LESSON.reference_source, own_test=None)


def saved(notebook: dict, **options: Any) -> bytes:
    return json.dumps(notebook, **options).encode()


def damage(change: Callable) -> Callable:
    """Register a damage. A change of the notebook in place is saved under its own name; files are taken as they are."""
    def made(notebook: dict) -> Files:
        files = change(notebook)
        return files if isinstance(files, dict) else {NAME: saved(notebook)}
    DAMAGE[change.__name__] = made
    return change


def marks(cell: dict) -> dict:
    return cell["metadata"].get("nbgrader", {})


def without(notebook: dict, *grade_ids: str) -> None:
    notebook["cells"] = [cell for cell in notebook["cells"] if marks(cell).get("grade_id") not in grade_ids]


def merged(cells: list[dict]) -> dict:
    """Several cells as one, as Jupyter merges them: with the metadata of the first."""
    return cells[0] | {"source": "\n\n".join("".join(cell["source"]) for cell in cells)}


# --- cells --------------------------------------------------------------------------------------------------------

@damage
def graded_cells_deleted(notebook):
    without(notebook, "test_split_heads", "test_own_test", "example_W1_split")


@damage
def solution_cell_deleted_and_written_elsewhere(notebook):
    cell = cell_of(notebook, "merge_heads")
    without(notebook, "merge_heads")
    notebook["cells"].insert(8, cell | {"metadata": {}})


@damage
def graded_cells_duplicated(notebook):
    for name in ("test_split_heads", "test_multihead", "example_W1_split"):
        notebook["cells"].append(copy.deepcopy(cell_of(notebook, name)))


@damage
def solution_cells_duplicated(notebook):
    for name in SOLUTIONS:
        notebook["cells"].insert(1, copy.deepcopy(cell_of(notebook, name)))


@damage
def code_merged_into_one_cell(notebook):
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    notebook["cells"] = [merged(code)]


@damage
def solution_merged_into_the_example_before_it(notebook):
    cells = notebook["cells"]
    place = cells.index(cell_of(notebook, "merge_heads"))
    before = max(index for index in range(place) if marks(cells[index]).get("locked"))
    cells[before:place + 1] = [merged([cells[before], cells[place]])]


@damage
def solution_merged_with_the_example_after_it(notebook):
    cells = notebook["cells"]
    place = cells.index(cell_of(notebook, "split_heads"))
    after = next(index for index in range(place + 1, len(cells)) if cells[index]["cell_type"] == "code")
    cells[place] = merged([cells[place], cells.pop(after)])


@damage
def cells_split_in_two(notebook):
    cells = notebook["cells"]
    place = cells.index(cell_of(notebook, "multihead"))
    cells.insert(place, {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None,
                         "source": "a_helper = 1"})


@damage
def cells_upside_down(notebook):
    notebook["cells"].reverse()


@damage
def graded_cells_retyped_by_the_student(notebook):
    for name in ("test_split_heads", "example_W1_split", "test_own_test"):
        cell_of(notebook, name)["source"] = "3.0"


@damage
def code_cells_turned_to_markdown(notebook):
    for cell in notebook["cells"]:
        if marks(cell).get("grade_id") in ("test_split_heads", "multihead", "example_W6"):
            cell["cell_type"] = "markdown"
            del cell["outputs"], cell["execution_count"]


@damage
def text_cells_turned_to_code(notebook):
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            cell |= {"cell_type": "code", "outputs": [], "execution_count": None}


@damage
def a_solution_in_a_text_with_words_around_it(notebook):
    cell = cell_of(notebook, "merge_heads")
    cell |= {"cell_type": "markdown", "source": f"My answer:\n\n```python\n{''.join(cell['source'])}\n```\nDone."}
    del cell["outputs"], cell["execution_count"]


@damage
def solutions_written_to_a_file(notebook):
    for name in SOLUTIONS:
        cell_of(notebook, name)["source"] = f"%%writefile {name}.py\n" + "".join(cell_of(notebook, name)["source"])


@damage
def everything_turned_to_raw(notebook):
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["cell_type"] = "raw"
            del cell["outputs"], cell["execution_count"]


# --- metadata -----------------------------------------------------------------------------------------------------

@damage
def metadata_stripped(notebook):
    notebook["metadata"] = {}
    for cell in notebook["cells"]:
        cell["metadata"] = {}


@damage
def metadata_missing(notebook):
    del notebook["metadata"]
    for cell in notebook["cells"]:
        del cell["metadata"]


@damage
def flags_flipped(notebook):
    for cell in notebook["cells"]:
        for flag in ("grade", "solution", "locked"):
            if flag in marks(cell):
                marks(cell)[flag] = not marks(cell)[flag]


@damage
def points_edited(notebook):
    for cell in notebook["cells"]:
        if "points" in marks(cell):
            marks(cell)["points"] = 100


@damage
def points_negative_or_text(notebook):
    for number, cell in enumerate(notebook["cells"]):
        if "points" in marks(cell):
            marks(cell)["points"] = (-3, "many", None)[number % 3]


@damage
def ids_missing(notebook):
    for cell in notebook["cells"]:
        marks(cell).pop("grade_id", None)


@damage
def ids_all_the_same(notebook):
    for cell in notebook["cells"]:
        if marks(cell):
            marks(cell)["grade_id"] = "split_heads"


@damage
def ids_unknown(notebook):
    for number, cell in enumerate(notebook["cells"]):
        if marks(cell):
            marks(cell)["grade_id"] = f"cell-{number}"


@damage
def ids_that_are_no_ids(notebook):
    for number, cell in enumerate(notebook["cells"]):
        if marks(cell):
            marks(cell)["grade_id"] = ("", "a b", "../../x", 7, None)[number % 5]


@damage
def schema_version_old(notebook):
    for cell in notebook["cells"]:
        if marks(cell):
            marks(cell)["schema_version"] = 1


@damage
def schema_version_new(notebook):
    for cell in notebook["cells"]:
        if marks(cell):
            marks(cell)["schema_version"] = 99


@damage
def marks_are_no_dictionary(notebook):
    for cell in notebook["cells"]:
        cell["metadata"]["nbgrader"] = ["grade"]


@damage
def kernelspec_null(notebook):
    notebook["metadata"]["kernelspec"] = None


@damage
def kernelspec_strange(notebook):
    notebook["metadata"] = {"kernelspec": {"name": "julia-1.10", "display_name": "Julia", "language": "julia"},
                            "language_info": {"name": "julia"}}


# --- files --------------------------------------------------------------------------------------------------------

@damage
def renamed_by_the_browser(notebook):
    return {"multihead (1).ipynb": saved(notebook)}


@damage
def renamed_in_dutch(notebook):
    return {"Kopie van multihead.ipynb": saved(notebook)}


@damage
def text_suffix_added(notebook):
    return {"multihead.ipynb.txt": saved(notebook)}


@damage
def in_a_folder_of_its_own(notebook):
    return {"opdracht/multihead.ipynb": saved(notebook)}


@damage
def several_notebooks(notebook):
    draft = Assignment.of(LESSON).filled("")
    return {"multihead.ipynb": saved(notebook), "multihead-Copy1.ipynb": saved(draft), "notes.ipynb": saved(draft)}


@damage
def the_right_name_is_empty(notebook):
    return {"multihead.ipynb": b"", "multihead-Copy1.ipynb": saved(notebook)}


@damage
def none_of_several_is_called_right(notebook):
    draft = Assignment.of(LESSON).filled("")
    return {"a.ipynb": saved(draft), "b.ipynb": saved(notebook), "c.ipynb": b"{"}


@damage
def the_work_is_in_a_copy(notebook):
    left = Assignment.of(LESSON).filled(LESSON.reference_source, left=tuple(SOLUTIONS))
    return {"multihead.ipynb": saved(left), "multihead-Copy1.ipynb": saved(notebook)}


@damage
def suffix_taken_off(notebook):
    return {"multihead": saved(notebook)}


@damage
def suffix_changed_to_txt(notebook):
    return {"multihead.txt": saved(notebook)}


@damage
def in_a_zip(notebook):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("opdracht/multihead.ipynb", saved(notebook))
        archive.writestr("__MACOSX/opdracht/._multihead.ipynb", b"\0\5")
    return {"multihead.zip": made.getvalue()}


@damage
def python_beside_an_empty_notebook(notebook):
    return {NAME: b"", **exported_as_python(notebook)}


@damage
def exported_by_marimo(notebook):
    cells = [f"@app.cell\ndef _():\n{textwrap.indent(''.join(cell['source']), '    ')}\n    return\n"
             for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return {"multihead.py": "\n\n".join(["import marimo\napp = marimo.App()", *cells]).encode()}


@damage
def exported_as_python(notebook):
    code = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return {"multihead.py": "\n\n# %%\n".join(["", *code]).encode()}


@damage
def utf8_with_byte_order_mark(notebook):
    return {NAME: b"\xef\xbb\xbf" + saved(notebook)}


@damage
def utf16(notebook):
    return {NAME: json.dumps(notebook, ensure_ascii=False).encode("utf-16")}


@damage
def latin1(notebook):
    notebook["cells"][0]["source"] = "één, twee, drieëndertig"
    return {NAME: json.dumps(notebook, ensure_ascii=False).encode("latin-1", "replace")}


@damage
def crlf_in_the_file(notebook):
    return {NAME: json.dumps(notebook, indent=1).replace("\n", "\r\n").encode()}


@damage
def crlf_in_the_cells(notebook):
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"]).replace("\n", "\r\n")


@damage
def lines_without_ends(notebook):
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"]).splitlines()


@damage
def lines_in_lists_of_lists(notebook):
    for cell in notebook["cells"]:
        cell["source"] = [["".join(cell["source"])], None]


@damage
def cells_that_are_none(notebook):
    notebook["cells"][2:2] = [None, 3, {"cell_type": 1}]


@damage
def more_after_the_end(notebook):
    return {NAME: saved(notebook) + b"\n}\n"}


@damage
def nan_in_the_json(notebook):
    notebook["metadata"]["widths"] = [float("nan"), float("inf")]


@damage
def format_3(notebook):
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["input"] = cell.pop("source")
            cell["language"] = "python"
    cells = notebook["cells"]
    return {NAME: saved({"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""},
                         "worksheets": [{"cells": cells, "metadata": {}}]})}


@damage
def format_4_0(notebook):
    notebook["nbformat_minor"] = 0
    for cell in notebook["cells"]:
        cell.pop("id", None)


@damage
def format_4_99(notebook):
    notebook["nbformat_minor"] = 99
    notebook["cells"][0]["a_new_key"] = {"of": "later"}


@damage
def no_cell_ids(notebook):
    for cell in notebook["cells"]:
        cell.pop("id", None)


@damage
def cell_ids_doubled(notebook):
    for cell in notebook["cells"]:
        cell["id"] = "same"


@damage
def outputs_of_20_mb(notebook):
    picture = {"output_type": "display_data", "metadata": {}, "data": {"image/png": "A" * 2_000_000}}
    cell_of(notebook, "multihead")["outputs"] = [picture] * 10


@damage
def outputs_broken(notebook):
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = [{"output_type": "stream"}, None, 3]


# --- round trips through other tools ------------------------------------------------------------------------------

@damage
def colab(notebook):
    notebook["metadata"] = {"colab": {"provenance": [], "toc_visible": True},
                            "kernelspec": {"name": "python3", "display_name": "Python 3"},
                            "language_info": {"name": "python"}}
    notebook["nbformat_minor"] = 0
    for number, cell in enumerate(notebook["cells"]):
        cell.pop("id", None)
        cell["metadata"] = {"id": f"aB{number}", "colab": {"base_uri": "https://localhost:8080/"}}


@damage
def vs_code(notebook):
    notebook["metadata"] = {"language_info": {"name": "python", "version": "3.12.0"}, "kernelspec": {}}
    for cell in notebook["cells"]:
        cell["metadata"]["vscode"] = {"languageId": "python"}
        cell.pop("execution_count", None)


@damage
def kaggle(notebook):
    notebook["metadata"]["kaggle"] = {"accelerator": "none", "dataSources": []}
    for number, cell in enumerate(notebook["cells"]):
        cell["metadata"] = {"_uuid": f"{number}", "trusted": True, "execution": {"iopub.status.busy": "2025"}}


@damage
def deepnote(notebook):
    notebook["metadata"] = {"deepnote": {}, "deepnote_notebook_id": "1", "orig_nbformat": 2}
    for number, cell in enumerate(notebook["cells"]):
        cell["metadata"] |= {"cell_id": f"{number}", "deepnote_cell_type": cell["cell_type"], "source_hash": "x"}
    notebook["cells"].append({"cell_type": "markdown", "metadata": {"created_in_deepnote_cell": True},
                              "source": "<a style='text-decoration:none'>Created in Deepnote</a>"})


@damage
def jupyterlite(notebook):
    notebook["metadata"] = {"kernelspec": {"name": "python", "display_name": "Python (Pyodide)", "language": "python"}}
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"])
        cell["metadata"]["trusted"] = True


@damage
def widget_state(notebook):
    notebook["metadata"]["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": {"1": {"model": None}}}}


# --- what nobody can read -----------------------------------------------------------------------------------------

UNREADABLE: dict[str, Files] = {
    "empty": {NAME: b""},
    "only zeros": {NAME: b"\0" * 100},
    "cut off": {NAME: saved(honest())[:5000]},
    "twice": {NAME: saved(honest()) * 2},
    "not merged": {NAME: b'{"cells": [\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> theirs\n]}'},
    "a zip without a notebook": {"multihead.zip": b"PK\5\6" + b"\0" * 18},
    "a broken zip": {"multihead.zip": b"PK\3\4 ..."},
    "a PDF": {NAME: b"%PDF-1.7 ..."},
    "a zip": {NAME: b"PK\x03\x04 ..."},
    "a web page": {NAME: b"<!doctype html><title>Sign in</title>"},
    "no notebook": {NAME: b'{"a": 1}'},
    "a list": {NAME: b"[1, 2]"},
    "nothing": {"notes.docx": b"PK\x03\x04"},
}
