"""Every entry of a folder, an archive or submitted/ is in exactly one list."""
from __future__ import annotations

import json
import os
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest
from courses import LESSON, class_of_roles, hand_in, released, run_nbgrader
from hypothesis import example, given, settings
from hypothesis import strategies as st
from notebooks import code, data, notebook

from autograder.cli import run
from autograder.course.folder import Course
from autograder.course.submitted import SubmittedFolder, submitted, work_folder
from autograder.intake import read_everything
from autograder.intake.archive import archive_listing
from autograder.intake.files import folder_listing, passed_by
from autograder.intake.layout import arranged
from autograder.locale.language import translate

WORK = data(notebook(code("def split_heads(x, heads):\n    return x")))
FOLDERS = ("student-01", "student-02", "multihead", "Multihead", "multihead-en", "layernorm", "week 5", "multihead (1)",
           ".ipynb_checkpoints", "__MACOSX", "student-01 ", "student-01.", "stud\u0435nt-01", "Zoe\u0308", "Zo\u00eb",
           "a\nstudent-02", "\u202e10-tneduts")
FILES = ("multihead.ipynb", "Multihead.ipynb", "multihead", "student-01.ipynb", "a.py", "attention.py", "essay.pdf",
         "work.zip", "data.csv", "notes.txt", "work.tar.gz", ".DS_Store", "student-01_1_2_multihead.json",
         "multihead.ipynb ", "multihead.\nipynb", "\u202ebpyni.daehitlum.ipynb",
         "Zoe\u0308.ipynb", "Zo\u00eb.ipynb")
PATHS = st.builds(lambda folders, name: "/".join([*folders, name]), st.lists(st.sampled_from(FOLDERS), max_size=4),
                  st.sampled_from((*FILES, *FOLDERS)))
TREES = st.lists(st.tuples(PATHS, st.sampled_from(("file", "folder", "link"))), max_size=12)


def made(top: Path, tree: list[tuple[str, str]]) -> Path:
    """The tree below this folder, without what finds something else in its place."""
    top.mkdir()
    for below, kind in tree:
        path = top / below
        if any(above.is_file() or above.is_symlink() for above in (path, *path.parents)):
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        if kind == "folder":
            path.mkdir(exist_ok=True)
        elif not path.exists():
            path.symlink_to(top) if kind == "link" else path.write_bytes(WORK)
    return top


def lies_in(top: Path) -> list[PurePosixPath]:
    """Each thing below this folder: links, files, empty folders, and what is hidden or a tool's as one thing."""
    found = []
    for entry in os.scandir(top):
        path = PurePosixPath(entry.name)
        if entry.is_dir(follow_symlinks=False) and not passed_by(entry.name):
            found += [path / below for below in lies_in(top / path)] or [path]
        else:
            found.append(path)
    return sorted(found)


@settings(max_examples=60)
@given(tree=TREES)
def test_the_lists_of_a_folder_add_up_to_what_lies_in_it(tree) -> None:
    with tempfile.TemporaryDirectory() as folder:
        top = made(Path(folder, "class"), tree)
        found = arranged(folder_listing(str(top)), (folder, "class"), LESSON)
        assert sorted(found.entries) == lies_in(top)


@settings(max_examples=60)
@given(tree=TREES)
@example(tree=[("student-01/multihead", "link")])
@example(tree=[("student-01/multihead.ipynb", "file"), ("student-01/multihead", "link")])
@example(tree=[("student-01", "link")])
def test_the_lists_of_submitted_add_up_to_what_lies_in_it(tree) -> None:
    with tempfile.TemporaryDirectory() as folder:
        top = made(Path(folder, "submitted"), tree)
        course = Course.find(Path(folder))
        found = SubmittedFolder(course).of(LESSON)
        assert sorted(found.entries) == lies_in(top)
        students = [work.student for work in found.works]
        assert len(students) == len(set(students))
        assert {work.student: top / work.folder for work in found.works} == {
            student: work_folder(course, student, "multihead") for student in students}


