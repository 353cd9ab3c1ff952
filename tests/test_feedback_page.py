"""The feedback page: what it draws, what it says first, and that people can read it however they read."""
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import by_hand
import numpy as np
import pytest
from by_hand import GRADE, changed
from msgspec.structs import replace

from autograder.lessons.kit.picture import picture_of
from autograder.output.drawing import LONGEST, drawing
from autograder.output.feedback import TEMPLATES, exercise_html, feedback_page
from autograder.output.marks import failures, first_to_look_at, nothing_to_check
from autograder.records import Diagnosis, ExerciseGrade, Verdict, text

CHROMIUM = shutil.which("chromium")
W1 = np.array([[[[0, 1], [4, 5]], [[2, 3], [6, 7]]]])
HIDDEN = np.random.default_rng(5).normal(size=(2, 3, 5, 4))
UNWRITTEN = text("{function} is not written yet", function="multihead")


def verdict(word="wrong", picture=None, message=None, title="W1 comes out", points=0.0) -> Verdict:
    return Verdict("check", text(title), word, points, 1.0, None, message or text("{name} differs", name="h"), (),
                   picture)


def with_checks(*verdicts: Verdict, name="multihead", points=0.0, **more) -> ExerciseGrade:
    return ExerciseGrade(name, points, float(len(verdicts)), verdicts, **more)


def page_of(*verdicts: Verdict, language="en") -> str:
    return feedback_page(changed(exercises=(with_checks(*verdicts),), cells=(), notices=()), language)


class Tables(HTMLParser):
    """The tables inside figures: each as rows of (tag, class, text)."""

    def __init__(self, page: str):
        super().__init__()
        self.tables, self._in_figure, self._cell = [], False, None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag == "figure":
            self._in_figure = True
        if self._in_figure and tag == "table":
            self.tables.append([])
        if self._in_figure and tag == "tr":
            self.tables[-1].append([])
        if self._in_figure and tag in ("td", "th"):
            self._cell = [tag, dict(attrs).get("class", ""), ""]
            self.tables[-1][-1].append(self._cell)

    def handle_endtag(self, tag):
        if tag == "figure":
            self._in_figure = False
        if tag in ("td", "th"):
            self._cell = None

    def handle_data(self, data):
        if self._cell is not None:
            self._cell[2] += data


def test_the_points_of_an_exercise_are_in_the_table_and_beside_its_name():
    page = feedback_page(changed(exercises=(with_checks(verdict(points=0.5), verdict(), name="multihead", points=0.5),),
                                 cells=(), notices=()), "en")
    assert re.findall(r'class="points">\s*([^<]*?)\s*<', page).count("0.5 / 2") == 2


# --- the picture --------------------------------------------------------------------------------------------------

def test_the_picture_of_an_example_marks_every_wrong_number_and_the_first_one():
    direct = np.arange(8).reshape(1, 2, 2, 2)
    tables = Tables(page_of(verdict(picture=picture_of(direct, W1, "BHTd", "split_heads(x, 2)", shown=True)))).tables
    assert len(tables) == 4                                             # two heads, each as given and as expected
    marks = [[cell[1] for row in table[1:] for cell in row if cell[0] == "td"] for table in tables]
    assert marks == [["", "", "first", "off"], ["", "", "want", "want"], ["off", "off", "", ""],
                     ["want", "want", "", ""]]
    assert "differs first" in tables[0][2][1][2]


def test_the_places_where_a_picture_differs_are_marked_in_its_heads():
    got = W1.copy()
    got[0, 0, 1] = 9
    mine, _, *_ = Tables(page_of(verdict(picture=picture_of(got, W1, "BHTd", "h", shown=True)))).tables
    assert [row[0][1] for row in mine[1:]] == ["", "off"]
    assert [cell[1] for cell in mine[0][1:]] == ["", ""]                # both columns differ: no one is to blame


