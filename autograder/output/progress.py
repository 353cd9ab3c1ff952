"""Show how far a class is, on standard error: how many, how fast, how much longer, and how many need a look."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from autograder.output.results import needs_a_look
from autograder.records import Grade


@contextmanager
def progress_bar() -> Iterator[Callable[[Grade, int, int], None]]:
    """Yield a function that moves the bar, given a grade, how many are done and how many there are."""
    from rich.console import Console
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