@settings(max_examples=40)
@given(paths=st.lists(PATHS, max_size=12, unique=True))
def test_the_lists_of_an_archive_add_up_to_what_is_in_it(paths) -> None:
    with tempfile.NamedTemporaryFile(suffix=".zip") as file:
        with zipfile.ZipFile(file, "w") as archive:
            for path in paths:
                archive.writestr(path, WORK)
        with archive_listing(file.name) as listing:
            found = arranged(listing, ("class",), LESSON)
            assert len(set(found.entries)) == len(found.entries)
            assert all(any(PurePosixPath(path).is_relative_to(entry) for entry in found.entries) for path in paths)


# --- folders and archives -----------------------------------------------------------------------------------------

def put(folder: Path, **files: bytes) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


@pytest.mark.parametrize("name", ["student-02_102_5002_IMG_2201.jpg", "Jo_7_assignsubmission_file_/IMG_2201.HEIC",
                                  "101-202 - Jo - 5 March 2026 2005/photo.png"])
def test_a_picture_from_a_learning_environment_is_somebodys_work(tmp_path, name) -> None:
    put(tmp_path / "class", **{"student-01_1_2_multihead.ipynb": WORK, name: b"\xff\xd8\xff\xe0", "logo.png": b"x"})
    submissions, left = read_everything([tmp_path / "class"], [LESSON])
    assert [one.unreadable is None for one in submissions].count(False) == 1
    assert [each.path for each in left] == ["logo.png"]


FLAT = {"student-01_101_5001_multihead.ipynb": WORK, "student-02_102_5002_multihead.ipynb.txt": WORK,
        "student-03_103_5003_multihead.pdf": b"%PDF-1.4\n", "student-04_104_5004_multihead.docx": b"PK\x03\x04",
        "student-05_105_5005_multihead.qmd": b"# Multi-head\n", "student-06_106_5006_multihead.json": WORK,
        "student-07_107_5007_multihead": WORK, "student-08_108_5008_multihead.tar.gz": b"\x1f\x8b",
        "student-10_110_5010_multihead.rar": b"Rar!"}


@pytest.mark.parametrize("zipped", [False, True])
def test_each_file_of_a_download_is_graded_or_named(tmp_path, zipped) -> None:
    path = put(tmp_path / "flat", **FLAT, **{"README.md": b"x", "settings.json": b"{}"})
    if zipped:
        with zipfile.ZipFile(path := tmp_path / "flat.zip", "w") as archive:
            for file in (tmp_path / "flat").iterdir():
                archive.write(file, file.name)
    submissions, left = read_everything([path], [LESSON])
    unread = {one.student[:10]: translate(one.unreadable, "en") for one in submissions if one.unreadable is not None}
    assert len(submissions) == len(FLAT)
    assert unread.keys() == {f"student-{number:02}" for number in (3, 4, 5, 8, 10)}
    assert "PDF" in unread["student-03"]
    assert "quarto convert" in unread["student-05"]
    assert sorted((each.path, each.asks) for each in left) == [("README.md", False), ("settings.json", False)]


