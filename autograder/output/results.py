"""Print the results of a class at a terminal: how far it is, how many, how well, who needs a look, how long it took."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from statistics import mean

from rich.console import Console
from rich.table import Table
from rich.text import Text as Line

from autograder.locale.language import translate
from autograder.output.class_list import NOBODY, ClassList
from autograder.output.final import has_more
from autograder.output.marks import number, points_of
from autograder.output.plain import named, plain
from autograder.output.terminal import STATUS, print_not_isolated
from autograder.records import Grade, Left, Text, text

SHOWN = 20                               # of the submissions that need a look; the JSON and the report list them all


def print_results(to: Console, grades: Sequence[Grade], language: str, people: ClassList = NOBODY) -> None:
    """The mean of every exercise and of the whole, and below it the submissions that a person should look at."""
    graded = [grade for grade in grades if grade.points is not None]
    to.print(Line(translate(_how_many(len(graded), len(grades)), language), "bold"))
    lessons = list(dict.fromkeys(grade.lesson for grade in graded))
    for lesson in lessons:
        if len(lessons) > 1:
            to.print(Line(plain(lesson), "bold"))
        to.print(_means([grade for grade in graded if grade.lesson == lesson], language))
    _final(to, grades, language)
    looks = [(grade, reason) for grade in grades if (reason := needs_a_look(grade))]
    if looks:
        how_many = text("1 needs a look:") if len(looks) == 1 else text("{count} need a look:", count=len(looks))
        whose = [(people.called(grade.student) or named(grade.submission), why) for grade, why in looks]
        _list(to, how_many, whose, language)
    absent = people.without({grade.student for grade in grades})
    if absent:
        how_many = (text("1 of the class handed in nothing:") if len(absent) == 1
                    else text("{count} of the class handed in nothing:", count=len(absent)))
        to.print(Line(translate(how_many, language), "bold"))
        to.print(Line(plain(" " + ", ".join(people.called(person.student) for person in absent))))
    if any(grade.isolation == "none" for grade in grades if grade.status != "unreadable"):
        print_not_isolated(to, language)


def print_left(to: Console, left: Sequence[Left], language: str) -> None:
    """What was not looked at, and why: first what may be somebody's work."""
    asks = [each for each in left if each.asks]
    if asks:
        _list(to, text("{count} not looked at:", count=len(asks)), [(named(each.path), each.why) for each in asks],
              language)
    plain_ones = sorted(named(each.path) for each in left if not each.asks)
    if plain_ones:
        names = ", ".join(plain_ones[:SHOWN]) + (" …" if len(plain_ones) > SHOWN else "")
        to.print(Line(plain(translate(text("not looked at either, and probably nobody's work ({count}): {names}",
                                           count=len(plain_ones), names=names), language)), "dim"))


def print_totals(to: Console, grades: Sequence[Grade], language: str, people: ClassList = NOBODY) -> None:
    """A line for each of several submissions: whose it is, and its points."""
    times = Counter(grade.student for grade in grades)
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(overflow="fold")
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    for grade in grades:
        name = people.called(grade.student) if grade.student and times[grade.student] == 1 else named(grade.submission)
        status = "" if grade.status == "graded" else translate(STATUS[grade.status], language)
        table.add_row(Line(plain(name)), Line(points_of(grade.points, grade.max_points), "bold"), Line(status, "red"))
    to.print(table)
    to.print()


def _how_many(graded: int, count: int) -> Text:
    if count == 1:
        return text("1 submission graded") if graded else text("1 submission, not graded")
    return text("{graded} of {all} submissions graded", graded=graded, all=count)


def needs_a_look(grade: Grade) -> Text | None:
    """Why a person should look at this submission, in one sentence, or None."""
    if grade.status == "unreadable":
        return grade.notices[-1] if grade.notices else text("could not be read")
    if grade.points is None:
        return text("the autograder failed here: this is not the student's fault")
    if grade.mark is not None and grade.mark.replaced:
        return text("the work or the checks changed after a person gave points for {exercises}: look again",
                    exercises=", ".join(grade.mark.replaced))
    return grade.for_a_person[0] if grade.for_a_person else None


def _means(graded: Sequence[Grade], language: str) -> Table:
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(translate(text("exercise"), language))
    table.add_column(translate(text("mean"), language), justify="right")
    table.add_column("")
    table.add_column(translate(text("full points"), language), justify="right")
    for index, exercise in enumerate(graded[0].exercises):
        same = [grade.exercises[index] for grade in graded if len(grade.exercises) > index]
        if not exercise.skipped:
            _mean_row(table, exercise.name, [(each.points or 0.0, each.max_points) for each in same])
    _mean_row(table, translate(text("total"), language), [(grade.points or 0.0, grade.max_points) for grade in graded],
              style="bold")
    return table


