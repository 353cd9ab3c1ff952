"""What a notebook file may look like, what is repaired and what is refused with which reason."""
from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from notebooks import DOUBLE, HALVE, code, data, handed_in, notebook, tiny_lesson

from autograder.intake import cells as cells_module
from autograder.intake import encoding, read_bytes
from autograder.locale.language import translate
from autograder.records import Submission


@pytest.fixture(scope="module")
def lesson(tmp_path_factory):
    return tiny_lesson(tmp_path_factory.mktemp("course"))


def sources(submission):
    assert submission.unreadable is None
    return [cell.source for cell in submission.cells]


def notices(submission):
    return [notice.template.format(**notice.values) for notice in submission.notices]


def reason(submission):
    assert submission.cells == ()
    assert submission.key == ""
    return submission.unreadable.template.format(**submission.unreadable.values)


HONEST = data(notebook(*handed_in()))


@pytest.mark.parametrize("document", [
    notebook(*handed_in(), nbformat_minor=0),
    notebook(*handed_in(), nbformat_minor=99),
    notebook(*handed_in(), metadata=[], new_key={"a": None}),
    notebook(*({**cell, "id": f"cell-{index}"} for index, cell in enumerate(handed_in()))),
    notebook(*({**cell, "source": cell["source"].splitlines(keepends=True)} for cell in handed_in())),
    notebook(*({**cell, "outputs": "not even a list"} for cell in handed_in())),
])
def test_every_minor_format_is_read_without_a_notice(lesson, document):
    submission = read_bytes("a.ipynb", data(document), lesson)
    assert sources(submission) == [DOUBLE, HALVE]
    assert submission.notices == ()


def test_format_3_is_converted(lesson):
    cells = [{**cell, "input": cell["source"]} for cell in handed_in()]
    for cell in cells:
        del cell["source"]
    old = {"nbformat": 3, "nbformat_minor": 0, "worksheets": [{"cells": cells[:3]}, {"cells": cells[3:]}]}
    submission = read_bytes("a.ipynb", data(old), lesson)
    assert sources(submission) == [DOUBLE, HALVE]
    assert len(notices(submission)) == 1
    assert "format 3" in notices(submission)[0]


@pytest.mark.parametrize("major", [None, "4", 4.0, [4]])
def test_a_notebook_that_hides_its_format_is_read_as_format_4(lesson, major):
    submission = read_bytes("a.ipynb", data(notebook(*handed_in(), nbformat=major)), lesson)
    assert sources(submission) == [DOUBLE, HALVE]
    assert len(notices(submission)) == 1


@pytest.mark.parametrize("major", [0, 2, 5, 10**30])
def test_another_format_is_refused(lesson, major):
    said = reason(read_bytes("a.ipynb", data(notebook(*handed_in(), nbformat=major)), lesson))
    assert f"has format {str(major)[:10]};" in said


def test_lines_may_end_as_windows_does(lesson):
    submission = read_bytes("a.ipynb", data(notebook(*handed_in(double=DOUBLE.replace("\n", "\r\n")))), lesson)
    assert sources(submission) == [DOUBLE, HALVE]
    pretty = json.dumps(notebook(*handed_in()), indent=1).replace("\n", "\r\n").encode()
    assert sources(read_bytes("a.ipynb", pretty, lesson)) == [DOUBLE, HALVE]


@pytest.mark.parametrize(("encoded", "says"), [
    ("utf-8-sig", "byte order mark"), ("utf-16", "UTF-16"), ("utf-16-le", "UTF-16"), ("utf-32", "UTF-32"),
    ("latin-1", "Latin-1"), ("cp1252", "Latin-1"),
])
@pytest.mark.parametrize("name", ["a.ipynb", "a.py"])
def test_other_encodings_are_read_with_a_notice(lesson, name, encoded, says):
    double = DOUBLE + "  # één"
    document = json.dumps(notebook(*handed_in(double=double)), ensure_ascii=False) if name == "a.ipynb" else double
    submission = read_bytes(name, document.encode(encoded), lesson)
    assert sources(submission)[0] == double
    assert says in notices(submission)[0]


