"""The release: nbgrader's own, proven clean, byte for byte the one in the repository."""
import base64
import errno
import re
import shutil
import sqlite3
import tempfile
from pathlib import Path

import nbformat
import pytest
from nbgrader.validator import Validator

from autograder import cli
from autograder.authoring.leak import Leak, Secrets, prove
from autograder.authoring.release import release
from autograder.authoring.solved import _solving, prove_unsolved
from autograder.course.folder import Course
from autograder.lessons.installed import load_lesson
from autograder.lessons.kit.course_file import course_file

FILES = ("multihead.ipynb", *(f"{module}.py" for module in load_lesson("multihead").beside))
NOTEBOOK = "assignments/multihead/multihead.ipynb"


def contents(folder: Path) -> dict[str, bytes]:
    """Every file but those that Python makes of modules that are imported from there."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*")
            if path.is_file() and path.parent.name != "__pycache__"}


def copy_of_course(folder: Path) -> Path:
    shutil.copytree(course_file("assignments"), folder / "assignments",
                    ignore=shutil.ignore_patterns("__pycache__", ".*"))
    shutil.copy(course_file("nbgrader_config.py"), folder)
    return folder


@pytest.fixture(scope="module")
def gradebook(tmp_path_factory):
    return tmp_path_factory.mktemp("gradebook") / "gradebook.db"


@pytest.fixture(scope="module")
def released(tmp_path_factory, gradebook):
    course = copy_of_course(tmp_path_factory.mktemp("course"))
    return course, release(course, db_url=f"sqlite:///{gradebook}")


@pytest.fixture
def course(tmp_path):
    return copy_of_course(tmp_path)


def edit_source(course: Path, edit) -> None:
    notebook = nbformat.read(course / NOTEBOOK, as_version=4)
    edit({cell.metadata.get("nbgrader", {}).get("grade_id", cell.id): cell for cell in notebook.cells}, notebook)
    nbformat.write(notebook, course / NOTEBOOK)


def test_a_fresh_release_equals_the_committed_one(released):
    assert contents(released[1].folder) == contents(course_file("release/multihead"))


def test_only_the_notebook_and_the_modules_beside_it_travel(released):
    assert sorted(contents(released[1].folder)) == sorted(FILES)
    assert released[1].files == FILES


def test_the_release_is_worth_all_points(released):
    assert released[1].points == 20


def test_the_proof_looked_for_the_whole_solution(released):
    assert released[1].secret_lines > 50


def test_the_gradebook_knows_the_cells_with_their_points(released, gradebook):
    rows = sqlite3.connect(gradebook).execute(
        "select base_cell.name, max_score from grade_cells join base_cell on base_cell.id = grade_cells.id").fetchall()
    assert {name: points for name, points in rows if points} == {
        "test_split_heads": 3, "test_merge_heads": 2, "test_multihead": 5, "test_multihead_backward": 7,
        "test_own_test": 3}


def test_nothing_but_the_release_is_left_in_the_course(released):
    assert sorted(path.name for path in released[0].iterdir()) == ["assignments", "nbgrader_config.py", "release"]


@pytest.mark.slow
def test_nbgrader_validate_reports_examples_that_fail_where_it_is_asked_for_all_cells(released):
    course = Course.find(released[0])
    assert "Validator" not in course.config         # it would hold for every other assignment of the course too
    validator = Validator(config=course.config, validate_all=True)
    failed = validator.validate(str(released[1].folder / "multihead.ipynb"))["failed"]
    examples = [cell for cell in failed if cell["source"].startswith("# Voorbeeld")]
    assert len(examples) == 10
    assert all("NotImplementedError" in cell["raw_error"] for cell in examples[:2])


@pytest.mark.parametrize("edition", ["multihead", "multihead-en", "layernorm", "layernorm-en"])
def test_nbgrader_validate_reports_each_example_that_was_changed(edition, tmp_path):
    name = edition.removesuffix("-en")
    notebook = nbformat.read(course_file(f"release/{edition}/{name}.ipynb"), as_version=4)
    examples = [cell for cell in notebook.cells
                if cell.metadata.get("nbgrader", {}).get("grade_id", "").startswith("example_")]
    for cell in examples:
        cell.source = "assert True"
    nbformat.write(notebook, tmp_path / "changed.ipynb")
    found = Validator(preprocessors=[]).validate(str(tmp_path / "changed.ipynb"))
    assert found == {"changed": [{"source": "assert True"}] * len(examples)}
    assert len(examples) == {"multihead": 10, "layernorm": 4}[name]


def in_a_text(cells, notebook):
    cells["split-heads-uitleg"].source += "\n\n    x = x.reshape(B, T, heads, C//heads)"


def in_a_comment(cells, notebook):
    cells["split_heads"].source = cells["split_heads"].source.replace(
        "    ### BEGIN", "    # return x.swapaxes(1, 2)\n    ### BEGIN")


def behind_an_early_end(cells, notebook):
    lines = cells["multihead"].source.splitlines()
    lines.insert(-3, lines.pop())
    cells["multihead"].source = "\n".join(lines)


def behind_a_misspelt_marker(cells, notebook):
    cells["test_multihead"].source = cells["test_multihead"].source.replace("HIDDEN TESTS", "HIDDEN TEST")


def in_a_picture(cells, notebook):
    svg = b"<svg><text>return x.swapaxes(1, 2)</text></svg>"
    cells["beeld-split"].source = f'<img src="data:image/svg+xml;base64,{base64.b64encode(svg).decode()}">'


def in_an_attachment(cells, notebook):
    cells["beeld-split"].attachments = {"answer.png": {"image/png": "AAAA"}}


def in_metadata(cells, notebook):
    cells["own-test-uitleg"].metadata["answer"] = "see the solutions"


def in_the_notebooks_metadata(cells, notebook):
    notebook.metadata["authors"] = ["student-01"]


@pytest.mark.parametrize(("edit", "cell"), [
    (in_a_text, "split-heads-uitleg"), (in_a_comment, "split_heads"), (behind_an_early_end, "multihead"),
    (behind_a_misspelt_marker, "test_multihead"), (in_a_picture, "beeld-split"), (in_an_attachment, "beeld-split"),
    (in_metadata, "own-test-uitleg"), (in_the_notebooks_metadata, ""),
])
def test_a_leak_is_named_and_leaves_the_old_release_alone(course, tmp_path, edit, cell):
    old = course / "release" / "multihead"
    old.mkdir(parents=True)
    (old / "multihead.ipynb").write_text("the release that students have")
    edit_source(course, edit)
    with pytest.raises(Leak) as leak:
        release(course, db_url=f"sqlite:///{tmp_path}/gradebook.db")
    assert (leak.value.file, leak.value.cell) == ("multihead.ipynb", cell)
    assert contents(old) == {"multihead.ipynb": b"the release that students have"}
    assert not (tmp_path / "gradebook.db").exists()
    assert len(str(leak.value).splitlines()) == 1


@pytest.mark.slow
def test_each_edition_is_released_and_only_one_assignment_is_known(course, tmp_path):
    for name in ("multihead", "multihead-en"):
        made = release(course, name, db_url=f"sqlite:///{tmp_path}/gradebook.db")
        assert contents(made.folder) == contents(course_file(f"release/{name}"))
    rows = sqlite3.connect(tmp_path / "gradebook.db").execute("select name from assignment").fetchall()
    assert rows == [("multihead",)]


@pytest.mark.slow
def test_a_course_in_english_alone_has_the_english_edition_as_its_assignment(course, tmp_path):
    shutil.rmtree(course / "assignments/multihead")
    release(course, "multihead-en", db_url=f"sqlite:///{tmp_path}/gradebook.db")
    rows = sqlite3.connect(tmp_path / "gradebook.db").execute("select name from assignment").fetchall()
    assert rows == [("multihead-en",)]


def test_a_solution_line_in_the_given_module_is_a_leak(course):
    with (course / "assignments/multihead/attention.py").open("a", encoding="utf-8") as file:
        file.write("\n\ndef answer(x, B, T, heads, C):\n    return x.reshape(B, T, heads, C // heads)\n")
    with pytest.raises(Leak, match=r"attention\.py.*solution"):
        release(course, db_url=f"sqlite:///{course}/tried.db")


def test_a_file_that_does_not_belong_is_a_leak(course):
    (course / "assignments/multihead/answers.txt").write_text("x")
    with pytest.raises(Leak, match=r"answers\.txt.*CourseDirectory\.ignore"):
        release(course, db_url=f"sqlite:///{course}/tried.db")


def test_a_missing_given_module_is_refused(course):
    (course / "assignments/multihead/attention.py").unlink()
    with pytest.raises(Leak, match=r"attention\.py.*missing"):
        release(course, db_url=f"sqlite:///{course}/tried.db")


@pytest.mark.parametrize("run", [{"execution_count": 3}, {"outputs": [nbformat.v4.new_output("stream", text="7")]}])
def test_what_a_run_left_behind_is_a_leak(tmp_path, run):
    cell = nbformat.v4.new_code_cell("1 + 1", id="sum", **run)
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "multihead.ipynb")
    with pytest.raises(Leak, match="cell sum: the cell has been run"):
        prove(tmp_path, ["multihead.ipynb"], Secrets(frozenset(), frozenset()))


def test_a_folder_without_assignments_says_where_to_run(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"assignments/multihead/multihead\.ipynb.*run this in the course's"):
        release(tmp_path)


def test_an_unknown_assignment_names_the_known_ones(course):
    with pytest.raises(ValueError, match="no assignment 'singlehead'.*multihead"):
        release(course, "singlehead")


def test_what_nbgrader_refuses_is_said_in_one_line(course):
    def open_ended(cells, notebook):
        cells["split_heads"].source = cells["split_heads"].source.replace("### END SOLUTION", "")
    edit_source(course, open_ended)
    with pytest.raises(ValueError, match="nbgrader cannot generate 'multihead': .*no end solution") as refusal:
        release(course, db_url=f"sqlite:///{course}/tried.db")
    assert len(str(refusal.value).splitlines()) == 1


def test_a_config_that_does_not_run_is_named(course):
    (course / "nbgrader_config.py").write_text("c = get_config(\n")
    with pytest.raises(ValueError, match=r"nbgrader_config\.py does not run: SyntaxError"):
        release(course)


@pytest.mark.slow
def test_a_course_without_a_config_uses_ours(course, gradebook, released):
    (course / "nbgrader_config.py").unlink()
    assert release(course, db_url=f"sqlite:///{gradebook}").folder == course / "release" / "multihead"


@pytest.mark.slow
def test_what_working_on_the_assignment_leaves_behind_does_not_travel(course, gradebook, released):
    for name in (".DS_Store", "run.log", "multihead.html", "multihead.ipynb.bak", "attention.py~"):
        (course / "assignments/multihead" / name).write_text("x")
    assert contents(release(course, db_url=f"sqlite:///{gradebook}").folder) == contents(released[1].folder)


@pytest.mark.parametrize("edition", ["multihead", "multihead-en"])
def test_the_text_tells_the_points_of_the_settings(edition):
    from autograder.nbgrader.worth import told
    worth = {"split_heads": 4, "merge_heads": 2, "multihead": 5, "multihead_backward": 8.5, "own_test": 0}
    cells = nbformat.read(course_file(f"assignments/{edition}/multihead.ipynb"), as_version=4).cells
    changed = [(cell.source, new) for cell in cells if (new := told(cell.source, worth, 20.0)) != cell.source]
    [(before, after)] = changed
    assert all(f"| `{name}` | {points} |" in after for name, points in worth.items())
    assert re.search(r"\b19\.5 (punten|points)", after)
    assert re.sub(r"[\d.]+", "", before) == re.sub(r"[\d.]+", "", after)


def test_other_tables_and_numbers_stay():
    from autograder.nbgrader.worth import told
    words = "20 points\n\n| `x` | 3 |\n| `split_heads` | shape |\n"
    assert told(words, {"split_heads": 4}, 20.0) == words


#: a way to leave a solution behind, as it would stand in a file that students get, and what it computes
SOLVING = {
    "def meng(allowed, params, tokens, koppen):\n"
    "    q, k, v = (tokens @ params[n] for n in ('wq', 'wk', 'wv'))\n"
    "    parts = [attention(a, b, c, allowed)[0] for a, b, c in zip(*(np.split(m, koppen, 2) for m in (q, k, v)))]\n"
    "    return np.concatenate(parts, 2) @ params['wo']": "multihead",
    "class Layer:\n    def apart(self, x, n):\n"
    "        return np.stack(np.split(x, n, axis=2), axis=1)": "split_heads",
    "def outer(x):\n    def together(h):\n        return np.einsum('bhtd->bthd', h).reshape(len(h), h.shape[2], -1)\n"
    "    return together": "merge_heads",
    "TABLE = {'glue': [lambda h: np.concatenate(np.moveaxis(h, 1, 0), axis=-1)]}": "merge_heads",
}


@pytest.mark.parametrize("code", SOLVING)
def test_what_computes_an_exercise_is_found_by_running_it(tmp_path, code):
    lesson = load_lesson("multihead")
    (tmp_path / "attention.py").write_text(course_file("release/multihead/attention.py").read_text())
    (tmp_path / "more.py").write_text(f"import numpy as np\nfrom attention import attention\n\n\n{code}\n")
    with pytest.raises(Leak, match=rf"more.py: \w+ computes {SOLVING[code]},") as leak:
        prove_unsolved(tmp_path, ("attention.py", "more.py"), lesson)
    assert leak.value.file == "more.py"


def test_the_reference_itself_is_found_in_each_exercise_that_asks_for_arrays():
    source = load_lesson("multihead").reference_source.encode()
    assert {exercise for *_, exercise in _solving("multihead", ("reference.py",), (("reference.py", source),),
                                                  "")} == {
        "split_heads", "merge_heads", "multihead", "multihead_backward"}


def test_a_folder_that_may_not_be_written_is_one_line(course, monkeypatch, capsys):
    def refuse(*arguments, **named):
        raise OSError(errno.EROFS, "Read-only file system", f"{course}/.release-x")
    monkeypatch.setattr(tempfile, "TemporaryDirectory", refuse)
    monkeypatch.chdir(course)
    assert cli.run(["release", "--lesson", "multihead"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"autograder release: cannot write {course}/.release-x: Read-only file system; the course's")
    assert said.count("\n") == 1
