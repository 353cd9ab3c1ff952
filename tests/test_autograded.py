"""nbgrader goes on from autograded/: formgrader, feedback and export see our points; nothing of a student's runs."""
import copy
import csv
import json
import logging
import os
import shutil
import stat
import subprocess
import sys
from dataclasses import replace

import msgspec
import pytest
from courses import LESSON, SOURCE, cell_of, grade_of, hand_in, read_autograded, released
from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI
from nbgrader.converters import Autograde, GenerateFeedback
from nbgrader.coursedir import CourseDirectory
from nbgrader.plugins.export import CsvExportPlugin
from nbgrader.utils import compute_checksum, determine_grade, is_grade
from notebooks import code, data, markdown

from autograder.atomic import replace_file, replace_files
from autograder.course.folder import Course
from autograder.nbgrader import autograded
from autograder.nbgrader.autograded import AutogradedWriter
from autograder.nbgrader.cell_outputs import OUTPUT_CAP
from autograder.nbgrader.gradebook import Entry, GradebookWriter
from autograder.nbgrader.placed import as_letters
from autograder.records import CellReport, text

GRADED = [cell["metadata"]["nbgrader"]["grade_id"] for cell in SOURCE["cells"]
          if cell["metadata"].get("nbgrader", {}).get("grade")]
POINTS = (3, 1.25, 0, 6.5, 1 / 3)
SCORES = {f"test_{exercise.name}": float(points) for exercise, points in zip(LESSON.exercises, POINTS, strict=True)}
ATTACK = ("<img src=x onerror=alert(1)> <script>alert(2)</script> [x](javascript:alert(3)) "
          "$\\href{javascript:alert(4)}{x}$")


@pytest.fixture(scope="module")
def registered(registered, tmp_path_factory):
    """A course with its gradebook, and the notebook as the gradebook knows it."""
    course = Course.find(shutil.copytree(registered.root, tmp_path_factory.mktemp("registered") / "course"))
    with GradebookWriter(course, LESSON) as writer:
        return course, writer.source


@pytest.fixture
def course(registered, tmp_path) -> Course:
    shutil.copytree(registered[0].root, tmp_path / "course")
    return Course.find(tmp_path / "course")


@pytest.fixture
def writer(course, registered) -> AutogradedWriter:
    return AutogradedWriter(course, LESSON, registered[1], "en")


def write(writer: AutogradedWriter, notebook, grade=None, student: str = "student-01"):
    """Hand in this notebook, write the autograded one and read it back."""
    raw = notebook if isinstance(notebook, bytes) else data(notebook)
    submission = hand_in(writer.course, student, raw)
    writer.write(submission, grade or grade_of(student, POINTS))
    return read_autograded(writer.course, student)


def graded_cells(notebook) -> dict:
    cells = [cell for cell in notebook.cells if is_grade(cell)]
    assert sorted(cell.metadata.nbgrader.grade_id for cell in cells) == sorted(GRADED)
    return {cell.metadata.nbgrader.grade_id: cell for cell in cells}


def with_cells(change) -> dict:
    """The released notebook after this change of its list of cells."""
    notebook = released()
    change(notebook["cells"])
    return notebook


def without_marks(cells: list) -> None:
    for cell in cells:
        cell["metadata"] = {}


def twice(*grade_ids: str):
    def change(cells: list) -> None:
        for grade_id in grade_ids:
            cells.append(copy.deepcopy(cell_of({"cells": cells}, grade_id)))
    return change


def only_markdown(cells: list) -> None:
    cells[:] = [cell for cell in cells if cell["cell_type"] == "markdown"]


def as_text(*grade_ids: str):
    def change(cells: list) -> None:
        for grade_id in grade_ids:
            cell = cell_of({"cells": cells}, grade_id)
            cell["cell_type"] = "markdown"
            del cell["outputs"], cell["execution_count"]
    return change


def upside_down(cells: list) -> None:
    cells.reverse()


