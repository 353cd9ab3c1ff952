"""Make the outputs below the cells of the autograded notebook, without ever drawing anything of a student's.

Our own feedback is HTML, from our template that escapes everything; all the rest is plain text. nbgrader reads a score
from a cell's outputs, and fails open: it takes no output, "nan" or a word for full marks. So a graded cell ends in
exactly one execute_result that is a float within 0..maximum and has nothing on standard error; if the points are
unknown it ends in an error, which no reader takes for full marks.
"""

from collections.abc import Iterator
from typing import Any

from autograder.locale.language import translate, translated
from autograder.output.marks import error_words, what_happened
from autograder.output.plain import plain
from autograder.records import CellReport, Grade, text

OUTPUT_CAP = 10_000                         # characters of what one cell printed

Output = dict[str, Any]


def score_outputs(points: float | None, words: str, html: str, language: str) -> list[Output]:
    """What a graded cell shows: our words, then its points (within its maximum), or an error if they are unknown."""
    data = {"text/plain": words} | ({"text/html": html} if html else {})
    shown = [{"output_type": "display_data", "data": data, "metadata": {}}] if words else []
    if points is None:
        why = translate(text("not graded automatically; a person has to look at this"), language)
        return [*shown, {"output_type": "error", "ename": "NotGraded", "evalue": why, "traceback": [why]}]
    return [*shown, {"output_type": "execute_result", "execution_count": None, "metadata": {},
                     "data": {"text/plain": repr(float(points))}}]


def notice_lines(grade: Grade, language: str) -> list[str]:
    """What the student and the instructor should know about the submission as a whole."""
    return [plain(translate(notice, language)) for notice in grade.notices]


def run_outputs(report: CellReport | None, language: str) -> Iterator[Output]:
    """What a cell of the student's printed, and how it ended if it did not end well."""
    if report is None:
        return
    printed = plain(report.output)
    if len(printed) > OUTPUT_CAP:
        printed = f"{printed[:OUTPUT_CAP]}\n…"
    if printed:
        yield {"output_type": "stream", "name": "stdout", "text": printed}
    if report.status != "ok":
        happened = translate(what_happened(report), language)
        error = plain(translated(error_words(report), language))[:OUTPUT_CAP]
        yield {"output_type": "error", "ename": happened, "evalue": error, "traceback": [f"{happened} {error}".strip()]}
