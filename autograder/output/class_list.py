"""The class: who is in it, what they are called, and in which section. For people only: no worker ever gets a name."""
from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import NamedTuple

from autograder.faults import Refused
from autograder.output.plain import named
from autograder.records import Grade


class Person(NamedTuple):
    """One student, by the name of the folder in submitted/."""

    student: str
    name: str = ""
    email: str = ""
    section: str = ""
    expected: bool = True                   # in the class, so that missing work is worth saying


class ClassList(NamedTuple):
    """Everyone whose name is known, by student."""

    people: Mapping[str, Person] = {}
    notes: tuple[str, ...] = ()             # about the list itself

    def name(self, student: str) -> str:
        """What this student is called; "" if that is not known."""
        return self.people[student].name if student in self.people else ""

    def called(self, student: str) -> str:
        """The student for a reader: the id, and the name where it is known."""
        name = self.name(student)
        return named(f"{student} ({name})" if name and name != student else student)

    def without(self, present: Collection[str]) -> list[Person]:
        """Who is in the class, but not among these."""
        return [person for student, person in sorted(self.people.items()) if person.expected and student not in present]

    @property
    def sections(self) -> list[str]:
        return sorted({person.section for person in self.people.values() if person.section})

    def section(self, name: str) -> ClassList:
        """The part of the class that is in this section. Refused if there is no such section."""
        found = next((section for section in self.sections if section.casefold() == name.casefold()), None)
        if found is None:
            close = get_close_matches(name, self.sections, n=1)
            there = f"; did you mean {close[0]!r}?" if close else f"; there are: {', '.join(self.sections)}"
            raise Refused(f"there is no section {name!r}" + (there if self.sections else ": the roster names none"))
        return ClassList({student: person for student, person in self.people.items() if person.section == found},
                         self.notes)


NOBODY = ClassList()


def of_these(grades: Iterable[Grade], people: ClassList) -> list[Grade]:
    """The grades of these people."""
    return [grade for grade in grades if grade.student in people.people]