@pytest.mark.integration
def test_a_zip_with_eight_thousand_members_is_checked_to_its_end(tmp_path, capsys) -> None:
    names = [f"folder-{number % 50}/file-{number}.txt" for number in range(8_000)]
    with zipfile.ZipFile(tmp_path / "many.zip", "w") as archive:
        for name in ("multihead.ipynb", *names):
            archive.writestr(name, WORK if name == "multihead.ipynb" else b"x")
    assert run(["check", str(tmp_path / "many.zip"), "--json", "-"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["submission"] for line in lines if line["status"] == "graded"] == ["multihead.ipynb"]
    assert sorted(line["submission"] for line in lines if line["status"] == "not_looked_at") == sorted(names)


def test_a_document_beside_the_notebook_of_the_same_student_is_not_another_submission(tmp_path) -> None:
    put(tmp_path, **{"student-01.ipynb": WORK, "student-01.pdf": b"%PDF", "student-02_1_2_multihead.ipynb": WORK,
                     "student-02_1_3_report.docx": b"PK", "student-03.pdf": b"%PDF"})
    submissions, left = read_everything([tmp_path], [LESSON])
    assert [one.student for one in submissions] == ["student-01", "student-02_1_2_multihead", "student-03"]
    assert [(each.path, each.asks) for each in left] == [("student-01.pdf", False),
                                                         ("student-02_1_3_report.docx", False)]


# --- submitted/ ---------------------------------------------------------------------------------------------------

@pytest.fixture
def course(tmp_path) -> Course:
    return class_of_roles(tmp_path, ["right"])


def lists(course: Course) -> tuple[dict[str, str], dict[str, bool]]:
    found = SubmittedFolder(course).of(LESSON)
    return {work.student: work.folder for work in found.works}, {each.path: each.asks for each in found.left}


@pytest.mark.parametrize(("below", "place"), [
    ("Multihead/multihead.ipynb", "student-20/Multihead"), ("multihead-en/multihead.ipynb", "student-20/multihead-en"),
    ("multihead.ipynb", "student-20"), ("multihead (1)/multihead.ipynb", "student-20/multihead (1)"),
    ("MULTI_HEAD/work.zip", "student-20/MULTI_HEAD"), ("multihead (2).ipynb", "student-20")])
def test_what_is_plainly_the_work_is_graded_from_another_place_with_a_notice(course, below, place) -> None:
    put(course.root / "submitted/student-20", **{below: WORK, "layernorm/layernorm.ipynb": WORK})
    assert lists(course) == ({"student-01": "student-01/multihead", "student-20": place}, {})
    assert work_folder(course, "student-20", "multihead") == course.root / "submitted" / place


@pytest.mark.parametrize(("below", "named"), [
    ("student-20.ipynb", "student-20.ipynb"), ("klas-a/student-20/multihead/multihead.ipynb",) * 2,
    ("student-20/week5/multihead.ipynb",) * 2, ("student-20/essay.pdf",) * 2, ("student-20/Untitled.ipynb",) * 2,
    ("class.zip",) * 2, ("student-20.tar.gz",) * 2])
def test_what_may_be_somebodys_work_is_named_with_the_place_where_work_is_looked_for(course, below, named) -> None:
    put(course.root / "submitted", **{below: WORK})
    found = SubmittedFolder(course).of(LESSON)
    (left,) = found.left
    assert (left.asks, len(found.works)) == (True, 1)
    assert f"{left.path} {translate(left.why, 'en')}".count(named)
    assert "/multihead/" in translate(left.why, "en")


def test_what_is_nobodys_work_asks_nothing(course) -> None:
    put(course.root / "submitted", **{"README.md": b"x", "student-20/hw1/hw1.ipynb": WORK,
                                      "student-21/notes.txt": b"x"})
    (course.root / "submitted/student-22").mkdir()
    assert lists(course)[1] == {"README.md": False, "student-20/hw1": False, "student-21/notes.txt": False,
                                "student-22": False}
    (course.root / "source").mkdir()
    course.path("source", ".", "hw1").mkdir(parents=True)
    assert "student-20/hw1" not in lists(course)[1]


def test_work_beside_the_assignments_own_folder_is_named_not_graded(course) -> None:
    put(course.root / "submitted/student-01", **{"Multihead/multihead.ipynb": WORK})
    assert lists(course) == ({"student-01": "student-01/multihead"}, {"student-01/Multihead": True})


@pytest.mark.parametrize("name", ["student-20/multihead.ipynb.icloud", "student-20/IMG_1.HEIC", "photo.jpg",
                                  "student-20/multihead.ipynb.crdownload"])
def test_what_comes_in_the_place_of_a_notebook_is_asked_about(course, name) -> None:
    put(course.root / "submitted", **{name: b"x"})
    assert lists(course)[1] == {name: True}


@pytest.mark.parametrize("name", ["notes.ipynb", "multihead.ipynb", "verslag.qmd"])
def test_nothing_is_called_graded_that_could_not_be_read(course, name) -> None:
    put(course.root / "submitted/student-20", **{f"multihead-en/{name}": b"", "multihead-en/more.ipynb": b""})
    submission = submitted(course, LESSON, "student-20")
    assert submission.unreadable is not None
    assert not [notice for notice in submission.notices if "graded" in translate(notice, "en")]


@pytest.mark.parametrize(("name", "says"), [("multihead.qmd", "quarto convert multihead.qmd"),
                                            ("multihead.tar.gz", "a zip is the only archive that is opened"),
                                            ("multihead.ipynb.crdownload", "did not finish")])
def test_a_student_is_told_what_to_hand_in_instead(course, name, says) -> None:
    put(course.root / "submitted/student-20", **{f"multihead/{name}": b"x"})
    assert says in translate(submitted(course, LESSON, "student-20").unreadable, "en")


def test_an_empty_folder_with_the_right_name_does_not_hide_the_work(course) -> None:
    put(course.root / "submitted/student-20", **{"multihead/.ipynb_checkpoints/multihead-checkpoint.ipynb": WORK,
                                                  "Multihead/multihead.ipynb": WORK})
    assert lists(course)[0]["student-20"] == "student-20/Multihead"


@pytest.mark.parametrize(("name", "says"), [
    (".ipynb_checkpoints/multihead-checkpoint.ipynb", "copies that Jupyter makes"),
    (".multihead.ipynb.icloud", "cloud drive"), ("multihead.ipynb.url", "cloud drive")])
def test_a_folder_without_the_notebook_says_what_is_there_instead(course, name, says) -> None:
    from autograder.course.submitted import submitted
    put(course.root / "submitted/student-30/multihead", **{name: WORK})
    assert says in translate(submitted(course, LESSON, "student-30").unreadable, "en")


def test_the_command_grades_names_and_writes_all_of_it(course, monkeypatch, capsys) -> None:
    monkeypatch.chdir(course.root)
    put(course.root / "submitted", **{"student-20/Multihead/multihead.ipynb": WORK, "student-23.ipynb": WORK,
                                      "README.md": b"x"})
    options = ["--lesson", "multihead-en", "--lang", "en", "--json", "grades.jsonl", "--log", "log.jsonl"]
    assert run(["grade", *options]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "1 not looked at: student-23.ipynb It lies beside the students' folders. Put it into student-23/multihead/" \
        in said
    lines = [json.loads(line) for line in Path("grades.jsonl").read_text().splitlines()]
    assert [(line["submission"], line["status"]) for line in lines] == [
        ("student-01/multihead/multihead.ipynb", "graded"), ("student-20/Multihead/multihead.ipynb", "graded"),
        ("README.md", "not_looked_at"), ("student-23.ipynb", "not_looked_at")]
    assert lines[0].keys() == lines[3].keys()
    assert any("found in student-20/Multihead/" in notice for notice in lines[1]["notices"])
    assert "student-23.ipynb" in Path("log.jsonl").read_text()
    page = Path("report.html").read_text()
    assert "Not looked at" in page
    assert "student-23.ipynb" in page
    assert run(["report", "grades.jsonl", "--output", "of-file.html"]) == 0
    assert "student-23.ipynb" in Path("of-file.html").read_text()
    assert run(["report", "--anonymous"]) == 0
    assert "student-23" not in Path("report-anonymous.html").read_text()
    capsys.readouterr()
    assert run(["diff"]) == 1
    assert "student-23.ipynb is not looked at" in capsys.readouterr().out


@pytest.mark.slow
def test_nbgrader_refuses_the_name_of_an_edition_in_one_line(course) -> None:
    from nbgrader.converters import Autograde
    from nbgrader.converters.base import NbGraderException
    hand_in(course, "student-20", released())
    os.rename(course.root / "submitted/student-20/multihead", course.root / "submitted/student-20/multihead-en")
    said: list[str] = []
    with pytest.raises(NbGraderException, match="is an edition of multihead"):
        run_nbgrader(Autograde, course, assignment="multihead-en", said=said)
    assert len(said) == 1
