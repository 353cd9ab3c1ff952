"""Hold the rows of the gradebook for one assignment, and for one student's submission to it, as nbgrader has them.

They are read and written with plain SQL: nbgrader's own models take a second to import, and ten times as long.
"""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import uuid4

from autograder.nbgrader.database import NoGradebook, Reader, Writer
from autograder.nbgrader.notebook import SourceCell, SourceNotebook

_NOTEBOOKS = "SELECT id, name, kernelspec FROM notebook WHERE assignment_id = :id"
_CELLS = ("SELECT b.notebook_id, b.id, b.name, g.id, s.id, t.id, coalesce(g.max_score, t.max_score, 0.0) "
          "FROM base_cell b JOIN notebook n ON n.id = b.notebook_id LEFT JOIN grade_cells g ON g.id = b.id "
          "LEFT JOIN solution_cells s ON s.id = b.id LEFT JOIN task_cells t ON t.id = b.id "
          "WHERE n.assignment_id = :id")
_SOURCES = "SELECT name, cell_type, source, locked, checksum FROM source_cell WHERE notebook_id = :id"
_SCORE = ("SELECT coalesce(sum(CASE WHEN manual_score IS NOT NULL THEN manual_score + coalesce(extra_credit, 0.0) "
          "WHEN auto_score IS NOT NULL THEN auto_score + coalesce(extra_credit, 0.0) ELSE 0.0 END), 0.0) "
          "FROM grade WHERE notebook_id = :id")


class Cell(NamedTuple):
    """A cell of the notebook that a submission has rows for."""

    id: str
    name: str
    graded: bool
    solution: bool
    task: bool
    worth: float

    @property
    def commented(self) -> bool:
        return self.solution or self.task

    @property
    def scored(self) -> bool:
        return self.graded or self.task


class Registered(NamedTuple):
    """An assignment, and one of its notebooks: when it is due, and the ids of its rows."""

    assignment: str
    due: datetime | None
    notebook: str
    source: SourceNotebook
    of_notebooks: Mapping[str, list[Cell]]      # the cells of all notebooks of the assignment, by the notebook's id
    any_work: bool

    @property
    def cells(self) -> list[Cell]:
        return self.of_notebooks[self.notebook]


def registered(db: Reader, assignment: str, name: str) -> Registered:
    """What the gradebook has of this notebook; NoGradebook if nothing."""
    found = list(db.rows("SELECT id, duedate FROM assignment WHERE name = :name", {"name": assignment}, ["duedate"]))
    notebooks = {row[1]: row for row in db.rows(_NOTEBOOKS, {"id": found[0][0]})} if found else {}
    if name not in notebooks:
        raise NoGradebook(f"the gradebook has no notebook {name!r} of {assignment!r}")
    cells: dict[str, list[Cell]] = {row[0]: [] for row in notebooks.values()}
    for notebook, cell, called, graded, solution, task, worth in db.rows(_CELLS, {"id": found[0][0]}):
        cells[notebook].append(Cell(cell, called, graded is not None, solution is not None, task is not None,
                                    float(worth)))
    mine, _, kernelspec = notebooks[name]
    work = list(db.rows("SELECT id FROM submitted_notebook WHERE notebook_id = :id LIMIT 1", {"id": mine}))
    source = SourceNotebook(assignment, name, tuple(_sources(db, mine, cells[mine])), json.loads(kernelspec or "{}"))
    return Registered(found[0][0], found[0][1], mine, source, cells, bool(work))


def _sources(db: Reader, notebook: str, cells: Iterable[Cell]) -> Iterable[SourceCell]:
    points = {cell.name: cell.worth for cell in cells if cell.scored}
    graded, solutions, tasks = ({cell.name for cell in cells if cell[kind]} for kind in (2, 3, 4))
    for name, cell_type, source, locked, checksum in db.rows(_SOURCES, {"id": notebook}):
        yield SourceCell(name, cell_type, source or "", bool(locked), checksum, name in graded, name in solutions,
                         name in tasks, points.get(name, 0.0))


def has_course(db: Reader, course: str) -> bool:
    """Whether the gradebook knows this course."""
    return bool(list(db.rows("SELECT id FROM course WHERE id = :id", {"id": course})))


