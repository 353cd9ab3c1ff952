"""Open the processes of one submission, and collect what they tell about its cells."""

from autograder.lessons.kit.lesson import Lesson
from autograder.records import CellReport, StandIns, Submission, Text, text
from autograder.sandbox.allowance import Allowance
from autograder.sandbox.plan import MORE, NOTICES_CAP, Plan
from autograder.sandbox.student import Sandbox, Student
from autograder.stages import stage


class Processes:
    """Opens fresh processes with a student's cells; later ones know from the first which hang, and what is a stub."""

    def __init__(self, sandbox: Sandbox, lesson: Lesson, submission: Submission, allowance: Allowance):
        self._sandbox, self._lesson, self._submission, self._allowance = sandbox, lesson, submission, allowance
        self._test = next((exercise.name for exercise in lesson.exercises if exercise.implementations), "")
        self._students: list[Student] = []

    def __call__(self, stand_ins: StandIns, install: tuple[str, ...]) -> Student:
        plan, examine = (self._students[0].plan, "") if self._students else (Plan(), self._test)
        for name in plan.stubs.keys() & set(install):
            del plan.stubs[name]
        with stage("cells"):
            student = self._sandbox.open(
                self._submission.cells, modules=self._lesson.modules_in(self._submission.language),
                prelude=self._lesson.prelude, stand_ins=stand_ins, install=install, plan=plan,
                allowance=self._allowance, examine=examine)
        self._students.append(student)
        return student

    @property
    def reports(self) -> tuple[CellReport, ...]:
        """How each cell ran the first time."""
        return self._students[0].reports

    @property
    def notices(self) -> list[Text]:
        """What all have to say about the cells, each thing once."""
        told: list[Text] = []
        for student in self._students:
            told += [notice for notice in student.notices if notice not in told]
        return [*told[:NOTICES_CAP], MORE] if len(told) > NOTICES_CAP else told

    @property
    def suspicions(self) -> tuple[Text, ...]:
        """What a person should look at: code that no solution needs."""
        tampered = text("the code made a system call that no solution needs, and the kernel ended it there")
        return (tampered,) if any(student.tampered for student in self._students) else ()
