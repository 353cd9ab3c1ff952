"""autograder.toml: what it says holds, what it cannot say is one line, and without it nothing changes."""
import json
import shutil
import sys
from datetime import datetime
from fractions import Fraction
from pathlib import Path

import by_hand
import nbformat
import pytest
from courses import as_stock, grade_of, hand_in, new_course, released, rows, run_nbgrader
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde
from test_gradebook import GRADES

from autograder import cli
from autograder.authoring.demo.notebooks import Assignment
from autograder.authoring.release import release
from autograder.course.folder import Course
from autograder.course.settings import LateSettings, LessonSettings, Settings, SettingsError, read_settings
from autograder.intake import read_bytes
from autograder.judge.checks_version import checks_version
from autograder.judge.engine import Assessor, Engine, Limits
from autograder.judge.worlds import Open
from autograder.lessons.installed import load_lesson
from autograder.nbgrader.gradebook import Entry, GradebookError, GradebookWriter
from autograder.proof.opening import open_local
from autograder.run.grade_course import grade_course

ROOT = Path(__file__).parents[1]
LESSON = load_lesson("multihead")


def settings(folder: Path, words: str | bytes) -> Settings:
    (folder / "autograder.toml").write_bytes(words if isinstance(words, bytes) else words.encode())
    return read_settings(folder)


def lesson(points: dict[str, float] | None = None, skip: tuple[str, ...] = ()):
    return Settings(lessons={"multihead": LessonSettings(points or {}, skip)}).lesson("multihead")


# --- reading ------------------------------------------------------------------------------------------------------

def test_without_a_file_nothing_changes(tmp_path):
    assert read_settings(tmp_path) == Settings()
    assert read_settings(tmp_path).options == {}
    assert read_settings(tmp_path).lesson("multihead") is LESSON


def test_the_documented_file_is_read_whole(tmp_path):
    example = (ROOT / "docs" / "settings.md").read_text().partition("```toml\n")[2].partition("```")[0]
    assert settings(tmp_path, example) != Settings()
    assert all(name in example for name in Settings.__struct_fields__)


def test_every_option_of_the_file_is_one_of_the_command_line(tmp_path):
    words = ('language = "en"\njobs = 2\n[limits]\nseconds = 1\ncell_seconds = 2\nbudget = 3\nmemory = 512\n'
             'isolation = "process"')
    options = settings(tmp_path, words).options
    assert options == {"language": "en", "jobs": 2, "seconds": 1, "cell_seconds": 2, "budget": 3, "memory_mb": 512,
                       "isolation": "process"}
    assert options.keys() <= {parameter.name for parameter in cli.cli.commands["grade"].params}


@pytest.mark.parametrize(("words", "says"), [
    ('langage = "nl"', "there is no setting 'langage'; did you mean 'language'?"),
    ('language = "fr"', 'language is "fr", expected "nl" or "en"'),
    ("[limits]\nsecondss = 3", "there is no setting 'limits.secondss'; did you mean 'seconds'?"),
    ('[limits]\nseconds = "five"', 'limits.seconds is "five", expected a number'),
    ("[limits]\nseconds = 0", "limits.seconds is 0, expected a number > 0.0"),
    ("[limits]\nseconds = nan", "limits.seconds is NaN, expected a number > 0.0"),
    ("[limits]\nseconds = inf", "limits.seconds is Infinity, expected a number <= 3600.0"),
    ("[limits]\nmemory = 1.5", "limits.memory is 1.5, expected a whole number"),
    ("limits = 3", "limits is 3, expected a table"),
    ('[limits]\nisolation = "none"', 'isolation is "none", expected "auto" or "namespaces" or "process"'),
    ('[late]\nrule = "perday"', 'late.rule is "perday", expected "none" or "zero" or "per-day"'),
    ("[lessons.multihed]", "there is no lesson 'multihed'; did you mean 'multihead'?"),
    ("[lessons.multihead]\nskp = 1", "there is no setting 'lessons.multihead.skp'; did you mean 'skip'?"),
    ("[lessons.multihead.points]\nsplit_head = 3",
     "names 'split_head', which is not an exercise; did you mean 'split_heads'"),
    ("[lessons.multihead.points]\nmerge_heads = 1\nsplit_heads = 'x'",
     'lessons.multihead.points.split_heads is "x", expected a number'),
    ("[lessons.multihead.points]\nsplit_heads = 0", "lessons.multihead.points.split_heads is 0, expected a number > 0"),
    ("[lessons.multihead]\nskip = 'own_test'", 'lessons.multihead.skip is "own_test", expected a list'),
    ("[lessons.multihead]\nskip = ['own']", "skip names 'own', which is not an exercise; there are: split_heads, "),
    ("jobs = 2026-01-01", "jobs is 2026-01-01, expected a whole number"),
    ("a =", "is not TOML: Invalid value"),
    (b"\xff", "is not UTF-8 (byte 0); save it as UTF-8")])
