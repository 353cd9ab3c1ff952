"""Several lessons in one installation and in one course: each its own, and none in the way of another."""
from __future__ import annotations

import ast
import csv
import io
import json
import os
import shutil
from fractions import Fraction
from pathlib import Path

import pytest
from courses import as_stock, class_of_roles, rows, run_nbgrader
from nbgrader.converters import Autograde, GenerateAssignment
from test_gradebook import COMMENTS, GRADES, SUBMITTED

from autograder.cli import run
from autograder.course.folder import Course
from autograder.intake import apart, read, read_any, submission
from autograder.lessons import DEFAULT
from autograder.lessons.installed import lesson_called, lesson_names, load_lesson
from autograder.lessons.kit.course_file import course_file
from autograder.lessons.kit.lesson import Lesson
from autograder.nbgrader import kernel
from autograder.run.grade_course import grade_course

LESSONS = [load_lesson(name) for name in lesson_names()]
BOTH = [load_lesson(name) for name in ("multihead", "layernorm")]      # of the course below; others may be taught
ROLES = ("right", "one_mistake", "half_finished", "untouched")
PACKAGE = Path(kernel.__file__).parents[1]
each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
each_of_both = pytest.mark.parametrize("lesson", BOTH, ids=lambda lesson: lesson.name)


# --- a lesson is data ---------------------------------------------------------------------------------------------

def test_the_default_lesson_comes_first() -> None:
    assert lesson_names()[0] == DEFAULT
    assert {"multihead", "layernorm"} <= set(lesson_names())


@each_lesson
def test_the_checks_of_an_exercise_add_up_to_its_points(lesson: Lesson) -> None:
    for exercise in lesson.exercises:
        assert sum((check.points for check in exercise.checks), Fraction(0)) == exercise.points, exercise.name


@each_lesson
def test_a_check_needs_checks_that_exist_and_pay_by_themselves(lesson: Lesson) -> None:
    for exercise in lesson.exercises:
        names = [check.name for check in exercise.checks]
        assert len(names) == len(set(names))
        free = {check.name for check in exercise.checks if not check.needs}
        for check in exercise.checks:
            assert set(check.needs) <= free, check.name


def engine_files() -> list[Path]:
    """Every file of the package that belongs to no lesson."""
    return [path for path in PACKAGE.rglob("*.py") if "lessons" not in path.parts and "_course" not in path.parts]


@pytest.mark.slow
@each_lesson
def test_the_engine_names_no_lesson(lesson: Lesson) -> None:
    for path in engine_files():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.Constant) and node.value == lesson.name), path


@pytest.mark.slow
@each_lesson
def test_the_engine_names_no_function_of_a_lesson(lesson: Lesson) -> None:
    """Names in strings and in code; a docstring may give an example."""
    names = {exercise.name for exercise in lesson.exercises} - {"own_test", lesson.name}
    for path in engine_files():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.Name) and node.id in names), path
            assert not (isinstance(node, ast.Constant) and node.value in names), path


def functions(folder: Path) -> dict[str, str]:
    """The body of every function of some length below this folder, by its own text -> where it stands."""
    found = {}
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and len(ast.unparse(node).splitlines()) > 5:
                body = node.body[ast.get_docstring(node) is not None:]
                found["\n".join(map(ast.unparse, body))] = f"{path.relative_to(folder)}: {node.name}"
    return found


@pytest.mark.slow
def test_no_lesson_repeats_a_function_of_another_one() -> None:
    seen: dict[str, str] = {}
    for name in [*lesson_names(), "shared"]:
        own = functions(PACKAGE / "lessons" / name)
        assert {body: where for body, where in own.items() if body in seen} == {}
        seen |= own


def test_a_lesson_is_found_by_its_own_name_and_by_those_of_its_assignments() -> None:
    assert [lesson_called(name) for name in ("multihead", "layernorm", "layernorm-en")] == [
        "multihead", "layernorm", "layernorm"]
    with pytest.raises(ValueError, match="there is no lesson 'layer_norm'; there are: .*layernorm-en"):
        lesson_called("layer_norm")


# --- whose work it is ---------------------------------------------------------------------------------------------

def lessons_of(folder: Path) -> dict[str, str]:
    return {submission.name: submission.lesson for submission in read_any([folder], LESSONS)}


def test_a_submission_is_work_for_the_lesson_whose_functions_it_defines(tmp_path: Path) -> None:
    for lesson in BOTH:
        shutil.copy(course_file(lesson.reference), tmp_path / f"{lesson.name}-by-student-01.py")
    (tmp_path / "neither.py").write_text("a = 1\n")
    assert lessons_of(tmp_path) == {
        "layernorm-by-student-01.py": "layernorm", "multihead-by-student-01.py": "multihead", "neither.py": DEFAULT}


