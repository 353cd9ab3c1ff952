"""Ask a lesson's checks about its own solution before they are asked about a student's.

What cannot be asked there would be "broken" for every student, so the lesson is refused, with the file and the line. A
check that the solution does not pass is another matter, which the proof of the lesson tells.
"""

import ast
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import Any

from autograder.faults import Refused, nearest
from autograder.judge.local_subject import LocalSubject
from autograder.judge.worlds import AskIn
from autograder.lessons.kit import bounded
from autograder.lessons.kit.compare import NotPlain
from autograder.lessons.kit.lesson import Check, Exercise, Lesson, Unanswered, Wrong, is_stub
from autograder.locale.language import translate
from autograder.records import Call, Outcome, Subject
from autograder.sandbox.questions import arguments, results_in
from autograder.sandbox.wire.wire import WireError

AGAIN = 0.5                                     # seconds to see where what was stopped is


def rehearse(lesson: Lesson, reference: Subject | None = None) -> None:
    """Raise Refused, in one line, if there is a check of this lesson that its own solution cannot be asked."""
    reference = reference or LocalSubject(lesson.reference_source)
    names = [exercise.name for exercise in lesson.exercises]
    for exercise in lesson.exercises:
        for said, named in (("stand_ins", exercise.stand_ins), ("differentiates", (exercise.differentiates or "",))):
            for name in named:
                if name and name not in names:
                    raise Refused(f"{lesson.home.place}/lesson.py: {said} of {exercise.name} names {name!r}, which is "
                                  f"not an exercise{nearest(name, names)}")
        if exercise.skipped is None:
            _rehearse(lesson, exercise, reference)


def _rehearse(lesson: Lesson, exercise: Exercise, reference: Subject) -> None:
    trials = _Trials({name: _trial(lesson, exercise, name) for name in exercise.implementations})
    ask = AskIn("own", reference, reference, trials=trials)
    for check in exercise.checks:
        if fault := _fault(lesson, exercise, check, ask):
            raise Refused(fault)
    if exercise.telling is not None:
        ask.outcome(exercise.telling)
    for call, outcome in ask.answers.items():
        if outcome.status in ("missing", "timed_out", "quit"):
            raise Refused(_unanswered(lesson, call, call.function, outcome))
        try:
            arguments(call, lambda earlier: 0)
        except (WireError, TypeError, OverflowError) as error:
            raise Refused(f"{_place_of(lesson, call)}: an argument of {call.function} cannot be sent to a student's "
                          f"process ({error}); expected None, numbers, text, arrays, dicts of those") from None


class _Trials(dict[str, Outcome]):
    """What an own test says of each implementation; another name is an error that says where the names are given."""

    def __missing__(self, name: str) -> Outcome:
        raise LookupError(f"there is no implementation {name!r}; the Exercise in lesson.py gives "
                          f"{', '.join(self) or 'none: add implementations=… to it'}")


def _trial(lesson: Lesson, exercise: Exercise, name: str) -> Outcome:
    """What an own test says of this implementation, which must be one that can be made."""
    try:
        LocalSubject(exercise.implementations[name].make(lesson.reference_source))
    except Exception as error:                  # it is somebody's own Python and can raise anything
        raise Refused(f"{lesson.home.place}: the implementation {name!r} of {exercise.name} cannot be made: "
                      f"{type(error).__name__}: {error}") from None
    return Outcome("answered")


def _fault(lesson: Lesson, exercise: Exercise, check: Check, ask: AskIn) -> str:
    """Why this check cannot be asked; "" if it can."""
    try:
        with bounded.bounded():
            check.run(ask)
    except Wrong:
        return ""
    except NotPlain as odd:
        return (f"{lesson.reference}: what it answers cannot be judged by the check {check.name} of {exercise.name}: "
                f"{translate(odd.why, 'en')}")
    except Unanswered as unanswered:
        asked = [call for last in reversed(ask.answers)
                 for call in (last, *(each.of for each in results_in(last.args)))]
        call = next((call for call in asked if call.function == unanswered.function), asked[0])
        return _unanswered(lesson, call, unanswered.function, unanswered.outcome)
    except bounded.TooLong as stopped:
        return (f"{_line(lesson, stopped)}: the check {check.name} of {exercise.name} does not end: it was {stopped}; "
                "is that an endless loop?")
    except NotImplementedError as error:
        return f"{_line(lesson, error)}: the check {check.name} of {exercise.name} is not written; write it, or take " \
               "it out of CHECKS"
    except Exception as error:
        return (f"{_line(lesson, error)}: the check {check.name} of {exercise.name} fails by itself: "
                f"{type(error).__name__}: {_first_line(error).replace(f'{lesson.home.package}.', '')}")
    return ""