def test_the_picture_of_a_hidden_check_shows_axes_and_sizes_only():
    picture = picture_of(np.swapaxes(HIDDEN, 1, 2), HIDDEN, "BHTd", "split_heads(x, heads)")
    [table] = Tables(page_of(verdict(picture=picture))).tables
    assert [cell[2] for cell in table[1]][1:] == ["B = 2", "H = 3 expected here", "T = 5 expected here", "d = 4"]
    assert [cell[2] for cell in table[2]][1:] == ["2", "5 differs", "3 differs", "4"]
    assert "H and T are exchanged" in page_of(verdict(picture=picture))


@pytest.mark.parametrize("got", [HIDDEN[:, ::-1], HIDDEN * 2 + 1, np.swapaxes(HIDDEN, 1, 2),
                                 np.where(np.arange(3)[:, None, None] == 1, HIDDEN + 1, HIDDEN)])
def test_no_number_of_a_hidden_check_is_on_its_page(got):
    page = page_of(verdict(picture=picture_of(got, HIDDEN, "BHTd", "h"))).partition("</style>")[2]
    for number in (*got.ravel(), *HIDDEN.ravel()):
        assert f"{number:.3g}" not in page


def test_one_place_along_an_axis_is_a_row_of_ticks():
    got = HIDDEN.copy()
    got[:, 1] += 1
    [table] = Tables(page_of(verdict(picture=picture_of(got, HIDDEN, "BHTd", "h")))).tables
    assert [cell[2] for cell in table[1][1:]] == ["✓ right", "✗ differs", "✓ right"]
    assert "head " in table[0][2][2]


def test_an_answer_with_other_axes_has_a_dash_where_one_is_missing():
    picture = picture_of(HIDDEN[0], HIDDEN, "BHTd", "h")
    [table] = Tables(page_of(verdict(picture=picture))).tables
    assert table[2][-1][2].startswith("–")


@pytest.mark.parametrize("shape", [(), (8,), (4, 2), (2, 2, 2), (1, 2, 2, 2), (1, 1, 2, 2, 2), (1, 1, 1, 1, 2, 2, 2)])
def test_an_answer_of_any_shape_can_be_drawn(shape):
    picture = picture_of(np.arange(np.prod(shape, dtype=int)).reshape(shape), W1 + 1, "BHTd", "h", shown=True)
    page_of(verdict(picture=picture))


def test_an_axis_of_many_places_is_not_drawn():
    want = np.zeros((LONGEST + 1, 2))
    want[3] = 1
    got = want.copy()
    got[3] = 2
    assert drawing(picture_of(got, want, "rc", "y")) is None


def test_a_long_row_stands_upright_so_that_a_telephone_has_room():
    picture = picture_of(np.arange(8.0), np.arange(8.0)[::-1], "d", "y", shown=True)
    [table] = Tables(page_of(verdict(picture=picture))).tables
    assert len(table) == 9
    assert {len(row) for row in table} == {3}


# --- what is said -------------------------------------------------------------------------------------------------

def test_a_function_that_is_not_written_takes_one_line():
    unwritten = with_checks(*[verdict("unwritten", message=UNWRITTEN)] * 12)
    page = feedback_page(changed(exercises=(unwritten,)), "nl")
    section = page[page.index('<section class="card" id="multihead"'):]
    assert section.count("multihead is nog niet geschreven") == 1
    assert "<li>" not in section
    assert exercise_html(unwritten, "nl").count("nog niet geschreven") == 1


def test_values_that_are_wrong_throughout_are_still_checks_of_their_own():
    assert nothing_to_check(with_checks(verdict(), verdict())) is None
    assert nothing_to_check(with_checks(verdict("unwritten", message=UNWRITTEN),
                                        verdict("passed", message=text("")))) is None


def test_the_same_message_is_said_once_below_the_checks_that_it_is_about():
    same, other = verdict(title="a"), verdict(title="b", message=text("another"))
    assert failures(with_checks(same, other, replace(same, title=text("c")))) == [
        [same, replace(same, title=text("c"))], [other]]
    assert page_of(same, other, same).count("h differs") == 2           # once there, and once in what to look at next


def test_the_first_exercise_that_lost_points_is_what_to_look_at():
    found = first_to_look_at(GRADE)
    assert (found.exercise.name, found.not_alone) == ("merge_heads", True)
    assert found.why == text("Which axis should stand right after the batch?")
    assert 'href="#merge_heads"' in feedback_page(GRADE, "nl").split("Hoe nu verder?")[1].split("</section>")[0]