def test_what_is_no_good_is_one_line_that_names_key_and_remedy(words, says, tmp_path):
    with pytest.raises(SettingsError) as refused:
        settings(tmp_path, words)
    assert says in str(refused.value)
    assert str(refused.value).startswith(str(tmp_path / "autograder.toml"))
    assert "\n" not in str(refused.value)


def test_a_file_that_notepad_wrote_is_read(tmp_path):
    assert settings(tmp_path, '\ufefflanguage = "en"\r\n').language == "en"


# --- points and exercises -----------------------------------------------------------------------------------------

def test_checks_keep_their_shares_of_other_points():
    changed = lesson({"split_heads": 4.5, "own_test": 6})
    for exercise, usual in zip(changed.exercises, LESSON.exercises, strict=True):
        assert sum(check.points for check in exercise.checks) == Fraction(str(exercise.points))
        shares = {check.points / Fraction(str(exercise.points)) for check in exercise.checks}
        assert shares == {check.points / usual.points for check in usual.checks}
    assert changed.points == 4.5 + 2 + 5 + 7 + 6


def test_what_is_left_out_leaves_the_maximum():
    assert lesson(skip=("own_test",)).points == 17


def assessed(edit: tuple[str, str], changed) -> dict[str, float | None]:
    open_subject: Open = open_local(LESSON.reference_source.replace(*edit))
    return {exercise.name: exercise.points for exercise in Assessor(changed).assess(open_subject).exercises}


def test_an_error_in_what_is_left_out_costs_nothing_where_it_is_built_on():
    edit = ("def split_heads", "def split_heads(x, heads):\n    return x\n\n\ndef right_split_heads")
    points = assessed(edit, lesson(skip=("split_heads", "own_test")))
    assert points == {"split_heads": None, "merge_heads": 2, "multihead": 5, "multihead_backward": 7, "own_test": None}


@pytest.mark.parametrize("changed", [lesson({"split_heads": 4}), lesson(skip=("own_test",))])
def test_the_version_of_the_checks_knows_points_and_exercises(changed):
    assert checks_version(changed) != checks_version(LESSON)
    assert checks_version(lesson({"split_heads": 3})) == checks_version(LESSON)


def test_the_version_of_the_checks_knows_unusual_limits():
    assert checks_version(LESSON, Limits(isolation="none").unusual) == checks_version(LESSON)
    assert checks_version(LESSON, Limits(seconds=6).unusual) != checks_version(LESSON)


def test_a_released_notebook_is_no_changed_one_whatever_its_points(tmp_path):
    for changed in (lesson({"split_heads": 4}), lesson(skip=("own_test",)), LESSON):
        for worth in (3, 4):
            notebook = released()
            cell = next(one for one in notebook["cells"] if one["metadata"].get("nbgrader", {}).get("grade_id")
                        == "test_split_heads")
            cell["metadata"]["nbgrader"]["points"] = worth
            notices = read_bytes("a.ipynb", nbformat.writes(notebook).encode(), changed).notices
            accused = any("nbgrader's marks" in notice.template for notice in notices)
            assert accused == (worth == 4 and changed.exercises[0].points != 4)


