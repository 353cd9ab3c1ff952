"""Plan how a student's cells run in a child, and what of that applies to the next child of the same submission.

A cell that hangs or kills the child runs only for its definitions in the next child, and is left out if that does not
help. A cell that took long runs only for its definitions in later children.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from autograder.records import Cell, CellReport, Outcome, Text, text
from autograder.sandbox.allowance import Allowance
from autograder.sandbox.conversation import Conversation, Died, new_nonce
from autograder.sandbox.wire.messages import (
    NOTES_CAP,
    OUTPUT_CAP,
    WORDS_CAP,
    CallBack,
    CallBackAnswer,
    Note,
    Ran,
    Run,
)
from autograder.sandbox.wire.plain import exact_text

CallBacks = Callable[[CallBack], CallBackAnswer]
SLOW_CELL = 1.0                           # seconds

_LINE = re.compile(r" \(line (\d{1,6})\)\Z")

NOTICES_CAP = 50                          # about the cells of one submission
MORE = text("There is more to say about these cells; it was left out.")
TOO_MANY_WORDS = text("The cells print more than is kept of one submission; the rest was left out.")
OUT_OF_TIME = text("The time for one submission was up; what came after that was not run.")
NO_TIME = Outcome("timed_out", message="the time for one submission was up")


@dataclass(frozen=True)
class How:
    """How one cell is run: whole, for its definitions (without the statements in `skip`), or not at all."""

    mode: Literal["all", "definitions", "left_out"] = "all"
    skip: tuple[int, ...] = ()
    slow: bool = False                    # it only took long; nothing went wrong


@dataclass
class Plan:
    """What is known about the cells of one submission, by their index, and about its functions.

    A stub does nothing but raise, whatever it is asked: what came back once always does.
    """

    cells: dict[int, How] = field(default_factory=dict)
    stubs: dict[str, Outcome] = field(default_factory=dict)

    def how(self, cell: Cell) -> How:
        return self.cells.get(cell.index, How())


@dataclass
class CellRuns:
    """The cells of one submission, run in one child after another until all get through."""

    cells: Sequence[Cell]
    plan: Plan
    seconds: float                        # for one cell
    allowance: Allowance = field(default_factory=Allowance)               # of the whole submission
    replace: tuple[str, ...] = ()         # the student's functions that stand-ins take the place of
    call_back: CallBacks | None = None    # who answers those
    reports: dict[int, CellReport] = field(default_factory=dict)          # the first run of each cell
    notices: list[Text] = field(default_factory=list)

    def run_in(self, child: Conversation) -> bool:
        """Run all cells in this child; False if a cell ended it, so that another child is needed.

        Where no cell can call back to the judge, they are sent before their turn.
        """
        ways = [(cell, self.plan.how(cell)) for cell in self.cells]
        runs = [(cell, how, Run(new_nonce(), cell.index, exact_text(cell.source), how.mode, list(how.skip),
                                list(self.replace))) for cell, how in ways if how.mode != "left_out"]
        if self.call_back is None:
            all(child.send_ahead(run) for _, _, run in runs)        # until there is no room
        for cell, how, run in runs:
            if self.allowance.seconds <= 0:
                self.tell(OUT_OF_TIME)
                return True
            if how.slow:
                self.tell(text("Cell {cell} is slow: when it had to run again, only its definitions were used.",
                                cell=cell.index + 1))
            try:
                ran = child.ask(run, Ran, self.seconds, self.call_back)
            except Died as died:
                self._died(cell, how, died)
                return False
            self._ran(cell, how, ran, child.took)
        return True

    def _ran(self, cell: Cell, how: How, ran: Ran, took: float) -> None:
        if cell.index not in self.reports:
            error, line = _error_and_line(ran.error[:WORDS_CAP])
            printed = ran.output[:OUTPUT_CAP]
            if self.allowance.words < len(error) + len(printed):
                self.tell(TOO_MANY_WORDS)
                error = error.partition(":")[0]
            self.reports[cell.index] = CellReport(cell.index, ran.status, self.allowance.cut(error),
                                                  self.allowance.cut(printed), line)
            for note in _of_cell(cell, ran.notes[:NOTES_CAP]):      # a later child may run after hidden inputs
                self.tell(note)
        if how.mode == "all" and took > SLOW_CELL:
            self.plan.cells[cell.index] = How("definitions", tuple(ran.slow), slow=True)

    def _died(self, cell: Cell, how: How, died: Died) -> None:
        self.reports.setdefault(cell.index, CellReport(cell.index, died.status, died.evidence))
        if how.mode == "all":
            self.plan.cells[cell.index] = How("definitions")
            self.tell(text("Cell {cell} was started again for its definitions only: {reason}.",
                            cell=cell.index + 1, reason=_reason(died.status)))
        else:
            self.plan.cells[cell.index] = How("left_out")
            self.tell(text("Cell {cell} was left out, its definitions too: {reason}.",
                            cell=cell.index + 1, reason=_reason(died.status)))

    def tell(self, notice: Text) -> None:
        if notice not in self.notices and len(self.notices) <= NOTICES_CAP:
            self.notices.append(notice if len(self.notices) < NOTICES_CAP else MORE)


def _of_cell(cell: Cell, notes: Sequence[Note]) -> Iterator[Text]:
    """What a worker noted about a cell, in words for people."""
    for note in notes:
        if note.kind == "stopped":
            error, line = _error_and_line(note.detail[:WORDS_CAP])
            where = text("{error} (line {line})", error=error, line=line) if line else error
            yield text("Cell {cell} stopped with {error}; the definitions after that were used all the same.",
                       cell=cell.index + 1, error=where)
        elif note.kind == "undecorated":
            yield text("Cell {cell}: {decorator} could not be imported here and was left out; the function below it "
                       "was used without it.", cell=cell.index + 1, decorator=note.detail[:WORDS_CAP])
        elif note.kind == "typed":
            yield text("Cell {cell} holds quotes or spaces as word processors write them, which Python cannot read; "
                       "they were read as plain ones.", cell=cell.index + 1)
        else:
            yield text("Cell {cell}: {magic} does nothing here and was left out.",
                       cell=cell.index + 1, magic=note.detail[:WORDS_CAP])


def _error_and_line(words: str) -> tuple[str, int]:
    """Split a worker's "NameError: x (line 4)" into the error and the line, which is 0 if it names none."""
    found = _LINE.search(words)
    return (words[:found.start()], int(found[1])) if found else (words, 0)


def _reason(status: str) -> Text:
    return {"timed_out": text("it took too long"), "crashed": text("the Python process crashed"),
            "quit": text("it ended the Python process"), "out_of_memory": text("it asked for too much memory"),
            "refused": text("it wrote where only the autograder writes")
            }.get(status, text("it tried something that no solution needs"))
