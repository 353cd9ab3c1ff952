"""Whatever fails for one student of ten, the others are graded, written and reported, and a rerun judges nothing."""
from __future__ import annotations

import importlib
import json
import shutil
from concurrent.futures import BrokenExecutor, Future

import msgspec
import pytest
from courses import LESSON, grade_of, hand_in, new_course, released, rows
from msgspec.structs import replace
from sampled import by_turns

from autograder import cli
from autograder.cli.common import BROKEN, DONE
from autograder.nbgrader.new_gradebook import make_gradebook
from autograder.output import feedback, jsonl
from autograder.run.job import About, Done, Job, pack
from autograder.run.local_pool import LocalPool

STUDENTS = [f"student-{number:02}" for number in range(1, 11)]
ODD = "student-05"
ABOUT = About("1", "checks", "3.11", "2.4", "none")


class FullMarks(LocalPool):
    """Gives everybody all points at once, in this process. `failing`: the code of one that cannot be judged."""

    asked: list[str] = []
    lost = BrokenExecutor
    failing = ""

    def __init__(self, *arguments):
        self.size, self.about = 1, ABOUT

    def __exit__(self, *exception):
        pass

    def submit(self, job: bytes) -> Future[bytes]:
        submission = msgspec.msgpack.decode(job, type=Job).submission
        code, future = submission.cells[-1].source, Future()
        self.asked.append(code)
        if code == self.failing:
            future.set_exception(RuntimeError(ODD))
        else:
            grade = replace(grade_of(""), isolation="none", checks="checks", key=submission.key)
            future.set_result(pack(Done(grade, "host:1")))
        return future


@pytest.fixture(scope="module")
def untouched(tmp_path_factory):
    course = new_course(tmp_path_factory.mktemp("ten") / "course")
    for student in STUDENTS:
        notebook = released()
        cell = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": [], "source": f"# {student}"}
        notebook["cells"].append(cell)
        hand_in(course, student, notebook)
    make_gradebook(course, LESSON)
    return course.root


@pytest.fixture
def course(untouched, tmp_path, monkeypatch):
    folder = shutil.copytree(untouched, tmp_path / "course")
    monkeypatch.chdir(folder)
    monkeypatch.setattr("autograder.run.grade_course.LocalPool", FullMarks)
    monkeypatch.setattr("autograder.cli.course._wall", lambda *_, **__: None)
    monkeypatch.setattr(FullMarks, "asked", [])
    return folder


def raising(original, name):
    """The same function, which raises where one of its arguments, or what it holds, is about the odd student."""
    def function(*arguments, **options):
        if any(getattr(one, "student", None) == ODD or one == ODD for one in arguments):
            raise RuntimeError(f"{name} failed")
        return original(*arguments, **options)
    return function


def at(place: str):
    def fail(monkeypatch):
        module, _, name = place.rpartition(".")
        try:
            owner = importlib.import_module(module)
        except ModuleNotFoundError:
            module, _, kind = module.rpartition(".")
            owner = getattr(importlib.import_module(module), kind)
        monkeypatch.setattr(owner, name, raising(getattr(owner, name), name))
    return fail


def judging(monkeypatch):
    monkeypatch.setattr(FullMarks, "failing", f"# {ODD}")


def in_the_gradebook(monkeypatch):
    from autograder.nbgrader.gradebook import GradebookWriter
    original = GradebookWriter._write

    def write(self, entry, registered):
        if entry.grade.student == ODD:
            raise RuntimeError("a row")
        return original(self, entry, registered)
    monkeypatch.setattr(GradebookWriter, "_write", write)


def on_the_page(monkeypatch):
    """Only the grade itself cannot be shown: what says that it is broken can."""
    original = feedback.feedback_page

    def page(grade, *others):
        if grade.student == ODD and grade.status == "graded":
            raise RuntimeError("a page")
        return original(grade, *others)
    monkeypatch.setattr(feedback, "feedback_page", page)


def in_the_json(monkeypatch):
    original = jsonl.json_line

    def line(grade, language):
        if grade.student == ODD and grade.status == "graded":
            raise RuntimeError("a line")
        return original(grade, language)
    monkeypatch.setattr(jsonl, "json_line", line)


def in_the_report(monkeypatch):
    from autograder.report import page
    original = page.report_page

    def report(run, *arguments, **options):
        if any(grade.student == ODD and grade.status == "graded" for grade in run.grades):
            raise RuntimeError("a row of the report")
        return original(run, *arguments, **options)
    monkeypatch.setattr(page, "report_page", report)