# --- release and gradebook ----------------------------------------------------------------------------------------

OWN = "[lessons.multihead]\nskip = ['own_test']\n[lessons.multihead.points]\nsplit_heads = 4.5\n"
SCORES = """SELECT name, max_score FROM base_cell JOIN grade_cells USING (id)
            WHERE max_score > 0 OR name = 'test_own_test'"""
WORTH = [("test_merge_heads", 2.0), ("test_multihead", 5.0), ("test_multihead_backward", 7.0), ("test_own_test", 0.0),
         ("test_split_heads", 4.5)]


@pytest.fixture
def course(registered, tmp_path) -> Course:
    """A course whose gradebook knows the lesson's own points."""
    return Course.find(shutil.copytree(registered.root, tmp_path / "course"))


@pytest.mark.slow
def test_a_release_carries_the_courses_points_to_students_and_gradebook(course):
    settings(course.root, OWN)
    made = release(course.root)
    assert made.points == 18.5
    assert rows(course.root / "gradebook.db", SCORES) == WORTH
    source = json.loads((course.root / "assignments/multihead/multihead.ipynb").read_text())
    assert sum(cell["metadata"].get("nbgrader", {}).get("points", 0) for cell in source["cells"]) == 20


def test_a_gradebook_that_is_made_while_grading_has_them_too(tmp_path):
    course = new_course(tmp_path)
    changed = settings(course.root, OWN).lesson("multihead")
    with GradebookWriter(course, changed) as writer:
        writer.write([Entry(grade_of("student-01", (4.5, 2, 5, 7, "skipped")))])
    assert rows(course.root / "gradebook.db", SCORES) == WORTH
    with Gradebook(course.db_url) as gradebook:
        submission = gradebook.find_submission("multihead", "student-01")
        assert (submission.score, submission.max_score, submission.needs_manual_grade) == (18.5, 18.5, False)


@pytest.mark.slow
def test_a_gradebook_with_other_points_is_refused_with_the_remedy(course):
    release(course.root)
    changed = settings(course.root, OWN).lesson("multihead")
    with pytest.raises(GradebookError, match="'test_split_heads' is worth 3 in the gradebook and 4.5 .*"
                                             "run `autograder release`"), GradebookWriter(course, changed):
        pass
    release(course.root)
    with GradebookWriter(course, changed):
        pass


@pytest.mark.parametrize(("late", "days", "penalty"), [
    (LateSettings(), 9, 0), (LateSettings("zero"), 1, 10), (LateSettings("zero"), 0, 0),
    (LateSettings("per-day", 20), 0, 0), (LateSettings("per-day", 20), 1, 2), (LateSettings("per-day", 20), 2, 4),
    (LateSettings("per-day", 20, max_percent=50), 10**6, 5)])
def test_late_work_loses_what_the_rule_says(late, days, penalty):
    assert late.penalty(10.0, days) == penalty


def test_late_work_loses_it_in_the_gradebook(course):
    settings(course.root, '[late]\nrule = "per-day"\npercent_per_day = 50\n')
    release(course.root)
    with Gradebook(course.db_url) as gradebook:
        gradebook.update_or_create_assignment("multihead", duedate=datetime(2025, 1, 1))
    with GradebookWriter(course, LESSON) as writer:
        writer.write([Entry(grade_of("student-01", (3, 2, 5, 7, 3)), datetime(2025, 1, 1, 12))])
    assert rows(course.root / "gradebook.db", "SELECT late_submission_penalty FROM submitted_notebook") == [(10.0,)]


# --- the command line ---------------------------------------------------------------------------------------------

@pytest.fixture
def engine(tmp_path, monkeypatch):
    """A folder to work in, and the engine by hand; the limits that it was made with."""
    for name, module in by_hand.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    seen = []
    monkeypatch.setattr(by_hand.Engine, "__enter__", lambda engine: seen.append(engine.limits) or engine)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ok.py").write_text("")
    return seen


