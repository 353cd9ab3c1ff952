"""Whose the files are: paths, folders and nbgrader's layout."""
from __future__ import annotations

import io
import os
import zipfile

import pytest
from notebooks import DOUBLE, HALVE, code, data, handed_in, notebook, tiny_lesson

from autograder.intake import files, names, read, read_bytes, read_folder

HONEST = data(notebook(*handed_in()))


@pytest.fixture(scope="module")
def lesson(tmp_path_factory):
    return tiny_lesson(tmp_path_factory.mktemp("course"))


def put(folder, *paths, content=HONEST, modified=None):
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
        if modified is not None:
            os.utime(folder / path, (modified, modified))
    return folder


def found(lesson, *paths):
    return [(submission.name, submission.student) for submission in read(paths, lesson)]


def said(text):
    return text.template.format(**text.values)


def test_a_path_comes_back_as_it_was_given(lesson, tmp_path, monkeypatch):
    put(tmp_path, "student-01.ipynb", "student-02.py", content=HONEST)
    monkeypatch.chdir(tmp_path)
    assert found(lesson, "./student-01.ipynb", tmp_path / "student-02.py") \
        == [("./student-01.ipynb", "student-01"), (f"{tmp_path}/student-02.py", "student-02")]


def test_one_bad_file_does_not_stop_the_others(lesson, tmp_path):
    put(tmp_path, "a.ipynb", "c.ipynb")
    put(tmp_path, "b.ipynb", content=b"")
    submissions = list(read([tmp_path / name for name in ("a.ipynb", "b.ipynb", "missing.ipynb", "c.ipynb")], lesson))
    assert [submission.unreadable is None for submission in submissions] == [True, False, False, True]
    assert "no such file" in said(submissions[2].unreadable)
    assert submissions[2].student == "missing"


def test_what_is_reached_twice_comes_once(lesson, tmp_path):
    put(tmp_path, "a.ipynb", "b.ipynb")
    (tmp_path / "c.ipynb").symlink_to(tmp_path / "a.ipynb")
    missing = tmp_path / "missing.ipynb"
    paths = [tmp_path / "b.ipynb", f"{tmp_path}/./b.ipynb", tmp_path, tmp_path, missing, missing]
    assert [student for _, student in found(lesson, *paths)] == ["b", tmp_path.name, "a", "missing"]


@pytest.mark.parametrize("path", ["a\0b.ipynb", "", "x" * 5000 + ".ipynb", "a.ipynb/b.ipynb"])
def test_an_impossible_path_is_unreadable(lesson, tmp_path, monkeypatch, path):
    put(tmp_path, "a.ipynb")
    monkeypatch.chdir(tmp_path)
    (submission,) = read([path], lesson)
    assert submission.unreadable is not None
    assert "\0" not in submission.name
    assert len(submission.name) <= 300


def test_a_pipe_is_unreadable_and_nobody_waits(lesson, tmp_path):
    os.mkfifo(tmp_path / "pipe.ipynb")
    os.mkfifo(tmp_path / "pipe.zip")
    for path in ("pipe.ipynb", "pipe.zip"):
        (submission,) = read([tmp_path / path], lesson)
        assert "not a regular file" in said(submission.unreadable)
    assert [submission.unreadable is None for submission in read([tmp_path], lesson)] == [False, False]


def test_a_file_without_permission_says_so(lesson, tmp_path, monkeypatch):
    put(tmp_path, "a.ipynb")

    def closed(path, flags):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(files, "_without_waiting", closed)
    (submission,) = read([tmp_path / "a.ipynb"], lesson)
    assert "no permission" in said(submission.unreadable)


def test_a_folder_without_notebooks_says_what_it_holds(lesson, tmp_path):
    put(tmp_path, "full/notes.txt", "full/attention.py", content=b"x = 1")
    (tmp_path / "empty").mkdir()
    full, empty = read([tmp_path / "full", tmp_path / "empty"], lesson)
    assert "only attention.py, notes.txt" in said(full.unreadable)
    assert "empty" in said(empty.unreadable)
    assert (full.name, full.student) == (str(tmp_path / "full"), "full")


