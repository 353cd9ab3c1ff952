"""What the documentation tells people to type: its blocks of shell and Python, with what stands in comments about them.

A comment in the source of a page is about the next block:

    <!-- test-setup: COMMAND -->    is run before it, and must succeed: what a reader has, and a test has not
    <!-- exit-code: N -->           is how it ends
    <!-- no-test: REASON -->        it is not run
    <!-- hub: WHO -->               the test with a JupyterHub runs it, as WHO

A block of Python with a title is a file with that name.

Everything on a page runs in order, from one folder: that of a graded course.
"""
from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md"))))
_PARTS = re.compile(r"<!-- (?P<word>test-setup|exit-code|no-test|hub): (?P<said>.*?) -->"
                    r"|^(?P<indent> *)```(?P<language>\S*)(?: title=\"(?P<file>[^\"\n]+)\")?[^\n]*\n"
                    r"(?P<code>.*?)^(?P=indent)```$",
                    re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One block of a page."""

    page: str
    language: str
    code: str
    setup: tuple[str, ...] = ()
    exit_code: int = 0
    untested: str = ""                      # why it is not run
    file: str = ""                          # what it is the content of, if it is not to be run
    hub: str = ""                           # who types it on a JupyterHub

    @property
    def first(self) -> str:
        """Its first line, by which it is known in a list."""
        return self.code.splitlines()[0]


def blocks(page: str) -> list[Block]:
    """The blocks of a page in order, of whatever language."""
    found, setup, said = [], [], {}
    for part in _PARTS.finditer((ROOT / page).read_text(encoding="utf-8")):
        if part["word"] == "test-setup":
            setup.append(part["said"])
        elif part["word"]:
            said[part["word"]] = part["said"]
        else:
            found.append(Block(page, part["language"], dedent(part["code"]), tuple(setup),
                               int(said.get("exit-code", 0)), said.get("no-test", ""), part["file"] or "",
                               said.get("hub", "")))
            setup, said = [], {}
    return found


def to_run(page: str) -> list[Block]:
    """Those of a page that say what to type."""
    return [block for block in blocks(page) if block.language in ("sh", "python")]