def _final(to: Console, grades: Sequence[Grade], language: str) -> None:
    """The final marks, where there is more to them than the autograder's points."""
    marks = [grade.mark for grade in grades if grade.mark is not None]
    known = [mark for mark in marks if mark.points is not None]
    if not any(map(has_more, marks)) or not known:
        return
    points = mean(mark.points or 0.0 for mark in known)
    passed = sum(bool(mark.passed) for mark in known)
    said = [text("final: mean {points}, {passed} of {count} pass ({enough} or more)", count=len(known),
                 points=points_of(round(points, 2), known[0].max_points), passed=passed,
                 enough=number(known[0].pass_points))]
    values = [mark.value for mark in known if mark.value is not None]
    if values:
        said.append(text("mean mark {mark}", mark=f"{mean(values):.2f}"))
    for words, count in ((text("{count} late", count=0), sum(bool(mark.days_late) for mark in marks)),
                         (text("{count} changed by hand", count=0), sum(bool(number(mark.by_hand)) for mark in marks)),
                         (text("{count} without a mark yet", count=0), len(marks) - len(known))):
        if count:
            said.append(Text(words.template, {"count": count}))
    to.print(Line("; ".join(translate(words, language) for words in said)))


def _mean_row(table: Table, name: str, points: list[tuple[float, float]], style: str = "") -> None:
    """One row: the mean, a bar of ten, and how many got full points."""
    average, most = mean(got for got, _ in points), points[0][1]
    filled = round(10 * average / most) if most else 0
    bar = Line("█" * filled, "green") + Line("░" * (10 - filled), "dim")
    full = sum(got >= most for got, most in points)
    table.add_row(plain(name), points_of(round(average, 2), most), bar, str(full), style=style)


def _list(to: Console, heading: Text, found: Sequence[tuple[str, Text]], language: str) -> None:
    """The first of what was found, a row each, and how many more there are."""
    to.print(Line(translate(heading, language), "bold"))
    table = Table.grid(padding=(0, 2, 0, 1))
    table.add_column(overflow="fold")
    table.add_column(overflow="fold")
    for name, why in found[:SHOWN]:
        table.add_row(Line(plain(name), "magenta"), Line(plain(translate(why, language))))
    to.print(table)
    if len(found) > SHOWN:
        to.print(Line(translate(text("and {count} more", count=len(found) - SHOWN), language), "dim"))


@contextmanager
def progress_bar() -> Iterator[Callable[[Grade, int, int], None]]:
    """Show how far a class is, on standard error: how many, how fast, how much longer, and how many need a look.

    Yields a function that moves the bar, given a grade, how many are done and how many there are.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    columns = (TextColumn("grading", markup=False), BarColumn(), MofNCompleteColumn(),
               TextColumn("{task.fields[rate]}", markup=False), TimeRemainingColumn(),
               TextColumn("{task.fields[looks]}", markup=False))
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
        task, looks = bar.add_task("", total=None, rate="", looks=""), 0

        def moved(grade: Grade, done: int, total: int) -> None:
            nonlocal looks
            looks += needs_a_look(grade) is not None
            speed = bar.tasks[0].speed
            bar.update(task, completed=done, total=total, rate=f"{speed:.3g}/s" if speed else "",
                       looks=f"{looks} need{'s' if looks == 1 else ''} a look" if looks else "")
        yield moved


def print_stages(to: Console, elapsed: float, here: Mapping[str, float], workers: Mapping[str, float]) -> None:
    """Seconds per stage, of this process and of all workers together; the share is of each side's own time."""
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0), pad_edge=False)
    for column in ("stage", "seconds", "share"):
        table.add_column(column, justify="left" if column == "stage" else "right")
    rest = max(0.0, elapsed - sum(here.values()))
    for title, seconds in (("this process", {**here, "other": here.get("other", 0.0) + rest}),
                           ("workers, together", workers)):
        total = sum(seconds.values())
        if total:
            table.add_row(title, f"{total:.2f}", "", style="bold")
            for name, spent in sorted(seconds.items(), key=lambda item: -item[1]):
                table.add_row(f"  {name}", f"{spent:.2f}", f"{spent / total:.0%}")
    to.print(table)