def _line(lesson: Lesson, error: BaseException) -> str:
    """The last line of the lesson's own at which this arose."""
    folder = f"{lesson.home.folder}/"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(folder)]
    return (f"{lesson.home.place}/{frames[-1].filename.removeprefix(folder)}, line {frames[-1].lineno}" if frames
            else f"{lesson.home.place}/checks")


def _unanswered(lesson: Lesson, call: Call, function: str, outcome: Outcome) -> str:
    """Why the solution gives no answer here."""
    asked = _place_of(lesson, call)
    if outcome.status == "missing":
        functions = [node.name for source in lesson.source_files.values() for node in ast.parse(source).body
                     if isinstance(node, ast.FunctionDef)]
        return f"{asked}: {lesson.reference} has no function {function!r}{nearest(function, functions)}"
    place, error = _where(lesson, call)
    if is_stub(function, outcome):
        return f"{place or lesson.reference}: {function} is not written; write it"
    if outcome.status == "timed_out":
        return (f"{place or lesson.reference}: {function} does not end: it was stopped after {bounded.SECONDS:g} "
                f"seconds; is that an endless loop? It is asked in {asked}")
    said = f"{type(error).__name__}: {_first_line(error)}" if error is not None else (
        f"{outcome.error}: {outcome.message}" if outcome.error else outcome.message or outcome.status)
    if not place:                               # the call itself does not fit
        return f"{asked}: {function} cannot be asked this: {said}"
    return f"{place}: {function} gives no answer to what is asked in {asked}: {said}"


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]


# --- where it is --------------------------------------------------------------------------------------------------

def _place_of(lesson: Lesson, call: Call) -> str:
    """The line at which the lesson makes this call, or the file."""
    for path, content in lesson.home.parts().items():
        name = f"{lesson.home.package}.{path.removesuffix('.py').removesuffix('/__init__').replace('/', '.')}"
        held = {key for key, value in vars(sys.modules.get(name)).items() if call in _calls(value)} \
            if name in sys.modules else set()
        for node in ast.parse(content).body:
            if isinstance(node, ast.Assign) and held & {getattr(target, "id", "") for target in node.targets}:
                return f"{lesson.home.place}/{path}, line {node.lineno}"
    for path, content in lesson.home.parts().items():
        for node in ast.walk(ast.parse(content)):
            if (isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant)
                    and node.args[0].value == call.function and getattr(node.func, "id", "") == "Call"):
                return f"{lesson.home.place}/{path}, line {node.lineno}"
    return lesson.home.place


def _calls(value: Any) -> Iterator[Call]:
    """The calls in this variable of a module."""
    if isinstance(value, Call):
        yield value
    elif isinstance(value, (tuple, list, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _calls(each)
    elif type(value).__module__.startswith("autograder.") and hasattr(value, "__dict__"):
        yield from _calls(vars(value))


def _where(lesson: Lesson, call: Call) -> tuple[str, BaseException | None]:
    """The file and line of the solution at which this call fails, and how; "" if it does not get there."""
    try:
        subject = _Located(lesson)
        subject.answer(call)
    except Exception as error:
        return "", error
    error = subject.error
    frames = traceback.extract_tb(error.__traceback__) if error is not None else []
    inside = [frame for frame in frames if frame.filename in lesson.source_files]
    return (f"{inside[-1].filename}, line {inside[-1].lineno}" if inside else ""), error


class _Located(LocalSubject):
    """The solution run from its own files, which remembers how a function of it failed."""

    def __init__(self, lesson: Lesson):
        super().__init__("")
        self.error: BaseException | None = None
        for path, source in lesson.source_files.items():
            exec(compile(source, path, "exec", dont_inherit=True), self._namespace)
        self._namespace.update({name: self._watched(value) for name, value in self._functions().items()})

    def _functions(self) -> Mapping[str, Callable[..., Any]]:
        return {name: value for name, value in self._namespace.items() if hasattr(value, "__code__")}

    def _watched(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def called(*args: Any, **named: Any) -> Any:
            try:
                with bounded.bounded(min(AGAIN, bounded.SECONDS)):
                    return function(*args, **named)
            except BaseException as error:
                self.error = self.error or error
                raise
        return called
