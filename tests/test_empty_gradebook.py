"""A new gradebook is a copy of one that nbgrader made; whatever is wrong with the copy, there is a gradebook."""
import shutil
import sqlite3
import threading
from pathlib import Path

import nbgrader.api
import pytest

from autograder.judge.cache import folder as cache_folder
from autograder.nbgrader import empty_gradebook
from autograder.nbgrader.empty_gradebook import commands_on_path, put_empty_gradebook


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
