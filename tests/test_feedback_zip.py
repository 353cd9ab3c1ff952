"""`autograder feedback`: each learning environment, read by its own rules, gives each page to whom it is about."""
import re
import shutil
import zipfile
from pathlib import Path, PurePath

import pytest
from damage import honest, saved
from nbgrader.api import Gradebook
from test_collect import collect, download

from autograder import cli
from autograder.course.downloads import Downloads
from autograder.course.folder import Course
from autograder.course.lms import handed_in
from autograder.course.return_names import Who, places
from autograder.nbgrader.removal import mentions
from autograder.run.grade_course import grade_course

RIGHT = saved(honest())
PEOPLE = {"1234567": "Student One", "1234568": "Stúdent de Two", "1234569": "Three_de Student"}
PAGE = re.compile(rb"<h1>(\w+)</h1>")
MOODLE = {f"{name}_{number}_assignsubmission_file_/multihead.ipynb": number for number, name in PEOPLE.items()}
CANVAS = {"onestudent_1234567_900_multihead.ipynb": "1234567", "onestudent_1234567_901_attention.py": "1234567",
          "twostudentde_LATE_1234568_902_multihead-1.ipynb": "1234568", "three_1234569_903_99_my_work.ipynb": "1234569"}
BRIGHTSPACE = {f"397063-2557369 - {name} - Sep {day}, 2024 926 PM/multihead.ipynb": number
               for number, name in PEOPLE.items() for day in (9, 24)}


@pytest.fixture(scope="module")
def graded(made_once, generated):
    """A course whose work came from Moodle's zip, graded."""
    def make(folder: Path) -> None:
        course = Course.find(shutil.copytree(generated.root, folder / "course"))
        download(course, "moodle.zip", dict.fromkeys(MOODLE, RIGHT))
        with pytest.MonkeyPatch.context() as patch:
            collect(course, patch)
        grade_course(course.root, jobs=1)
    return made_once("feedback-zip", make) / "course"


@pytest.fixture
def course(graded, tmp_path, monkeypatch) -> Course:
    shutil.copytree(graded, tmp_path / "course")
    monkeypatch.chdir(tmp_path / "course")
    return Course.find(tmp_path / "course")


def zip_of(path: Path, names, **more: bytes) -> str:
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, RIGHT)
        for name, content in more.items():
            archive.writestr(name, content)
    return str(path)


def run(*arguments: str) -> int:
    return cli.run(["feedback", *arguments])


def written(path: str) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def about(page: bytes) -> str:
    """Whom a page is about, by its own heading."""
    return PAGE.search(page)[1].decode()


# --- how each learning environment reads a zip -----------------------------------------------------------------------

def moodle(files: dict[str, bytes], participants: set[int]) -> dict[str, tuple[str, bytes]]:
    """Participant -> file: four parts between underscores, of which the second is a number that it knows."""
    found = {}
    for path, content in files.items():
        parts = path.split("/")
        assert not parts[-1].startswith((".", "~"))
        while parts:
            info = parts.pop(0).split("_", 4)
            if len(info) >= 4 and info[1].isdecimal() and int(info[1]) in participants:
                assert info[2:4] == ["assignsubmission", "file"]
                found[info[1]] = "/".join([*info[4:], *parts]).lstrip("/"), content
                break
    return found


def canvas(files: dict[str, bytes], handed_in: dict[str, str]) -> dict[str, bytes]:
    """User -> file: the first two numbers between underscores are the user's and that of a file of theirs."""
    theirs = {tuple([part for part in name.split("_") if part.isdecimal()][:2]) for name in handed_in}
    found = {}
    for path, content in files.items():
        parts = [part for part in path.rpartition("/")[2].split("_") if part != "LATE"]
        user, attachment = [part for part in parts if part.isdecimal()][:2]
        assert (user, attachment) in theirs
        assert not parts[-1].startswith("link")
        found[user] = content
    return found


# --- the zips ---------------------------------------------------------------------------------------------------------