def test_any_folder_gives_its_notebooks_and_python_files_sorted(lesson, tmp_path):
    put(tmp_path, "b.ipynb", "a.py", "deep/er/c.ipynb", "d.ipynb.txt", "attention.py", "notes.md", ".hidden/x.ipynb",
        ".ipynb_checkpoints/b-checkpoint.ipynb", "__pycache__/a.py", ".e.ipynb")
    assert found(lesson, tmp_path) \
        == [("a.py", "a"), ("b.ipynb", "b"), ("d.ipynb.txt", "d"), ("deep/er/c.ipynb", "c")]


def test_files_of_one_name_are_told_apart_by_their_folder(lesson, tmp_path):
    put(tmp_path, "student-01_123_file/tiny.ipynb", "student-02_456_file/tiny.ipynb", "student-03.ipynb")
    assert [student for _, student in found(lesson, tmp_path)] \
        == ["student-03", "student-01_123_file", "student-02_456_file"]


def test_links_out_of_the_folder_are_refused(lesson, tmp_path):
    put(tmp_path, "elsewhere/secret.ipynb", "class/a.ipynb")
    (tmp_path / "class/b.ipynb").symlink_to(tmp_path / "elsewhere/secret.ipynb")
    (tmp_path / "class/c").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "class/loop").symlink_to(tmp_path / "class")
    refused, honest = read([tmp_path / "class"], lesson)
    assert "b.ipynb, c" in said(refused.unreadable)
    assert honest.name == "a.ipynb"


def test_an_archive_in_a_folder_is_not_opened_but_said_to_be_unreadable(lesson, tmp_path):
    put(tmp_path, "class/student-01.ipynb", "class/student-02.zip", "class/deep/student-03.ZIP")
    first, second, third = sorted(read([tmp_path / "class"], lesson), key=lambda submission: submission.student)
    assert first.unreadable is None
    for submission, student in ((second, "student-02"), (third, "student-03")):
        assert submission.student == student
        assert "Unpack it, or give it by itself" in said(submission.unreadable)


def test_an_archive_in_a_folder_is_read_when_it_is_given_by_itself(lesson, tmp_path):
    (tmp_path / "class").mkdir()
    with zipfile.ZipFile(tmp_path / "class/work.zip", "w") as archive:
        archive.writestr("student-02.ipynb", HONEST)
    path = tmp_path / "class/work.zip"
    assert [student for _, student in found(lesson, path, tmp_path / "class")] == ["student-02"]
    assert [student for _, student in found(lesson, tmp_path / "class", path)] == ["work", "student-02"]


# --- nbgrader's layout --------------------------------------------------------------------------------------------

CLASS = ("student-01/tiny/tiny.ipynb", "student-02/tiny-en/tiny.ipynb", "student-02/homework/hw.ipynb",
         "student-03/homework/hw.ipynb")


@pytest.fixture
def submitted(tmp_path):
    folder = put(tmp_path / "submitted", *CLASS, "student-01/tiny/attention.py", "student-01/tiny/helper.py")
    (folder / "student-04/tiny").mkdir(parents=True)
    return folder


def test_a_class_gives_one_submission_a_student(lesson, submitted):
    submissions = list(read([submitted], lesson))
    assert [(submission.name, submission.student) for submission in submissions] \
        == [("student-01/tiny/tiny.ipynb", "student-01"), ("student-02/tiny-en/tiny.ipynb", "student-02"),
            ("student-04", "student-04")]
    assert submissions[0].notices == submissions[1].notices == ()
    assert submissions[2].unreadable is not None


def test_a_course_gives_what_was_handed_in(lesson, submitted):
    put(submitted.parent, "nbgrader_config.py", "source/tiny/tiny.ipynb", "release/tiny/tiny.ipynb")
    assert found(lesson, submitted.parent)[0] == ("submitted/student-01/tiny/tiny.ipynb", "student-01")
    assert len(found(lesson, submitted.parent)) == 3


