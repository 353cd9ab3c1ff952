"""The release where students open it: a kernel with NumPy and nothing else, and JupyterLab in a real browser.

SCREENSHOTS=folder keeps what was on the screen.
"""
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import nbformat
import pytest
from editions import EDITIONS, RELEASES, code_cells
from nbclient import NotebookClient
from waiting import HANGS, answers, eventually

CHROMIUM = shutil.which("chromium")
#: a notebook's first steps on a machine that has only what Jupyter itself needs, and NumPy
ONLY_NUMPY = """
import sys

class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("autograder", "nbgrader", "matplotlib", "ipywidgets", "pandas", "PIL", "scipy"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Nothing())
"""


@pytest.fixture
def release(tmp_path):
    """A student's folder, made of the release alone: of this language, solved or as it was given."""
    def made(language: str, solved: bool) -> Path:
        folder = tmp_path / "release"
        shutil.copytree(RELEASES[language].parent, folder)
        if solved:
            notebook = nbformat.read(folder / "multihead.ipynb", as_version=4)
            sources = code_cells(EDITIONS[language])
            for cell in notebook.cells:
                marks = cell.metadata.get("nbgrader", {})
                if marks.get("solution"):
                    cell.source = sources[marks.grade_id].source
            nbformat.write(notebook, folder / "multihead.ipynb")
        return folder
    return made


# --- a kernel with NumPy only -------------------------------------------------------------------------------------

def executed(folder: Path, monkeypatch, *, allow_errors: bool) -> nbformat.NotebookNode:
    (folder / "sitecustomize.py").write_text(ONLY_NUMPY)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    notebook = nbformat.read(folder / "multihead.ipynb", as_version=4)
    NotebookClient(notebook, timeout=HANGS, kernel_name="python3", allow_errors=allow_errors,
                   resources={"metadata": {"path": str(folder)}}).execute()
    return notebook


def printed(cell: nbformat.NotebookNode) -> str:
    return "".join(output.get("text", "") for output in cell.outputs)


@pytest.mark.slow
@pytest.mark.parametrize("language", EDITIONS)
def test_a_solved_notebook_runs_where_there_is_only_numpy(release, monkeypatch, language):
    folder = release(language, solved=True)
    before = nbformat.read(folder / "multihead.ipynb", as_version=4)
    notebook = executed(folder, monkeypatch, allow_errors=False)
    nbformat.validate(notebook)
    assert [cell.metadata.get("nbgrader") for cell in notebook.cells] == [
        cell.metadata.get("nbgrader") for cell in before.cells]
    looking = next(cell for cell in notebook.cells if cell.source.startswith("from explore"))
    [shown] = [output.data["text/html"] for output in looking.outputs if output.output_type == "display_data"]
    assert re.search(r"0\.860\D+0\.769\D+-0\.488\D+0\.231\D", shown)


@pytest.mark.slow
def test_what_is_blocked_there_is_really_blocked(release, monkeypatch):
    folder = release("nl", solved=True)
    notebook = nbformat.read(folder / "multihead.ipynb", as_version=4)
    notebook.cells = [nbformat.v4.new_code_cell("import ipywidgets")]
    nbformat.write(notebook, folder / "multihead.ipynb")
    [cell] = executed(folder, monkeypatch, allow_errors=True).cells
    assert cell.outputs[0].ename == "ModuleNotFoundError"


@pytest.mark.slow
def test_an_untouched_notebook_stops_only_where_something_is_to_be_written(release, monkeypatch):
    notebook = executed(release("nl", solved=False), monkeypatch, allow_errors=True)
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if output.output_type == "error":
                marks = cell.metadata.get("nbgrader", {})
                assert marks.get("grade") or marks.get("grade_id", "").startswith("example_"), cell.source
                assert "nog niet geschreven" in output.evalue


# --- JupyterLab in a browser --------------------------------------------------------------------------------------

#: every cell is drawn, also those outside the window; nobody is asked about news
SETTINGS = {"notebook-extension/tracker": {"windowingMode": "none"},
            "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False}}


@contextmanager
def jupyterlab(folder: Path):
    """A server of its own on loopback, without a token; its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home = folder.parent / "home"
    for name, setting in SETTINGS.items():
        path = home / "lab" / "user-settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(setting))
    environment = {**os.environ, "HOME": str(home), "JUPYTER_CONFIG_DIR": str(home), "JUPYTER_DATA_DIR": str(home),
                   "IPYTHONDIR": str(home)}
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}",
               "--ServerApp.token=", "--ServerApp.password=", f"--ServerApp.root_dir={folder}",
               "--LabApp.extension_manager=readonly"]
    server = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        eventually(lambda: answers(f"{address}/api"), lambda: server.poll() is not None)
        yield address
    finally:
        server.terminate()
        server.wait(HANGS)


@pytest.fixture
def page():
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        opened = browser.new_page(viewport={"width": 1200, "height": 1400})
        opened.set_default_timeout(1000 * HANGS)
        yield opened
        browser.close()


def keep_screenshot(page, name: str) -> None:
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png")


def ran(folder: Path) -> nbformat.NotebookNode | None:
    """The notebook as JupyterLab saved it, once every cell has run; None before that, and while it is written."""
    try:
        notebook = nbformat.read(folder / "multihead.ipynb", as_version=4)
    except nbformat.reader.NotJSONError:
        return None
    code = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]
    return notebook if all(cell.get("execution_count") for cell in code) else None


@pytest.mark.integration
def test_in_jupyterlab_everything_runs_and_the_buttons_move_the_picture(release, page):
    pytest.importorskip("jupyterlab")
    pytest.importorskip("ipywidgets")
    folder = release("nl", solved=True)
    with jupyterlab(folder) as address:
        page.goto(f"{address}/lab/tree/multihead.ipynb?reset")
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        shown = page.locator(".jp-OutputArea .widget-html:has(table)")
        shown.wait_for()
        shown.scroll_into_view_if_needed()
        assert "Token 2, head 0 van 2" in shown.inner_text()
        keep_screenshot(page, "jupyterlab-explore")
        page.locator(".widget-toggle-buttons", has_text="heads").get_by_role("button", name="4", exact=True).click()
        page.wait_for_function("document.querySelector('.widget-html').innerText.includes('head 0 van 4')")
        page.locator(".widget-toggle-buttons", has_text="masker").get_by_role("button", name="causaal masker").click()
        page.locator(".widget-toggle-buttons", has_text="token").get_by_role("button", name="0", exact=True).click()
        page.wait_for_function("document.querySelector('.widget-html').innerText.includes('mag niet')")
        assert "Token 0, head 0 van 4 (d = 2), causaal masker" in shown.inner_text()
        keep_screenshot(page, "jupyterlab-moved")
        found = []
        eventually(lambda: page.keyboard.press("Control+s") or page.wait_for_timeout(500) or found
                   or found.extend(filter(None, [ran(folder)])))
    errors = [output for cell in found[0].cells for output in cell.get("outputs", ()) if output.output_type == "error"]
    assert errors == []
    marks = [cell.metadata.get("nbgrader") for cell in found[0].cells]
    assert marks == [cell.metadata.get("nbgrader") for cell in nbformat.read(RELEASES["nl"], as_version=4).cells]
