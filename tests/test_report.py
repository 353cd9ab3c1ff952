"""The class report: the facts on the page, what it hides when it is anonymous, and that nothing of a student's runs."""
import json
import re
import sys
from html.parser import HTMLParser
from random import Random

import by_hand
import msgspec
import pytest
from by_hand import BROKEN, GRADE, UNREADABLE, changed, with_verdict
from class_of import class_of, hostile
from msgspec.structs import replace
from stores import keep

from autograder.cli import run
from autograder.cli.report import write_course_report
from autograder.course.folder import Course
from autograder.course.store import Store
from autograder.course.submitted import SubmittedFolder
from autograder.faults import Refused
from autograder.output.jsonl import json_line
from autograder.records import VERDICTS, CellReport, Diagnosis, ExerciseGrade, Grade, Verdict, text
from autograder.report.anonymous import anonymous
from autograder.report.cells import SIGNS, code_of
from autograder.report.change import ShareChange, changes
from autograder.report.facts import Class
from autograder.report.grid import grid_data, json_in_page
from autograder.report.items import costliest, items, remarked
from autograder.report.mistakes import mistakes, unexplained
from autograder.report.page import Run, report_page
from autograder.report.person import groups
from autograder.report.reading import CannotRead, read_grades

EVIL = "</script><img src=x onerror=alert(1)>\u2028'\"]]>--><svg onload=alert(2)>"
SECRET = b"0123456789abcdef"


