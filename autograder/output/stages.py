"""Print where the time went, as a table for an instructor."""
from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table


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
