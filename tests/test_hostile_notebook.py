"""A notebook that tries everything on whoever opens its results: in a real browser, nothing of it runs or loads.

Skips itself where Chromium or Playwright is not installed. SCREENSHOTS=folder keeps what was on the screen.
"""
import base64
import shutil
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

import pytest
from courses import cell_of, hand_in, run_nbgrader
from damage import honest
from nbgrader.api import Gradebook
from nbgrader.converters import GenerateFeedback
from test_formgrader import open_submission, pytestmark, server, shot, window  # noqa: F401

from autograder import cli
from autograder.cli.common import NOT_ALL_GRADED
from autograder.course.folder import Course

STUDENT = "student-01"
MARKUP = "student-02<img src=x onerror=window.taken='id'>"                # what a folder may be called, but no student


@pytest.fixture(scope="module")
def canary():
    """The address of a server that nobody should ever ask for anything, and what it was asked for."""
    asked = []

    class Canary(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()

        do_POST = do_OPTIONS = do_HEAD = do_GET

        def log_message(self, *_):
            pass

    canary = ThreadingHTTPServer(("127.0.0.1", 0), Canary)
    threading.Thread(target=canary.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{canary.server_port}", asked
    canary.shutdown()
    canary.server_close()


def payloads(canary: str) -> list[str]:
    """Every way to run or load something from within a page; each says `taken`, or asks the canary."""
    run = "window.taken=1;document.title='taken'"
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" onload="{run}"><script>{run}</script></svg>'
    inside = base64.b64encode(svg.encode()).decode()
    return [
        f"<script>{run};alert(1)</script>", f"<script src={canary}/script.js></script>",
        f"<img src={canary}/img.png>", f'<img src=x onerror="{run}">', svg, f'<object data="{canary}/object"></object>',
        f'<iframe src="{canary}/frame"></iframe>', '<iframe srcdoc="<script>parent.taken=1</script>"></iframe>',
        f'<link rel=stylesheet href="{canary}/style.css">', f'<style>@import url("{canary}/import.css");</style>',
        f'<div style="background:url({canary}/background.png)">x</div>', f'<video poster="{canary}/poster" autoplay>',
        f'<meta http-equiv=refresh content="0;url={canary}/refresh">', f'<base href="{canary}/base/">',
        f'<input autofocus onfocus="{run}">', f'<details open ontoggle="{run}">x</details>',
        f'</pre></textarea></style></script></title>--><script>{run}</script>', f'"><script>{run}</script>',
        f"<math><mtext><table><mglyph><style><img src=x onerror={run}>", f"{{{{constructor.constructor('{run}')()}}}}",
        f"[click]( javascript:{quote(run)} )", f"![picture]({canary}/markdown.png)", f"<javascript:{run}>",
        f"![a](data:image/svg+xml;base64,{inside})", f"$\\href{{javascript:{run}}}{{x}}$ \\unicode{{<img src=x>}}",
        f"~~~\n~~~\n~~~~~\n<script>{run}</script>", f"```{{=html}}\n<script>{run}</script>\n```",
        f"\x1b]8;;{canary}/terminal\x07link\x1b]8;;\x07\x1b[31mred\x1b[2J\x9b2J\u202egnirts\0",
    ]


def stored_outputs(canary: str) -> list[dict]:
    words = "\n".join(payloads(canary))
    kinds = ["text/html", "application/javascript", "image/svg+xml", "text/markdown", "text/latex", "text/plain",
             "application/vnd.jupyter.widget-view+json", "application/vnd.plotly.v1+json", "application/pdf",
             "image/png"]
    shown = [{"output_type": "display_data", "metadata": {},
              "data": {kind: {"model_id": words} if "json" in kind else words}} for kind in kinds]
    return [*shown, {"output_type": "stream", "name": "stdout", "text": words},
            {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": {"text/html": words}},
            {"output_type": "error", "ename": words, "evalue": words, "traceback": [words]}]


def code(source: str, *outputs: dict) -> dict:
    return {"cell_type": "code", "metadata": {}, "execution_count": None, "source": source, "outputs": list(outputs)}


def hostile(canary: str) -> dict:
    """An honest notebook but for split_heads, with all of it everywhere."""
    words = payloads(canary)
    notebook = honest()
    cell_of(notebook, "split_heads")["source"] = (
        f'def split_heads(x, heads):\n    """{words[0]}"""\n'
        f"    raise type({words[3]!r}, (ValueError,), {{}})({words[0]!r})")
    cell_of(notebook, "merge_heads")["source"] = f"def merge_heads(h):\n    return {{{words[0]!r}: {words[3]!r}}}"
    attachments = {"a.svg": {"image/svg+xml": base64.b64encode(words[4].encode()).decode()},
                   "a.html": {"text/html": words[0]}}
    for word in words:
        notebook["cells"] += [
            {"cell_type": "markdown", "metadata": {"nbgrader": {"grade_id": word}},
             "source": f"{word}\n\n![a](attachment:a.svg)", "attachments": attachments},
            code(f"# {word!r}\nprint({word!r})\n", *stored_outputs(canary)), code(f"raise ValueError({word!r})"),
            {"cell_type": "raw", "metadata": {"format": "text/html"}, "source": word}]
    notebook["cells"] += [
        code(f"import matplotlib.pyplot as plt\nplt.title({words[0]!r})\nplt.show()"),
        code(f"class A:\n    def _repr_html_(self): return {words[0]!r}\ndisplay(A())")]
    notebook["metadata"] |= {"title": words[0], "authors": [{"name": words[3]}],
                             "kernelspec": {"name": words[0], "display_name": words[3], "language": words[0]},
                             "widgets": {"application/vnd.jupyter.widget-state+json": {
                                 "version_major": 2, "version_minor": 0, "state": {"a": {
                                     "model_name": "HTMLModel", "model_module": f"{canary}/widget.js",
                                     "model_module_version": "1", "state": {"value": words[0]}}}}}}
    return notebook


@pytest.fixture(scope="module")
def course(generated, tmp_path_factory, canary):
    """A course in which this notebook was graded, and nbgrader's own feedback made."""
    course = Course.find(shutil.copytree(generated.root, tmp_path_factory.mktemp("hostile") / "course"))
    hand_in(course, STUDENT, hostile(canary[0]))
    hand_in(course, MARKUP, honest())
    (course.path("submitted", STUDENT, "multihead") / "<img src=x onerror=taken=1>.ipynb").write_text("{}")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(course.root)
        assert cli.run(["grade", "--jobs", "1"]) == NOT_ALL_GRADED
    run_nbgrader(GenerateFeedback, course)
    return course


def pages(course) -> dict[str, Path]:
    folder = course.path("feedback", STUDENT, "multihead")
    return {"feedback": folder.with_suffix(".html"), "report": course.root / "report.html",
            "nbgrader": folder / "multihead.html"}


@pytest.fixture(scope="module")
def page(window):  # noqa: F811
    return window


def watched(page):  # noqa: F811
    """What a page did of itself: dialogs, further pages, and requests to anything but a file or the Jupyter server."""
    seen = []
    page.on("dialog", lambda dialog: (seen.append(dialog.message), dialog.dismiss()))
    page.on("popup", lambda other: seen.append(other.url))
    page.on("framenavigated", lambda frame: seen.append(frame.url) if frame.parent_frame else None)
    return seen


def assert_nothing_ran(page, canary, seen) -> None:  # noqa: F811
    page.wait_for_timeout(1500)
    assert page.evaluate("window.taken") is None
    assert page.title() != "taken"
    assert canary[1] == []
    assert [url for url in seen if not url.startswith("about:")] == []


@pytest.mark.parametrize("name", ["feedback", "report", "nbgrader"])
def test_a_page_of_results_runs_and_loads_nothing_of_a_students(page, course, canary, name):  # noqa: F811
    seen = watched(page)
    path = pages(course)[name]
    page.goto("file://" + quote(str(path)))
    shot(page, f"hostile-{name}")
    assert "split_heads" in page.content()
    assert_nothing_ran(page, canary, seen)
    assert page.url == "file://" + quote(str(path))


@pytest.mark.parametrize("name", ["feedback", "report"])
def test_our_own_pages_would_not_run_it_if_it_got_through(page, course, canary, name):  # noqa: F811
    text = pages(course)[name].read_text()
    assert "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';" in text
    broken = pages(course)[name].with_name("broken.html")
    broken.write_text(text.replace("</body>", "".join(
        word for word in payloads(canary[0]) if "refresh" not in word and "</script>" not in word[:12]) + "</body>"))
    seen = watched(page)
    page.goto("file://" + quote(str(broken)))
    page.wait_for_timeout(1500)
    assert page.evaluate("window.taken") is None
    assert canary[1] == []
    assert [words for words in seen if words == "1"] == []


def test_the_formgrader_runs_and_loads_nothing_of_a_students(page, server, course, canary):  # noqa: F811
    seen = watched(page)
    for place in ("manage_submissions/multihead", "gradebook/multihead/multihead", "manage_students"):
        page.goto(f"{server}/formgrader/{place}")
        page.wait_for_load_state("networkidle")
        assert_nothing_ran(page, canary, seen)
    open_submission(page, server)
    shot(page, "hostile-formgrader")
    assert page.locator("text=<script>").count() > 10                      # it is there, as letters
    assert_nothing_ran(page, canary, seen)


def test_a_folder_whose_name_is_markup_is_named_and_not_handed_on(course):
    """nbgrader's formgrader writes a student's id into its pages without escaping it."""
    with Gradebook(course.db_url) as gradebook:
        assert [student.id for student in gradebook.students] == [STUDENT]
    assert not course.path("autograded", MARKUP, "multihead").exists()
    assert "In de naam van de map staat &lt; of &gt;" in (course.root / "report.html").read_text()
