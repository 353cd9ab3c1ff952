"""Know what a reading process was at when it died: the rest of that folder or archive is read by the next one."""

import struct
from mmap import mmap

from autograder.records import Text

SIZE = 24                                       # bytes


class Begun:
    """Numbers in memory that both processes share, and in each of them the works that ended a process before."""

    def __init__(self, shared: mmap):
        self._shared = shared
        self._ended: dict[int, Text] = {}       # works of the first path, by their numbers from 1
        self._path = self._before = 0

    @property
    def numbers(self) -> tuple[int, int, int]:
        """The index of the path, how many submissions came before it, and the number of the work in it, 0 for none."""
        path, before, work = struct.unpack("3Q", self._shared[:])
        return path, before, work

    def path(self, number: int, before: int) -> None:
        self._path, self._before = number, before
        self.work(0)

    def work(self, number: int) -> Text | None:
        """Begin this work; why it is not to be read, if it ended a process before."""
        self._shared[:] = struct.pack("3Q", self._path, self._before, number)
        return None if self._path else self._ended.get(number)

    def is_over(self, path: int, work: int, why: Text) -> bool:
        """Whether nothing more can be read at this path, where a process ended for this reason; else that is kept."""
        over = not work or not path and work in self._ended
        self._ended = {} if over or path else self._ended
        if not over:
            self._ended[work] = why
        return over
