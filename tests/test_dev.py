"""What a checkout makes from its own files is up to date, and `autograder dev` sees and mends what is not."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.authoring import modules
from autograder.cli import run
from autograder.cli.dev import STEPS
from autograder.lessons.installed import load_lesson

ROOT = Path(__file__).parents[1]
CHECKOUT = ("autograder", "assignments", "modules", "release", "solutions", "nbgrader_config.py", "pyproject.toml")
LESSON = load_lesson("multihead")
#: a step -> a file that it keeps up to date, and what a slip of the hand would change there
SLIPS = {
    "source": ("assignments/layernorm/layernorm.ipynb", "centred = x - mean", "centred = x + mean"),
    "modules": ("assignments/multihead/gradcheck.py", "klopt niet", "deugt niet"),
    "pictures": ("assignments/multihead-en/multihead.ipynb", "base64,PD94", "base64,AAAA"),
    "locale": ("autograder/locale/nl/LC_MESSAGES/autograder.po", 'msgstr "goed"', 'msgstr "prima"'),
    "release": ("release/multihead/explore.py", "HEADS = (1, 2, 4, 8)", "HEADS = (1, 2)"),
    "syscalls": ("autograder/sandbox/inside/filters.json", '"policy": "', '"policy": "0'),
}


@pytest.fixture(autouse=True)
def in_the_checkout(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("step", [
    name if name in ("source", "modules") else pytest.param(name, marks=pytest.mark.slow) for name in STEPS])
def test_everything_is_up_to_date(step, capsys):
    assert run(["dev", step, "--check"]) == 0
    assert capsys.readouterr().out == f"up to date: {step}\n"


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A checkout in which every step has something to do."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in CHECKOUT:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)
    for path, right, wrong in SLIPS.values():
        text = (folder / path).read_text(encoding="utf-8")
        assert right in text, path
        (folder / path).write_text(text.replace(right, wrong, 1), encoding="utf-8")
    return folder


def dev_all(folder, *options):
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, "-m", "autograder", "dev", "all", *options], cwd=folder, env=environment,
                          capture_output=True, text=True)


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_a_changed_copy_is_named_step_by_step_and_left_as_it_is(copy):
    before = contents(copy)
    done = dev_all(copy, "--check")
    assert (done.returncode, done.stderr) == (1, "")
    assert re.findall("out of date: run `autograder dev (.*)`", done.stdout) == list(STEPS)
    assert contents(copy) == before


@pytest.mark.integration
def test_a_changed_copy_is_mended(copy):
    shutil.copy(ROOT / SLIPS["syscalls"][0], copy / SLIPS["syscalls"][0])       # only some machines have libseccomp
    done = dev_all(copy)
    assert (done.returncode, done.stderr) == (0, "")
    for name in ("assignments", "release"):
        assert {path.relative_to(copy): content for path, content in contents(copy / name).items()} == {
            path.relative_to(ROOT): content for path, content in contents(ROOT / name).items()
            if "__pycache__" not in path.parts and ".ipynb_checkpoints" not in path.parts}


def test_only_a_checkout_has_anything_to_bring_up_to_date(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["dev", "all", "--check"]) == 2
    assert "is not a checkout of the autograder" in capsys.readouterr().err


def test_what_a_step_needs_and_does_not_have_is_said(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "babel", None)
    monkeypatch.setitem(sys.modules, "babel.messages.catalog", None)
    monkeypatch.delitem(sys.modules, "autograder.locale.catalogues", raising=False)
    assert run(["dev", "locale", "--check"]) == 2
    assert "this needs babel" in capsys.readouterr().err


def test_teachers_do_not_meet_it(capsys):
    run(["--help"])
    assert not re.search(r"^  dev\b", capsys.readouterr().out, re.MULTILINE)


def test_other_tables_make_another_filter(monkeypatch):
    from autograder.sandbox import syscalls
    assert syscalls.differences() == []
    monkeypatch.setattr(syscalls, "UNKNOWN", "clone3")
    assert len(syscalls.differences()) == 1


# --- the modules that students get ------------------------------------------------------------------------------------

SOURCE = '''"""About heads."""
BOTH = "equal"                                  # of two heads


def say(value, heads=()):
    yield f"{value!r} is {'one head' if heads else f'{len(heads)} heads'}.\\n"
    yield (f"shape {value.shape}, "
           "as it should be")
'''
DUTCH = {
    "About heads.": "Over heads.", "equal": "gelijk", "of two heads": "van twee heads",
    "{value!r} is {'one head' if heads else f'{len(heads)} heads'}.\n":
        "{'één head' if heads else f'{len(heads)} heads'}: {value!r}.\n",
    "shape {value.shape}, ": "vorm {value.shape}, ", "as it should be": "zoals het hoort"}


def test_a_module_in_another_language_is_the_same_code_with_other_words():
    assert modules.translated(SOURCE, DUTCH, "example.py") == '''"""Over heads."""
BOTH = "gelijk"                                  # van twee heads


def say(value, heads=()):
    yield f"{'één head' if heads else f'{len(heads)} heads'}: {value!r}.\\n"
    yield (f"vorm {value.shape}, "
           "zoals het hoort")
'''


def test_a_translation_has_the_gaps_of_what_it_translates():
    for english, dutch in DUTCH.items():
        assert modules.gaps(english) == modules.gaps(dutch)
    assert modules.gaps("{value} is {size}") != modules.gaps("{value} is {value}")


@pytest.mark.parametrize("text", ["wq", "{name}[{key!r}]", "{', '.join(keys)}", "(..., T, T)"])
def test_what_has_no_words_needs_no_translation(text):
    assert not modules.Piece(0, len(text), text).has_words


@pytest.mark.parametrize("text", ["row", "a list", "{both if small else 'is wrong.'}"])
def test_what_has_words_does(text):
    assert modules.Piece(0, len(text), text).has_words


def test_a_translation_that_ends_the_text_is_refused_by_name():
    with pytest.raises(ValueError, match=r"example\.py: line 2 is no longer Python"):
        modules.translated(SOURCE, {"equal": 'ge"lijk'}, "example.py")


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """The lesson's modules in a folder of this test, and the editions that are made of them in another."""
    shutil.copytree(ROOT / "modules", tmp_path / "modules")
    shutil.copytree(ROOT / "assignments", tmp_path / "assignments")
    monkeypatch.setattr(modules, "course_file", lambda path: tmp_path / path)
    return tmp_path