class SubmittedRows:
    """The rows of one submission to a notebook. What a person gave in them stays."""

    def __init__(self, db: Writer, notebook: str, timestamp: datetime | None, extension: timedelta | None):
        self._db, self._notebook, self.timestamp, self.extension = db, notebook, timestamp, extension

    @property
    def score(self) -> float:
        """What its cells add up to in the gradebook."""
        return list(self._db.rows(_SCORE, {"id": self._notebook}))[0][0]

    def keep_scores(self, scores: Iterable[tuple[Cell, float | None]]) -> None:
        """Set the automatic scores of these cells; a manual one is looked at again where that changes."""
        rows = {row[0]: row[1:] for row in self._db.rows(
            "SELECT cell_id, auto_score, manual_score, needs_manual_grade FROM grade WHERE notebook_id = :id",
            {"id": self._notebook})}
        made, changed = [], []
        for cell, score in scores:
            before, manual, needs = rows.get(cell.id, (None, None, True))
            looks = score is None if manual is None else needs or score != before
            values = {"notebook": self._notebook, "cell": cell.id, "score": score, "needs": bool(looks)}
            (changed if cell.id in rows else made).append(values)
        self._run("UPDATE grade SET auto_score = :score, needs_manual_grade = :needs "
                  "WHERE notebook_id = :notebook AND cell_id = :cell", changed)
        self._run("INSERT INTO grade (id, notebook_id, cell_id, auto_score, needs_manual_grade) "
                  "VALUES (:row, :notebook, :cell, :score, :needs)", map(_with_id, made))

    def keep_comments(self, comments: Iterable[tuple[Cell, str | None]]) -> None:
        """Set the automatic comments of these cells."""
        rows = {row[0] for row in self._db.rows("SELECT cell_id FROM comment WHERE notebook_id = :id",
                                                {"id": self._notebook})}
        made, changed = [], []
        for cell, words in comments:
            values = {"notebook": self._notebook, "cell": cell.id, "words": words}
            (changed if cell.id in rows else made).append(values)
        self._run("UPDATE comment SET auto_comment = :words WHERE notebook_id = :notebook AND cell_id = :cell", changed)
        self._run("INSERT INTO comment (id, notebook_id, cell_id, auto_comment) "
                  "VALUES (:row, :notebook, :cell, :words)", map(_with_id, made))

    def keep_penalty(self, penalty: float | None) -> None:
        """Set what lateness takes off."""
        self._run("UPDATE submitted_notebook SET late_submission_penalty = :penalty WHERE id = :notebook",
                  [{"penalty": penalty, "notebook": self._notebook}])

    def _run(self, statement: str, values: Iterable[Mapping[str, object]]) -> None:
        if values := list(values):
            self._db.run(statement, values)


def submitted_rows(db: Writer, known: Registered, student: str, handed_in: datetime | None,
                   extension: timedelta | None) -> SubmittedRows:
    """The rows of this student's submission to the notebook, which are made where they are missing.

    A time and an extension that are known replace those in the gradebook.
    """
    if not list(db.rows("SELECT id FROM student WHERE id = :id", {"id": student})):
        db.run("INSERT INTO student (id) VALUES (:id)", [{"id": student}])
    of = {"assignment": known.assignment, "student": student}
    found = list(db.rows("SELECT id, timestamp, extension FROM submitted_assignment WHERE assignment_id = :assignment "
                         "AND student_id = :student", of, ["timestamp"], ["extension"]))
    submission, at, more = found[0] if found else (uuid4().hex, None, None)
    kept = {"row": submission, "at": handed_in or at, "extension": extension or more}
    if not found:
        db.run("INSERT INTO submitted_assignment (id, assignment_id, student_id, timestamp, extension) "
               "VALUES (:row, :assignment, :student, :at, :extension)", [{**kept, **of}])
    elif (kept["at"], kept["extension"]) != (at, more):
        db.run("UPDATE submitted_assignment SET timestamp = :at, extension = :extension WHERE id = :row", [kept])
    there = {notebook: row for row, notebook in db.rows(
        "SELECT id, notebook_id FROM submitted_notebook WHERE assignment_id = :id", {"id": submission})}
    for notebook in known.of_notebooks if not found else {known.notebook}.difference(there):
        there[notebook] = _new_notebook(db, submission, notebook, known.of_notebooks[notebook])
    return SubmittedRows(db, there[known.notebook], kept["at"], kept["extension"])


def _new_notebook(db: Writer, submission: str, notebook: str, cells: Iterable[Cell]) -> str:
    """Make a submitted notebook, with an empty row for each of its cells; returns its id."""
    row = uuid4().hex
    db.run("INSERT INTO submitted_notebook (id, assignment_id, notebook_id, flagged) "
           "VALUES (:row, :submission, :notebook, :flagged)",
           [{"row": row, "submission": submission, "notebook": notebook, "flagged": False}])
    for table, needs, mine in (("grade", ", needs_manual_grade", [cell for cell in cells if cell.scored]),
                               ("comment", "", [cell for cell in cells if cell.commented])):
        if mine:
            db.run(f"INSERT INTO {table} (id, notebook_id, cell_id{needs}) "
                   f"VALUES (:row, :notebook, :cell{needs and ', :needs'})",
                   [_with_id({"notebook": row, "cell": cell.id, **({"needs": True} if needs else {})})
                    for cell in mine])
    return row


def _with_id(values: Mapping[str, Any]) -> dict[str, Any]:
    return {"row": uuid4().hex, **values}