def with_forged_marks(cells: list) -> None:
    for cell in cells:
        if "nbgrader" in cell["metadata"]:
            cell["metadata"]["nbgrader"] |= {"points": 100, "grade": True, "solution": True, "locked": False}


def with_unknown_ids(cells: list) -> None:
    cells.append(code("1 + 1", "test_everything", grade=True, locked=True))


DAMAGE = {
    "nothing": lambda cells: None,
    "no marks left": without_marks,
    "graded cells twice": twice("test_split_heads", "test_multihead", "example_W2"),
    "solution twice": twice("split_heads"),
    "no code cells": only_markdown,
    "no cells": list.clear,
    "code became text": as_text("test_split_heads", "multihead", "example_W6"),
    "upside down": upside_down,
    "forged marks": with_forged_marks,
    "unknown ids": with_unknown_ids,
}
UNREADABLE = {"empty": b"", "Latin-1": "é".encode("latin-1"), "no JSON": b"{", "no notebook": b'{"a": 1}'}


# --- scores --------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("damage", DAMAGE)
def test_every_graded_cell_stands_once_and_reads_as_our_points(writer, damage):
    notebook = write(writer, with_cells(DAMAGE[damage]))
    for name, cell in graded_cells(notebook).items():
        worth = next((float(exercise.points) for exercise in LESSON.exercises if exercise.grade_id == name), 0.0)
        assert determine_grade(cell) == (SCORES.get(name, 0.0), worth), name


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_graded_cell_ends_in_one_float_and_has_no_standard_error(writer, damage):
    for cell in graded_cells(write(writer, with_cells(DAMAGE[damage]))).values():
        results = [output for output in cell.outputs if output.output_type == "execute_result"]
        assert cell.outputs[-1:] == results
        assert results[0].data == {"text/plain": repr(float(results[0].data["text/plain"]))}
        assert not any(output.get("name") == "stderr" for output in cell.outputs)


@pytest.mark.parametrize("damage", DAMAGE)
def test_graded_cells_are_the_courses_and_their_checksums_hold(writer, damage):
    for name, cell in graded_cells(write(writer, with_cells(DAMAGE[damage]))).items():
        assert cell.source == cell_of(SOURCE, name)["source"]
        assert cell.metadata.nbgrader.checksum == compute_checksum(cell)


@pytest.mark.parametrize("raw", UNREADABLE.values(), ids=UNREADABLE)
def test_an_unreadable_submission_reads_as_no_points_and_says_why(writer, raw):
    grade = grade_of("student-01", (None,) * 5, "unreadable")
    notebook = write(writer, raw, grade)
    for name, cell in graded_cells(notebook).items():
        assert determine_grade(cell)[0] == 0, name
        assert (cell.outputs[-1].output_type == "error") == name.startswith("test_")
    assert len(notebook.cells[0].source) > 20


@pytest.mark.parametrize("unknown", [None, "skipped"])
def test_unknown_points_never_read_as_full_marks(writer, unknown):
    cell = graded_cells(write(writer, released(), grade_of("student-01", (3, unknown, 5, 7, 3))))["test_merge_heads"]
    assert determine_grade(cell) == (0, 2.0)
    assert cell.outputs[-1].ename == "NotGraded"


def test_points_are_clamped_to_what_the_cell_is_worth(writer):
    cells = graded_cells(write(writer, released(), grade_of("student-01", (99, -1, 5, 7, 3))))
    assert determine_grade(cells["test_split_heads"]) == (3.0, 3.0)
    assert determine_grade(cells["test_merge_heads"]) == (0.0, 2.0)


def test_what_was_seen_stands_beside_the_points(writer):
    first, result = graded_cells(write(writer, released()))["test_merge_heads"].outputs
    assert first.data["text/plain"].splitlines() == [
        "merge_heads: 1.25 / 2", "✗ not true yet: the value of merge_heads", "    what was <seen>"]
    assert "what was &lt;seen&gt;" in first.data["text/html"]
    assert result.data == {"text/plain": "1.25"}


