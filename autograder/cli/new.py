"""`autograder new`: make the files of a new check, mistake, exercise or lesson, with the names filled in."""
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from autograder.cli.common import DONE
from autograder.cli.lessons import THE_DEFAULT, chosen_lesson, lesson_option
from autograder.cli.options import examples

if TYPE_CHECKING:
    from autograder.authoring.new import Made

points_option = click.option("--points", metavar="N", type=click.IntRange(1, 100), default=2, show_default=True,
                             help="What the exercise is worth.")
parameters_option = click.option("--parameters", metavar="NAMES", default="x", show_default=True,
                                 help='Its parameters, such as "x, heads".')


@click.group(short_help="Prepare a new check, mistake, exercise or lesson.", epilog=examples(
    "autograder new check split_heads keeps-order",
    "autograder new mistake layer_norm gain-halved --lesson layernorm",
    'autograder new exercise rms_norm --lesson layernorm --points 3 --parameters "x, gain, eps"',
    'autograder new lesson softmax stable_softmax --parameters "x"'))
def new() -> None:
    """Prepare the files and the test of a new part, in a course or in a checkout. Nothing is overwritten.

    `autograder verify` finds it at once, and reports it as unfinished until its TODOs are gone.
    """


@new.command(short_help="A fact about an exercise that earns students points.")
@click.argument("exercise")
@click.argument("name")
@lesson_option(THE_DEFAULT)
def check(exercise: str, name: str, lesson: str | None) -> int:
    """Prepare the check NAME (such as keeps-order) of an EXERCISE."""
    from autograder.authoring.new import new_check
    return _make(new_check, chosen_lesson(lesson), exercise, name)


@new.command(short_help="A wrong solution that students really write.")
@click.argument("exercise")
@click.argument("name")
@lesson_option(THE_DEFAULT)
def mistake(exercise: str, name: str, lesson: str | None) -> int:
    """Prepare the mistake NAME (such as gain-halved) of an EXERCISE."""
    from autograder.authoring.new import new_mistake
    return _make(new_mistake, chosen_lesson(lesson), exercise, name)


@new.command(short_help="A function that students write.")
@click.argument("name")
@points_option
@parameters_option
@lesson_option(THE_DEFAULT)
def exercise(name: str, points: int, parameters: str, lesson: str | None) -> int:
    """Prepare the exercise NAME, which is the function's name, after the others of its lesson."""
    from autograder.authoring.new import new_exercise
    return _make(new_exercise, chosen_lesson(lesson), name, points, parameters)


@new.command(short_help="A lesson, with its first exercise.")
@click.argument("name")
@click.argument("exercise", default="")
@points_option
@parameters_option
@click.option("--lang", "language", type=click.Choice(["en", "nl"]), default="en", show_default=True,
              help="The language of the notebook, in a course.")
def lesson(name: str, exercise: str, points: int, parameters: str, language: str) -> int:
    """Prepare the lesson NAME. In a course, its exercises are the functions of solutions/NAME.py, if that is there;
    else there is one EXERCISE, which is called as the lesson unless you name it.
    """
    from autograder.authoring.new import new_lesson
    return _make(new_lesson, name, exercise, points, parameters, language)


def _make(make: Callable[..., Made], lesson: str, *what: Any) -> int:
    """Make it, write it, and say what to open next."""
    from autograder.authoring.new import Checkout
    checkout = Checkout.here(Path.cwd())
    made = make(checkout, lesson, *what)
    new_files = set(made.new)
    checkout.write(made)
    for path in made.files:
        click.echo(f"{'new    ' if path in new_files else 'changed'} {path}")
    click.echo(f"\nOpen {made.opens} next. What is left to write: autograder verify --lesson {lesson}")
    return DONE
