"""Give the examples of a notebook the kind that the gradebook knows them by, once work is in.

Examples are locked cells without points. Releases of version 0.1 had them as graded cells worth 0, and nbgrader lets
the cells of an assignment change only until somebody handed in: such a course keeps what it has, and takes both kinds.
"""

from contextlib import suppress
from typing import Any

from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor
from nbgrader.utils import is_grade, is_locked, is_task

from autograder.nbgrader.database import NoGradebook, reading
from autograder.nbgrader.session import folder_of, lesson_of

_KINDS = ("SELECT s.name, EXISTS (SELECT 1 FROM base_cell b JOIN grade_cells g ON g.id = b.id "
          "WHERE b.notebook_id = n.id AND b.name = s.name) FROM source_cell s JOIN notebook n ON n.id = s.notebook_id "
          "JOIN assignment a ON a.id = n.assignment_id WHERE a.name = :assignment AND n.name = :notebook AND EXISTS "
          "(SELECT 1 FROM submitted_notebook sn WHERE sn.notebook_id = n.id)")


class AsRegistered(NbGraderPreprocessor):
    """A step before those of nbgrader that compare a notebook's cells with the gradebook's."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        about = resources["nbgrader"]
        if lesson_of(about["assignment"], about["notebook"], folder_of(self)) is None:
            return nb, resources
        graded = graded_cells(about["db_url"], about["assignment"], about["notebook"])
        for cell in nb.cells:
            name = cell.metadata.get("nbgrader", {}).get("grade_id")
            if name in graded and _is_example(cell):
                _make_graded(cell.metadata.nbgrader, graded[name])
        return nb, resources


def graded_cells(url: str, assignment: str, notebook: str) -> dict[str, bool]:
    """Whether each cell of this notebook is a graded one in the gradebook; empty until somebody handed in."""
    with suppress(NoGradebook), reading(url) as db:
        return {name: bool(graded) for name, graded in db.rows(
            _KINDS, {"assignment": assignment, "notebook": notebook})}
    return {}


def _is_example(cell: NotebookNode) -> bool:
    return is_locked(cell) and not is_task(cell) and (not is_grade(cell) or cell.metadata.nbgrader.get("points") == 0)


def _make_graded(marks: Any, graded: bool) -> None:
    marks["grade"] = graded
    if graded:
        marks["points"] = 0
    else:
        marks.pop("points", None)