def test_a_notebook_without_a_kernel_is_valid(course, registered):
    writer = AutogradedWriter(course, LESSON, replace(registered[1], kernelspec={}), "en")
    assert "kernelspec" not in write(writer, released()).metadata


def test_notices_stand_on_top(writer):
    grade = grade_of("student-01", POINTS, notices=(text("read as <b>{what}</b>", what="Latin-1"),))
    assert write(writer, released(), grade).cells[0].source == "~~~\nread as <b>Latin-1</b>\n~~~"


# --- what the student wrote ----------------------------------------------------------------------------------------

def test_the_students_cells_keep_their_place(writer):
    def change(cells):
        cell_of({"cells": cells}, "split_heads")["source"] = "def split_heads(x, heads):\n    return x"
        cells.insert(5, code("helper = 1"))
    notebook = write(writer, with_cells(change))
    assert notebook.cells[5].source == "helper = 1"
    assert "nbgrader" not in notebook.cells[5].metadata
    stands = next(i for i, cell in enumerate(SOURCE["cells"]) if cell["id"] == "split-heads") + 1
    assert notebook.cells[stands].source == "def split_heads(x, heads):\n    return x"
    order = [cell.metadata.nbgrader.grade_id for cell in notebook.cells if "nbgrader" in cell.metadata]
    assert order == [cell["metadata"]["nbgrader"]["grade_id"] for cell in SOURCE["cells"]
                     if "nbgrader" in cell["metadata"]]


def test_missing_graded_cells_come_back_where_they_stood(writer):
    names = ("example_W1_split", "example_refusals_split", "test_own_test")
    notebook = write(writer, with_cells(lambda cells: cells.__setitem__(
        slice(None), [cell for cell in cells if cell["metadata"].get("nbgrader", {}).get("grade_id") not in names])))
    order = [cell.metadata.nbgrader.grade_id for cell in notebook.cells if "nbgrader" in cell.metadata]
    assert order == [cell["metadata"]["nbgrader"]["grade_id"] for cell in SOURCE["cells"]
                     if "nbgrader" in cell["metadata"]]


def test_a_solution_without_marks_is_known_by_what_it_defines(writer):
    def change(cells):
        cell_of({"cells": cells}, "merge_heads")["source"] = "def merge_heads(h):\n    return h"
        without_marks(cells)
    notebook = write(writer, with_cells(change))
    marked = {cell.metadata.nbgrader.grade_id: cell for cell in notebook.cells if "nbgrader" in cell.metadata}
    assert marked["merge_heads"].source == "def merge_heads(h):\n    return h"
    assert set(marked) == {cell["metadata"]["nbgrader"]["grade_id"] for cell in SOURCE["cells"]
                           if "nbgrader" in cell["metadata"]}


def test_of_a_solution_that_stands_twice_the_last_one_counts(writer):
    def change(cells):
        twice("merge_heads")(cells)
        cells[-1]["source"] = "def merge_heads(h):\n    return 2"
    notebook = write(writer, with_cells(change))
    marked = [cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == "merge_heads"]
    assert [cell.source for cell in marked] == ["def merge_heads(h):\n    return 2"]
    assert sum("def merge_heads" in cell.source for cell in notebook.cells) == 2


def test_solutions_that_were_left_as_released_are_told(writer):
    changed = with_cells(lambda cells: cell_of({"cells": cells}, "split_heads").update(source="split_heads = 1"))
    for student, notebook, expected in [
        ("student-01", changed, {"merge_heads", "multihead", "multihead_backward", "own_test"}),
        ("student-02", with_cells(only_markdown), set()),
    ]:
        submission = hand_in(writer.course, student, notebook)
        assert writer.write(submission, grade_of(student)) == expected


def test_what_a_cell_printed_is_shown_and_cut(writer):
    submission = hand_in(writer.course, "student-01", released())
    place = SOURCE["cells"].index(cell_of(SOURCE, "split_heads"))
    grade = grade_of("student-01", cells=(
        CellReport(place, "raised", "ValueError: \x1b[31m<b>no</b>", "\x1b[2J<b>ha</b>\n" + "x" * 20_000),))
    writer.write(submission, grade)
    printed, error = read_autograded(writer.course, "student-01").cells[place].outputs
    assert printed.text.startswith("<b>ha</b>\nxxx")
    assert len(printed.text) == OUTPUT_CAP + 2
    assert (printed.name, error.evalue) == ("stdout", "ValueError: <b>no</b>")