def test_the_given_module_of_one_lesson_is_no_submission_for_another(tmp_path: Path) -> None:
    shutil.copy(course_file("solutions/multihead.py"), tmp_path)
    shutil.copy(course_file("assignments/multihead/attention.py"), tmp_path)
    assert lessons_of(tmp_path) == {"multihead.py": "multihead"}


def test_each_file_is_loaded_and_parsed_once_for_all_lessons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever lies where for each of the lessons: among students' folders, loose, given, or in an archive."""
    released = course_file("assignments/layernorm-en/layernorm.ipynb")
    for place in ("student-01/multihead/multihead.ipynb", "student-02/layernorm/layernorm.ipynb", "work.ipynb"):
        (tmp_path / "class" / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(released, tmp_path / "class" / place)
    shutil.copy(course_file("assignments/multihead/attention.py"), tmp_path / "class")
    shutil.make_archive(str(tmp_path / "class-zip"), "zip", tmp_path / "class")
    shutil.copy(released, tmp_path / "alone.ipynb")
    parsed: list[bytes] = []
    monkeypatch.setattr(apart, "each", lambda read, kind, seconds: read())     # in this process, which can count
    monkeypatch.setattr(submission, "_cells", lambda name, data, parse=submission._cells: (
        parsed.append(data) or parse(name, data)))
    paths = [tmp_path / "class", tmp_path / "class-zip.zip", tmp_path / "alone.ipynb"]
    found = [(each.name, each.lesson) for each in read_any(paths, LESSONS)]
    assert len(parsed) == 9, len(parsed)                # four files twice, and one
    alone = [[(each.name, each.lesson) for each in read_any(paths, [lesson])] for lesson in LESSONS]
    assert {name for name, _ in found} <= {name for each in alone for name, _ in each}


def test_what_another_lesson_finds_does_not_change_the_order(tmp_path: Path) -> None:
    for place in ("student-01/multihead/work.py", "student-02/layernorm/work.py", "z/multihead/work.py"):
        (tmp_path / place).parent.mkdir(parents=True)
        shutil.copy(course_file("solutions/layernorm.py"), tmp_path / place)
    expected = [each.name for each in read([tmp_path], BOTH[0])]
    assert list(lessons_of(tmp_path))[:len(expected)] == expected


def test_an_untouched_notebook_is_work_for_its_own_lesson(tmp_path: Path) -> None:
    shutil.copy(course_file("assignments/layernorm-en/layernorm.ipynb"), tmp_path / "homework.ipynb")
    assert lessons_of(tmp_path) == {"homework.ipynb": "layernorm"}


def test_an_empty_file_is_work_for_the_lesson_whose_notebook_has_its_name(tmp_path: Path) -> None:
    (tmp_path / "layernorm.ipynb").write_bytes(b"")
    assert lessons_of(tmp_path) == {"layernorm.ipynb": "layernorm"}


# --- a course with both -------------------------------------------------------------------------------------------

@pytest.fixture(scope="session")
def both(generated: Course, made_once) -> Path:
    """One class with both lessons: handed_in/ as it came, graded/ by us."""
    def make(folder: Path) -> None:
        course = Course.find(shutil.copytree(generated.root, folder / "handed_in"))
        run_nbgrader(GenerateAssignment, course, assignment="layernorm")
        for lesson in BOTH:
            class_of_roles(course.root, ROLES, lesson)
        shutil.copytree(course.root, folder / "graded")
        for lesson in BOTH:
            grade_course(folder / "graded", lesson=lesson.name)
    return made_once("both", make)


@pytest.fixture
def course(both: Path, tmp_path: Path) -> Course:
    """The class, graded."""
    return Course.find(shutil.copytree(both / "graded", tmp_path / "graded"))


@pytest.fixture(scope="session")
def by_nbgrader(both: Path, made_once) -> Path:
    """The class graded by nbgrader with our hook."""
    def make(folder: Path) -> None:
        course = Course.find(shutil.copytree(both / "handed_in", folder / "course"))
        for lesson in BOTH:
            run_nbgrader(Autograde, course, assignment=lesson.name)
    return made_once("both-by-nbgrader", make) / "course" / "gradebook.db"


@pytest.fixture(scope="session")
def by_nbgrader_alone(both: Path, made_once) -> Path:
    """Its layernorm graded by nbgrader without us; test_three_ways does so with multihead."""
    def make(folder: Path) -> None:
        course = as_stock(Course.find(shutil.copytree(both / "handed_in", folder / "course")))
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PYTHONPATH", str(PACKAGE.parent))
            run_nbgrader(Autograde, course, assignment="layernorm")
    return made_once("both-by-nbgrader-alone", make) / "course" / "gradebook.db"


OF_LAYERNORM = "WHERE submitted_assignment.assignment_id = (SELECT id FROM assignment WHERE name = 'layernorm')"
ASSIGNMENTS = """
    SELECT assignment.name, COUNT(DISTINCT student_id), SUM(auto_score) FROM grade
    JOIN submitted_notebook ON submitted_notebook.id = grade.notebook_id
    JOIN submitted_assignment ON submitted_assignment.id = submitted_notebook.assignment_id
    JOIN assignment ON assignment.id = submitted_assignment.assignment_id GROUP BY assignment.name"""


@pytest.mark.slow
def test_one_gradebook_has_both_assignments_with_all_students(course: Course) -> None:
    found = rows(course.root / "gradebook.db", ASSIGNMENTS)
    assert [(name, students) for name, students, _ in found] == [("layernorm", 4), ("multihead", 4)]
    assert all(points > 0 for *_, points in found)


@pytest.mark.slow
@pytest.mark.parametrize("query", [GRADES, SUBMITTED], ids=["grades", "notebooks"])
def test_nbgrader_comes_to_the_same_rows_with_the_engine(course, by_nbgrader, query) -> None:
    ours = rows(course.root / "gradebook.db", query)
    assert ours != []
    assert rows(by_nbgrader, query) == ours


@pytest.mark.integration
@pytest.mark.parametrize("query", [GRADES, SUBMITTED], ids=["grades", "notebooks"])
def test_nbgrader_comes_to_the_same_rows_with_its_own_kernel(course, by_nbgrader_alone, query) -> None:
    ours, stock = (rows(gradebook, f"{query} {OF_LAYERNORM}")
                   for gradebook in (course.root / "gradebook.db", by_nbgrader_alone))
    assert len({student for student, *_ in ours}) == len(ROLES)
    assert stock == ours


@pytest.mark.slow
def test_the_gradebook_says_why_in_both(course: Course) -> None:
    solutions = {row[1] for row in rows(course.root / "gradebook.db", COMMENTS)}
    assert {"layer_norm", "layer_norm_backward", "split_heads"} <= solutions


@pytest.mark.slow
@each_of_both
def test_every_student_has_a_page_of_feedback_for_each_lesson(course: Course, lesson: Lesson) -> None:
    for number in range(1, len(ROLES) + 1):
        page = course.path("feedback", f"student-{number:02}", lesson.name).with_suffix(".html")
        assert lesson.exercises[0].name in page.read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_second_run_knows_both(course: Course) -> None:
    root = course.root
    store, before = root / ".autograder" / "store.db", rows(root / "gradebook.db", GRADES)
    grades = rows(store, "SELECT * FROM grade")
    for lesson in BOTH:
        grade_course(root, lesson=lesson.name)
    assert rows(root / "gradebook.db", GRADES) == before
    assert rows(store, "SELECT * FROM grade") == grades
    assert len(grades) == len(BOTH) * len(ROLES)


@pytest.mark.slow
@each_of_both
def test_an_export_holds_one_lesson_and_reads_back(course, lesson: Lesson, monkeypatch, capsys) -> None:
    monkeypatch.chdir(course.root)
    assert run(["export", "--format", "csv", "--lesson", lesson.name]) == 0
    marks = list(csv.DictReader(io.StringIO(capsys.readouterr().out.lstrip("\ufeff"))))
    assert [row["student"] for row in marks] == [f"student-{number:02}" for number in range(1, 5)]
    assert {row["lesson"] for row in marks} == {lesson.name}
    assert float(marks[0]["points"]) <= lesson.points == float(marks[0]["max_points"])
    for row in marks:
        assert sum(float(row[exercise.name]) for exercise in lesson.exercises) == pytest.approx(float(row["points"]))


@pytest.mark.slow
def test_grade_asks_which_lesson_where_several_were_handed_in(course, monkeypatch, capsys) -> None:
    monkeypatch.chdir(course.root)
    for command in ("grade", "diff"):
        assert run([command]) == 2
        assert "handed in multihead and layernorm; choose one with --lesson NAME" in capsys.readouterr().err


@pytest.mark.slow
def test_an_assignment_will_do_for_its_lesson(course, monkeypatch, capsys) -> None:
    monkeypatch.chdir(course.root)
    assert run(["diff", "--lesson", "layernorm-en"]) == 0
    assert "0 of 4 change" in capsys.readouterr().out


def test_a_lesson_that_does_not_exist_is_one_line(monkeypatch, capsys) -> None:
    assert run(["verify", "--lesson", "layer_norm"]) == 2
    said = capsys.readouterr().err
    assert "there is no lesson 'layer_norm'; there are: " in said
    assert said.count("\n") == 1


@pytest.mark.slow
def test_check_grades_a_folder_with_both_and_keeps_their_results_apart(course, monkeypatch, capsys) -> None:
    monkeypatch.chdir(course.root)
    assert run(["check", "submitted", "--json", "-"]) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert sorted(answer["max_points"] for answer in answers) == [10] * 4 + [20] * 4
    assert run(["check", os.path.join("submitted", "student-01"), "--lang", "en"]) == 0
    out = capsys.readouterr().out
    assert "2 of 2 submissions graded" in out
    assert "layer_norm " in out.rpartition("2 of 2")[2]
    assert "split_heads " in out.rpartition("2 of 2")[2]