def test_a_students_folder_and_an_assignment_folder_give_one_submission(lesson, submitted, monkeypatch):
    assert found(lesson, submitted / "student-01") == [("tiny/tiny.ipynb", "student-01")]
    assert found(lesson, submitted / "student-01/tiny") == [("tiny.ipynb", "student-01")]
    monkeypatch.chdir(submitted / "student-01/tiny")
    assert found(lesson, ".") == [("tiny.ipynb", "student-01")]
    assert found(lesson, "tiny.ipynb") == [("tiny.ipynb", "student-01")]
    assert found(lesson, "helper.py") == [("helper.py", "helper")]


def test_an_unpacked_folder_in_the_assignment_folder_is_found(lesson, tmp_path):
    put(tmp_path, "student-01/tiny/tiny/tiny.ipynb", "student-02/tiny/mine/tiny.ipynb")
    assert [student for _, student in found(lesson, tmp_path)] == ["student-01", "student-02"]
    assert found(lesson, tmp_path / "student-01/tiny") == [("tiny/tiny.ipynb", "student-01")]


def test_a_class_in_a_folder_that_is_called_like_the_assignment(lesson, tmp_path):
    put(tmp_path, *(f"tiny/{path}" for path in CLASS))
    assert [student for _, student in found(lesson, tmp_path / "tiny")] == ["student-01", "student-02"]


@pytest.mark.parametrize("layout", ["tiny/student-01.ipynb tiny/student-02.ipynb",
                                    "tiny/student-01/tiny.ipynb tiny/student-02/tiny.ipynb"])
def test_a_folder_called_like_the_assignment_may_hold_many_students(lesson, tmp_path, layout):
    put(tmp_path, *layout.split())
    assert [student for _, student in found(lesson, tmp_path / "tiny")] == ["student-01", "student-02"]


def test_a_file_beside_the_notebook_is_called_by_its_own_name(lesson, tmp_path):
    put(tmp_path, "tiny/student-01.ipynb")
    assert found(lesson, tmp_path / "tiny/student-01.ipynb")[0][1] == "student-01"


@pytest.mark.parametrize("path", ["student-09/tiny.ipynb", "student-09/Tiny/tiny.ipynb",
                                  "student-09/Tiny/tiny (1).ipynb"])
def test_a_missing_or_misspelled_assignment_folder_loses_no_student(lesson, submitted, path):
    put(submitted, path)
    assert (path, "student-09") in found(lesson, submitted)


@pytest.mark.parametrize("name", ["tiny (1).ipynb", "Kopie van tiny.ipynb", "answers.ipynb", "tiny.ipynb.txt",
                                  "tiny.py"])
def test_a_renamed_notebook_is_graded_with_a_notice(lesson, tmp_path, name):
    put(tmp_path, "student-02/tiny/tiny.ipynb", f"student-01/tiny/{name}")
    first, _ = read([tmp_path], lesson)
    assert (first.name, first.student) == (f"student-01/tiny/{name}", "student-01")
    assert [cell.source for cell in first.cells] == [DOUBLE, HALVE]
    assert f"called {name} instead of tiny.ipynb" in said(first.notices[0])


def test_of_several_notebooks_the_one_with_the_right_name_is_graded(lesson, tmp_path):
    put(tmp_path, "student-01/tiny/tiny.ipynb", modified=1)
    put(tmp_path, "student-01/tiny/tiny (1).ipynb", modified=2)
    (submission,) = read([tmp_path], lesson)
    assert submission.name == "student-01/tiny/tiny.ipynb"
    assert [said(notice) for notice in submission.notices] \
        == ["Of several files student-01/tiny/tiny.ipynb was graded, not student-01/tiny/tiny (1).ipynb."]


def test_a_readable_notebook_goes_before_one_with_the_right_name(lesson, tmp_path):
    put(tmp_path, "student-01/tiny/tiny.ipynb", content=b"")
    put(tmp_path, "student-01/tiny/copy.ipynb")
    (submission,) = read([tmp_path], lesson)
    assert submission.name == "student-01/tiny/copy.ipynb"
    assert len(submission.notices) == 2