STAGES = {
    "find": at("autograder.nbgrader.standing.Standing.look_at"),
    "read": at("autograder.run.grade_course.submitted"),
    "send": at("autograder.run.dispatch.work_of"),
    "judge": judging,
    "autograded": at("autograder.nbgrader.autograded.AutogradedWriter.write"),
    "feedback": on_the_page,
    "gradebook": in_the_gradebook,
    "json": in_the_json,
    "report": in_the_report,
}
#: where it costs nothing but another look, or the grade itself is whole
STILL_GRADED = {"find", "json", "report"}


@pytest.mark.parametrize("stage", by_turns(STAGES, len(STAGES), 2, long=STAGES))
def test_what_fails_for_one_student_costs_the_others_nothing(course, monkeypatch, stage, capsys):
    assert_ten(course, monkeypatch, stage)
    judged = len(FullMarks.asked)
    again = assert_ten(course, monkeypatch, stage, patched=True)
    odd = [code for code in FullMarks.asked[judged:] if code != f"# {ODD}"]
    assert odd == [], "the others were judged again"
    assert again == (DONE if stage == "find" else BROKEN)
    assert "Traceback" not in capsys.readouterr().err


def assert_ten(course, monkeypatch, stage, patched=False) -> int:
    if not patched:
        STAGES[stage](monkeypatch)
    code = cli.run(["grade", "--jobs", "1", "--lang", "en", "--json", "grades.jsonl"])
    assert code == (DONE if stage == "find" else BROKEN)
    lines = {line["student"]: line for line in map(json.loads, (course / "grades.jsonl").read_text().splitlines())}
    assert list(lines) == STUDENTS
    assert {student for student in STUDENTS if lines[student]["points"] == 20.0} >= set(STUDENTS) - {ODD}
    assert (lines[ODD]["status"] == "broken") == (stage not in {"find", "report"})
    assert (lines[ODD]["points"] is None) == (stage not in {"find", "report"})
    told = ["not your fault" in notice for notice in lines[ODD]["notices"]]
    assert (told == [True]) == (lines[ODD]["points"] is None)
    others = [student for student in STUDENTS if student != ODD]
    assert all((course / "feedback" / student / "multihead.html").exists() for student in others)
    assert all((course / "autograded" / student / "multihead" / "multihead.ipynb").exists() for student in others)
    scores = rows(course / "gradebook.db", "SELECT sa.student_id, CASE WHEN max(g.needs_manual_grade) THEN NULL ELSE "
                  "sum(g.auto_score) END FROM grade g JOIN submitted_notebook sn ON sn.id = g.notebook_id "
                  "JOIN submitted_assignment sa ON sa.id = sn.assignment_id GROUP BY sa.student_id")
    assert [dict(scores)[student] for student in others] == [20.0] * 9
    assert dict(scores).get(ODD) == (20.0 if stage in STILL_GRADED else None)
    assert all(student in (course / "report.html").read_text() for student in STUDENTS)
    return code


def test_a_failure_is_said_with_its_reason_and_gone_when_it_is_repaired(course, monkeypatch, capsys):
    with monkeypatch.context() as patched:
        in_the_gradebook(patched)
        assert cli.run(["grade", "--jobs", "1", "--lang", "en", "--json", "grades.jsonl"]) == BROKEN
    said = {line["student"]: line for line in map(json.loads, (course / "grades.jsonl").read_text().splitlines())}
    assert ["not your fault" in notice for notice in said[ODD]["notices"]] == [True]
    assert said[ODD]["for_a_person"] == ["the autograder failed: RuntimeError: a row"]
    assert "not your fault" in (course / "feedback" / ODD / "multihead.html").read_text()
    assert "RuntimeError: a row" in (course / "report.html").read_text()
    assert cli.run(["grade", "--jobs", "1", "--lang", "en"]) == DONE
    assert len(FullMarks.asked) == len(STUDENTS)


def test_a_folder_whose_name_is_not_text_is_named_and_the_others_are_graded(course, capsys):
    shutil.copytree(course / "submitted" / ODD, course / "submitted" / "student-\udcff")
    assert cli.run(["grade", "--jobs", "1", "--lang", "en", "--json", "grades.jsonl"]) == 1
    lines = [json.loads(line) for line in (course / "grades.jsonl").read_text().splitlines()]
    assert [line["student"] for line in lines if line["points"] == 20.0] == STUDENTS
    assert "not UTF-8" in lines[-1]["notices"][0]