def test_a_damaged_character_does_not_spoil_the_others(lesson):
    document = json.dumps(notebook(*handed_in(double=DOUBLE + "  # één, drieëntwintig ~")), ensure_ascii=False)
    submission = read_bytes("a.ipynb", document.encode().replace(b"~", b"\xff"), lesson)
    assert sources(submission)[0] == DOUBLE + "  # één, drieëntwintig \ufffd"
    assert "1 characters" in notices(submission)[0]


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_json_does_not_know_are_left_out_of_outputs(lesson, value):
    cells = handed_in(double=DOUBLE + "  # NaN")
    cells[2]["outputs"] = [{"data": {"application/json": float(value.replace("Infinity", "inf"))}}]
    submission = read_bytes("a.ipynb", data(notebook(*cells)), lesson)
    assert sources(submission)[0] == DOUBLE + "  # NaN"
    assert len(notices(submission)) == 1
    assert "NaN" in notices(submission)[0]


@pytest.mark.parametrize("half", ["\ud83d", chr(0xde00), "\ud83d\ud83d\ude00", "\\\ud83d"])
def test_half_a_pair_is_replaced(lesson, half):
    submission = read_bytes("a.ipynb", data(notebook(*handed_in(double=f"{DOUBLE}  # {half}"))), lesson)
    read = sources(submission)[0]
    assert read.startswith(DOUBLE)
    assert "\ufffd" in read
    assert read.count("😀") == half.count("\ud83d\ude00")
    read.encode()
    assert len(notices(submission)) == 1


def test_whole_pairs_and_escaped_backslashes_are_left_alone(lesson):
    double = DOUBLE + r"  # \ud83d 😀"
    cells = handed_in(double=double)
    assert sources(read_bytes("a.ipynb", data(notebook(*cells)), lesson))[0] == double
    cells[3]["outputs"] = [float("nan")]
    assert sources(read_bytes("a.ipynb", data(notebook(*cells)), lesson))[0] == double


def test_a_nul_in_a_source_is_replaced_with_a_notice(lesson):
    submission = read_bytes("a.ipynb", data(notebook(*handed_in(double=DOUBLE + "  # \0"))), lesson)
    assert sources(submission)[0] == DOUBLE + "  # \ufffd"
    assert "Cell 3" in notices(submission)[0]


def test_control_characters_in_strings_are_kept(lesson):
    submission = read_bytes("a.ipynb", HONEST.replace(rb"def double(x):\n", b"def double(x):\n"), lesson)
    assert sources(submission) == [DOUBLE, HALVE]
    assert len(notices(submission)) == 1


@pytest.mark.parametrize("source", [
    [[DOUBLE]], [DOUBLE.splitlines(keepends=True)], [*DOUBLE.splitlines(keepends=True), None], DOUBLE.splitlines(),
], ids=["nested", "twice nested", "null in it", "lines without ends"])
def test_a_list_of_lines_is_read_however_it_was_written(lesson, source):
    submission = read_bytes("a.ipynb", data(notebook(*handed_in(double=source))), lesson)
    assert sources(submission) == [DOUBLE, HALVE]
    assert submission.notices == ()


@pytest.mark.parametrize("odd", [None, 3, [], {}, "x", {"cell_type": 3, "metadata": {}}])
def test_a_cell_that_is_none_is_left_out_with_a_notice(lesson, odd):
    submission = read_bytes("a.ipynb", data(notebook(odd, *handed_in())), lesson)
    assert sources(submission) == [DOUBLE, HALVE]
    assert [cell.index for cell in submission.cells] == [3, 5]
    assert notices(submission) == ["Cell 1 is not a notebook cell; it was left out."]


def test_a_cell_without_a_type_is_code_where_it_has_outputs(lesson):
    cells = [{key: value for key, value in cell.items() if key != "cell_type"} for cell in handed_in()]
    assert sources(read_bytes("a.ipynb", data(notebook(*cells)), lesson)) == [DOUBLE, HALVE]


@pytest.mark.parametrize("rest", [b"\n}\n", b"]", b"<!-- saved -->", b"{}"])
def test_what_stands_after_the_end_is_left_out_with_a_notice(lesson, rest):
    submission = read_bytes("a.ipynb", HONEST + rest, lesson)
    assert sources(submission) == [DOUBLE, HALVE]
    assert "follows the end" in notices(submission)[0]