class Page(HTMLParser):
    """The page as a browser sees it: its tags with their attributes, the text of each script, and all visible words."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.words, self.scripts, self._open = [], [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self._open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data):
        if "script" in self._open:
            self.scripts[-1] += data
        elif "style" not in self._open:
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())

    @property
    def data(self):
        return json.loads(self.scripts[0])


def page_of(*grades, language="en", **more):
    return Page(report_page(Run(grades), language, **more))


def scored(student, *passed, worth=1.0):
    """A grade with one exercise whose checks c0, c1, ... passed or did not."""
    verdicts = tuple(Verdict(f"c{index}", text(f"fact {index}"), "passed" if one else "wrong", worth * one, worth,
                             "own" if one else None) for index, one in enumerate(passed))
    points, of = worth * sum(passed), worth * len(passed)
    return Grade(student, student, "multihead", "graded", points, of,
                 (ExerciseGrade("multihead", points, of, verdicts),), checks="abcd")


def blank(student):
    """A grade of a stub that nobody touched."""
    said = text("{function} is not written yet", function="multihead")
    return replace(scored(student, False), exercises=(ExerciseGrade("multihead", 0.0, 1.0, (
        Verdict("c0", text("fact 0"), "unwritten", 0.0, 1.0, None, said),)),))


# --- how did they do ----------------------------------------------------------------------------------------------

def test_those_without_points_count_in_no_mean():
    of = Class([scored("a", True, True), scored("b", True, False), UNREADABLE, BROKEN])
    assert (len(of.graded), of.mean, of.median, of.spread, of.full) == (2, 1.5, 1.5, 0.5, 1)


def test_passing_is_55_percent_unless_a_mark_is_given():
    grades = [scored("a", *[True] * 11, *[False] * 9), scored("b", *[True] * 10, *[False] * 10)]
    assert (Class(grades).pass_mark, Class(grades).passed) == (11.0, 1)
    assert (Class(grades, 10.0).passed, Class(grades, pass_share=0.4).passed) == (2, 2)


def test_the_histogram_holds_everyone_once_and_full_marks_by_themselves():
    grades = [scored(str(n), *[True] * n, *[False] * (4 - n)) for n in (0, 1, 1, 3, 4, 4, 4)]
    bins = Class(grades, 1.5).bins
    assert [(one.label, one.count) for one in bins] == [("0", 1), ("1", 2), ("2", 0), ("3", 1), ("4", 3)]
    assert [one.passing for one in bins] == ["no", "some", "yes", "yes", "yes"]


def test_points_that_come_out_of_floats_fall_into_the_right_bar():
    grade = replace(scored("a", *[False] * 20), points=2.9999999999)
    assert next(one.start for one in Class([grade]).bins if one.count) == 3


def test_a_hundred_points_make_twenty_bars():
    assert len(Class([replace(scored("a", True), points=100.0, max_points=100.0)]).bins) == 21


def test_exercises_tell_all_some_none_and_not_written_apart():
    facts, = Class([scored("a", True), scored("b", False), blank("c"), scored("d", True)]).exercises
    assert (facts.full, facts.some, facts.none, facts.not_written, facts.mean) == (2, 0, 1, 1, 0.5)


def test_the_page_says_the_numbers():
    words = page_of(scored("a", True, True), scored("b", True, False), UNREADABLE).text
    assert "graded 2 of 3 mean 1.5 of 2 median 1.5 sd 0.5 pass (1.1 or more) 1 50% full marks 1" in words


# --- what did they not understand ---------------------------------------------------------------------------------

def made(student, *ids, hints=(), points=0.0):
    grade = scored(student, False)
    exercise = replace(grade.exercises[0], points=points, diagnosis=Diagnosis(ids, hints), verdicts=(
        Verdict("c0", text("fact 0"), "wrong", 0.0, 1.0, None, text("saw {it}", it=student), ids),))
    return replace(grade, exercises=(exercise,))


def test_mistakes_rank_by_the_students_whom_they_explain_best():
    hint = text("why?")
    one, two = mistakes([made("a", "x", "y", hints=(hint, text("how?"))), made("b", "x", hints=(hint,)),
                         made("c", "y")])
    assert (one.id, len(one.students), one.also, one.hint.template, one.lost) == ("x", 2, 0, "why?", 2.0)
    assert (two.id, len(two.students), two.also, two.hint.template) == ("y", 1, 1, "how?")


def test_the_symptom_is_what_most_of_them_show():
    found, = mistakes([made("a", "x"), *[replace(made("b", "x"), student=str(n)) for n in range(2)]])
    title, said = found.sign
    assert (title.template, said.values) == ("fact 0", {"it": "b"})


def test_losses_that_no_mistake_explains_are_listed_but_stubs_are_not():
    grades = [made("a", "x"), made("b"), blank("c"), scored("d", True)]
    found, = unexplained(grades)
    assert (found.exercise, [grade.student for grade in found.students]) == ("multihead", ["b"])


# --- which check is odd -------------------------------------------------------------------------------------------

def test_the_item_rest_correlation_is_that_of_the_definition():
    rng = Random(3)
    grades = [scored(str(n), *[rng.random() < 0.6 for _ in range(5)]) for n in range(40)]
    for index, item in enumerate(items(Class(grades))):
        passed = [grade.exercises[0].verdicts[index].points for grade in grades]
        rest = [grade.points - one for grade, one in zip(grades, passed, strict=True)]
        means = sum(passed) / 40, sum(rest) / 40
        moments = [sum((a - means[i]) * (b - means[j]) for a, b in zip(x, y, strict=True))
                   for (i, x), (j, y) in [((0, passed), (1, rest)), ((0, passed), (0, passed)), ((1, rest), (1, rest))]]
        assert item.rest == pytest.approx(moments[0] / (moments[1] * moments[2]) ** 0.5)
        assert item.share == means[0]


def test_checks_that_separate_nobody_or_separate_the_wrong_way_say_so():
    good = [scored(f"g{n}", True, True, True, False, False) for n in range(10)]
    weak = [scored(f"w{n}", True, False, False, False, True) for n in range(10)]
    found = items(Class(good + weak))
    assert [item.remark for item in found] == [
        "does not discriminate: everyone passes", "", "", "does not discriminate: no one passes",
        "odd: students who do well elsewhere fail it more often"]
    assert [item.column.check for item in remarked(found)] == ["c4", "c3", "c0"]


def test_a_few_students_make_no_check_odd():
    found = items(Class([scored("a", True, True, False), scored("b", False, False, True)]))
    assert [item.remark for item in found] == ["", "", ""]


def test_who_wrote_nothing_says_nothing_about_a_check():
    item, = items(Class([scored("a", True), scored("b", False), blank("c")]))
    assert (item.tried, item.passed, item.failed, item.not_written) == (2, 1, 1, 1)


def test_one_exercise_does_not_hide_what_others_get_wrong():
    def two(student, *passed):
        exercise, = scored(student, *passed).exercises
        return replace(scored(student, *passed), exercises=(exercise, replace(exercise, name="other", verdicts=tuple(
            replace(verdict, verdict="passed", points=1.0) if index else verdict
            for index, verdict in enumerate(exercise.verdicts)))))

    found = costliest(items(Class([two("a", False, False, False, False, True), two("b", True, *[False] * 4)])))
    assert [(item.column.exercise, item.column.check, item.failed) for item in found] == [
        ("multihead", "c1", 2), ("multihead", "c2", 2), ("multihead", "c3", 2), ("other", "c0", 1)]


def test_what_cost_the_class_most_comes_first_whoever_many_fail():
    def weighed(student, *passed):
        exercise, = scored(student, *passed).exercises
        return replace(scored(student, *passed), exercises=(replace(exercise, verdicts=tuple(
            replace(verdict, max_points=worth, points=worth if verdict.points else 0.0)
            for verdict, worth in zip(exercise.verdicts, (0.25, 4.0), strict=True))),))

    found = costliest(items(Class([weighed("a", False, False), weighed("b", False, True), weighed("c", True, True)])))
    assert [(item.column.check, item.failed, item.lost) for item in found] == [("c1", 1, 4.0), ("c0", 2, 0.5)]


def test_what_was_not_judged_is_nobodys_failure():
    item, = items(Class([with_verdict("passed"), replace(with_verdict("skipped"), points=0.0)]))
    assert (item.tried, item.passed) == (1, 1)


# --- whom must I look at ------------------------------------------------------------------------------------------

def keys(*grades, **more):
    return {group.key: [entry.grade.student for entry in group.entries] for group in groups(Class(grades, **more))}


def test_each_reason_to_look_finds_its_submissions():
    grades = [replace(grade, student=name, for_a_person=(), notices=()) for name, grade in {
        "fine": with_verdict("passed"), "broken": BROKEN, "tampers": with_verdict("tampering"),
        "missing": with_verdict("missing"), "slow": with_verdict("timed_out")}.items()]
    grades += [changed(UNREADABLE, student="unreadable"), changed(student="marked", notices=(), cells=()),
               changed(with_verdict("passed"), student="repaired", notices=(text("a repair"),), for_a_person=())]
    assert keys(*grades, given_pass_mark=30.0) == {
        "broken": ["broken"], "tampering": ["tampers"], "by-hand": ["marked"], "unreadable": ["unreadable"],
        "repaired": ["repaired"], "stopped": ["slow", "marked"], "missing": ["missing"]}


def test_a_cell_that_interfered_is_enough():
    grade = changed(student="a", cells=(CellReport(3, "tampering"),), for_a_person=(), notices=())
    assert keys(grade)["tampering"] == ["a"]


def test_who_wrote_nothing_at_all_is_listed():
    assert keys(blank("a"), scored("b", False), given_pass_mark=9.0) == {"untouched": ["a"]}


def test_near_the_pass_mark_is_a_twentieth_of_the_points_to_either_side():
    grades = [replace(scored(str(n), *[True] * n, *[False] * (40 - n)), for_a_person=()) for n in range(41)]
    assert keys(*grades)["near"] == ["20", "21", "22", "23", "24"]


def test_what_needs_a_person_comes_first_on_the_page():
    page = page_of(BROKEN, changed(student="student-02"))
    assert page.text.index("Look at these yourself") < page.text.index("How did they do?")
    assert "need a person first 2" in page.text


# --- the table ----------------------------------------------------------------------------------------------------

def data_of(*grades, language="en", link=lambda grade: None):
    of = Class(grades)
    return json.loads(json_in_page(grid_data(of, groups(of), link, language)))


def test_each_verdict_word_has_a_sign_of_its_own():
    codes = [code_of(with_verdict(word).exercises[0].verdicts[0]) for word in VERDICTS]
    assert len(set(codes)) == len(VERDICTS)
    assert len({sign.sign for sign in SIGNS.values()}) == len(SIGNS)


def test_worlds_reservations_and_stubs_have_signs_too():
    verdict = Verdict("c", text("t"), "passed", 1.0, 1.0, "own")
    assert [code_of(one) for one in (
        verdict, replace(verdict, world="stand-in"), replace(verdict, world="own-derivative"),
        replace(verdict, points=0.0), replace(verdict, verdict="unwritten"), None)] == ["p", "s", "d", "h", "n", " "]


def test_a_row_holds_points_signs_messages_and_mistakes():
    data = data_of(GRADE, link=lambda grade: "feedback/x.html")
    row, = data["rows"]
    assert (row["name"], row["points"], row["exercises"], row["link"]) == (
        "student-01", 17.5, [3, 0.5, 5, 7, 2], "feedback/x.html")
    assert row["codes"] == "pppwsdpt"
    assert data["messages"][row["says"]["3"]] == "h has shape (2, 5), expected (5, 2) = (T, d)"
    assert row["mistakes"] == {"1": ["merge-no-swap"]}
    assert data["hints"] == {"merge-no-swap": "Which axis should stand right after the batch?"}
    assert row["groups"] == ["by-hand", "repaired", "stopped"]


def test_a_grade_that_lacks_checks_leaves_its_cells_empty():
    rows = data_of(scored("a", True, True), scored("b", True))["rows"]
    assert [row["codes"] for row in rows] == ["pp", "p "]


def test_what_is_said_to_many_stands_there_once():
    data = data_of(*[replace(GRADE, student=str(n)) for n in range(50)])
    assert len(data["messages"]) == 2


@pytest.mark.slow
def test_a_thousand_students_take_less_than_two_megabytes():
    page = report_page(Run(class_of(1000)), "nl", against=Run(class_of(1000, 2)))
    assert len(page.encode()) < 2_000_000


# --- the page itself ----------------------------------------------------------------------------------------------

def test_nothing_comes_from_elsewhere():
    page = page_of(*class_of(30), against=Run(class_of(30, 2)))
    loaded = [(tag, value) for tag, attributes in page.tags for name, value in attributes.items()
              if name in ("src", "href", "data", "poster", "action", "srcset", "xlink:href")
              and not (tag == "a" and value.startswith("#"))]
    assert loaded == []
    policy = next(attributes["content"] for tag, attributes in page.tags
                  if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "url(" not in report_page(Run(class_of(3)), "en")
    assert "@import" not in report_page(Run(class_of(3)), "en")


def test_hostile_words_stay_words():
    """The page has the same elements as that of a tame class, and its data can end no script."""
    grades = [hostile(grade, EVIL) for grade in class_of(3)]
    page = page_of(*grades, against=Run(grades))
    assert len(page.scripts) == 2
    assert not {"img", "iframe"} & {tag for tag, _ in page.tags}
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    assert page.data["rows"][0]["name"].startswith("</script><img src=x")
    assert not re.search(r"[<>&\u2028\u2029]", page.scripts[0])


def test_students_words_are_marked_as_of_their_language():
    page = Page(report_page(Run([GRADE]), "nl"))
    assert ("html", {"lang": "en"}) in page.tags
    assert ("span", {"lang": "nl"}) in page.tags


def test_charts_have_a_description_and_a_table():
    page = page_of(*class_of(30), against=Run(class_of(30, 2)))
    charts = [attributes for tag, attributes in page.tags if tag == "svg"]
    assert len(charts) == 2 * 4                # for a screen and for a telephone
    assert all(chart["role"] == "img" and "numbers" in chart["aria-label"] for chart in charts)
    tables = [tag for tag, _ in page.tags if tag == "table"]
    assert tables.count("table") == [tag for tag, _ in page.tags].count("caption")


def test_a_chart_says_the_value_under_the_pointer():
    grades = [scored(f"student-{number:02}", number > 2, number > 5) for number in range(1, 9)]
    said = re.findall(r"<title>([^<]+)</title>", report_page(Run(grades), "en"))
    assert {"multihead: 37.5", "multihead / c0: 75: 0.45", "multihead / c1: 37.5: 0.45"} <= set(said)


def test_a_name_of_any_length_leaves_room_for_its_chart():
    exercise = replace(GRADE.exercises[0], name="split_" * 100)
    assert f"{'split_' * 3}split…" in page_of(replace(GRADE, exercises=(exercise,))).text


@pytest.mark.parametrize("grades", [[], [UNREADABLE], [BROKEN], [GRADE], [UNREADABLE, BROKEN, GRADE],
                                    [replace(GRADE, exercises=())], [replace(scored("a"), max_points=0.0)]])
def test_any_class_has_a_page(grades):
    page = page_of(*grades, against=Run(grades))
    assert "About this run" in page.text
    assert len(page.data["rows"]) == len(grades)


def test_a_class_without_a_wall_is_warned_of():
    assert "NOT ISOLATED" in page_of(replace(GRADE, isolation="none")).text
    assert "NOT ISOLATED" not in page_of(GRADE).text


def test_several_versions_of_the_checks_are_warned_of():
    page = page_of(GRADE, replace(GRADE, student="z", checks="other"))
    assert "Graded by different versions of the checks 1 by abcd, 1 by other" in page.text


# --- anonymous ----------------------------------------------------------------------------------------------------

def test_an_anonymous_page_holds_nothing_of_anyones():
    said = text("{function} raised {error}", function="multihead", error="ValueError: Wilhelmina was here")
    grades = [replace(grade, student=f"Wilhelmina-{grade.student}", submission=f"Wilhelmina/{grade.student}.ipynb",
                      key="Wilhelmina", cells=(CellReport(1, "raised", "Wilhelmina", "Wilhelmina"),),
                      notices=(text("The file is called {file}", file="Wilhelmina.ipynb"),),
                      for_a_person=(text("{why}", why="Wilhelmina"),),
                      exercises=tuple(replace(exercise, verdicts=tuple(
                          replace(verdict, message=said if verdict.message else None) for verdict in exercise.verdicts))
                          for exercise in grade.exercises)) for grade in class_of(30)]
    page = report_page(Run(grades, "Wilhelmina.jsonl"), "en", against=Run(grades, "Wilhelmina"), secret=SECRET,
                       link=lambda grade: "feedback/Wilhelmina.html")
    assert "wilhelmina" not in page.lower()
    assert "student-0" not in page
    assert {row["link"] for row in Page(page).data["rows"]} == {None}
    assert "multihead raised …" in page


def test_words_of_the_lesson_and_numbers_stay_in_anonymous_messages():
    said = text("{name} has shape {got}, expected {want} = ({axes})", name="multihead", got="(2, 5)", want="(5, 2)",
                axes="nan, inf")
    [[grade]] = anonymous([[with_verdict("wrong", message=said)]], SECRET)
    assert grade.exercises[0].verdicts[0].message == said


def test_codes_stay_the_same_with_the_same_secret_and_tell_nothing_without():
    grades = class_of(30)
    codes = {grade.key: grade.student for grade in grades}
    [one], [other] = (anonymous([grades[:count]], SECRET) for count in (30, 20))
    assert {grade.student for grade in other} < {grade.student for grade in one}
    [again] = anonymous([grades], b"another secret that is")
    assert not {grade.student for grade in again} & {grade.student for grade in one}
    assert len(codes) == len({grade.student for grade in one}) == 30


def test_the_order_of_an_anonymous_page_is_that_of_the_codes():
    rows = page_of(*class_of(40), secret=SECRET).data["rows"]
    names = [row["name"] for row in rows]
    assert names == sorted(names)
    assert [row["points"] for row in rows] != [row["points"] for row in page_of(*class_of(40)).data["rows"]]


def test_who_is_in_both_runs_has_one_code():
    [[one], [other]] = anonymous([[scored("a", True)], [scored("a", False)]], SECRET)
    assert one.student == other.student != "a"


# --- over time ----------------------------------------------------------------------------------------------------

def test_changes_per_exercise_check_mistake_and_student():
    before = [scored("a", True, False), scored("b", False, False), replace(made("c", "x"), points=0.0)]
    after = [scored("b", False, False), scored("a", True, True), scored("d", True, True)]
    found = changes(Class(before), Class(after))
    assert [(one.before.student, one.by) for one in found.students] == [("a", 1.0), ("b", 0.0)]
    assert (found.gained, found.lost, found.other_checks) == (1, 0, False)
    assert {one.name: (one.before, one.after) for one in found.checks} == {
        ("multihead", "c0"): ((1, 3), (2, 3)), ("multihead", "c1"): ((0, 2), (2, 3))}
    assert [(one.name, one.before, one.after) for one in found.mistakes] == [(("multihead", "x"), (1, 3), (0, 3))]


def test_only_more_than_chance_is_clear():
    def change(before, after):
        return ShareChange(("a",), None, before, after).clear

    assert change((40, 100), (60, 100))
    assert not change((40, 100), (45, 100))
    assert not change((0, 3), (1, 3))
    assert not change((0, 0), (5, 5))


def test_the_page_says_what_got_better():
    page = page_of(*class_of(200, gain=0.3), against=Run(class_of(200), "last year"))
    assert "Better or worse? Compared with last year: 196 graded then, 196 now." in page.text
    assert "196 students in both: " in page.text


def test_other_checks_are_warned_of():
    assert "not graded by the same version" in page_of(GRADE, against=Run([replace(GRADE, checks="old")])).text


# --- reading ------------------------------------------------------------------------------------------------------

def journal(path, *grades, cut=b""):
    path.write_bytes(b"".join(msgspec.json.encode(grade) + b"\n" for grade in grades) + cut)
    return path


def test_of_a_journal_the_last_grade_of_each_counts(tmp_path):
    path = journal(tmp_path / "j", scored("a", False), GRADE, scored("a", True), cut=b'{"student": "b", "les')
    assert [(grade.student, grade.points) for grade in read_grades(path)] == [("student-01", 17.5), ("a", 1.0)]
    assert read_grades(path)[0] == GRADE


@pytest.mark.parametrize("language", ["nl", "en"])
def test_json_lines_make_the_same_page_as_the_grades(tmp_path, language):
    grades = [GRADE, UNREADABLE, with_verdict("tampering"), *class_of(20)]
    path = tmp_path / "grades.jsonl"
    path.write_text("".join(json_line(grade, language) + "\n" for grade in grades))
    titles = {(exercise.name, verdict.check): verdict.title for grade in grades for exercise in grade.exercises
              for verdict in exercise.verdicts}
    read = read_grades(path, titles)
    both = [Page(report_page(Run(side), language)) for side in (grades, read)]
    assert both[0].data["rows"] == both[1].data["rows"]
    assert both[0].data["messages"] == both[1].data["messages"]


def test_braces_in_a_sentence_that_was_read_are_no_gaps(tmp_path):
    path = tmp_path / "grades.jsonl"
    path.write_text(json_line(with_verdict("wrong", message=text("saw {it}", it="{said} {function}")), "en"))
    assert data_of(*read_grades(path))["messages"] == ["saw {said} {function}"]


@pytest.mark.parametrize(("content", "said"), [
    (b"", "holds no grades"), (b"\n\n", "holds no grades"), (b"[1]\n", "line 1 is not a grade"),
    (b"not json", "line 1 is not a grade"), (b'{"submission": "a"}', "line 1 is not a grade"),
    (b"\xff\xfe", "line 1 is not a grade")])
def test_a_file_that_holds_no_grades_says_so_in_one_line(tmp_path, content, said):
    (tmp_path / "f").write_bytes(content)
    with pytest.raises(CannotRead, match=said) as caught:
        read_grades(tmp_path / "f")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_says_so(tmp_path):
    with pytest.raises(CannotRead, match="No such file"):
        read_grades(tmp_path / "f")


# --- the command --------------------------------------------------------------------------------------------------

@pytest.fixture
def course(tmp_path, monkeypatch):
    """The folder of a course of four, graded before; one of them has left, two have pages of feedback."""
    for student in ("a b", "b", "c"):
        (tmp_path / "submitted" / student / "multihead").mkdir(parents=True)
    keep(tmp_path, *[replace(GRADE, student=name) for name in ("a b", "b", "c", "left")])
    for student in ("a b", "c"):
        (tmp_path / "feedback" / student).mkdir(parents=True)
        (tmp_path / "feedback" / student / "multihead.html").write_text("a page")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_course_has_everyone_whose_work_is_there_with_links_to_their_feedback(course, capsys):
    assert run(["report"]) == 0
    assert capsys.readouterr().out == "report.html\n"
    rows = Page((course / "report.html").read_text()).data["rows"]
    assert {row["name"]: row["link"] for row in rows} == {
        "a b": "feedback/a%20b/multihead.html", "b": None, "c": "feedback/c/multihead.html"}


def test_a_page_that_would_be_the_same_is_not_made_again_unless_it_was_damaged(course, monkeypatch):
    assert run(["report"]) == 0
    page, made = course / "report.html", []
    whole = page.read_bytes()
    monkeypatch.setattr("autograder.report.page.report_page", lambda *given, **more: made.append(1) or "another page")
    assert run(["report"]) == 0
    assert made == []
    assert page.read_bytes() == whole
    page.write_bytes(whole.replace(b"Class report", b"Class  report", 1))
    assert run(["report"]) == 0
    assert made == [1]


@pytest.mark.parametrize("change", [
    lambda course: keep(course, replace(GRADE, student="c", points=0.5)),
    lambda course: (course / "feedback" / "c" / "multihead.html").unlink(),
    lambda course: (course / "autograder.toml").write_text("pass_percent = 60"),
    lambda course: (course / "submitted" / "stray.ipynb").write_text("{}"),
], ids=["a-grade", "a-link", "a-rule", "a-stray-file"])
def test_a_page_is_made_again_when_what_it_shows_has_changed(course, change):
    assert run(["report"]) == 0
    before = (course / "report.html").read_bytes()
    change(course)
    assert run(["report"]) == 0
    assert (course / "report.html").read_bytes() != before


def test_links_lead_from_where_the_page_is(course):
    (course / "out").mkdir()
    assert run(["report", "--output", "out/class.html"]) == 0
    rows = Page((course / "out" / "class.html").read_text()).data["rows"]
    assert rows[0]["link"] == "../feedback/a%20b/multihead.html"


def test_grading_writes_the_page(course, monkeypatch, capsys):
    for name, module in by_hand.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    assert run(["grade", "--student", "c"]) == 0
    assert "The class on one page: report.html" in capsys.readouterr().out
    assert [row["name"] for row in Page((course / "report.html").read_text()).data["rows"]] == ["c"]


def test_the_page_of_a_large_class_is_made_elsewhere_and_is_the_same(course, monkeypatch, capsys):
    pages = []
    for most in (2000, 1):
        monkeypatch.setattr("autograder.cli.report.OWN_PROCESS", most)
        page, _ = write_course_report(SubmittedFolder(Course.find(course)), "multihead", "en", 3)
        pages.append(page.read_text())
        page.unlink()
    assert pages[0] == pages[1]


def test_a_page_that_cannot_be_made_elsewhere_says_why(course, monkeypatch):
    monkeypatch.setattr("autograder.cli.report.OWN_PROCESS", 1)
    with Store(course) as store:
        for student in ("a b", "b", "c", "left"):
            store.forget(student)
    with pytest.raises(Refused, match="holds no grades"):
        write_course_report(SubmittedFolder(Course.find(course)), "multihead", None, 3)


def test_an_anonymous_page_has_a_name_of_its_own_and_the_same_codes_each_time(course):
    pages = []
    for _ in range(2):
        assert run(["report", "--anonymous"]) == 0
        pages.append((course / "report-anonymous.html").read_text())
    assert not (course / "report.html").exists()
    assert Page(pages[0]).data["rows"] == Page(pages[1]).data["rows"]
    assert "feedback/" not in pages[0]
    assert course.name not in pages[0]
    assert (course / ".autograder" / "anonymous.key").stat().st_mode & 0o777 == 0o600


def test_the_pass_mark_is_an_option_or_a_setting(course):
    (course / "autograder.toml").write_text("pass_percent = 90\n")
    for options, said in (([], "pass (18 or more) 0 0%"), (["--pass-mark", "17"], "pass (17 or more) 3 100%")):
        assert run(["report", *options]) == 0
        assert said in Page((course / "report.html").read_text()).text


def test_students_words_are_in_the_language_of_most_notebooks(course):
    journal(course / "grades", *[replace(GRADE, student=str(number), language=language)
                                 for number, language in enumerate(("en", "", "en", "nl"))])
    for options, said in (([], "en"), (["--lang", "nl"], "nl")):
        assert run(["report", "grades", *options]) == 0
        assert Page((course / "report.html").read_text()).data["language"] == said
    journal(course / "grades", replace(GRADE, language=""))
    assert run(["report", "grades"]) == 0
    assert Page((course / "report.html").read_text()).data["language"] == "nl"


def test_two_files_are_compared(course):
    (course / "old.jsonl").write_text(json_line(replace(GRADE, student="b", points=10.0), "nl") + "\n")
    assert run(["report", ".autograder/store.db", "--against", "old.jsonl"]) == 0
    words = Page((course / "report.html").read_text()).text
    assert "1 student in both: 1 gained points, 0 lost points, 0 have the same." in words


@pytest.mark.parametrize(("arguments", "said"), [
    (["nothing.jsonl"], "cannot read nothing.jsonl: No such file"),
    (["--against", "nothing.jsonl"], "cannot read nothing.jsonl: No such file"),
    (["--lesson", "other"], "there are no grades of 'other', only of multihead"),
    (["--output", "nowhere/x.html"], "cannot write nowhere/x.html"),
    (["--output", "submitted"], "cannot write submitted"),
    (["--output", ".autograder/store.db"], "would be overwritten"),
    (["--pass-mark", "-1"], "-1"),
])
def test_what_cannot_be_done_is_one_line_and_costs_nothing(course, capsys, arguments, said):
    before = sorted(path for path in course.rglob("*"))
    assert run(["report", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert sorted(path for path in course.rglob("*")) == before


def test_where_nothing_was_graded_the_command_says_what_to_do(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["report"]) == 2
    assert "run `autograder grade` first" in capsys.readouterr().err
