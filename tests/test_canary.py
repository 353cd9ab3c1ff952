"""Whatever a submission does with hidden inputs, no output holds any of them, in any code."""
from __future__ import annotations

import io
import json
from contextlib import suppress

import canary
import pytest

from autograder.intake.reading import from_sources
from autograder.judge.engine import Limits
from autograder.lessons.kit import facts, quoting
from autograder.lessons.multihead import probes
from autograder.locale.language import translate
from autograder.nbgrader.cell_outputs import notice_lines, run_outputs
from autograder.nbgrader.comments import comment_on
from autograder.output.changes import Change, change_lines
from autograder.output.exports import FORMATS, github
from autograder.output.exports.order import Order
from autograder.output.feedback import feedback_page
from autograder.output.jsonl import json_line
from autograder.output.rendered import exercise_page, exercise_words
from autograder.output.results import print_results
from autograder.output.terminal import console, print_grade
from autograder.records import Grade
from autograder.report.page import Run, report_page
from autograder.sandbox.conversation import Conversation


def outputs(grade: Grade) -> dict[str, str]:
    """Everything that anybody can read of a grade: pages, notebooks, terminals, records, the gradebook and exports."""
    terminal, listed = io.StringIO(), io.StringIO()
    print_grade(console(terminal), grade, "en")
    print_results(console(listed), [grade], "en")
    notebook = [*notice_lines(grade, "nl"), *[str(one) for cell in grade.cells for one in run_outputs(cell, "nl")]]
    for exercise in grade.exercises:
        notebook += [exercise_words(exercise, "nl"), exercise_page(exercise, "nl")]
    return {"page": feedback_page(grade, "en"), "record": json_line(grade, "nl"), "terminal": terminal.getvalue(),
            "notebook": "\n".join(notebook), "report": report_page(Run([grade]), "en"), "class": listed.getvalue(),
            "changes": "\n".join(change_lines([Change(None, grade)])),
            "comments": "\n".join(comment_on(exercise, "nl") or "" for exercise in grade.exercises),
            "kernel": "\n".join(translate(why, "en") for why in (*grade.notices, *grade.for_a_person)),
            "runner": json.dumps(github.as_result(grade, "en")) + github.in_markdown(grade, "en"),
            **{name: export.write([grade], Order("en")).decode() for name, export in FORMATS.items()}}


#: where messages always are; the others hold points, titles, and hints, which may sum messages up
WITH_MESSAGES = {"page", "record", "terminal", "notebook", "report", "gradescope", "junit", "moodle", "runner"}


@pytest.fixture
def graded(engine_with):
    def grade(cells: list[str]) -> Grade:
        return engine_with(Limits(isolation="process")).grade(
            from_sources("work.ipynb", "student-01", cells, canary.LESSON))
    return grade


def told(grade: Grade) -> dict[str, set[str]]:
    return {name: found for name, output in outputs(grade).items() if (found := canary.found_in(output))}


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=[pytest.mark.slow] * (seed != 4))
                                  for seed in range(12)])
def test_no_output_holds_a_hidden_input(graded, seed):
    grade = graded(canary.hostile(seed))
    assert grade.status == "graded", grade.for_a_person
    assert told(grade) == {}


@pytest.mark.parametrize(("name", "channel"), [
    ("multihead", "key"), pytest.param("split_heads", "shape", marks=pytest.mark.slow)])
def test_without_the_quoting_it_would_be_found(graded, monkeypatch, name, channel):
    monkeypatch.setattr("autograder.judge.worlds.quoted", lambda why, lengths=None: quoting.quoted(why))
    monkeypatch.setattr(facts, "_argument", lambda ask, call, names, path: path)
    assert set(told(graded(canary.one(name, channel, "digits", "hidden")))) >= WITH_MESSAGES


def test_the_canaries_are_what_a_submission_writes(graded):
    cells = [canary.ENCODE, *[f"print(encoded(0.32312783250192434, {how!r}))" for how in canary.WORDS]]
    found = canary.found_in(outputs(graded(cells))["record"])
    assert len(found) >= len(canary.WORDS)


# --- in the memory of processes -----------------------------------------------------------------------------------

#: the beginnings of hidden inputs as they lie in memory
NEEDLES = [array.tobytes()[:48] for array in (probes.GENERAL.x, probes.GENERAL.dy, probes.FULL_MASK.x)]
SCANNED = 5                                 # of the processes of each kind


def in_memory(pid: int) -> bool:
    """Whether what a process can write holds a hidden input, as seen from outside of the wall."""
    held = []
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            place, rights, *_ = line.split()
            if rights.startswith("rw"):
                first, last = (int(number, 16) for number in place.split("-"))
                with suppress(OSError):         # what the kernel keeps for itself
                    memory.seek(first)
                    held.append(memory.read(last - first))
    return any(needle in part for part in held for needle in NEEDLES)


@pytest.mark.integration
def test_no_hidden_input_is_in_the_memory_of_a_process_that_was_asked_none(engine_with, monkeypatch):
    send, close = Conversation._send, Conversation.close
    told: set[Conversation] = set()
    seen: list[tuple[bool, bool]] = []          # of each process of the student's: was it asked any, does it hold any

    def sends(self, body, *stint):
        if any(needle in bytes(body) for needle in NEEDLES):
            told.add(self)
        return send(self, body, *stint)

    def closes(self):
        asked = self in told
        few = sum(each == asked for each, _ in seen) < SCANNED
        if few and self._child.channel.fileno() >= 0 and self.alive and (pid := self._clock._pid):
            seen.append((asked, in_memory(pid)))
        close(self)

    monkeypatch.setattr(Conversation, "_send", sends)
    monkeypatch.setattr(Conversation, "close", closes)
    lesson = canary.LESSON
    wrong = lesson.reference_source.replace("return y, ", "return 2 * y, ")         # its examples fail, and are shown
    assert wrong != lesson.reference_source
    remembers = "\n\n\nseen = []\n\n\ndef own_test(forward, backward):\n    seen.append(forward)\n    assert False\n"
    grade = engine_with(Limits(isolation="process")).grade(
        from_sources("work.ipynb", "student-01", [wrong + remembers], lesson))
    assert grade.status == "graded"
    assert (True, True) in seen
    assert [holds for asked, holds in seen if not asked] == [False] * SCANNED
