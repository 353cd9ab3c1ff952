"""A new gradebook is a copy of one that nbgrader made; whatever is wrong with the copy, there is a gradebook."""
import shutil
import sqlite3
import threading
from pathlib import Path

import nbgrader.api
import pytest
from courses import LESSON, NOTEBOOK, SOURCE, new_course, rows
from notebooks import data
from test_gradebook import CELLS, NOTEBOOKS, SOURCES

from autograder.course.folder import Course
from autograder.judge.cache import folder as cache_folder
from autograder.nbgrader import empty_gradebook
from autograder.nbgrader.empty_gradebook import commands_on_path, put_empty_gradebook
from autograder.nbgrader.gradebook import GradebookWriter
from autograder.nbgrader.new_gradebook import asks_nbgrader, make_gradebook
from autograder.nbgrader.worth import course_lesson


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """A gradebook as all tests get it: the cache of this run has the empty one, or has it now."""
    path = tmp_path_factory.mktemp("made") / "copy.db"
    put_empty_gradebook(f"sqlite:///{path}")
    return path


@pytest.fixture
def cache(copy, tmp_path, monkeypatch) -> Path:
    """A cache folder with the empty gradebook, and nothing to make another one with."""
    folder = tmp_path / "cache" / "multihead-autograder"
    folder.mkdir(parents=True)
    kept, = cache_folder().glob("gradebook-*.db")
    shutil.copy(kept, folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(nbgrader.api, "get_alembic_version", None)
    return folder


def schema(path: Path) -> list[tuple]:
    with sqlite3.connect(path) as database:
        return [*sorted(database.execute("SELECT name, sql FROM sqlite_master")),
                *database.execute("SELECT version_num FROM alembic_version")]


def opened(path: Path) -> list[tuple]:
    """The courses in the gradebook after nbgrader has opened it."""
    with nbgrader.api.Gradebook(f"sqlite:///{path}", "a-course"):
        pass
    with sqlite3.connect(path) as database:
        return database.execute("SELECT id FROM course").fetchall()


@pytest.mark.slow
def test_it_is_what_nbgrader_makes(copy, tmp_path, monkeypatch):
    own = tmp_path / "own.db"
    with commands_on_path(), nbgrader.api.Gradebook(f"sqlite:///{own}", "a-course"):
        pass
    monkeypatch.setattr(nbgrader.api, "get_alembic_version", None)
    put_empty_gradebook(f"sqlite:///{tmp_path}/new.db?timeout=30")
    assert opened(tmp_path / "new.db") == [("a-course",)]
    assert schema(tmp_path / "new.db") == schema(copy) == schema(own)
    assert (tmp_path / "new.db").stat().st_mode == own.stat().st_mode
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.db", "own.db"]


@pytest.mark.slow
@pytest.mark.parametrize("damage", [lambda kept: kept.write_bytes(kept.read_bytes()[:-1]),
                                    lambda kept: kept.write_bytes(b""), Path.unlink])
def test_one_that_is_damaged_or_gone_is_made_again(cache, tmp_path, monkeypatch, damage):
    kept, = cache.glob("gradebook-*.db")
    damage(kept)
    monkeypatch.setattr(nbgrader.api, "get_alembic_version", lambda: "made-again")
    put_empty_gradebook(f"sqlite:///{tmp_path}/new.db")
    assert schema(tmp_path / "new.db")[-1] == ("made-again",)
    assert len(list(cache.glob("gradebook-*.db"))) == 1


@pytest.mark.slow
def test_another_version_of_nbgrader_has_another_one(cache, tmp_path, monkeypatch):
    monkeypatch.setattr(empty_gradebook, "version", lambda name: "0.9.99")
    monkeypatch.setattr(nbgrader.api, "get_alembic_version", lambda: "of-the-other")
    put_empty_gradebook(f"sqlite:///{tmp_path}/new.db")
    assert schema(tmp_path / "new.db")[-1] == ("of-the-other",)
    assert [path.name.split("-")[1] for path in sorted(cache.glob("gradebook-*.db"))][-1] == "0.9.99"


@pytest.mark.parametrize("there", [b"a gradebook", b""])
def test_what_is_there_stays(cache, tmp_path, there):
    (tmp_path / "gradebook.db").write_bytes(there)
    put_empty_gradebook(f"sqlite:///{tmp_path}/gradebook.db")
    assert (tmp_path / "gradebook.db").read_bytes() == there


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "sqlite:////nowhere/at/all/gradebook.db",
                                 "postgresql+psycopg://nobody@localhost/x"])
