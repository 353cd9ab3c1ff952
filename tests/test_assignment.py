"""The source notebook: clean, complete, and solved by the reference."""
import copy
from dataclasses import replace

import nbformat
import pytest
from editions import EDITIONS, LESSON, RELEASES, beside, code_cells, read

from autograder.authoring.source import drift, drift_of, sync, sync_into
from autograder.intake.regions import bodies, stubs
from autograder.lessons.kit.course_file import course_file

SOURCE, RELEASE = EDITIONS["nl"], RELEASES["nl"]

#: (grade_id, points) in order; frozen, because nbgrader knows the cells of submitted work by these
CELLS = [
    ("given", None), ("split_heads", None), ("example_W1_split", None), ("example_refusals_split", None),
    ("merge_heads", None), ("example_W1_merge", None), ("example_refusals_merge", None),
    ("multihead", None), ("example_W2", None), ("example_W6", None),
    ("multihead_backward", None), ("example_W3", None), ("example_W4", None), ("example_W5", None),
    ("own_test", None), ("example_own_test", None),
    ("test_split_heads", 3), ("test_merge_heads", 2), ("test_multihead", 5), ("test_multihead_backward", 7),
    ("test_own_test", 3),
]
EXAMPLES = [grade_id for grade_id, _ in CELLS if grade_id.startswith("example_")]
NUMBERS = [
    "arange(8).reshape(1, 2, 4)", "[[0, 1], [4, 5]]", "[[2, 3], [6, 7]]",                                       # W1
    "[[[1, 2]]]", "[[1, 1], [0, 1]]", "[2, 4]", "[[[2, 6]]]",                                                    # W2
    "[[[3, 5]]]", "[8, 5]", "[[6, 10], [12, 20]]", "[[8, 5], [16, 10]]", "[[[16, 10]]]",                         # W3
    "[[[1, 2], [0, 1]]]", "0.4055", "6.2509", "7.0619", "[[[7.0619, 5.2804], [2.2820, 0.0635]]]",                # W4
    "1e-5",                                                                                                      # W5
    "[1, 0, 0, 1, .5, 0, -1, 0]", "[0, 1, 1, 0, 0, .5, 0, -1]", "[1, 1, -1, 0, .5, .5, 1, 1]",                   # W6
    "[0.860, 0.769, -0.488, 0.231]", "[0.231, 0.140, 0.629]", "[0.429, 0.429, 0.576, 0.576]",
    "[0.913, 0.877, -0.703, 0.123, 0.457, 0.438, 0.666, 0.703]", "[0.752, 0.752]", "[0.845]",
]


#: code cells that nobody checks, and the cell after which each stands
UNCHECKED = {"voorspel-split": "given", "voorspel-merge": "example_refusals_split",
             "voorspel-multihead": "example_refusals_merge", "met-de-hand": "example_W2", "explore": "example_W6",
             "voorspel-valkuil": "example_W3", "gradcheck-proef": "example_W5",
             "zoek-a": "gradcheck-proef", "zoek-b": "zoek-a", "zoek-c": "zoek-b", "training": "example_own_test"}
LANGUAGES = list(EDITIONS)


@pytest.fixture(autouse=True)
def modules_of_the_dutch_edition():
    """The modules beside the notebook can be imported, as they can beside the notebook."""
    with beside("nl"):
        yield


def marked_cells(path):
    return {grade_id: cell for grade_id, cell in code_cells(path).items() if "nbgrader" in cell.metadata}


def test_the_cells_and_their_points_are_frozen():
    marks = {grade_id: cell.metadata.nbgrader for grade_id, cell in marked_cells(SOURCE).items()}
    assert [(grade_id, mark.get("points")) for grade_id, mark in marks.items()] == CELLS


def test_what_is_only_played_with_carries_no_marks_and_stands_before_the_points():
    names = list(code_cells(SOURCE))
    assert {name: names[names.index(name) - 1] for name in names if name not in dict(CELLS)} == UNCHECKED


def test_the_points_are_the_lessons():
    assert [(exercise.grade_id, exercise.points) for exercise in LESSON.exercises] == CELLS[-len(LESSON.exercises):]


def test_students_write_in_solution_cells_only():
    for grade_id, cell in marked_cells(SOURCE).items():
        mark = cell.metadata.nbgrader
        assert mark.solution is (grade_id in {exercise.name for exercise in LESSON.exercises})
        assert mark.locked is not mark.solution
        assert mark.grade is ("points" in mark)


def test_the_first_cell_is_the_lessons_prelude():
    source = code_cells(SOURCE)["given"].source
    assert [line for line in source.splitlines() if line] == LESSON.prelude.splitlines()


