"""What a worker renders of a grade is what the run would have rendered, and never more than that is taken from it."""
from __future__ import annotations

import shutil
import subprocess
import sys
from concurrent.futures import Future
from pathlib import Path

import msgspec
import nbformat
import pytest
from class_of import class_of
from courses import LESSON, grade_of, hand_in, new_course, rows
from msgspec.structs import replace

from autograder.lessons.kit.course_file import course_file
from autograder.nbgrader.new_gradebook import make_gradebook
from autograder.output import rendered as rendering
from autograder.output.feedback import feedback_page
from autograder.output.rendered import CAP, Rendered, RenderedExercise, made_of, rendered
from autograder.records import Mark
from autograder.run.grade_course import changes_of_course, grade_course
from autograder.run.job import About, Done, Job, pack
from autograder.run.local_pool import LocalPool

GRADES = [grade_of("student-01"), *class_of(9)]
MARK = Mark("student-01", 12.5, 20.0, {"split_heads": (1.5, 3.0)}, 12.0, 0.5, passed=True, value=7.0)


@pytest.mark.parametrize("grade", GRADES, ids=lambda grade: grade.student)
@pytest.mark.parametrize("language", ["nl", "en"])
def test_a_page_of_rendered_sections_is_the_same_page(grade, language):
    made = made_of(grade, language, rendered(grade, language))
    assert bool(made) == (grade.status == "graded")
    for marked in (grade, replace(grade, mark=MARK)):
        sections = {name: each.section for name, each in made.items()}
        assert feedback_page(marked, language, sections=sections) == feedback_page(marked, language)


def test_nothing_in_it_depends_on_a_name_or_a_mark():
    grade = GRADES[0]
    other = replace(grade, student="somebody", submission="somebody/else.ipynb", mark=MARK, points=1.0)
    assert rendered(other, "nl") == rendered(grade, "nl")


@pytest.mark.parametrize("shown", [
    b"", b"\xc1", pack(["nl"]), pack(Rendered("nl", {"split_heads": RenderedExercise("", "", "")})),
    rendered(GRADES[0], "en"), rendered(GRADES[0], "nl") + b" " * CAP,
], ids=["nothing", "garbage", "something-else", "other-exercises", "other-language", "too-much"])
def test_what_does_not_fit_the_grade_is_not_taken(shown):
    assert made_of(GRADES[0], "nl", shown) == {}


def test_neither_is_what_was_made_of_the_grade_before_we_failed_on_it():
    assert made_of(replace(GRADES[0], status="broken"), "nl", rendered(GRADES[0], "nl")) == {}


def test_too_much_is_not_sent_and_a_failure_is_met_again_where_it_is_told(monkeypatch):
    monkeypatch.setattr(rendering, "CAP", 1000)
    assert rendered(GRADES[0], "nl") == b""
    monkeypatch.undo()
    monkeypatch.setattr(rendering, "exercise_section", lambda *_: 1 / 0)
    assert rendered(GRADES[0], "nl") == b""


class Ready(LocalPool):
    """Gives everybody the same grade at once, and renders it or not."""

    renders = True
    languages: list[str] = []

    def __init__(self, *_: object):
        self.size, self.about = 1, About("1", "checks", "3.11", "2.4", "none")

    def __exit__(self, *_: object) -> None:
        pass

    def submit(self, job: bytes) -> Future[bytes]:
        asked, future = msgspec.msgpack.decode(job, type=Job), Future()
        self.languages.append(asked.language)
        grade = replace(grade_of("", (3, 1, 0, 6.5, 3)), isolation="none", checks="checks", key=asked.submission.key)
        shown = rendered(grade, asked.language) if self.renders and asked.language else b""
        future.set_result(pack(Done(grade, "host:1", {}, shown)))
        return future


@pytest.fixture(scope="module")
def untouched(tmp_path_factory) -> Path:
    """Two who hand in different work, one of them in English, and a copy of the first."""
    course = new_course(tmp_path_factory.mktemp("rendered") / "course")
    for student, code, edition in (("student-01", "# one", "multihead"), ("student-02", "# two", "multihead-en"),
                                   ("student-03", "# one", "multihead")):
        notebook = nbformat.read(course_file(f"release/{edition}/multihead.ipynb"), as_version=4)
        notebook["cells"].append({"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": [],
                                  "source": code})
        hand_in(course, student, notebook)
    make_gradebook(course, LESSON)
    return course.root


def written(untouched: Path, folder: Path, monkeypatch, renders: bool) -> dict[str, bytes]:
    monkeypatch.setattr("autograder.run.grade_course.LocalPool", Ready)
    monkeypatch.setattr(Ready, "renders", renders)
    monkeypatch.setattr(Ready, "languages", [])
    grade_course(shutil.copytree(untouched, folder), language="")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for name in ("autograded", "feedback")
            for path in (folder / name).rglob("*") if path.is_file()}


def test_all_files_are_the_same_and_the_run_renders_nothing_again(untouched, tmp_path, monkeypatch):
    alone = written(untouched, tmp_path / "alone", monkeypatch, renders=False)
    with monkeypatch.context() as patch:
        for name in ("nbgrader.autograded.exercise_page", "nbgrader.autograded.exercise_words"):
            patch.setattr(f"autograder.{name}", lambda *_: 1 / 0)
        assert written(untouched, tmp_path / "workers", patch, renders=True) == alone
        assert sorted(Ready.languages) == ["en", "nl"]                  # the copy was not judged again
    assert {path for path in alone if path.endswith(".html")} == {
        f"feedback/student-0{number}/multihead.html" for number in (1, 2, 3)}


def test_a_comparison_writes_nothing_and_so_renders_nothing(untouched, tmp_path, monkeypatch):
    monkeypatch.setattr("autograder.run.grade_course.LocalPool", Ready)
    monkeypatch.setattr(Ready, "languages", [])
    assert len(changes_of_course(shutil.copytree(untouched, tmp_path / "course"))) == 3
    assert set(Ready.languages) == {""}


def test_a_grade_is_written_into_a_known_gradebook_without_slow_imports(untouched, tmp_path):
    code = """if True:
        import sys
        from pathlib import Path
        from autograder.course.folder import Course
        from autograder.lessons.installed import load_lesson
        from autograder.nbgrader.autograded import AutogradedWriter
        from autograder.nbgrader.gradebook import Entry, GradebookWriter
        from autograder.records import Grade
        course, lesson = Course.find(Path.cwd()), load_lesson("multihead")
        with GradebookWriter(course, lesson) as gradebook:
            AutogradedWriter(course, lesson, gradebook.source)._stubs
            gradebook.write([Entry(Grade("", "student-09", "multihead", "broken", None, 20.0))])
        print(*sorted({"nbgrader", "sqlalchemy", "nbformat", "nbconvert"} & sys.modules.keys()))
    """
    course = shutil.copytree(untouched, tmp_path / "course")
    done = subprocess.run([sys.executable, "-c", code], cwd=course, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
    assert ("student-09",) in rows(course / "gradebook.db", "SELECT id FROM student")