def test_a_byte_order_mark_may_come_twice(lesson):
    assert sources(read_bytes("a.ipynb", b"\xef\xbb\xbf\xef\xbb\xbf" + HONEST, lesson)) == [DOUBLE, HALVE]


@pytest.mark.parametrize("source", [None, 3, {"a": 1}, ["a", 3]])
def test_a_source_that_is_no_text_leaves_out_that_cell_only(lesson, source):
    cells = handed_in()
    cells.insert(2, code("") | {"source": source})
    submission = read_bytes("a.ipynb", data(notebook(*cells)), lesson)
    assert sources(submission) == [DOUBLE, HALVE]
    assert len(notices(submission)) == (0 if source is None else 1)


def test_a_cell_without_source_is_blank(lesson):
    cells = handed_in()
    del cells[0]["source"]
    assert sources(read_bytes("a.ipynb", data(notebook(*cells)), lesson)) == [DOUBLE, HALVE]


def test_lines_inside_a_text_make_a_notebook_no_python_file(lesson):
    broken = HONEST.replace(b"\\n", b"\n").replace(b'"def ', b'"\ndef ')
    submission = read_bytes("a.ipynb", broken, lesson)
    assert [source.strip() for source in sources(submission)] == sources(read_bytes("a.ipynb", HONEST, lesson))
    assert "control characters" in notices(submission)[0]


@pytest.mark.parametrize(("content", "says"), [
    (b"", "empty: 0 bytes"),
    (b" \r\n\0\0", "empty: 5 bytes"),
    (HONEST[:200], "breaks off at line 1, after 200 bytes"),
    (b"{\n\n", "breaks off at line 3, after 3 bytes"),
    (b'{\n "cells": oops', "line 2, column 11"),
    (HONEST + b"\n" + HONEST, "two notebooks: the second one begins at line 2, column 1"),
    (b"double x: 1", "line 1, column 1"),
    (b'{"cells": [],}', "line 1, column 13"),
    (b"{}", "has no cells"),
    (b'{"a": [1, 2]}', "has no cells"),
    (b"[1, 2]", "not a notebook: it is not an object in braces"),
    (b"3", "not a notebook"),
    (b'{"cells": {}}', "$.cells"),
    (b'{"cells": [3]}', "$.cells[0]"),
    (b'{"cells": [{}]}', "$.cells[0] has no cell_type"),
    (b"\x89PNG\r\n\x1a\n\0\0", "picture (PNG)"),
    (b"%PDF-1.7", "a PDF"),
    (b"PK\x03\x04", "zip archive"),
    (bytes(range(256)) * 9, "without text"),
    (b"\n<!DOCTYPE html>\n<html>", "web page"),
    (b'{"a":' * 100_000, "nested deeper"),
    (b'{"cells":' + b"[" * 100_000, "not a notebook"),
    (b'{"cells": [' + b"[" * 100_000 + b"]" * 100_000 + b"]}", "not a notebook"),
    (b'{"cells": [\n<<<<<<< HEAD\n{},\n=======\n>>>>>>> theirs\n]}', "git could not merge: they begin at line 2"),
    (b"<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> theirs\n", "git could not merge: they begin at line 1"),
    (b"\xef\xbb\xbf\n<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs", "git could not merge: they begin at line 2"),
    (b'{"cells": [], "a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested deeper"),
])
def test_what_is_no_notebook_is_refused_with_the_reason(lesson, content, says):
    submission = read_bytes("a.ipynb", content, lesson)
    assert says in translate(submission.unreadable, "en")
    assert (submission.name, submission.student, submission.lesson) == ("a.ipynb", "a", "tiny")


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n", b"<html>", bytes(range(256)) * 9])
def test_what_is_no_python_file_is_refused(lesson, content):
    assert read_bytes("a.py", content, lesson).unreadable is not None


def test_a_file_over_the_cap_is_refused(lesson, monkeypatch):
    monkeypatch.setattr(encoding, "FILE_CAP", len(HONEST))
    assert read_bytes("a.ipynb", HONEST, lesson).unreadable is None
    assert "Clear the outputs" in reason(read_bytes("a.ipynb", HONEST + b" ", lesson))


def test_twenty_megabytes_of_outputs_are_fine(lesson):
    cells = handed_in()
    cells[2]["outputs"] = [{"data": {"image/png": "A" * (20 * 2**20)}}]
    assert sources(read_bytes("a.ipynb", data(notebook(*cells)), lesson)) == [DOUBLE, HALVE]


def test_too_much_code_is_refused(lesson):
    said = reason(read_bytes("a.ipynb", data(notebook(code("a" * cells_module.CODE_CAP), code("b"))), lesson))
    assert str(cells_module.CODE_CAP + 1) in said


def test_too_many_code_cells_are_refused(lesson):
    cells = [code("1")] * cells_module.CELL_CAP
    assert read_bytes("a.ipynb", data(notebook(*cells)), lesson).unreadable is None
    assert str(cells_module.CELL_CAP + 1) in reason(read_bytes("a.ipynb", data(notebook(*cells, code("1"))), lesson))


def test_a_million_cells_are_refused(lesson):
    content = b'{"nbformat": 4, "cells": [' + b",".join([b'{"cell_type":"raw"}'] * 10**6) + b"]}"
    assert "1000000 cells" in reason(read_bytes("a.ipynb", content, lesson))


def test_of_a_key_that_comes_twice_the_last_counts(lesson):
    content = HONEST[:-1] + b', "cells": ' + json.dumps(handed_in(double="def double(x): 3")).encode() + b"}"
    assert sources(read_bytes("a.ipynb", content, lesson))[0] == "def double(x): 3"


# --- whatever arrives ---------------------------------------------------------------------------------------------

def assert_is_answered(submission):
    assert isinstance(submission, Submission)
    for cell in submission.cells:
        cell.source.encode()
    for said in (*submission.notices, *([submission.unreadable] if submission.unreadable else [])):
        said.template.format(**said.values).encode()


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: (st.lists(inner, max_size=3)
                   | st.dictionaries(st.text(st.characters(), max_size=5), inner, max_size=3)),
    max_leaves=8)