def edit(path, *change):
    path.write_text(path.read_text(encoding="utf-8").replace(*change), encoding="utf-8")


def test_a_changed_text_waits_for_its_translation_and_reaches_every_edition(sources):
    edit(sources / "modules/multihead/en/gradcheck.py", "{name:>2}: right", "{name:>2}: well done")
    assert [sentence for sentence in modules.outdated(LESSON) if "'{name:>2}: well done'" in sentence]
    modules.write()
    assert "well done" in (sources / "assignments/multihead-en/gradcheck.py").read_text(encoding="utf-8")
    catalogue = sources / "modules/multihead/nl.po"
    edit(catalogue, 'msgid "{name:>2}: well done"\nmsgstr ""', 'msgid "{name:>2}: well done"\nmsgstr "{name:>2}: mooi"')
    assert set(modules.write()) == {sources / "assignments/multihead/gradcheck.py"}
    assert "mooi" in (sources / "assignments/multihead/gradcheck.py").read_text(encoding="utf-8")
    assert modules.outdated(LESSON) == []
    assert "{name:>2}: right" not in catalogue.read_text(encoding="utf-8")


def test_a_module_that_speaks_every_language_goes_into_every_edition_as_it_is(sources):
    edit(sources / "modules/multihead/explore.py", "HEADS = (1, 2, 4, 8)", "HEADS = (1, 2)")
    assert [Path(path).parent.name for path in modules.write()] == ["multihead", "multihead-en"]


def test_a_module_that_was_never_made_is_missed(sources):
    (sources / "assignments/multihead/selfcheck.py").unlink()
    assert [sentence for sentence in modules.outdated(LESSON) if "assignments/multihead/selfcheck.py" in sentence]


def test_every_module_beside_a_notebook_has_its_source():
    made = {path.name for path in modules.editions(LESSON)}
    assert made == {f"{module}.py" for module in LESSON.beside}
