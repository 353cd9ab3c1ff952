"""Make a new check or a new mistake of an existing exercise."""

from autograder.authoring.new.checkout import CannotMake, Checkout, Made, dashed, rendered
from autograder.authoring.new.editing import appended, before, with_mistake
from autograder.lessons.kit.lesson import Exercise


def new_check(checkout: Checkout, lesson_name: str, exercise_name: str, name: str) -> Made:
    """A check that is not worth anything yet, in the file of its exercise, and its test."""
    lesson = checkout.lesson(lesson_name)
    exercise = _by_answers(checkout.exercise(lesson, exercise_name))
    name = dashed(name, "a check")
    if name in [check.name for check in exercise.checks]:
        raise CannotMake(f"{exercise.name} already has a check {name!r}; choose another name")
    path = f"{checkout.folder(lesson.name)}/checks/{exercise.name}.py"
    test = f"tests/checks/test_{lesson.name}_{exercise.name}_{name.replace('-', '_')}.py"
    if not checkout.is_course:
        checkout.must_be_new(test)
    source, function = checkout.read(path), name.replace("-", "_")
    if f"def {function}(" in source or f"\n{function} = " in source:
        function = f"_{function}"               # the check's name has no underscore
    code = rendered("check.py", function=function, gated="\nRIGHT = " in source)
    made = Made(checkout.root, {path: appended(before(source, "CHECKS", code), "CHECKS", function)})
    if not checkout.is_course:                  # there one test finds every check and mistake
        made.files[test] = rendered("check_test.py", lesson=lesson.name, exercise=exercise.name, check=name)
    made.opens = made.line_of(path, f"def {function}(")
    return made


def new_mistake(checkout: Checkout, lesson_name: str, exercise_name: str, name: str) -> Made:
    """A mistake that does not change anything yet, in the file of its exercise, and its test."""
    lesson = checkout.lesson(lesson_name)
    exercise = _by_answers(checkout.exercise(lesson, exercise_name))
    name = dashed(name, "a mistake")
    if name in [mistake.id for mistake in lesson.mistakes]:
        raise CannotMake(f"{lesson.name} already has a mistake {name!r}; choose another name")
    path = f"{checkout.folder(lesson.name)}/mistakes/{exercise.name}.py"
    test = f"tests/mistakes/test_{lesson.name}_{name.replace('-', '_')}.py"
    if not checkout.is_course:
        checkout.must_be_new(test)
    entry = rendered("mistake.py", id=name, exercise=exercise.name)
    made = Made(checkout.root, {path: with_mistake(checkout.read(path), entry)})
    if not checkout.is_course:
        made.files[test] = rendered("mistake_test.py", lesson=lesson.name, id=name, exercise=exercise.name)
    made.opens = made.line_of(path, f'"{name}"')
    return made


def _by_answers(exercise: Exercise) -> Exercise:
    if exercise.implementations:
        raise CannotMake(f"{exercise.name} is graded by the implementations that it accepts and rejects; add one to "
                         "implementations.py, as CONTRIBUTING.md says")
    return exercise