def test_nothing_but_text_comes_out_of_the_students_file(writer):
    def change(cells):
        bundle = {"text/html": ATTACK, "application/javascript": "alert(5)", "image/svg+xml": "<svg/>",
                  "application/vnd.jupyter.widget-view+json": {"model_id": "1"}}
        for cell in cells:
            cell["metadata"]["tags"] = [ATTACK]
            if cell["cell_type"] == "code":
                cell["outputs"] = [{"output_type": "display_data", "data": bundle, "metadata": {}}]
            else:
                cell["attachments"] = {"a.png": {"image/svg+xml": "<svg/>"}}
    notebook = with_cells(change)
    notebook["metadata"]["widgets"] = {"application/vnd.jupyter.widget-state+json": {}}
    made = write(writer, notebook)
    assert "alert" not in json.dumps(made)
    assert {key for cell in made.cells for key in cell.metadata} == {"nbgrader", "deletable", "editable"}
    assert set(made.metadata) == {"kernelspec", "language_info"}
    assert not any("attachments" in cell for cell in made.cells)
    bundles = [output.data for cell in made.cells for output in cell.get("outputs", []) if "data" in output]
    assert bundles
    assert all(set(bundle) <= {"text/plain", "text/html"} for bundle in bundles)


def test_texts_of_the_course_stay_markdown_and_those_of_the_student_become_letters(writer):
    mine = [markdown("# Mine"), markdown(""), markdown("a ~~~ b")]
    made = write(writer, with_cells(lambda cells: cells.extend(mine)))
    course_texts = [cell["source"] for cell in SOURCE["cells"] if cell["cell_type"] == "markdown"]
    assert [cell.source for cell in made.cells if cell.cell_type == "markdown"] == [
        *course_texts, "~~~\n# Mine\n~~~", "", "~~~~\na ~~~ b\n~~~~"]


def test_texts_of_the_courses_own_notebook_stay_markdown(course, registered):
    notebook = copy.deepcopy(SOURCE)
    notebook["cells"].append(markdown("# Of this course"))
    (course.path("source", ".", "multihead") / "multihead.ipynb").write_bytes(data(notebook))
    writer = AutogradedWriter(course, LESSON, registered[1])
    made = write(writer, with_cells(lambda cells: cells.append(markdown("# Of this course"))))
    assert made.cells[-1].source == "# Of this course"


@pytest.mark.parametrize("words", ["~~~\n</code>", "~" * 50, "```\n~~~~ html\n<b>", "\\~~~", " ~~~\n> ~~~~"])
def test_no_fence_in_a_students_text_ends_ours(words):
    first, *lines, last = as_letters(words).split("\n")
    assert first == last == "~" * len(first)
    assert not any(first in line for line in lines)


def test_without_the_raw_notebook_the_graded_cells_are_shown(writer):
    submission = hand_in(writer.course, "student-01", with_cells(
        lambda cells: cell_of({"cells": cells}, "multihead").update(source="multihead = None")))
    writer.write(msgspec.structs.replace(submission, notebook=()), grade_of("student-01", POINTS))
    notebook = read_autograded(writer.course, "student-01")
    assert {name: determine_grade(cell)[0] for name, cell in graded_cells(notebook).items() if name in SCORES} == SCORES
    assert "multihead = None" in [cell.source for cell in notebook.cells]


# --- files ---------------------------------------------------------------------------------------------------------

