"""Which cells are the student's, and what is said about the others."""
from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest
from notebooks import DOUBLE, EXAMPLE, HALVE, POINTS, PRELUDE, code, data, handed_in, markdown, notebook, tiny_lesson

from autograder.intake import from_sources, read_bytes
from autograder.intake.own_cells import writes
from autograder.lessons.installed import load_lesson
from autograder.lessons.kit.course_file import course_file


@pytest.fixture(scope="module")
def lesson(tmp_path_factory):
    return tiny_lesson(tmp_path_factory.mktemp("course"))


def taken(lesson, *cells, **keys):
    return read_bytes("student-01.ipynb", data(notebook(*cells, **keys)), lesson)


def sources(submission):
    assert submission.unreadable is None
    return [cell.source for cell in submission.cells]


def notices(submission):
    return [notice.template.format(**notice.values) for notice in submission.notices]


def test_an_honest_notebook_gives_its_solution_cells_and_no_notice(lesson):
    submission = taken(lesson, *handed_in())
    assert [(cell.index, cell.grade_id, cell.source) for cell in submission.cells] \
        == [(2, "double", DOUBLE), (4, "halve", HALVE)]
    assert submission.notices == ()
    assert (submission.name, submission.student, submission.lesson) == ("student-01.ipynb", "student-01", "tiny")
    assert submission.unreadable is None


def test_cells_of_the_students_own_count_wherever_they_stand(lesson):
    cells = [code("first = 1"), *handed_in(), code("last = 2", "made-up", locked=True, grade=True)]
    assert sources(taken(lesson, *cells)) == ["first = 1", DOUBLE, HALVE, "last = 2"]


def test_blank_cells_are_nobodys(lesson):
    assert sources(taken(lesson, *handed_in(), code(" \n"))) == [DOUBLE, HALVE]


def test_flags_in_the_students_file_do_not_make_a_given_cell_theirs(lesson):
    cells = handed_in()
    cells[3]["metadata"]["nbgrader"].update(locked=False, grade=False, solution=True)
    cells[2]["metadata"]["nbgrader"].update(locked=True, grade=True, solution=False)
    submission = taken(lesson, *cells)
    assert sources(submission) == [DOUBLE, HALVE]
    assert [notice.values for notice in submission.notices] == [{"cells": "double, example"}]


def test_a_changed_given_cell_is_left_out_with_a_notice(lesson):
    cells = handed_in()
    cells[3] = code("assert True", "example", locked=True, grade=True)
    submission = taken(lesson, *cells)
    assert sources(submission) == [DOUBLE, HALVE]
    assert len(notices(submission)) == 1
    assert "example" in notices(submission)[0]
    assert "not graded" in notices(submission)[0]


def test_white_space_and_hidden_tests_do_not_make_a_given_cell_changed(lesson):
    cells = handed_in()
    cells[3] = code("assert  double(2) == 4\n\n", "example", locked=True, grade=True)
    cells[5] = code(POINTS, "test_double", locked=True, grade=True)
    assert taken(lesson, *cells).notices == ()


@pytest.mark.parametrize("points", [POINTS, "# The points for double", "#  The points for double\n\n"])
def test_without_metadata_given_cells_are_known_by_their_text(lesson, points):
    cells = [code(PRELUDE), code(DOUBLE), code(EXAMPLE + "\n"), code(HALVE), code(points)]
    submission = taken(lesson, *cells)
    assert sources(submission) == [DOUBLE, HALVE]
    assert len(notices(submission)) == 1
    assert "recognised by their text" in notices(submission)[0]


def test_given_cells_of_which_none_is_there_are_not_said_to_be_known(lesson):
    assert not any("recognised by their text" in said for said in notices(taken(lesson, code("def other(): pass"))))


def test_a_solution_that_became_text_is_read_as_code_with_a_notice(lesson):
    cells = handed_in()
    cells[2] = markdown(f"```python\n{DOUBLE}\n```", "double")
    submission = taken(lesson, *cells)
    assert [(cell.index, cell.grade_id) for cell in submission.cells] == [(2, "double"), (4, "halve")]
    assert submission.cells[0].source == DOUBLE + "\n"
    assert len(notices(submission)) == 1
    assert "Cell 3 is a text cell" in notices(submission)[0]


def test_text_stays_text_where_a_code_cell_has_the_function(lesson):
    submission = taken(lesson, *handed_in(), markdown(DOUBLE))
    assert sources(submission) == [DOUBLE, HALVE]
    assert submission.notices == ()