def test_the_source_notebook_is_clean():
    notebook = read(SOURCE)
    assert SOURCE.read_text(encoding="utf-8") == nbformat.writes(notebook) + "\n"
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert notebook.metadata == {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                                 "language_info": {"name": "python"}}
    for cell in notebook.cells:
        example = cell.metadata.get("nbgrader", {}).get("grade_id", "").startswith("example_")
        assert cell.metadata.get("tags", []) == ["raises-exception"] * example      # Jupyter goes on after these
        assert set(cell.metadata) <= {"nbgrader", "tags"}
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


def test_every_edition_holds_the_reference():
    assert drift(LESSON) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_source_runs_from_top_to_bottom(language):
    names = {"__name__": "__main__"}
    with beside(language):
        for grade_id, cell in code_cells(EDITIONS[language]).items():
            if not grade_id.startswith("test_"):
                exec(compile(cell.source, grade_id, "exec"), names)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", UNCHECKED)
def test_what_is_only_played_with_runs_before_anything_is_written(language, name):
    names = {"__name__": "__main__"}
    with beside(language):
        for grade_id, cell in code_cells(RELEASES[language]).items():
            if grade_id in (name, "given") or "nbgrader" in cell.metadata and cell.metadata.nbgrader.solution:
                exec(compile(cell.source, grade_id, "exec"), names)


@pytest.mark.parametrize("number", NUMBERS)
def test_every_number_of_the_worked_examples_reaches_the_student(number):
    assert any(number in cell.source for cell in read(RELEASE).cells)


@pytest.mark.parametrize("grade_id", [grade_id for grade_id, points in CELLS if points])
def test_a_point_cell_shows_one_line_and_hides_one(grade_id):
    exercise = next(exercise for exercise in LESSON.exercises if exercise.grade_id == grade_id)
    comment = f"# Deze cel geeft je punten voor {exercise.name}. Laat hem leeg."
    assert code_cells(RELEASE)[grade_id].source == comment
    assert code_cells(SOURCE)[grade_id].source.splitlines() == [
        comment, "### BEGIN HIDDEN TESTS",
        f'from autograder.nbgrader.kernel import points; points("{exercise.name}")', "### END HIDDEN TESTS"]


@pytest.mark.parametrize("grade_id", EXAMPLES)
def test_no_example_passes_on_untouched_stubs(grade_id):
    names = {}
    for cell in marked_cells(RELEASE).values():
        if cell.metadata.nbgrader.solution or cell.metadata.nbgrader.grade_id == "given":
            exec(cell.source, names)
    with pytest.raises(AssertionError, match="is nog niet geschreven: er staat nog raise NotImplementedError"):
        exec(code_cells(RELEASE)[grade_id].source, names)


def test_the_stubs_are_the_solution_cells_of_the_releases():
    assert stubs(LESSON) == {cell.source for path in RELEASES.values() for cell in read(path).cells
                             if cell.metadata.get("nbgrader", {}).get("solution")}


def test_drift_is_named_and_sync_mends_it():
    wanted = bodies(course_file(LESSON.reference).read_text(encoding="utf-8"))
    notebook = read(SOURCE)
    drifted = copy.deepcopy(notebook)
    cell = next(cell for cell in drifted.cells if cell.get("id") == "merge-heads")
    cell.source = cell.source.replace("h.swapaxes(1, 2)", "h.swapaxes(2, 1)")
    assert len(drift_of(drifted, wanted)) == 1
    assert "merge_heads" in drift_of(drifted, wanted)[0]
    assert sync_into(drifted, wanted)
    assert drifted == notebook
    assert not sync_into(drifted, wanted)


def test_sync_writes_the_file_as_it_should_be(tmp_path):
    notebook = tmp_path / "multihead.ipynb"
    drifted = SOURCE.read_text(encoding="utf-8").replace("swapaxes(1, 2)", "swapaxes(2, 1)")
    notebook.write_text(drifted, encoding="utf-8")
    lesson = replace(LESSON, editions={"nl": str(notebook)})
    assert sync(lesson) == [notebook]
    assert notebook.read_bytes() == SOURCE.read_bytes()
    assert sync(lesson) == []


def test_a_solution_cell_without_markers_is_refused():
    notebook = read(SOURCE)
    cell = next(cell for cell in notebook.cells if cell.get("id") == "merge-heads")
    cell.source = cell.source.replace("### END SOLUTION", "")
    with pytest.raises(ValueError, match="merge_heads.*END SOLUTION"):
        drift_of(notebook, {"merge_heads": []})


def test_a_missing_solution_cell_is_named():
    assert drift_of(nbformat.v4.new_notebook(), {"merge_heads": []}) == [
        "the notebook has no solution cell 'merge_heads'"]


def test_the_body_of_a_function_is_what_follows_its_docstring():
    assert bodies('def f(x):\n    """Doc."""\n    # why\n    return x\n\n\ndef g():\n    pass\n') == {
        "f": ["    # why", "    return x"], "g": ["    pass"]}