def test_of_other_names_the_one_with_the_functions_is_graded_then_the_newest(lesson, tmp_path):
    put(tmp_path, "student-01/tiny/a.ipynb", "student-02/tiny/b.ipynb", modified=1)
    put(tmp_path, "student-01/tiny/scratch.ipynb", content=data(notebook()), modified=2)
    put(tmp_path, "student-02/tiny/a.ipynb", modified=0)
    assert [name for name, _ in found(lesson, tmp_path)] == ["student-01/tiny/a.ipynb", "student-02/tiny/b.ipynb"]


def test_of_two_editions_the_last_saved_one_is_graded(lesson, tmp_path):
    put(tmp_path, "student-01/tiny/tiny.ipynb", modified=1)
    put(tmp_path, "student-01/tiny-en/tiny.ipynb", modified=2)
    (submission,) = read([tmp_path], lesson)
    assert submission.name == "student-01/tiny-en/tiny.ipynb"
    assert len(submission.notices) == 1


@pytest.mark.parametrize("beside", ["tiny.ipynb", "tiny.py", "deeper/tiny.ipynb"])
def test_of_a_student_with_an_archive_beside_the_work_the_work_is_graded_with_a_notice(lesson, tmp_path, beside):
    put(tmp_path, f"student-01/tiny/{beside}", "student-01/tiny/work.zip", "student-02/tiny/tiny.ipynb")
    first, _ = read([tmp_path], lesson)
    assert (first.name, first.unreadable) == (f"student-01/tiny/{beside}", None)
    assert "not student-01/tiny/work.zip" in said(first.notices[0])


def zipped(files):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


@pytest.mark.parametrize("path", ["student-01/tiny/work.zip", "student-01/tiny.zip"])
def test_of_a_student_with_nothing_but_an_archive_the_notebook_in_it_is_graded_with_a_notice(lesson, tmp_path, path):
    put(tmp_path, path, content=zipped({"tiny/tiny.ipynb": HONEST, "tiny/a.py": b"", "attention.py": b""}))
    put(tmp_path, "student-02/tiny/tiny.ipynb")
    first, second = read([tmp_path], lesson)
    assert (first.name, first.student, second.student) == (f"{path}/tiny/tiny.ipynb", "student-01", "student-02")
    assert [cell.source for cell in first.cells] == [DOUBLE, HALVE]
    assert [said(notice) for notice in first.notices] == [f"The work was taken out of the archive {path}."]


@pytest.mark.parametrize(("content", "says"), [
    (b"PK", "archive is damaged"), (zipped({"notes.txt": b"x"}), "only notes.txt"), (zipped({}), "empty"),
    (zipped({"deeper.zip": zipped({"tiny.ipynb": HONEST})}), "only deeper.zip"),
    (zipped({"tiny.ipynb": b""}), "empty: 0 bytes"),
    (zipped({"../tiny.ipynb": HONEST}), "lead outside"),
])
def test_an_archive_without_a_readable_notebook_says_why(lesson, tmp_path, content, says):
    put(tmp_path, "student-01/tiny/work.zip", content=content)
    (submission,) = read([tmp_path], lesson)
    assert submission.student == "student-01"
    assert says in said(submission.unreadable)


def test_an_archive_is_opened_where_the_notebook_beside_it_cannot_be_read(lesson, tmp_path):
    put(tmp_path, "student-01/tiny/tiny.ipynb", content=b"")
    put(tmp_path, "student-01/tiny/work.zip", content=zipped({"tiny.ipynb": HONEST}))
    (submission,) = read([tmp_path], lesson)
    assert submission.name == "student-01/tiny/work.zip/tiny.ipynb"


