"""JSON lines, the terminal and the feedback page: one grade, and nothing of a student's gets loose."""
import io
import json
import re
from html.parser import HTMLParser

import by_hand
import pytest
from by_hand import BROKEN, GRADE, UNREADABLE, changed, with_verdict
from hypothesis import given, settings
from hypothesis import strategies as some

from autograder.output.changes import Change, change_lines
from autograder.output.class_list import ClassList, Person
from autograder.output.feedback import feedback_page
from autograder.output.jsonl import as_json, json_line
from autograder.output.marks import number
from autograder.output.plain import plain
from autograder.output.results import needs_a_look, print_left, print_results, print_totals
from autograder.output.terminal import console, print_grade
from autograder.records import VERDICTS, CellReport, ExerciseGrade, Left, Text, text

EVIL = "\x1b[2J\x1b]0;title\x07[red]x[/red]{{ 7 * 7 }}</pre><script>alert(1)</script>\u202e\x9b31m\ud800"


def evil():
    """A grade in which everything that a student can write is hostile."""
    return changed(with_verdict("raised", message=text("{name} raised {error}", name="f", error=EVIL)),
                   submission=f"{EVIL}.ipynb", student=EVIL, notices=(text("{cells}", cells=EVIL),),
                   for_a_person=(text("{why}", why=EVIL),), cells=(CellReport(2, "raised", EVIL, EVIL),))


def printed(*grades, language="en", summary=False):
    file = io.StringIO()
    to = console(file)
    for grade in grades:
        print_grade(to, grade, language)
    if summary:
        print_results(to, grades, language)
    return file.getvalue()