def test_without_a_hint_the_first_message_says_what_to_look_at():
    grade = changed(exercises=(with_checks(verdict(message=UNWRITTEN), verdict()),))
    assert first_to_look_at(grade).why == UNWRITTEN
    assert "Only this exercise is left" in feedback_page(grade, "en")


def test_full_marks_lead_to_the_next_module():
    whole = with_checks(verdict("passed", points=1.0, message=text("")), points=1.0, diagnosis=Diagnosis())
    grade = changed(exercises=(whole,), points=1.0, max_points=1.0)
    assert first_to_look_at(grade) is None
    assert "You are ready for the next module" in feedback_page(grade, "en")


def test_a_grade_of_zero_that_is_nobodys_fault_has_nothing_to_look_at():
    assert "What now?" not in feedback_page(by_hand.BROKEN, "en")


# --- how it can be read -------------------------------------------------------------------------------------------

def test_headings_follow_each_other_without_a_gap():
    levels = [int(level) for level in re.findall(r"<h(\d)", feedback_page(GRADE, "nl"))]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in zip(levels, levels[1:], strict=False))


def test_every_head_of_a_table_says_what_it_is_the_head_of():
    direct = np.arange(8).reshape(1, 2, 2, 2)
    page = page_of(verdict(picture=picture_of(direct, W1, "BHTd", "split_heads(x, 2)", shown=True)))
    heads = re.findall(r"<th\b([^>]*)>", page)
    assert len(heads) > 10
    assert all('scope="row"' in head or 'scope="col"' in head for head in heads)


def colours(css: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", css))


def luminance(colour: str) -> float:
    parts = [int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize(("ink", "paper"), [
    ("ink", "page"), ("ink", "card"), ("soft", "page"), ("soft", "card"), ("ink", "code"), ("good", "card"),
    ("bad", "card"), ("warn", "card"), ("think", "card"), ("good", "good-tint"), ("bad", "bad-tint"),
    ("warn", "warn-tint"), ("think", "think-tint"), ("ink", "good-tint"), ("ink", "think-tint"), ("soft", "code")])
def test_every_text_stands_out_from_its_ground(mode, ink, paper):
    light, dark = (TEMPLATES / "style.css").read_text().split("@media screen", 1)
    palette = colours(light) | (colours(dark.split("}\n}")[0]) if mode == "dark" else {})
    one, other = sorted((luminance(palette[ink]), luminance(palette[paper])))
    assert (other + 0.05) / (one + 0.05) >= 4.5


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def written(tmp_path) -> Path:
    direct = np.arange(8).reshape(1, 4, 2)
    example = verdict(picture=picture_of(direct, W1, "BHTd", "split_heads(x, 2)", shown=True))
    hidden = verdict(picture=picture_of(np.swapaxes(HIDDEN, 1, 2), HIDDEN, "BHTd", "split_heads(x, heads)"),
                     message=text("another"))
    right = verdict("passed", points=1.0, title="This is right", message=text(""))
    path = tmp_path / "multihead.html"
    path.write_text(page_of(example, hidden, right, right, right), encoding="utf-8")
    return path


@pytest.mark.parametrize("width", [320, *(pytest.param(width, marks=pytest.mark.slow) for width in (360, 1200))])
def test_nothing_sticks_out_of_a_narrow_screen(browser, written, width):
    page = browser.new_page(viewport={"width": width, "height": 700})
    page.goto(written.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate("[...document.querySelectorAll('.pair')].every(e => e.scrollWidth <= e.clientWidth)")
    page.close()


@pytest.mark.slow
def test_what_is_folded_away_opens_by_keyboard_and_on_paper(browser, written):
    page = browser.new_page()
    page.goto(written.as_uri())
    right = page.get_by_text("This is right").first
    assert not right.is_visible()
    page.emulate_media(media="print")
    assert right.bounding_box()["height"] > 0
    page.emulate_media(media="screen")
    page.locator("summary").first.focus()
    page.keyboard.press("Enter")
    assert right.is_visible()
    page.close()
