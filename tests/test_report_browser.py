"""The class report of a thousand students in a real browser: search, sort, open a cell, by mouse and by keyboard.

Skips itself where Chromium or Playwright is not installed.
"""
import shutil

import pytest
from class_of import class_of, hostile

from autograder.lessons.installed import load_lesson
from autograder.report.page import Run, report_page

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync"]
STUDENTS = 1000
ATTACK = "</script><img src=x onerror=\"document.title='taken'\"><svg onload=\"document.title='taken'\">\u2028${1}"
#: the words of a chart that stick out of it
INSIDE = """svg => [...svg.querySelectorAll('text')].filter(word => {
    const [one, all] = [word.getBoundingClientRect(), svg.getBoundingClientRect()]
    return one.left < all.left - 1 || one.right > all.right + 1 || one.bottom > all.bottom + 1
}).map(word => word.textContent)"""
A4 = 1032                                       # pixels between the margins of a page that lies on its side
FIRST_CHECK = 7                                 # columns before it: the student, all points, five exercises


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A page of a thousand students beside the run of another year."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    page = report_page(Run(class_of(STUDENTS), "class.jsonl"), "nl", link=lambda grade: f"{grade.student}.html",
                       against=Run(class_of(STUDENTS, 2, -0.2), "last year"))
    path.write_text(page, encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def page(browser, address):
    """The page; afterwards nothing was asked of anyone, and nothing went wrong."""
    with opened(browser, address) as page:
        yield page


class opened:
    """A page that is watched for requests, errors and refusals of its own policy."""

    def __init__(self, browser, address, **options):
        self._page, self._address, self.seen = browser.new_page(**options), address, []

    def __enter__(self):
        self._page.on("console", lambda message: self.seen.append(message.text))
        self._page.on("pageerror", lambda error: self.seen.append(str(error)))
        self._page.on("request", lambda request: self.seen.append(request.url))
        self._page.goto(self._address)
        self.seen.remove(self._address)
        return self._page

    def __exit__(self, kind, error, trace):
        self._page.close()
        assert kind or self.seen == []


def names(page):
    """The students whose rows exist at this moment, in their order."""
    return page.locator("#grid tbody th.name").all_inner_texts()


def focused(page):
    return page.evaluate("[document.activeElement.parentNode.dataset.row, document.activeElement.dataset.column]"
                         ".map(Number)")


DRAWN = """index => [...document.querySelectorAll("#grid tbody tr[data-row]")]
    .map(row => [Number(row.dataset.row), row.cells[index].textContent])"""
ON = """async () => {
    const frame = document.getElementById("grid-frame"), before = frame.scrollTop;
    frame.scrollTop += frame.clientHeight;
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
    return frame.scrollTop > before;
}"""


def column(page, index):
    """What stands in one column, in the order of all rows, read from what is drawn while scrolling through."""
    found = dict(page.evaluate(DRAWN, index))
    while page.evaluate(ON):
        found.update(page.evaluate(DRAWN, index))
    return [found[row] for row in sorted(found)]


@pytest.mark.slow
def test_only_the_rows_in_view_exist_and_scrolling_reaches_them_all(page):
    assert 10 < page.locator("#grid tbody tr[data-row]").count() < 100
    assert column(page, 0) == [f"student-{number:04}" for number in range(1, STUDENTS + 1)]
    assert page.locator("#grid tbody tr[data-row]").count() < 100


@pytest.mark.slow
def test_search_finds_names_mistakes_and_reasons_and_says_how_many(page):
    assert page.locator("#found").get_attribute("role") == "status"
    for words, count in (("student-0042", 1), ("unreadable", 20), ("TAMPERING", 20), ("nobody is called so", 0)):
        page.fill("#search", words)
        assert page.inner_text("#found") == f"{count} of {STUDENTS} students"
        assert page.locator("#grid").get_attribute("aria-rowcount") == str(count + 2)
    page.fill("#search", "")
    assert page.inner_text("#found") == f"{STUDENTS} of {STUDENTS} students"


@pytest.mark.slow
def test_a_mistake_shows_just_the_students_whom_it_explains_best(page):
    rows = page.locator(".ranked tbody tr").all()
    page.locator("#mistakes details summary").click()
    assert len(rows) > 100
    for row in rows[:5] + rows[-5:]:
        row.locator("button.show").click()
        assert page.inner_text("#found") == f"{row.locator('strong').inner_text()} of {STUDENTS} students"
    assert page.evaluate("document.activeElement.id") == "search"


@pytest.mark.slow
def test_a_group_shows_its_students(page):
    page.locator("#look summary").first.click()
    page.locator("#look button.show").first.click()
    assert page.input_value("#search") == "=tampering"
    assert page.inner_text("#found") == f"20 of {STUDENTS} students"


@pytest.mark.slow
def test_a_heading_sorts_by_points_and_says_in_which_direction(page):
    heading = page.locator("#grid thead tr:last-child th").nth(1)
    for direction, order in (("descending", True), ("ascending", False)):
        heading.locator("button").click()
        assert heading.get_attribute("aria-sort") == direction
        points = [-1 if words == "unreadable" else float(words) for words in column(page, 1)]
        assert len(points) == STUDENTS
        assert points == sorted(points, reverse=order)
    assert page.locator("#grid [aria-sort]").count() == 1


@pytest.mark.slow
def test_a_heading_sorts_by_a_check(page):
    page.locator("#grid thead tr:last-child th").nth(FIRST_CHECK).locator("button").click()
    signs = column(page, FIRST_CHECK)
    assert signs == sorted(signs, key="✓✗–".index)
    assert set(signs) == set("✓✗–")


@pytest.mark.slow
def test_a_cell_says_on_a_click_what_its_check_found(page):
    page.locator("#grid tbody td.bad").first.click()
    said = page.locator("#detail").inner_text()
    assert "wrong, 0 of " in said
    assert "y heeft vorm (2, 5), verwacht: (5, 2)" in said
    assert page.locator("#detail [lang=nl]").count() >= 2
    name = page.inner_text("#detail-title")
    assert page.locator("#detail a").get_attribute("href") == f"{name}.html"
    page.keyboard.press("Escape")
    assert page.locator("#detail").is_hidden()


@pytest.mark.slow
def test_the_keyboard_alone_reaches_opens_and_leaves_any_cell(page):
    page.focus("#search")
    headings = page.locator("#grid thead button").count()
    for _ in range(headings + 1):
        page.keyboard.press("Tab")
    assert focused(page) == [0, 0]
    last = headings - 1
    for key, expected in (("ArrowRight", [0, 1]), ("ArrowDown", [1, 1]), ("End", [1, last]), ("ArrowRight", [1, last]),
                          ("Home", [1, 0]), ("ArrowUp", [0, 0]), ("ArrowUp", [0, 0]), ("Control+End", [999, last]),
                          ("ArrowDown", [999, last]), ("Control+Home", [0, 0])):
        page.keyboard.press(key)
        assert focused(page) == expected, key
    page.keyboard.press("PageDown")
    assert focused(page)[0] > 5
    row = focused(page)
    page.keyboard.press("Enter")
    assert page.inner_text("#detail-title") == f"student-{row[0] + 1:04}"
    page.keyboard.press("Escape")
    assert focused(page) == row
    assert page.locator("#grid tbody [tabindex='0']").count() == 1


@pytest.mark.slow
def test_the_cell_that_has_the_focus_is_not_behind_the_headings(page):
    page.locator("#grid tbody td").nth(3).click()
    page.keyboard.press("Escape")
    for key in ("Control+End", "Control+Home", "PageDown", "PageDown", "ArrowUp", "ArrowUp", "End", "Home"):
        page.keyboard.press(key)
        seen = page.evaluate("""() => { const box = document.activeElement.getBoundingClientRect(),
            frame = document.getElementById("grid-frame").getBoundingClientRect(),
            head = document.querySelector("#grid thead").getBoundingClientRect();
            return box.top >= head.bottom - 1 && box.bottom <= frame.bottom + 1
                && box.left >= frame.left - 1 && box.right <= frame.right + 1; }""")
        assert seen, key


@pytest.mark.slow
def test_scrolling_away_does_not_lose_the_place_of_the_keyboard(page):
    page.locator("#grid tbody td").nth(3).click()
    page.keyboard.press("Escape")
    row, at = focused(page)
    for _ in range(10):
        page.evaluate(ON)
    assert page.locator(f"#grid tr[data-row='{row}']").count() == 0
    page.keyboard.press("ArrowDown")
    assert focused(page) == [row + 1, at]


@pytest.mark.slow
def test_plain_tables_sort_too(page):
    table = page.locator("#checks table.sortable").last
    page.locator("#checks details summary").last.click()
    table.locator("thead button").nth(1).click()
    shares = [float(cell.get_attribute("data-value")) for cell in table.locator("tbody td:nth-child(2)").all()]
    assert shares == sorted(shares)
    assert len(shares) == sum(len(exercise.checks) for exercise in load_lesson("multihead").exercises)


@pytest.mark.slow
def test_printing_puts_every_row_on_paper(page):
    page.fill("#search", "student-00")
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    sheets = page.locator("#paper table:visible")
    assert [sheet.locator("tbody tr").count() for sheet in sheets.all()] == [99] * 6
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert sheets.count() == 0


@pytest.mark.slow
def test_on_a4_every_check_has_its_name_and_nothing_is_wider_than_the_paper(browser, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(report_page(Run(class_of(3)), "nl"), encoding="utf-8")
    with opened(browser, path.as_uri(), viewport={"width": A4, "height": 700}) as page:
        page.emulate_media(media="print")
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        named = [[sheet.locator("caption").inner_text(), *sheet.locator("thead th span").all_inner_texts()]
                 for sheet in page.locator("#paper table").all()[1:]]
        assert named == [[exercise.name, "points", *(check.name for check in exercise.checks)]
                         for exercise in load_lesson("multihead").exercises]
        assert page.evaluate("document.documentElement.scrollWidth") == A4


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_telephone_nothing_is_wider_than_the_screen(browser, address, scheme):
    with opened(browser, address, viewport={"width": 400, "height": 800}, color_scheme=scheme) as page:
        assert page.evaluate("document.documentElement.scrollWidth") == 400
        shown = page.locator("figure svg:visible")
        assert shown.count() == 4
        for chart in shown.all():                       # nothing is drawn outside the chart, and all of it is in view
            assert chart.evaluate(INSIDE) == []
            assert chart.evaluate("svg => svg.closest('figure').scrollWidth <= svg.closest('figure').clientWidth")


@pytest.mark.slow
def test_without_scripts_everything_but_the_table_is_there(browser, address):
    with opened(browser, address, java_script_enabled=False) as page:
        assert page.locator("svg:visible").count() == 4
        assert page.locator("noscript").inner_text().startswith("This table needs the page's own script")


def test_words_of_students_run_nothing(browser, tmp_path):
    path = tmp_path / "report.html"
    grades = [hostile(grade, ATTACK) for grade in class_of(3)]
    path.write_text(report_page(Run(grades), "nl", against=Run(grades)), encoding="utf-8")
    with opened(browser, path.as_uri()) as page:
        title = page.title()
        page.locator("#grid tbody td.bad").first.click()
        assert page.inner_text("#detail-title").startswith("</script><img src=x")
        page.keyboard.press("Escape")
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        assert page.title() == title != "taken"
        assert page.locator("img").count() == 0