def test_given_prose_is_never_taken_for_a_solution(tmp_path):
    lesson = tiny_lesson(tmp_path)
    prose = markdown("Begin with\n\ndef double(x):")
    for path in lesson.editions.values():
        with open(path, "wb") as file:
            file.write(data(notebook(prose, *handed_in())))
    submission = read_bytes("a.ipynb", data(notebook(prose, *handed_in()[3:])), lesson)
    assert [cell.source for cell in submission.cells] == [HALVE]


def test_a_removed_solution_cell_is_named(lesson):
    cells = handed_in()
    del cells[4]
    submission = taken(lesson, *cells)
    assert sources(submission) == [DOUBLE]
    assert len(notices(submission)) == 1
    assert "halve" in notices(submission)[0]


def test_merged_cells_are_fine(lesson):
    cells = handed_in(double=f"{DOUBLE}\n\n{HALVE}")
    del cells[4]
    submission = taken(lesson, *cells)
    assert sources(submission) == [f"{DOUBLE}\n\n{HALVE}"]
    assert submission.notices == ()


def test_repeated_cells_are_all_kept_in_order_with_a_notice(lesson):
    submission = taken(lesson, *handed_in(), code("def double(x):\n    return x + x", "double"))
    assert sources(submission) == [DOUBLE, HALVE, "def double(x):\n    return x + x"]
    assert len(notices(submission)) == 1
    assert "double" in notices(submission)[0]


def test_of_a_repeated_given_cell_an_edited_copy_is_the_students(lesson):
    cells = handed_in()
    cells.insert(3, code("print(double(3))", "example", locked=True, grade=True))
    submission = taken(lesson, *cells)
    assert sources(submission) == [DOUBLE, "print(double(3))", HALVE]
    assert len(notices(submission)) == 1


@pytest.mark.parametrize("grade_id", [3, None, ["double"], {"a": 1}, "no blanks", "\u202e", "x" * 500])
def test_an_odd_grade_id_is_none(lesson, grade_id):
    cells = handed_in()
    cells[2]["metadata"]["nbgrader"]["grade_id"] = grade_id
    submission = taken(lesson, *cells)
    assert [cell.grade_id for cell in submission.cells] == ["", "halve"]


@pytest.mark.parametrize("metadata", [None, 1, [], "x", {"nbgrader": None}, {"nbgrader": [1]}])
def test_odd_metadata_is_none(lesson, metadata):
    cells = handed_in()
    cells[2]["metadata"] = metadata
    assert sources(taken(lesson, *cells)) == [DOUBLE, HALVE]


@pytest.mark.parametrize("language", ["nl", "en"])
def test_the_edition_is_known_by_its_text(lesson, language):
    assert taken(lesson, *handed_in(language=language)).language == language


def test_the_edition_is_unknown_where_no_text_tells(lesson):
    assert taken(lesson, *handed_in()[1:]).language == ""
    dutch_only = replace(lesson, editions={"nl": lesson.editions["nl"]})
    assert from_sources("a", "a", [DOUBLE, HALVE], dutch_only).language == ""


def test_the_key_is_that_of_the_code_alone(lesson):
    honest = taken(lesson, *handed_in())
    printed = handed_in()
    printed[2]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "4"}]
    printed[2]["metadata"] = {"collapsed": True}
    other = read_bytes("other.ipynb", data(notebook(*printed, nbformat_minor=2)), lesson)
    assert other.key == honest.key
    assert len(honest.key) == 32
    assert taken(lesson, *handed_in(double=DOUBLE + " + 0")).key != honest.key
    assert taken(lesson, *handed_in(double=HALVE, halve=DOUBLE)).key != honest.key


def test_the_key_does_not_run_cells_together(lesson):
    one = from_sources("a", "a", ["double = 1\nhalve = 2"], lesson)
    two = from_sources("a", "a", ["double = 1\n", "halve = 2"], lesson)
    assert one.key != two.key


def test_sources_of_a_kernel_lose_their_given_cells(lesson):
    submission = from_sources("tiny", "student-01", [PRELUDE, DOUBLE, EXAMPLE, HALVE, POINTS], lesson)
    assert sources(submission) == [DOUBLE, HALVE]
    assert submission.notices == ()
    assert submission.key == taken(lesson, *handed_in()).key


def test_half_characters_and_nuls_in_sources_can_be_encoded(lesson):
    submission = from_sources("tiny\ud800", "a\udfff", [DOUBLE + "  # \ud800\0", HALVE], lesson)
    assert submission.cells[0].source == DOUBLE + "  # \ufffd\ufffd"
    assert len(notices(submission)) == 1
    assert "Cell 1" in notices(submission)[0]
    assert (submission.name, submission.student) == ("tiny\ufffd", "a\ufffd")


