"""The documentation: every command in it runs, in order; the reference is whole; the site asks nothing of anyone."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import documented
import pytest
from documented import PAGES, ROOT, Block, blocks, to_run
from waiting import HANGS

from autograder import cli
from autograder.authoring.demo import cast, make_class
from autograder.course import settings

sys.path.insert(0, str(ROOT / "docs"))
import reference  # noqa: E402 - a hook of the site's, which is no part of the package

LANGUAGES = {"sh", "python", "text", "toml", "yaml", "dockerfile"}
ON_A_HUB = "a test with a JupyterHub runs it"
#: what is not run, by page and first line; the reason stands in the page's source
UNTESTED = {
    ("README.md", "make demo               # set everything up, make a class of 30 and grade it"):
        "they install everything anew, and take minutes",
    ("README.md", "autograder verify           # one to three minutes; --quick for a sample, --table for who "
     "catches what"): "the suite proves the lesson and runs these checks in tests of their own",
    ("docs/appeals.md", "jupyter lab"): "a server that runs until it is stopped",
    ("docs/cluster.md", "pip install 'multihead-autograder[cluster]'              # here, and on every worker: the same"
     " version"): "a scheduler and workers of a cluster",
    ("docs/cluster.md", "from dask_jobqueue import SLURMCluster"): "needs SLURM",
    ("docs/cluster.md", "kubectl port-forward service/autograder-scheduler 8786 &"): "needs Kubernetes",
    ("docs/container.md", "unzip -j multihead_autograder-*.whl '*/Containerfile'"):
        "needs an engine for containers; a test of its own runs the recipe in a Debian system",
    ("docs/container.md", 'docker run --rm --network none --user "$(id -u):$(id -g)" -v "$PWD:/course" '
     'autograder grade'):
        "needs an engine for containers; a test of its own runs the same in a Debian system",
    ("docs/container.md", 'docker run --rm --network none --user "$(id -u):$(id -g)" -v autograder:/home/teacher '
     '-v "$PWD:/course" autograder trust'): "needs an engine for containers",
    ("docs/first-class.md", "python3 -m venv autograder-env"): "needs a network; a test of its own installs the wheel",
    ("docs/install.md", "make setup"): "make setup installs everything anew, from a package index",
    ("docs/install.md", "python3 -m venv autograder-env"): "needs a network; a test of its own installs the wheel",
    ("docs/nbgrader.md", "python3 -m venv /opt/autograder"): ON_A_HUB,
    ("docs/nbgrader.md", """echo 'export PATH="/opt/autograder/bin:$PATH"' > /etc/profile.d/autograder.sh"""): ON_A_HUB,
    ("docs/nbgrader.md", "autograder init multihead"): ON_A_HUB,
    ("docs/nbgrader.md", "useradd --create-home --shell /bin/bash grader-layernorm"): ON_A_HUB,
    ("docs/nbgrader.md", 'c.JupyterHub.load_groups = {"formgrade-layernorm": {"users": ["teacher"]}}'):
        "a part of jupyterhub_config.py, which a test with a JupyterHub uses",
    ("docs/shell.md", 'eval "$(_AUTOGRADER_COMPLETE=zsh_source autograder)"               # ~/.zshrc'):
        "these are for zsh and fish",
}


# --- what the pages tell people to type ---------------------------------------------------------------------------

@pytest.fixture(scope="session")
def graded(made_once):
    """A class of eight with little to judge, released and graded."""
    def make(folder: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cast, "ROLES", ("right", "stripped", "half_finished", "one_mistake", "half_finished",
                                          "untouched", "right", "renamed"))
            make_class(folder / "demo-class", 8)
            patch.chdir(folder / "demo-class")
            for command in ("release", "grade"):
                assert cli.run([command]) == 0
    return made_once("docs", make) / "demo-class"


#: the page that everybody follows; the others run with the other programs
FIRST = {"README.md"}


@pytest.mark.parametrize("page", [
    pytest.param(page, marks=pytest.mark.slow if page in FIRST else pytest.mark.integration)
    for page in PAGES if any(not one.untested for one in to_run(page))])
def test_every_command_of_a_page_runs(page, graded, tmp_path):
    where = shutil.copytree(graded, tmp_path / "demo-class")
    for block in to_run(page):
        if not block.untested:
            where = typed(block, where, graded, tmp_path)


def typed(block: Block, where: Path, graded: Path, home: Path) -> Path:
    """Type this block in this folder, or write its file; where one is afterwards."""
    if block.file:
        (where / block.file).write_text(block.code)
        return where
    code = block.code if block.language == "sh" else f"python - <<'END'\n{block.code}\nEND"
    script = "\n".join(["set -eo pipefail", *block.setup, "ready=1", code, ""])
    environment = {**os.environ, "HOME": str(home), "REPOSITORY": str(ROOT), "COURSE": str(graded), "COLUMNS": "100",
                   "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}
    ended = ("trap 'code=$?; pwd > \"$HOME/where\"; [ -n \"$ready\" ] || code=\"in its setup\"; "
             "echo \"$code\" > \"$HOME/code\"' EXIT")
    done = subprocess.run(["bash", "-c", f"{ended}\n{script}"], cwd=where, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    code = (home / "code").read_text().strip()
    assert code == str(block.exit_code), f"{block.page}: exit code {code} of\n{block.code}\n{done.stdout[-3000:]}"
    return Path((home / "where").read_text().strip())


def test_what_is_not_run_is_known_and_says_why():
    found = {(page, block.first): block.untested for page in PAGES for block in to_run(page) if block.untested}
    assert found == UNTESTED


@pytest.mark.parametrize("page", PAGES)
def test_every_block_says_what_language_it_is(page):
    assert {block.language for block in blocks(page)} <= LANGUAGES


@pytest.mark.parametrize("page", [*PAGES, "CONTRIBUTING.md", "SECURITY.md"])
def test_every_command_and_option_that_a_page_names_exists(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    code = "\n".join([*re.findall(r"`(autograder [^`\n]+)`", text), *(block.code for block in blocks(page))])
    for line in re.findall(r"^(?:\$ )?autograder .*$", code, re.MULTILINE):
        for command in re.split(r"&&|\||;", line.partition("#")[0]):
            assert unknown(command.split()) == [], f"{page}: {line}"


def unknown(words: list[str]) -> list[str]:
    """The words of a command line that this version does not know."""
    if words[:1] != ["autograder"]:
        return []
    command, rest = cli.cli, words[1:]
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-") and rest[0].islower():
        if rest[0] not in command.commands:
            return rest[:1]
        command, rest = command.commands[rest[0]], rest[1:]
    known = {name for option in command.params for name in option.opts} | {"--help", "-h"}
    return [word for word in rest if word.startswith("--") and word.partition("=")[0] not in known]


def test_a_page_that_stands_elsewhere_is_included_and_not_copied():
    for page, source in (("security.md", "SECURITY.md"), ("contributing.md", "CONTRIBUTING.md")):
        assert (ROOT / "docs" / page).read_text().strip() == f'--8<-- "{source}"'
        assert (ROOT / source).is_file()


# --- the reference ------------------------------------------------------------------------------------------------

COMMANDS = dict(reference.commands())


@pytest.mark.parametrize("words", COMMANDS)
def test_every_command_and_option_has_a_help_text(words):
    command = COMMANDS[words]
    assert command.help
    assert [option.opts for option in command.params if isinstance(option, click.Option) and not option.help] == []


@pytest.mark.parametrize("words", COMMANDS)
def test_the_reference_has_every_command_with_every_option(words):
    part = reference.commands_page().partition(f"\n## {words}\n")[2].partition("\n## ")[0]
    options = [name for option in COMMANDS[words].params if isinstance(option, click.Option) for name in option.opts]
    assert part != ""
    assert [name for name in options if f"<code>{name}" not in part] == []


@pytest.mark.parametrize("name", reference.TABLES)
def test_the_reference_says_of_every_setting_what_it_is(name):
    rows = {key: (about, value) for key, about, value, _ in reference.keys(name, reference.TABLES[name])}
    assert [key for key, (about, value) in rows.items() if not (about and value)] == []
    tables = {"mark", "limits", "late", "lessons"} if name == "" else set()
    assert {key.strip("`") for key in rows} | tables == set(reference.TABLES[name].__struct_fields__)


def test_the_reference_knows_every_table_of_the_settings():
    tables = {kind for kind in vars(settings).values() if isinstance(kind, type) and issubclass(kind, settings._Table)}
    assert set(reference.TABLES.values()) == tables - {settings._Table, settings.SettingsThere}     # not of the file


# --- what is stored about students --------------------------------------------------------------------------------

@pytest.mark.slow
def test_every_file_that_names_a_student_is_on_the_page_about_it(graded, tmp_path, monkeypatch):
    course = shutil.copytree(graded, tmp_path / "course")
    monkeypatch.chdir(course)
    for words in (["grade", "--force", "--student", "student-07"], ["report", "--anonymous"]):
        assert cli.run(words) == 0
    page = (ROOT / "docs" / "privacy.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([^`]+)`[^|]*\| (yes|no) \|", page, re.MULTILINE))
    found = {path: path.relative_to(course) for path in course.rglob("*") if path.is_file()}
    naming = {str(below) for path, below in found.items()
              if b"student-07" in path.read_bytes() or "student-07" in str(below)}
    assert naming != set()
    assert {below for below in naming if listed(below, rows) != "yes"} == set()
    assert {str(below) for below in found.values() if listed(str(below), rows) == "no"} & naming == set()
    assert listed(".autograder/anonymous.key", rows) == "no"


def listed(path: str, rows: dict[str, str]) -> str:
    """What the page says of this file."""
    return next((said for place, said in rows.items() if path == place or path.startswith(place)), "")


@pytest.mark.slow
def test_what_is_not_in_the_course_does_not_name_anybody(tmp_path, monkeypatch):
    warm = Path(os.environ["XDG_CACHE_HOME"]) / "multihead-autograder"
    if warm.is_dir():                       # the answers of the catalogue, which take seconds
        shutil.copytree(warm, tmp_path / "cache" / warm.name)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "class"
    done = subprocess.run([sys.executable, "-m", "autograder", "demo", "--students", "2", str(folder)],
                          env={**os.environ, "TMPDIR": str(tmp_path)}, capture_output=True, check=False)
    assert done.returncode == 0
    elsewhere = [path for path in tmp_path.rglob("*") if path.is_file() and folder not in path.parents]
    assert elsewhere != []
    assert [path for path in elsewhere if b"student-0" in path.read_bytes()] == []


# --- the site -----------------------------------------------------------------------------------------------------

@pytest.fixture(scope="session")
def site(made_once):
    """The site as `make docs` builds it."""
    pytest.importorskip("material", reason="the extra docs is not installed")

    def make(folder: Path) -> None:
        done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(folder)],
                              cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    return made_once("site", make)


def pages_of(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


@pytest.mark.slow
def test_the_site_has_every_page_and_the_reference(site):
    there = {str(path.relative_to(site)) for path in pages_of(site)}
    assert {f"{Path(page).stem}.html" for page in documented.PAGES if page.startswith("docs/")} <= there
    assert {path.replace(".md", ".html") for path in reference.GENERATED} <= there


@pytest.mark.slow
def test_no_page_shows_an_include_or_a_comment_that_was_not_resolved(site):
    for path in pages_of(site):
        text = path.read_text(encoding="utf-8")
        assert "--8&lt;--" not in text
        assert "test-setup:" not in re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL), path


@pytest.mark.integration
def test_a_browser_asks_nobody_for_anything_when_it_shows_the_site(site):
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("Chromium is not installed")
    with playwright.sync_playwright() as engine, served(site) as address:
        browser = engine.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for base in (site.as_uri(), address):
            page, asked = browser.new_page(), []
            page.set_default_timeout(1000 * HANGS)
            page.on("request", lambda request, asked=asked: asked.append(request.url))
            for path in pages_of(site):
                if path.name != "404.html":         # whose addresses begin at the root of a server
                    page.goto(f"{base}/{path.relative_to(site)}", wait_until="load")
            if base == address:                     # search needs a server
                page.locator("input[name=query]").click()
                page.get_by_text("Type to start searching").wait_for()
                page.keyboard.type("forget")
                page.locator(".md-search-result__item").first.wait_for()
            assert [url for url in asked if not url.startswith((base, "data:", "blob:"))] == []
        browser.close()


class served:
    """A folder at an address of this machine."""

    def __init__(self, folder: Path):
        self._folder = folder

    def __enter__(self) -> str:
        command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "-d", str(self._folder)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return re.search(r"http://[^/ ]+", self._process.stdout.readline())[0]

    def __exit__(self, *exception: object) -> None:
        self._process.kill()
        self._process.wait()