def test_options_win_over_the_file_and_the_file_over_the_defaults(engine, tmp_path, capsys):
    settings(tmp_path, 'language = "en"\n[limits]\nseconds = 2\nmemory = 512\n')
    assert cli.run(["check", "ok.py", "--seconds", "3"]) == 0
    assert engine == [by_hand.Limits(3.0, 512)]
    assert "total" in capsys.readouterr().out
    cli.run(["check", "ok.py", "--lang", "nl"])
    assert "totaal" in capsys.readouterr().out


def test_check_says_that_a_file_decides_since_the_folder_may_be_a_students(engine, tmp_path, capsys):
    cli.run(["check", "ok.py"])
    settings(tmp_path, 'language = "en"\njobs = 1\n')
    cli.run(["check", "ok.py"])
    assert capsys.readouterr().err == ""
    settings(tmp_path, "[lessons.multihead.points]\nsplit_heads = 20\n")
    cli.run(["check", "ok.py"])
    assert capsys.readouterr().err == ("autograder check: using the points and limits of autograder.toml in this "
                                       "folder\n")


def test_a_file_that_is_no_good_stops_a_command_and_never_its_help(engine, tmp_path, capsys):
    (tmp_path / "autograder.toml").write_text("jobs = 0")
    assert cli.run(["check", "ok.py"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "jobs is 0, expected a whole number >= 1" in err
    assert cli.run(["check", "--help"]) == cli.run(["--help"]) == 0


def test_a_course_is_graded_by_its_own_points_and_again_when_they_change(tmp_path, capsys):
    course = new_course(tmp_path)
    answer = (ROOT / "solutions" / "multihead.py").read_text()
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(answer)])
    hand_in(course, "student-01", notebook)
    settings(course.root, OWN)
    first = graded(course, capsys)
    assert (first["points"], first["max_points"]) == (18.5, 18.5)
    settings(course.root, "[lessons.multihead]\nskip = ['own_test']\n")
    release(course.root)
    second = graded(course, capsys)
    assert (second["points"], second["max_points"]) == (17, 17)
    assert first["checks"] != second["checks"]


@pytest.mark.slow
def test_nbgrader_gives_the_same_points_by_our_steps_and_by_its_own_kernel(registered, tmp_path, monkeypatch):
    course = Course.find(shutil.copytree(registered.root, tmp_path / "grade"))
    settings(course.root, OWN)
    release(course.root)
    answer = (ROOT / "solutions" / "multihead.py").read_text().replace(
        "return x.swapaxes(1, 2)", "import warnings; warnings.warn('?'); return x")      # a kernel shows it as an error
    hand_in(course, "student-01", Assignment.of(LESSON).filled(answer))
    for name in ("hook", "stock"):
        shutil.copytree(course.root, tmp_path / name)
    grade_course(course.root)
    run_nbgrader(Autograde, Course.find(tmp_path / "hook"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    run_nbgrader(Autograde, as_stock(Course.find(tmp_path / "stock")))
    ours, hook, stock = ([row[1:3] for row in rows(tmp_path / name / "gradebook.db", GRADES)]
                         for name in ("grade", "hook", "stock"))
    assert ours == hook == stock
    found = dict(ours)
    assert {name: found[name] for name in dict(WORTH)} == dict(WORTH) | {"test_split_heads": 0.0}


def graded(course: Course, capsys) -> dict:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(course.root)
        assert cli.run(["grade", "--json", "-", "--jobs", "1"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_engine_keeps_to_the_courses_points():
    changed = lesson({"split_heads": 6}, ("own_test",))
    with Engine(changed) as engine:
        grade = engine.grade(read_bytes("a.py", (ROOT / "solutions" / "multihead.py").read_bytes(), changed))
    assert (grade.points, grade.max_points) == (20, 20)
    assert [exercise.skipped for exercise in grade.exercises] == [False] * 4 + [True]