def test_moodle_gives_each_participant_their_own_page(course, capsys):
    assert run() == 0
    found = moodle(written("feedback-moodle.zip"), {int(number) for number in PEOPLE})
    assert {number: (name, about(page)) for number, (name, page) in found.items()} == {
        number: ("multihead.html", number) for number in PEOPLE}
    assert "feedback-moodle.zip: 3 pages. In Moodle: " in capsys.readouterr().out


def test_canvas_finds_the_file_that_was_handed_in_behind_every_page(course, tmp_path):
    assert run("--lms", "canvas", "--from", zip_of(tmp_path / "c.zip", CANVAS), "--output", "back.zip") == 0
    files = written("back.zip")
    assert {number: about(page) for number, page in canvas(files, CANVAS).items()} == {one: one for one in PEOPLE}
    assert set(files) == {f"{name}.html" for name in CANVAS if "attention" not in name}


def test_brightspace_gets_its_own_folders_of_the_last_attempt_and_its_own_index(course, tmp_path):
    inside = {"397063-2557369 - Student One - Sep 24, 2024 926 PM/index.html": b"a student's", "index.html": b"its own"}
    assert run("--from", zip_of(tmp_path / "b.zip", BRIGHTSPACE, **inside)) == 0
    files = written("feedback-brightspace.zip")
    assert files.pop("index.html") == b"its own"
    assert {path: about(page) for path, page in files.items()} == {
        f"{path.partition('/')[0]}/multihead.html": number for path, number in BRIGHTSPACE.items() if "Sep 24" in path}


def test_a_page_goes_back_with_the_mark_as_it_is_now(course):
    with Gradebook(course.db_url) as gradebook:
        gradebook.find_grade("test_split_heads", "multihead", "multihead", "1234567").manual_score = 1.37
        gradebook.db.commit()
    assert run() == 0
    pages = {about(page): page for page in written("feedback-moodle.zip").values()}
    assert re.search(rb"18[.,]37", pages["1234567"])
    assert not re.search(rb"18[.,]37", pages["1234568"])


# --- who is who -------------------------------------------------------------------------------------------------------

def test_who_is_not_in_the_download_is_named_and_everybody_else_gets_their_page(course, tmp_path, capsys):
    names = [name for name, number in MOODLE.items() if number != "1234568"]
    assert run("--from", zip_of(tmp_path / "m.zip", names)) == 1
    said = capsys.readouterr().err
    assert "1234568 (Stúdent de Two) is left out: nothing of theirs is in Moodle's download" in said
    assert sorted(map(about, written("feedback-moodle.zip").values())) == ["1234567", "1234569"]


def test_without_the_download_moodle_needs_only_the_numbers(course):
    shutil.rmtree("downloaded")
    assert run("--lms", "moodle") == 0
    found = moodle(written("feedback-moodle.zip"), {int(number) for number in PEOPLE})
    assert {number: about(page) for number, (_, page) in found.items()} == {number: number for number in PEOPLE}


@pytest.mark.parametrize("lms", ["canvas", "brightspace"])
def test_without_the_download_the_others_say_what_they_need(course, lms, capsys):
    shutil.rmtree("downloaded")
    assert run("--lms", lms) == 2
    said = capsys.readouterr().err
    assert f"1234567 (Student One) is left out: there is no download of {lms.capitalize()}" in said
    assert not Path(f"feedback-{lms}.zip").exists()


@pytest.mark.parametrize(("lms", "column", "numbers"), [
    ("moodle", "Identifier", [f"Participant {number}" for number in (71, 72, 73)]), ("canvas", "ID", (71, 72, 73))])