def test_a_python_file_is_one_cell(lesson):
    submission = read_bytes("student-02.py", f"{DOUBLE}\r\n\r\n{HALVE}\r\n".encode(), lesson)
    assert sources(submission) == [f"{DOUBLE}\n\n{HALVE}\n"]
    assert submission.student == "student-02"
    assert submission.notices == ()


@pytest.mark.parametrize("marker", ["# %%", "# %% [code] a title", "#%%", "# In[3]:", "# In [ ]:"])
def test_a_python_file_is_cut_at_cell_markers(lesson, marker):
    parts = [PRELUDE, DOUBLE, EXAMPLE, HALVE]
    submission = read_bytes("a.py", "".join(f"{marker}\n{part}\n\n" for part in parts).encode(), lesson)
    assert [source.strip() for source in sources(submission)] == [DOUBLE, HALVE]


def test_a_commented_magic_does_not_cut_a_python_file(lesson):
    source = f"{DOUBLE}\n# %%time\n{HALVE}\n"
    assert sources(read_bytes("a.py", source.encode(), lesson)) == [source]


def test_a_notebook_called_a_python_file_is_read_with_a_notice(lesson):
    submission = read_bytes("a.py", data(notebook(*handed_in())), lesson)
    assert sources(submission) == [DOUBLE, HALVE]
    assert len(notices(submission)) == 1


def test_a_source_that_mentions_the_function_does_not_define_it(lesson):
    source = "# def double(x):\nprint(double)\ndouble == 2\nprint(double, end='')\ndef double_it(x): 1"
    submission = from_sources("a", "a", [source, HALVE], lesson)
    assert len(notices(submission)) == 1
    assert notices(submission)[0].endswith(": double.")


@pytest.mark.parametrize("source", ["double = lambda x: 2 * x", "async def double(x): 1", "def  double (x): 1",
                                    "other, double = 1, 2", "double, other = layer.double, 2"])
def test_other_ways_to_define_a_function_count(lesson, source):
    assert from_sources("a", "a", [source, HALVE], lesson).notices == ()


ROUNDABOUT = [
    "if True:\n    def double(x): 1", "try:\n\tdouble = twice\nexcept NameError: pass", "double: Callable = twice",
    "(double, _) = twice, 0", "[a, *double] = twice", "(double,\n _) = twice, 0", "(a, (double, b)) = c",
    "double, d['x'] = twice, 0", "double, (a, b) = twice, c", "double = halve = twice", "other = double = twice",
    "globals()['double'] = twice", 'globals()["double"] = twice', "globals().update(double=twice)",
    "setattr(sys.modules['__main__'], 'double', twice)", "class double: pass", "import twice as double",
    "from twice import double", "from twice import (half,\n    double)", "from twice import half as double",
    "if (double := twice): pass", "for double in [twice]: pass", "for i, double in enumerate(f): pass",
    "with twice() as double: pass", "double \\\n    = twice", "double += 1", "x = 1; double = twice"]


@pytest.mark.parametrize("source", ROUNDABOUT)
def test_an_old_attempt_in_a_text_cell_never_replaces_a_function_that_code_may_define(lesson, source):
    old = markdown("```python\ndef double(x):\n    return x\n```")
    submission = taken(lesson, *handed_in(double=source), old, {**old, "cell_type": "raw"})
    assert sources(submission) == [source, HALVE]
    assert submission.notices == ()


@pytest.mark.parametrize("source", ROUNDABOUT)
def test_a_function_that_code_may_define_is_never_called_missing(lesson, source):
    assert read_bytes("a.py", f"{source}\n{HALVE}\n".encode(), lesson).notices == ()


@pytest.mark.parametrize("source", [
    "print(double(2))", "y = double(3)", "y = double(3)[0]\nz[1] = 2", "assert double(2) == 4, 'x = 1'",
    "print('double =', double(2))", "print(double)\nx = 1", "#  double = twice", "if double(2) <= 4: pass",
    "def test(double): return 1", "double_it = 1", "layer.double = 1"])
def test_code_that_only_uses_a_function_keeps_no_solution_from_being_rescued(lesson, source):
    cells = handed_in()
    cells[2] = markdown(f"```python\n{DOUBLE}\n```", "double")
    assert sources(taken(lesson, *cells, code(source))) == [DOUBLE + "\n", HALVE, source]


def test_a_python_file_has_no_cell_that_could_have_been_removed(lesson):
    submission = read_bytes("a.py", DOUBLE.encode(), lesson)
    assert notices(submission) == ["No code in what was handed in defines the function: halve."]


def test_of_a_text_cell_only_what_stands_between_fences_is_read_as_code(lesson):
    cells = handed_in()
    cells[2] = markdown(f"This is *my* answer:\n\n```python\n{DOUBLE}\n```\nDone.\n```\nx = 1\n```")
    submission = taken(lesson, *cells)
    assert sources(submission) == [f"{DOUBLE}\n\nx = 1\n", HALVE]