class Page(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.text = [], [], ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text += data


# --- JSON lines ---------------------------------------------------------------------------------------------------

def test_a_json_line_has_the_documented_keys_in_their_order():
    line = json.loads(json_line(GRADE, "en"))
    assert list(line) == ["submission", "student", "status", "points", "max_points", "notices", "isolation", "seconds",
                          "cells", "exercises", "key", "checks", "language", "for_a_person", "mark"]
    assert list(line["cells"][0]) == ["cell", "status", "error", "output"]
    assert list(line["exercises"][0]) == ["name", "points", "max_points", "verdicts", "diagnosis"]
    assert list(line["exercises"][0]["verdicts"][0]) == ["check", "verdict", "points", "max_points", "world", "message",
                                                         "mistakes"]


@pytest.mark.parametrize("grade", [UNREADABLE, BROKEN, evil(), *map(with_verdict, VERDICTS)])
def test_all_keys_are_always_there(grade):
    def keys(value):
        if isinstance(value, dict):
            return {name: keys(part) for name, part in value.items()}
        return keys(value[0]) if isinstance(value, list) and value and isinstance(value[0], dict) else None

    line, full = (json.loads(json_line(each, "nl")) for each in (grade, GRADE))
    assert keys(line)["exercises"] == keys(full)["exercises"]
    assert line.keys() == full.keys()


def test_sentences_are_in_the_chosen_language():
    grade = changed(with_verdict("passed", world="stand-in", message=by_hand.GRADE.exercises[2].verdicts[0].message))
    message = as_json(grade, "nl")["exercises"][0]["verdicts"][0]["message"]
    assert message == "goed; dit ging alleen mis door je merge_heads"


def test_unknown_points_are_null():
    line = json.loads(json_line(BROKEN, "nl"))
    assert line["points"] is None
    assert line["exercises"][0]["points"] is None
    assert line["exercises"][0]["verdicts"][0]["points"] is None


def test_a_failed_check_has_no_world():
    assert as_json(with_verdict("wrong"), "nl")["exercises"][0]["verdicts"][0]["world"] is None


@pytest.mark.parametrize(("points", "shown"), [(17.5, "17.5"), (3.0, "3"), (4.000000001, "4"), (2 / 3, "0.6667"),
                                               (0.0, "0"), (-0.0, "0"), (None, "null")])
def test_points_are_rounded_once_and_plain(points, shown):
    assert json.dumps(number(points)) == shown


def test_points_that_are_no_number_are_never_written():
    with pytest.raises(ValueError, match="JSON compliant"):
        json_line(changed(points=float("nan")), "nl")


def test_a_json_line_is_one_line_of_utf_8_whatever_students_write():
    line = json_line(evil(), "nl")
    assert "\n" not in line
    assert json.loads(line.encode("utf-8"))["student"].startswith("\x1b[2J")


def test_the_line_of_a_cells_error_is_named_in_the_chosen_language():
    grade = changed(cells=(CellReport(7, "raised", "ModuleNotFoundError: torch", line=4),))
    assert as_json(grade, "en")["cells"][0]["error"] == "ModuleNotFoundError: torch (line 4)"
    assert as_json(grade, "nl")["cells"][0]["error"] == "ModuleNotFoundError: torch (regel 4)"
    assert "torch (regel 4)" in printed(grade, language="nl")


def test_how_a_process_ended_is_evidence_and_no_word_for_people():
    grade = changed(cells=(CellReport(7, "quit", "exit code 0"),))
    assert as_json(grade, "nl")["cells"][0]["error"] == "exit code 0"
    assert "exit code" not in printed(grade, language="nl") + feedback_page(grade, "nl")


# --- the terminal -------------------------------------------------------------------------------------------------

def test_the_terminal_says_what_was_seen_and_what_to_try():
    out = printed(GRADE)
    assert re.search(r"✗ +merge_heads +0.5 / 2\n", out)
    assert re.search(r"✗ not true yet: Time and heads stay apart +0 / 1.5\n"
                     r" +h has shape \(2, 5\), expected \(5, 2\) = \(T, d\)", out)
    assert "→ Which axis should stand right after the batch?" in out
    assert re.search(r"✓ 1 of 1 checks: right; it only failed because of your\s+5 / 5\s+merge_heads", out)
    assert "✓ 1 of 1 checks: right: it is the true derivative of your own" in out
    assert "not true yet (took too long): Wrong functions are rejected" in out
    assert "cell 8: raised an error: ModuleNotFoundError: torch" in out
    assert "Given cells were changed: helper." in out
    assert "for a person: an attention of its own" in out
    assert re.search(r"total +17.5 / 20\n", out)


def test_a_check_that_simply_passed_takes_no_line():
    assert "Every head keeps its own channels" not in printed(GRADE)


def test_a_right_check_that_does_not_count_yet_is_shown():
    grade = with_verdict("passed", points=0.0, world="own", message=text("right, but it does not count"))
    assert "○ 1 of 1 checks: right, but it does not count" in printed(grade)


def test_what_is_said_of_several_checks_is_said_once():
    one = by_hand.GRADE.exercises[2].verdicts[0]
    grade = changed(exercises=(ExerciseGrade("multihead", 15.0, 15.0, (one, one, one)),))
    for output in (printed(grade), Page(feedback_page(grade, "en")).text):
        assert "3 of 3 checks" in output
        assert output.count("it only failed because") == 1


def test_piped_output_fits_80_columns_without_colours():
    out = printed(GRADE, evil(), UNREADABLE, summary=True)
    assert max(map(len, out.splitlines())) <= 80
    assert "\x1b" not in out


def test_students_can_neither_move_the_cursor_nor_use_markup():
    out = printed(evil(), summary=True)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", out)
    assert "[red]x[/red]" in "".join(part.strip() for part in out.splitlines())


@pytest.mark.parametrize(("grades", "english", "dutch"), [
    ([UNREADABLE], "1 needs a look:", "1 om naar te kijken:"),
    ([UNREADABLE, UNREADABLE], "2 need a look:", "2 om naar te kijken:"),
])
def test_one_needs_a_look_and_two_need_one(grades, english, dutch):
    assert english in printed(*grades, summary=True).splitlines()
    assert dutch in printed(*grades, summary=True, language="nl").splitlines()


def test_an_unreadable_submission_says_why_and_lists_no_exercises():
    out = printed(UNREADABLE)
    assert "could not be read" in out
    assert "The file is empty" in out
    assert "multihead " not in out


def test_unknown_points_are_a_question_mark():
    assert re.search(r"‼ +multihead +\? / 1\n", printed(BROKEN))


def test_code_that_ran_without_a_wall_is_named():
    grade = changed(isolation="none")
    assert "NOT ISOLATED" in printed(grade, language="nl")
    assert "NOT ISOLATED" in feedback_page(grade, "nl")
    assert "NOT ISOLATED" not in printed(GRADE) + feedback_page(GRADE, "en")


@given(some.text())
def test_plain_text_has_no_control_characters(words):
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", plain(words))


def test_plain_keeps_lines_and_drops_colours():
    assert plain("\x1b[1;31mred\x1b[0m\r\nnext\tone\rtwo") == "red\nnext\tone\ntwo"


# --- the class ----------------------------------------------------------------------------------------------------

def test_the_summary_counts_means_and_full_points():
    full = changed(points=20.0, for_a_person=())
    out = printed(GRADE, full, UNREADABLE, summary=True).rpartition("submissions graded")
    assert out[0].endswith("2 of 3 ")
    assert re.search(r"total +18.75 / 20 +\S+ +1\n", out[2])
    assert re.search(r"merge_heads +0.5 / 2 +\S+ +0\n", out[2])


def test_the_summary_names_who_needs_a_look():
    assert needs_a_look(UNREADABLE) == by_hand.WHY
    assert needs_a_look(GRADE) == text("an attention of its own")
    assert needs_a_look(BROKEN) is not None
    assert needs_a_look(changed(for_a_person=())) is None


def test_a_skipped_exercise_has_no_mean():
    skipped = ExerciseGrade("own_test", None, 3.0, (), skipped=True)
    out = printed(changed(exercises=(*GRADE.exercises[:4], skipped)), summary=True)
    assert re.search(r"– +own_test +not graded", out)
    assert "own_test" not in out.partition("submissions graded")[2]


def test_lines_in_a_file_end_without_blanks():
    out = printed(changed(notices=(text("a notice that is longer than one line " * 4),)), UNREADABLE, summary=True)
    assert not [line for line in out.splitlines() if line.endswith(" ")]


def test_a_class_without_submissions_is_no_error():
    file = io.StringIO()
    print_results(console(file), [], "en")
    assert file.getvalue().strip() == "0 of 0 submissions graded"


# --- the feedback page --------------------------------------------------------------------------------------------

def test_the_page_has_every_exercise_check_and_hint():
    page = Page(feedback_page(GRADE, "en")).text
    for exercise in GRADE.exercises:
        assert exercise.name in page
        for verdict in exercise.verdicts:
            assert verdict.title.template in page
    for words in ("17.5 / 20", "h has shape (2, 5)", "Which axis should stand right after the batch?",
                  "Not true yet (took too long):", "Given cells were changed: helper.", "ModuleNotFoundError: torch",
                  "<b>bold</b>", "in a closed process"):
        assert words in page


def test_the_page_keeps_from_students_what_is_for_a_person():
    page = feedback_page(GRADE, "en")
    assert "an attention of its own" not in page
    assert "merge-no-swap" not in page


@pytest.mark.parametrize("grade", [GRADE, UNREADABLE, BROKEN, evil(), *map(with_verdict, VERDICTS)])
@pytest.mark.parametrize("language", ["nl", "en"])
def test_no_page_has_a_script_or_loads_anything(grade, language):
    page = Page(feedback_page(grade, language))
    assert not {"script", "img", "link", "iframe", "object", "form", "base"} & set(page.tags)
    names = {name for name, _ in page.attributes}
    assert not {"src", "onclick", "onerror", "action"} & names
    assert all(value.startswith("#") for name, value in page.attributes if name == "href")
    assert ("lang", language) in page.attributes
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'; img-src data:") in page.attributes


def test_what_students_write_stays_text_on_the_page():
    page = feedback_page(evil(), "en")
    assert "<script" not in page
    assert "{{ 7 * 7 }}" in page
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ud800]", page)
    page.encode("utf-8")


