"""Write the files that Canvas, Brightspace and Moodle import grades from.

Canvas       Student, ID, SIS User ID, SIS Login ID, Section, then the assignment "Name (id)"; the second row holds the
             points possible.
Brightspace  OrgDefinedId or Username, "<item> Points Grade", and "End-of-Line Indicator" with a # in every row.
Moodle       Its own grading worksheet, filled in; without one, a file for Grades > Import > CSV, which finds people
             by their ID number or e-mail address.

If the course has a scale, they get the mark from 1 to 10, unless points are asked for.

Without a roster the folder names in submitted/ serve as ids.
"""

import html
from collections import Counter
from collections.abc import Sequence

from autograder.output.exports import table
from autograder.output.exports.order import ExportError, Order
from autograder.output.exports.roster import named
from autograder.output.exports.words import comment
from autograder.records import Grade

_CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
_BRIGHTSPACE = ("OrgDefinedId", "Username")
_MOODLE = ("Identifier", "Full name", "Username", "Email address", "ID number")
_MOODLE_GRADE = ("Grade", "Cijfer", "Beoordeling")
_NAMES = ("Student", "Section", "Full name")            # columns of words, not ids


def canvas(grades: Sequence[Grade], order: Order) -> bytes:
    """A gradebook file with one assignment."""
    optional = "SIS User ID"
    columns = [name for name in _CANVAS if name != optional or _has(order, optional)]
    people = _people(grades, order, columns, keys=("ID", "SIS User ID", "SIS Login ID"), default="SIS Login ID")
    worth = ["    Points Possible", *[""] * (len(columns) - 1), table.points(_worth(grades, order), order.decimal)]
    rows = [[*columns, table.words(_item(grades, order))], worth]
    rows += [[*person, table.points(_given(grade, order), order.decimal)] for grade, person in people]
    return table.as_csv(rows, ";" if order.decimal == "," else ",")


def brightspace(grades: Sequence[Grade], order: Order) -> bytes:
    """A file with one numeric grade item."""
    columns = [name for name in _BRIGHTSPACE if _has(order, name)] or ["OrgDefinedId"]
    people = _people(grades, order, columns, keys=columns, default="OrgDefinedId")
    rows = [[*columns, f"{table.words(_item(grades, order))} Points Grade", "End-of-Line Indicator"]]
    rows += [[*person, table.points(_given(grade, order), order.decimal), "#"] for grade, person in people]
    return table.as_csv(rows)


def moodle(grades: Sequence[Grade], order: Order) -> bytes:
    """The worksheet given as the roster, filled in; without one, a file for the gradebook's import."""
    column = order.grade_column or next((name for name in _MOODLE_GRADE if _has(order, name)), "")
    if column:
        return _worksheet(grades, order, column)
    columns = [name for name in _MOODLE if _has(order, name)] or ["ID number"]
    people = _people(grades, order, columns, keys=("Identifier", "Username", "Email address", "ID number"),
                     default="ID number")
    rows = [[*columns, "Grade", "Maximum grade", "Feedback comments"]]
    rows += [[*person, table.points(_given(grade, order), order.decimal),
              table.points(_worth([grade], order), order.decimal), _html(comment(grade, order.language))]
             for grade, person in people]
    return table.as_csv(rows)


def _worksheet(grades: Sequence[Grade], order: Order, column: str) -> bytes:
    """All of Moodle's columns in their order, since its import looks for them by name."""
    roster = order.roster
    if roster is None or not _has(order, column):
        raise ExportError(f"there is no column {column!r} in {roster.path if roster else 'a roster'}; give "
                          "Moodle's grading worksheet with --roster")
    feedback = next((name for name in roster.columns if name.startswith("Feedback")), None)
    rows = [list(roster.columns)]
    for grade, person in _people(grades, order, roster.columns, keys=roster.columns[:1]):
        cells = dict(zip(roster.columns, person, strict=True))
        cells[column] = table.points(_given(grade, order), order.decimal)
        if feedback:
            cells[feedback] = _html(comment(grade, order.language))
        rows.append(list(cells.values()))
    return table.as_csv(rows)


def _html(words: str) -> str:
    """The words as HTML, which Moodle's comments are."""
    return table.words("<br>".join(html.escape(line) for line in words.splitlines()))


def _has(order: Order, column: str) -> bool:
    return order.roster is not None and column in order.roster.columns


def _item(grades: Sequence[Grade], order: Order) -> str:
    return order.item or grades[0].lesson


def _given(grade: Grade, order: Order) -> float | None:
    """What the learning environment gets: the mark on the course's scale if there is one, else the points."""
    if not order.scale:
        return grade.points
    return None if grade.mark is None else grade.mark.value


def _worth(grades: Sequence[Grade], order: Order) -> float:
    return 10.0 if order.scale else _maximum(grades)


def _maximum(grades: Sequence[Grade]) -> float:
    found = sorted({grade.max_points for grade in grades})
    if len(found) > 1:
        raise ExportError(f"the grades have different maxima ({', '.join(map(table.points, found))}); grade the class "
                          "again, so that all have the same")
    return found[0]


def _people(grades: Sequence[Grade], order: Order, columns: Sequence[str], keys: Sequence[str],
            default: str = "") -> list[tuple[Grade, list[str]]]:
    """Each grade with the cells that identify its student. Raises ExportError if that is unclear."""
    students = [grade.student for grade in grades]
    nameless = [grade.submission for grade in grades if not grade.student]
    if nameless:
        raise ExportError(f"{named(nameless)} has no student's name; give the file the student's name, and check it "
                          "again")
    doubled = sorted(student for student, times in Counter(students).items() if times > 1)
    if doubled:
        raise ExportError(f"{named(doubled)} {'has' if len(doubled) == 1 else 'have'} more than one grade; keep one "
                          "for each student")
    _maximum(grades)
    if order.roster is not None:
        order.roster.check(students)
        if not set(keys) & set(order.roster.columns):
            raise ExportError(f"{order.roster.path} has none of the columns {', '.join(keys)}; it has "
                              f"{', '.join(order.roster.columns)}")
    where = order.roster.path if order.roster is not None else "the class"
    found = []
    taken: dict[tuple[str, str], str] = {}
    for grade in grades:
        row = order.roster.row(grade.student) if order.roster is not None else {default: grade.student}
        own = {name: row[name] for name in keys if row.get(name)}
        if not own:
            raise ExportError(f"{grade.student} has no {' or '.join(keys)} in {where}")
        for key in own.items():
            if key in taken:
                raise ExportError(f"{taken[key]} and {grade.student} have the same {key[0]} {key[1]!r} in "
                                  f"{where}; correct one")
            taken[key] = grade.student
        found.append((grade, [_cell(name, row.get(name, ""), grade.student, name in keys) for name in columns]))
    return found


def _cell(column: str, value: str, student: str, identifies: bool) -> str:
    if not identifies or column in _NAMES:
        return table.words(value)
    if not table.is_harmless(value):
        raise ExportError(f"the {column} {value!r} of {student} would run as a formula in a spreadsheet, and an id "
                          "cannot be changed; correct it in the learning environment")
    return value