@pytest.mark.parametrize("magic", ["%%writefile double.py\n", "\n%%file -a x.py\n"])
def test_a_solution_that_is_only_written_to_a_file_is_run_with_a_notice(lesson, magic):
    cells = handed_in(double=magic + DOUBLE)
    cells.append(code("from double import double\n%run double.py"))
    submission = taken(lesson, *cells)
    assert sources(submission)[:2] == [DOUBLE, HALVE]
    assert notices(submission) == ["Cell 3 only writes its code to a file (%%writefile), and the function is "
                                   "nowhere else, so the cell was run."]


def test_a_file_that_is_written_beside_the_solution_stays_a_file(lesson):
    filed = f"%%writefile double.py\n{DOUBLE}"
    submission = taken(lesson, code(filed), *handed_in())
    assert sources(submission) == [filed, DOUBLE, HALVE]
    assert submission.notices == ()


EMPTY = "def double(x):\n    \"\"\"Twice x.\"\"\"\n\n    # here\n    raise NotImplementedError()"


@pytest.mark.parametrize(("own", "empty", "told"), [(2, 3, True), (3, 2, False)])
def test_an_empty_function_below_the_students_own_is_told(lesson, own, empty, told):
    cells = handed_in(double=EMPTY)
    cells.insert(own, code(DOUBLE))
    assert cells[empty]["source"] == EMPTY
    submission = taken(lesson, *cells)
    assert sources(submission) == [cell["source"] for cell in cells[2:4]] + [HALVE]
    assert [notice.startswith("The cell with the empty function") for notice in notices(submission)] == [True] * told


@pytest.mark.parametrize(("source", "expected"), [
    (DOUBLE, True), (EMPTY, False), (f"{EMPTY}\n\n\n{DOUBLE}", True), (f"{DOUBLE}\n\n\n{EMPTY}", False),
    (f"{DOUBLE}\n\n\ndef other():\n    raise NotImplementedError", True), ("double = halve", True), ("x = 1", False),
    ("def double(\n    x,\n):\n    raise NotImplementedError()", False),
])
def test_a_function_is_written_unless_its_last_definition_is_the_empty_one(source, expected):
    assert writes(source, "double") is expected


MARIMO = """\
import marimo

__generated_with = "0.9"
app = marimo.App(width="medium")


@app.cell
def _():
    import numpy as np
    return (np,)


@app.cell(hide_code=True)
def double(
    np,
):
    def double(x):
        if x is None:
            return None

        return 2 * x
    return (
        double,
    )


@app.cell
def _():
    def halve(x):
        return x / 2


if __name__ == "__main__":
    app.run()
"""


def test_the_cells_of_a_marimo_notebook_are_read_with_a_notice(lesson):
    submission = read_bytes("a.py", MARIMO.encode(), lesson)
    assert [source.rstrip() for source in sources(submission)] == [
        "import numpy as np", "def double(x):\n    if x is None:\n        return None\n\n    return 2 * x",
        "def halve(x):\n    return x / 2"]
    assert "marimo" in notices(submission)[0]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("name", ["a.py", "a.ipynb"])
def test_nuls_at_the_end_of_a_file_are_left_out_with_a_notice(lesson, name, encoding):
    content = f"{DOUBLE}\n{HALVE}\n" if name == "a.py" else data(notebook(*handed_in())).decode()
    whole, padded = (read_bytes(name, (content + end).encode(encoding), lesson) for end in ("", "\0" * 500))
    assert sources(padded) == sources(whole)
    assert padded.key == whole.key
    assert len(notices(padded)) == len(notices(whole)) + 1
    assert any("NUL characters (500 of them)" in notice for notice in notices(padded))


def test_looking_for_definitions_takes_no_forever(lesson):
    for unit in ("double ", "double,", "(", "double)", "for double ", "import double ", "double: ", "[double"):
        assert from_sources("a", "a", [unit * (50_000 // len(unit))], lesson).unreadable is None


def test_reading_imports_neither_nbformat_nor_nbgrader_nor_numpy():
    program = "import sys, autograder.intake; print([m for m in ('nbformat', 'nbgrader', 'numpy', 'IPython') " \
              "if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_the_released_notebook_gives_its_solution_cells_and_no_notice():
    lesson = load_lesson("multihead")
    path = course_file(lesson.editions["nl"])
    submission = read_bytes("multihead.ipynb", path.read_bytes(), lesson)
    assert [cell.grade_id for cell in submission.cells if cell.grade_id] == [
        exercise.name for exercise in lesson.exercises]
    assert submission.notices == ()
    assert submission.language == "nl"