def test_a_roster_says_which_number_a_student_has_there(course, tmp_path, lms, column, numbers):
    rows = "".join(f"{student},{number}\n" for student, number in zip(PEOPLE, numbers, strict=True))
    Path("roster.csv").write_text(f"student,{column}\n{rows}")
    names = {"moodle": [f"Someone {number}_{number}_assignsubmission_file_/m.ipynb" for number in (71, 72, 73)],
             "canvas": [f"someone_{number}_{number}0_m.ipynb" for number in (71, 72, 73)]}[lms]
    assert run("--from", zip_of(tmp_path / "d.zip", names), "--roster", "roster.csv", "--output", "back.zip") == 0
    found = {re.search(r"_(\d+)_", name)[1]: about(page) for name, page in written("back.zip").items()}
    assert found == dict(zip(("71", "72", "73"), PEOPLE, strict=True))


def test_two_students_with_one_number_get_nothing_rather_than_each_others_page(course, capsys):
    Path("roster.csv").write_text("student,Identifier\n1234567,1234568\n")
    assert run("--roster", "roster.csv") == 1
    said = capsys.readouterr().err
    for student, other in (("1234567", "1234568"), ("1234568", "1234567")):
        assert f"{student} ({PEOPLE[student]}) is left out: 1234568 is also what {other} is called in Moodle" in said
    assert list(map(about, written("feedback-moodle.zip").values())) == ["1234569"]


def test_namesakes_in_brightspace_are_not_confused(course, tmp_path, capsys):
    names = [*BRIGHTSPACE, "11-2 - Student One - Sep 24, 2024 930 PM/multihead.ipynb"]
    assert run("--from", zip_of(tmp_path / "b.zip", names)) == 1
    assert "1234567 (Student One) is left out" in capsys.readouterr().err
    assert sorted(map(about, written("feedback-brightspace.zip").values())) == ["1234568", "1234569"]


def test_a_student_without_a_page_is_named(course, capsys):
    (course.root / "feedback" / "1234567" / "multihead.html").unlink()
    assert run() == 1
    assert "1234567 (Student One) is left out: there is no page in feedback/" in capsys.readouterr().err


@pytest.mark.parametrize(("arguments", "says"), [
    (["--lms", "canvas"], "the download is Moodle's, not Canvas's"),
    (["--output", "downloaded/multihead/archive/moodle.zip"], "is not overwritten"),
    (["--from", "gradebook.db"], "The zip archive is damaged"),
    (["--output", "nowhere/a.zip"], "cannot write nowhere/a.zip"),
    (["--roster", "nobody.csv"], "cannot read nobody.csv"),
    (["--section", "A"], "there is no section 'A'")])
def test_what_cannot_be_done_is_one_line_and_writes_nothing(course, arguments, says, capsys):
    before = Path("downloaded/multihead/archive/moodle.zip").read_bytes()
    assert run(*arguments) == 2
    said = capsys.readouterr().err
    assert says in said
    assert len(said.splitlines()) == 1
    assert Path("downloaded/multihead/archive/moodle.zip").read_bytes() == before
    assert not Path("feedback-moodle.zip").exists()


def test_a_zip_of_pages_is_listed_when_a_student_is_forgotten_whose_name_stands_only_in_a_page(course, tmp_path):
    assert run("--from", zip_of(tmp_path / "b.zip", BRIGHTSPACE)) == 0
    assert Path("feedback-brightspace.zip").resolve() in mentions(course, "1234567")
    assert Path("feedback-brightspace.zip").resolve() not in mentions(course, "7654321")


def test_the_zip_can_be_made_again(course):
    assert run() == 0
    first = Path("feedback-moodle.zip").read_bytes()
    assert run() == 0
    assert Path("feedback-moodle.zip").read_bytes() == first


def test_of_two_downloads_the_later_one_says_what_a_page_is_called():
    """Canvas looks at the number of the file, and the one of an earlier download may be gone."""
    files = {"0": "onestudent_340934_208490284_multihead.ipynb", "1": "onestudent_340934_208490111_multihead.ipynb"}
    theirs = handed_in(PurePath(download, name) for download, name in files.items())
    for later in files:
        found = Downloads(theirs, {download: float(download == later) for download in files}, {})
        named = places("canvas", [Who("onestudent", number="340934")], found, "multihead.html")
        assert named.places == {"onestudent": f"{files[later]}.html"}