def test_beside_the_notebook_stand_the_courses_files_and_none_of_the_students(writer):
    source = writer.course.path("source", ".", "multihead")
    (source / "data").mkdir()
    (source / "data" / "tokens.csv").write_text("1,2")
    for ignored in ("notes.pyc", "__pycache__/x.pyc", "other.ipynb"):
        (source / ignored).parent.mkdir(exist_ok=True)
        (source / ignored).write_text("")
    submission = hand_in(writer.course, "student-01", released(), "2025-03-04 05:06:07 UTC")
    theirs = writer.course.path("submitted", "student-01", "multihead")
    for name in ("attention.py", "numpy.py", "evil.html"):
        (theirs / name).write_text("raise SystemExit")
    writer.write(submission, grade_of("student-01"))
    folder = writer.course.path("autograded", "student-01", "multihead")
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    beside = {f"{module}.py" for module in LESSON.beside}
    assert found == {"multihead.ipynb", *beside, "timestamp.txt", "data/tokens.csv"}
    assert (folder / "attention.py").read_bytes() == (source / "attention.py").read_bytes()
    assert (folder / "timestamp.txt").read_text() == "2025-03-04 05:06:07 UTC"
    assert {stat.S_IMODE(os.stat(folder / name).st_mode) for name in found} == {0o444}


def test_the_exchange_finds_its_secret_beside_what_was_graded(writer):
    theirs = writer.course.path("submitted", "student-01", "multihead")
    theirs.mkdir(parents=True)
    (theirs / "submission_secret.txt").write_text("f" * 128)
    submission = hand_in(writer.course, "student-01", released(), "2025-03-04 05:06:07 UTC")
    writer.write(submission, grade_of("student-01"))
    folder = writer.course.path("autograded", "student-01", "multihead")
    assert (folder / "submission_secret.txt").read_text() == "f" * 128


def test_a_shared_course_gives_its_group_the_right_to_write(writer):
    writer.course.config.CourseDirectory.groupshared = True
    write(writer, released())
    path = writer.course.path("autograded", "student-01", "multihead") / "multihead.ipynb"
    assert stat.S_IMODE(path.stat().st_mode) == 0o664


def test_a_second_time_replaces_the_first(writer):
    submission = hand_in(writer.course, "student-01", released())
    for points in (POINTS, (0, 0, 0, 0, 0)):
        writer.write(submission, grade_of("student-01", points))
    cells = graded_cells(read_autograded(writer.course, "student-01"))
    assert {determine_grade(cell)[0] for cell in cells.values()} == {0.0}