cell_like = st.fixed_dictionaries(
    {"cell_type": st.sampled_from(["code", "markdown", "raw", "heading"]) | st.text(max_size=3)},
    optional={"source": st.text(st.characters()) | st.lists(st.text(max_size=3)) | anything, "input": anything,
              "metadata": st.fixed_dictionaries({"nbgrader": anything | st.fixed_dictionaries(
                  {"grade_id": st.sampled_from(["double", "example", "prelude"]) | anything, "locked": anything})})
              | anything})
notebook_like = st.fixed_dictionaries(
    {}, optional={"cells": st.lists(cell_like, max_size=4) | anything, "nbformat": st.integers(2, 5) | anything,
                  "worksheets": st.lists(st.fixed_dictionaries({"cells": st.lists(cell_like, max_size=2)})) | anything})


@given(st.binary(), st.sampled_from(["a.ipynb", "a.py", ""]))
@settings(max_examples=200, deadline=None)
def test_no_bytes_raise(lesson, content, name):
    assert_is_answered(read_bytes(name, content, lesson))


@pytest.mark.parametrize("examples", [60, pytest.param(300, marks=pytest.mark.slow)])
def test_no_json_raises(lesson, examples):
    @given(anything | notebook_like)
    @settings(max_examples=examples, deadline=None)
    def any_json_is_answered(document):
        assert_is_answered(read_bytes("a.ipynb", json.dumps(document).encode(), lesson))
        unescaped = json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogatepass")
        assert_is_answered(read_bytes("a.ipynb", unescaped, lesson))
    any_json_is_answered()


@given(st.integers(0, len(HONEST)), st.binary(min_size=1, max_size=3))
@settings(max_examples=200, deadline=None)
def test_no_damage_to_an_honest_notebook_raises(lesson, place, damage):
    assert_is_answered(read_bytes("a.ipynb", HONEST[:place] + damage + HONEST[place + len(damage):], lesson))
    assert_is_answered(read_bytes("a.ipynb", HONEST[:place], lesson))
