"""The synthetic class: what is in it, that it is the same again, and that it never takes a folder from anyone."""
from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from sampled import by_turns

from autograder.authoring.demo import MARKER, make_class
from autograder.authoring.demo.cast import ROLES, Cast, Work
from autograder.authoring.demo.notebooks import Assignment, as_bytes
from autograder.intake import read, read_bytes
from autograder.judge.engine import Engine, Limits
from autograder.lessons.installed import load_lesson
from autograder.records import Grade, Submission

LESSON = load_lesson("multihead")
ASSIGNMENT = Assignment.of(LESSON)
FUNCTIONS = ASSIGNMENT.own[:4]
MISTAKES = [mistake for mistake in LESSON.mistakes if mistake.advice is None]
EngineWith = Callable[[Limits], Engine]


def content(folder: Path) -> dict[str, bytes]:
    """Every file below the folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def role(name: str, seed: int = 0) -> Work:
    """What a student in this role hands in."""
    return getattr(Cast(ASSIGNMENT, random.Random(seed)), f"_{name}")()


def submission_of(work: Work) -> Submission:
    name, data = next(iter(work.items()))
    return read_bytes(name, data, LESSON)


def points(grade: Grade) -> dict[str, float | None]:
    return {exercise.name: exercise.points for exercise in grade.exercises}


# --- the folder ---------------------------------------------------------------------------------------------------

def test_a_class_is_laid_out_as_nbgrader_has_it(tmp_path: Path) -> None:
    make_class(tmp_path / "class", 12)
    assert (tmp_path / "class/nbgrader_config.py").exists()
    assert (tmp_path / "class/assignments/multihead/multihead.ipynb").exists()
    students = sorted((tmp_path / "class/submitted").iterdir())
    assert [student.name for student in students] == [f"student-{number:02}" for number in range(1, 13)]
    for student in students:
        names = {path.name for path in (student / "multihead").iterdir()}
        assert {"attention.py", "timestamp.txt"} < names
        assert names & {"multihead.ipynb", "multihead (1).ipynb"}
        assert (student / "multihead/timestamp.txt").read_text().endswith(" UTC\n")


@pytest.mark.slow
def test_every_student_is_read_as_one_submission(tmp_path: Path) -> None:
    make_class(tmp_path / "class", 30)
    submissions = list(read([tmp_path / "class"], LESSON))
    assert [one.student for one in submissions] == [f"student-{number:02}" for number in range(1, 31)]
    assert sum(one.unreadable is not None for one in submissions) == 2      # cut off, and empty


def test_the_same_seed_makes_the_same_class(tmp_path: Path) -> None:
    for name, seed in (("one", 7), ("two", 7), ("other", 8)):
        make_class(tmp_path / name, 8, seed)
    assert content(tmp_path / "one") == content(tmp_path / "two")
    assert content(tmp_path / "one") != content(tmp_path / "other")


@pytest.mark.slow
def test_names_sort_by_number_in_a_large_class(tmp_path: Path) -> None:
    make_class(tmp_path / "class", 101)
    names = sorted(path.name for path in (tmp_path / "class/submitted").iterdir())
    assert (names[0], names[-1]) == ("student-001", "student-101")


def test_an_earlier_demo_is_made_anew(tmp_path: Path) -> None:
    make_class(tmp_path, 5)
    (tmp_path / "autograded/student-05").mkdir(parents=True)
    (tmp_path / "gradebook.db").write_bytes(b"")
    make_class(tmp_path, 3)
    assert len(list((tmp_path / "submitted").iterdir())) == 3
    assert not (tmp_path / "autograded").exists()
    assert not (tmp_path / "gradebook.db").exists()


def test_a_folder_with_anything_else_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "submitted/student-01").mkdir(parents=True)
    (tmp_path / "notes.txt").write_text("mine")
    before = content(tmp_path)
    for kind in (FileExistsError, ValueError):          # the command line catches the one, callers the other
        with pytest.raises(kind, match="is not empty and was not made by `autograder demo`"):
            make_class(tmp_path, 3)
    assert content(tmp_path) == before


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "class").write_text("mine")
    with pytest.raises(ValueError, match="class is not a folder"):
        make_class(tmp_path / "class", 3)


def test_what_a_link_in_an_earlier_demo_points_at_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/work.txt").write_text("mine")
    make_class(tmp_path / "class", 1)
    (tmp_path / "class/feedback").symlink_to(tmp_path / "mine")
    make_class(tmp_path / "class", 1)
    assert (tmp_path / "mine/work.txt").read_text() == "mine"
    assert (tmp_path / "class" / MARKER).exists()


# --- the notebooks ------------------------------------------------------------------------------------------------

def test_no_solution_and_no_hidden_test_is_in_an_untouched_notebook() -> None:
    notebook = json.loads(role("untouched")["multihead.ipynb"])
    text = "\n".join(cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code")
    assert text.count("raise NotImplementedError()") == 5
    assert not any(word in text for word in ("BEGIN", "END", "swapaxes(1, 2)", "import points"))


def when(place: int) -> pytest.MarkDecorator | tuple[()]:
    """One of twelve always, one of four in `test-all`: the proof tries them all, outside a notebook."""
    return pytest.mark.integration if place % 4 else pytest.mark.slow if place % 24 else ()


@pytest.mark.parametrize("mistake", [pytest.param(mistake, id=mistake.id, marks=when(place))
                                     for place, mistake in enumerate(MISTAKES)])
def test_a_mistake_in_the_stubs_costs_its_own_exercises(mistake, engine_with: EngineWith) -> None:
    notebook = ASSIGNMENT.filled(mistake.make(LESSON.reference_source), left=("own_test",))
    grade = engine_with(Limits()).grade(read_bytes("multihead.ipynb", as_bytes(notebook), LESSON))
    lost = {exercise.name for exercise in grade.exercises if exercise.points < exercise.max_points}
    assert lost == {*mistake.exercises, "own_test"}


@pytest.mark.parametrize("name", ["right", "stripped", "renamed"])
@pytest.mark.parametrize("seed", by_turns(range(3), 3, 1))
def test_a_right_solution_keeps_its_points_whatever_happened_to_the_file(name: str, seed: int,
                                                                         engine_with: EngineWith) -> None:
    grade = engine_with(Limits()).grade(submission_of(role(name, seed)))
    assert [points(grade)[function] for function in FUNCTIONS] == [3, 2, 5, 7]


@pytest.mark.parametrize("name", ["untouched", "prints_its_marks"])
def test_nothing_is_worth_nothing_whatever_it_prints(name: str, engine_with: EngineWith) -> None:
    grade = engine_with(Limits()).grade(submission_of(role(name)))
    assert (grade.status, grade.points) == ("graded", 0)


def test_who_ends_the_process_gets_what_was_written(engine_with: EngineWith) -> None:
    grade = engine_with(Limits()).grade(submission_of(role("ends_the_process")))
    assert grade.status == "graded"
    assert (points(grade)["multihead"], points(grade)["own_test"]) == (0, 0)


@pytest.mark.parametrize("name", ["cut_off", "empty"])
def test_damaged_files_cannot_be_read(name: str) -> None:
    assert submission_of(role(name)).unreadable is not None


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_two_mistakes_are_made_in_different_exercises(seed: int, engine_with: EngineWith) -> None:
    grade = engine_with(Limits()).grade(submission_of(role("two_mistakes", seed)))
    lost = [exercise for exercise in grade.exercises[:4] if exercise.points < exercise.max_points]
    assert len(lost) >= 2


@pytest.mark.slow
def test_a_lesson_with_one_exercise_has_a_class_too() -> None:
    lesson = replace(LESSON, exercises=LESSON.exercises[:1], sample_tests=())
    vars(lesson)["mistakes"] = tuple(one for one in MISTAKES if one.exercises == ("split_heads",))
    cast = Cast(replace(ASSIGNMENT, lesson=lesson, own=("split_heads",)), random.Random(0))
    assert len(cast.works(len(ROLES))) == len(ROLES)


def test_a_small_class_is_a_mixed_one_and_thirty_have_every_role() -> None:
    assert len(ROLES) == 30
    assert len(set(ROLES[:6])) == 5
    assert all(callable(getattr(Cast, f"_{name}")) for name in ROLES)