def test_a_write_that_fails_leaves_what_was_there(writer, monkeypatch):
    submission = hand_in(writer.course, "student-01", released())
    writer.write(submission, grade_of("student-01", POINTS))
    folder = writer.course.path("autograded", "student-01", "multihead")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    def full(source, target):
        raise OSError(28, "No space left on device")
    monkeypatch.setattr(autograded.os, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        writer.write(submission, grade_of("student-01", (0, 0, 0, 0, 0)))
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


# --- nbgrader goes on ----------------------------------------------------------------------------------------------

@pytest.fixture
def graded(course, registered):
    """A course of three students, graded: an honest one, one whose notebook is an attack, an unreadable one."""
    def attack(cells):
        cells.insert(0, markdown(ATTACK))
        cells.append(code("# " + ATTACK))
        cells.append(markdown(f"~~~\n{ATTACK}\n~~~\n{ATTACK}"))
    notebooks = {"student-01": data(released()), "student-02": data(with_cells(attack)), "student-03": b"{"}
    grades = {"student-01": grade_of("student-01", POINTS),
              "student-02": grade_of("student-02", (0, 2, None, 0, 0), "broken", notices=(text("{a}", a=ATTACK),),
                                     cells=(CellReport(len(released()["cells"]) + 1, "raised", ATTACK, ATTACK),)),
              "student-03": grade_of("student-03", (None,) * 5, "unreadable")}
    with GradebookWriter(course, LESSON) as gradebook:
        writer = AutogradedWriter(course, LESSON, gradebook.source, "en")
        entries = []
        for student, raw in notebooks.items():
            submission = hand_in(course, student, raw, "2025-03-04 05:06:07 UTC")
            entries.append(Entry(grades[student], submission.handed_in.at, writer.write(submission, grades[student])))
        gradebook.write(entries)
    return course


def run_nbgrader(converter, course: Course) -> None:
    log = logging.Logger("quiet", logging.CRITICAL)
    directory = CourseDirectory(config=course.config, root=str(course.root), assignment_id="multihead", log=log)
    converter(coursedir=directory, config=course.config, log=log).start()


@pytest.mark.slow
def test_feedback_and_export_give_our_points_and_no_students_script(graded, tmp_path):
    run_nbgrader(GenerateFeedback, graded)
    pages = {student: (graded.path("feedback", student, "multihead") / "multihead.html").read_text()
             for student in ("student-01", "student-02", "student-03")}
    assert f"(Score: {sum(POINTS):.2f} / 20.0)" in pages["student-01"]
    assert "merge_heads: 1.25 / 2" in pages["student-01"]
    assert "&lt;script&gt;alert(2)" in pages["student-02"]
    for harmful in ("<script>alert(2)", "<img src=x", 'href="javascript:alert'):
        assert harmful not in pages["student-02"]
    with Gradebook(graded.db_url) as gradebook:
        CsvExportPlugin(to=str(tmp_path / "grades.csv")).export(gradebook)
    with (tmp_path / "grades.csv").open() as file:
        found = {row["student_id"]: (float(row["score"]), row["max_score"]) for row in csv.DictReader(file)}
    assert found == {"student-01": (pytest.approx(sum(POINTS)), "20.0"), "student-02": (2.0, "20.0"),
                     "student-03": (0.0, "20.0")}


def test_the_formgrader_shows_our_points_and_who_needs_a_person(graded):
    directory = CourseDirectory(config=graded.config, root=str(graded.root))
    api = NbGraderAPI(directory)
    found = {f"student-0{number}": api.get_submission("multihead", f"student-0{number}") for number in (1, 2, 3)}
    assert {student: one["needs_manual_grade"] for student, one in found.items()} == {
        "student-01": False, "student-02": True, "student-03": True}
    assert {one["autograded"] for one in found.values()} == {True}
    assert found["student-01"]["score"] == pytest.approx(sum(POINTS))
    assert found["student-01"]["display_timestamp"].startswith("2025-03-04 05:06:07")


def test_nbgrader_autograde_sees_that_it_has_been_done(graded):
    before = read_autograded(graded, "student-01")
    run_nbgrader(Autograde, graded)
    assert read_autograded(graded, "student-01") == before


def test_what_a_process_that_was_killed_left_of_a_file_goes(tmp_path):
    done = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True,
                          check=True)
    ours, theirs = tmp_path / f".a.ipynb-{done.stdout.strip()}-x1", tmp_path / f".a.ipynb-{os.getpid()}-x2"
    others = [tmp_path / name for name in (".a.ipynb-x-y", ".b.ipynb-1-x", "a.ipynb-1-x")]
    for path in (ours, theirs, *others):
        path.write_text("half")
    replace_file(tmp_path / "a.ipynb", b"whole", 0o644)
    assert set(tmp_path.iterdir()) == {tmp_path / "a.ipynb", theirs, *others}


def test_files_in_several_folders_are_whole_and_what_was_left_of_each_goes(tmp_path):
    done = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True,
                          check=True)
    files = {"a.py": b"a", "below/a.py": b"b", "below/deeper/c.txt": b"", "below/d.py": b"d"}
    (tmp_path / "below").mkdir()
    for name in ("a.py", "d.py"):
        (tmp_path / "below" / f".{name}-{done.stdout.strip()}-x").write_text("half")
    (tmp_path / "below" / "a.py").symlink_to(tmp_path / "a.py")
    replace_files(tmp_path, files, 0o444)
    found = {path.relative_to(tmp_path).as_posix(): path for path in tmp_path.rglob("*") if not path.is_dir()}
    assert {name: path.read_bytes() for name, path in found.items()} == files
    assert {path.lstat().st_mode & 0o7777 for path in found.values()} == {0o444}