def test_the_page_of_an_unreadable_file_says_why():
    page = Page(feedback_page(UNREADABLE, "en")).text
    assert "The file is empty" in page
    assert "multihead</code>" not in page


def test_the_page_names_no_points_that_are_unknown():
    page = Page(feedback_page(BROKEN, "en")).text
    assert "? / 1" in page
    assert "0 / 1" not in page


#: what a name of a student or a file can be made of: line ends, marks of direction, commands to a terminal, look-alikes
PARTS = ("student-99  20 / 20", "\n", "\r", "\t", "\v", "\x85", "\u2028", "\u2029", "\u202e", "\u2066", "\u061c",
         "\ufeff", "\x1b[2K", "\x1b]0;x\x07", " ", ".", "\udcff", "Zoe\u0308", "Zo\u00eb", "stud\u0435nt", "[bold]",
         "=1+1", "\\")
MOVES = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


@settings(max_examples=60)
@given(name=some.lists(some.sampled_from(PARTS), min_size=1, max_size=6).map("".join))
def test_no_name_breaks_a_line_or_looks_like_another(name) -> None:
    def shown(name: str) -> list[str]:
        grade = changed(UNREADABLE, student=name, submission=f"{name}/multihead/{name}.ipynb")
        left = [Left(name, Text("It is not looked at."), asks) for asks in (True, False)]
        file = io.StringIO()
        to = console(file)
        to.width = 2000
        print_grade(to, grade, "en")
        print_results(to, [grade], "en", ClassList({name: Person(name, name=name)}))
        print_totals(to, [grade, grade], "en")
        print_left(to, left, "en")
        return file.getvalue().split("\n") + [*change_lines([Change(grade, grade), Change(grade, None)], left)]
    lines = shown(name)
    assert len(lines) == len(shown("x"))
    assert [line for line in lines if MOVES.search(line)] == []