def test_what_is_not_a_file_to_make_is_left_to_nbgrader(cache, tmp_path, monkeypatch, url):
    monkeypatch.chdir(tmp_path)
    put_empty_gradebook(url)
    assert [path.name for path in tmp_path.iterdir()] == ["cache"]


def test_without_a_cache_there_is_a_gradebook_all_the_same(copy, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("a file where the folder should be")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(nbgrader.api, "get_alembic_version", lambda: "0")
    put_empty_gradebook(f"sqlite:///{tmp_path}/new.db")
    assert schema(tmp_path / "new.db")[:-1] == schema(copy)[:-1]


def test_where_none_can_be_made_nbgrader_says_why(cache, tmp_path):
    next(cache.glob("gradebook-*.db")).unlink()
    put_empty_gradebook(f"sqlite:///{tmp_path}/new.db")
    assert not (tmp_path / "new.db").exists()


def test_several_at_once_get_a_whole_one_each(cache, tmp_path):
    together = threading.Barrier(8)

    def put(number: int) -> None:
        together.wait()
        put_empty_gradebook(f"sqlite:///{tmp_path}/{number // 4}.db")
    threads = [threading.Thread(target=put, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert opened(tmp_path / "0.db") == opened(tmp_path / "1.db") == [("a-course",)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.db", "1.db", "cache"]


# --- with the assignment in it ------------------------------------------------------------------------------------

def no_nbgrader(*_: object) -> None:
    raise AssertionError("nbgrader was asked")


@pytest.fixture
def first(made_once, tmp_path, monkeypatch) -> Course:
    """A course whose gradebook nbgrader has just made, with a cache of its own; it will not make another one."""
    def make(folder: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
            put_empty_gradebook(f"sqlite:///{folder}/fills-the-cache.db")
            make_gradebook(new_course(folder / "first"), LESSON)
    shutil.copytree(made_once("first-of-its-notebook", make), tmp_path, dirs_exist_ok=True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(GradebookWriter, "_register", no_nbgrader)
    return Course.find(tmp_path / "first")


@pytest.mark.slow
def test_the_next_course_with_the_same_notebook_needs_no_nbgrader(first, tmp_path):
    second = new_course(tmp_path / "second")
    assert not asks_nbgrader(second, LESSON)
    make_gradebook(second, LESSON)
    mine, other = (course.root / "gradebook.db" for course in (first, second))
    for query in (CELLS, SOURCES, NOTEBOOKS):
        assert rows(other, query) == rows(mine, query) != []
    assert other.stat().st_mode == mine.stat().st_mode


@pytest.mark.parametrize("change", [
    lambda root: (root / "autograder.toml").write_text("[lessons.multihead.points]\nmerge_heads = 4\n"),
    lambda root: (root / NOTEBOOK).write_bytes(data(SOURCE).replace(b"Tinkering", b"Trying") + b"\n"),
    lambda root: (root / "nbgrader_config.py").open("a").write('\nc.SaveCells.enabled = True\n'),
], ids=["points", "notebook", "configuration"])
def test_a_course_that_differs_is_registered_by_nbgrader(first, tmp_path, change):
    new_course(tmp_path / "second")
    change(tmp_path / "second")
    second = Course.find(tmp_path / "second")
    lesson = course_lesson(second.root, LESSON)
    assert asks_nbgrader(second, lesson)
    with pytest.raises(AssertionError, match="nbgrader was asked"):
        make_gradebook(second, lesson)
    assert not (second.root / "gradebook.db").exists()


def test_what_is_kept_is_read_by_its_owner_alone_and_never_used_when_damaged(first, tmp_path):
    kept, = cache_folder().glob("registered-*.db")
    assert kept.stat().st_mode & 0o777 == 0o600
    kept.chmod(0o644)
    kept.write_bytes(kept.read_bytes()[:-1])
    assert asks_nbgrader(new_course(tmp_path / "second"), LESSON)
    assert not kept.exists()


def test_only_the_latest_are_kept(first):
    for number in range(empty_gradebook.KEPT + 3):
        empty_gradebook.keep(b"%d" % number, f"{empty_gradebook.REGISTERED}-{number}", 0o600)
    assert len(list(cache_folder().glob("registered-*.db"))) == empty_gradebook.KEPT
    assert len(list(cache_folder().glob("gradebook-*.db"))) == 1
