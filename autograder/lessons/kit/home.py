"""Know where a lesson is: the package that Python imports it as, and the files that go with it."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from autograder.lessons.kit.course_file import ROOTS

_PARTS = (".py", ".toml")                        # what a lesson consists of beside lesson.py


@dataclass(frozen=True, eq=False)
class Home:
    """The place of one lesson: in our package, in another one, or in a course.

    `carried` is everything that grading needs, by its path below the root, on a machine that has no such folder.
    """

    package: str                                # what Python calls the folder with lesson.py
    place: str                                  # that folder below the root, as messages name it: "lessons/softmax"
    roots: tuple[Path, ...] = ROOTS             # of solutions/, assignments/ and modules/: the first that has the file
    carried: Mapping[str, bytes] | None = None
    _read: dict[str, bytes] = field(default_factory=dict)
    _parts: dict[str, bytes] = field(default_factory=dict)

    @classmethod
    def of_ours(cls, name: str) -> Home:
        """The place of a lesson of this package."""
        return cls(f"autograder.lessons.{name}", f"autograder/lessons/{name}")

    @property
    def ours(self) -> bool:
        """Whether it comes with the autograder."""
        return self.roots == ROOTS

    @property
    def folder(self) -> Path:
        """The folder with lesson.py."""
        return self.roots[-1] / self.place

    def path(self, relative: str) -> Path:
        """The path of a file such as "solutions/multihead.py"; FileNotFoundError, with the remedy, if there is none."""
        for root in self.roots:
            if (root / relative).exists():
                return root / relative
        raise FileNotFoundError(
            f"{relative} is missing from this installation; install multihead-autograder again" if self.ours else
            f"the lesson in {self.place} needs {self.roots[-1] / relative}, and there is no such file")

    def read(self, relative: str) -> bytes:
        """The content of this file, read once."""
        if relative not in self._read:
            self._read[relative] = (self.path(relative).read_bytes() if self.carried is None
                                    else self.carried[relative])
        return self._read[relative]

    def text(self, relative: str) -> str:
        """The same as text, without what editors of other systems add."""
        return self.read(relative).decode("utf-8-sig").replace("\r\n", "\n")

    def parts(self, suffix: str = ".py") -> dict[str, bytes]:
        """The files beside lesson.py with this suffix, at any depth, by their path in the folder; read once."""
        if not self._parts:
            self._parts.update(self._read_parts())
        return {path: content for path, content in self._parts.items() if path.endswith(suffix)}

    def _read_parts(self) -> dict[str, bytes]:
        if self.carried is not None:
            return {path.removeprefix(f"{self.place}/"): content for path, content in self.carried.items()
                    if path.startswith(f"{self.place}/")}
        return {path.relative_to(self.folder).as_posix(): path.read_bytes()
                for path in sorted(self.folder.rglob("*")) if path.suffix in _PARTS and path.is_file()}