def test_a_python_file_is_graded_where_the_notebook_beside_it_cannot_be_read(lesson, tmp_path):
    put(tmp_path, "student-01/tiny/tiny.ipynb", content=b"")
    put(tmp_path, "student-01/tiny/answers.py", content=f"{DOUBLE}\n\n# %%\n{HALVE}".encode())
    (submission,) = read([tmp_path], lesson)
    assert submission.name == "student-01/tiny/answers.py"
    assert "not student-01/tiny/tiny.ipynb" in said(submission.notices[0])


@pytest.mark.parametrize("name", ["tiny", "tiny.txt", "Kopie van tiny.json"])
def test_a_notebook_whose_suffix_was_taken_off_is_graded_with_a_notice(lesson, tmp_path, name):
    put(tmp_path, f"student-01/tiny/{name}", "student-02/tiny/tiny.ipynb", "student-02/tiny/tiny.txt")
    first, second = read([tmp_path], lesson)
    assert (first.name, first.unreadable, second.notices) == (f"student-01/tiny/{name}", None, ())
    assert f"called {name} instead of" in said(first.notices[0])


def test_a_copy_with_the_work_goes_before_an_untouched_notebook_with_the_right_name(lesson, tmp_path):
    untouched = data(notebook(*handed_in(*(f"def {name}(x):\n    raise NotImplementedError()"
                                           for name in ("double", "halve")))))
    put(tmp_path, "student-01/tiny/tiny.ipynb", content=untouched, modified=2)
    put(tmp_path, "student-01/tiny/tiny-Copy1.ipynb", modified=1)
    (submission,) = read([tmp_path], lesson)
    assert submission.name == "student-01/tiny/tiny-Copy1.ipynb"


def test_an_assignment_folder_of_its_own_gives_one_submission_whatever_the_names(lesson, tmp_path):
    put(tmp_path, "b.ipynb", "helper.py", modified=1)
    put(tmp_path, "a.ipynb", content=data(notebook(code("x = 1"))), modified=2)
    submission = read_folder(tmp_path, "student-01", lesson)
    assert (submission.name, submission.student) == ("b.ipynb", "student-01")
    assert "Of several files b.ipynb was graded, not a.ipynb" in said(submission.notices[0])


def test_what_was_refused_in_an_assignment_folder_is_said(lesson, tmp_path):
    put(tmp_path, "elsewhere.ipynb")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/tiny.ipynb").symlink_to(tmp_path / "elsewhere.ipynb")
    assert "links" in said(read_folder(tmp_path / "folder", "student-01", lesson).unreadable)
    put(tmp_path, "folder/other.ipynb")
    submission = read_folder(tmp_path / "folder", "student-01", lesson)
    assert (submission.unreadable, submission.name) == (None, "other.ipynb")
    assert "links" in said(submission.notices[0])


# --- names --------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("name", "student"), [
    ("a/b/student-01.ipynb", "student-01"), ("student.01.ipynb", "student.01"), ("student-01.ipynb.json", "student-01"),
    ("A.PY", "A"), ("no-suffix", "no-suffix"), (".ipynb", ".ipynb"),
    ("a\nb\x1b[31m.ipynb", "a\ufffdb\ufffd[31m"), ("evil\u202egnp.ipynb", "evil\ufffdgnp"),
    ("\udcff.ipynb", "\ufffd"), ("x" * 400 + ".ipynb", "x" * 299 + "…"),
])
def test_names_are_harmless(lesson, name, student):
    submission = read_bytes(name, HONEST, lesson)
    assert submission.student == student
    assert len(submission.name) <= 300
    assert submission.name.isprintable()
    submission.name.encode()


def test_a_file_name_that_is_not_utf8_is_read(lesson, tmp_path):
    with open(os.fsencode(tmp_path) + b"/\xff.ipynb", "wb") as file:
        file.write(HONEST)
    assert found(lesson, tmp_path) == [("\ufffd.ipynb", "\ufffd")]


def test_names_are_cut_at_their_cap_and_lists_after_twenty():
    assert [len(names.label("n" * size)) for size in (299, 300, 301, 999)] == [299, 300, 300, 300]
    assert names.listed(range(20)) == ", ".join(map(str, range(20)))
    assert names.listed(range(22)).endswith("19, … (+2)")
