"""Give the points of an exercise to a cell in nbgrader's own kernel: `points("split_heads")`.

The last cells of the notebook call it in their hidden tests, so that stock nbgrader, which knows nothing of a wall,
arrives at the same points as `autograder grade`, with partial credit. Nothing is judged inside the kernel. The cells
that have run so far are sent as text to a separate process, which starts the engine; the student's code runs again
behind the wall there. What the student did to the kernel (patched builtins, a numpy.py beside the notebook, an
environment variable) does not reach that process.

nbgrader reads an error in a graded cell as 0, and a cell without output as full marks. If the points are unknown
through no fault of the student's, neither may happen: the kernel ends, with a line on standard error that says why, and
nbgrader refuses the submission as a whole.

What this does not do is protect the kernel itself. It belongs to the student's code, which can replace this module, the
history of cells or the cell's output. That is how stock nbgrader works, and no code inside the kernel can change it. If
students may cheat, use `autograder grade`: there no output of theirs is ever read as a score.
"""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

_PACKAGES = str(Path(__file__).resolve().parents[2])        # where the package `autograder` is found
_KEPT = ("HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH", "TMPDIR", "XDG_CONFIG_HOME")
_START = "import sys; sys.path.append(sys.argv.pop(1)); from autograder.nbgrader.kernel import main; main()"

Answer = dict[str, Any]
_answers: dict[tuple[str, str], Answer] = {}                # what was graded here, by exercise and content


def points(exercise: str) -> float:
    """The points of this exercise for the cells that were run before this one; never raises.

    An exercise that is not graded gives 0.0, and the cell says so: stock nbgrader has no other way to say it.
    """
    try:
        answer = _answer(exercise, _cells_so_far())
    except BaseException as error:                          # even the interrupt by which nbgrader ends a slow cell
        _refuse(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)
    if exercise in answer["skipped"]:
        print(f"{exercise} is not graded")
        return 0.0
    found = answer["points"].get(exercise)
    if found is None:
        _refuse(answer["why"] or f"there are no points for {exercise!r}")
    return float(found)


def _cells_so_far() -> list[str]:
    """The cells that this kernel has run, as typed, without this cell and without others that ask for points.

    RuntimeError if the kernel keeps no history: then there would be nothing to grade.
    """
    from IPython import get_ipython
    shell = get_ipython()
    *typed, this = shell.history_manager.input_hist_raw if shell is not None else [""]
    if "points(" not in this:
        raise RuntimeError("the kernel keeps no history of the cells that it ran")
    return [source for source in typed if source.strip() and __name__ not in source]


def _answer(exercise: str, sources: Sequence[str]) -> Answer:
    """What the engine says about these cells; asked once per content, for all exercises of the lesson."""
    content = {"sources": list(sources), "course": _course()}
    key = hashlib.sha256(json.dumps(content).encode()).hexdigest()
    if (exercise, key) not in _answers:
        answer = _asked(json.dumps({"exercise": exercise, **content}))
        _answers.update({(name, key): answer for name in {exercise, *answer["points"], *answer["skipped"]}})
    return _answers[exercise, key]


def _course() -> str:
    """The folder above the notebook's that holds the course's settings or lessons; "" if none does."""
    return next((str(folder) for folder in Path.cwd().parents if (folder / "autograder.toml").is_file()
                 or any(folder.glob("lessons/*/lesson.py"))), "")


def _asked(request: str) -> Answer:
    """The answer of a process that gets nothing from this kernel but the request. RuntimeError if it has none."""
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
    done = subprocess.run([sys.executable, "-I", "-c", _START, _PACKAGES], input=request, cwd="/", env=environment,
                          capture_output=True, text=True, encoding="utf-8", errors="replace", check=False)
    lines = done.stdout.splitlines()
    if done.returncode != 0 or not lines:
        said = done.stderr.strip().splitlines()
        raise RuntimeError(said[-1] if said else f"the engine ended with exit code {done.returncode}")
    return json.loads(lines[-1])


def _refuse(why: str) -> NoReturn:
    """End the kernel, with a last line that bypasses ipykernel, which would not get to send it."""
    stream = getattr(sys.stderr, "_original_stdstream_copy", None)
    os.write(2 if stream is None else stream,
             f"autograder: this submission was not graded, which is not its fault: {why}\n".encode(errors="replace"))
    os._exit(3)


# --- the process that asks the engine -----------------------------------------------------------------------------

def main() -> None:
    """Read a request from standard input and write one line of JSON: points, skipped exercises, why there are none."""
    from autograder.course.rules import rules_of
    from autograder.intake import from_sources
    from autograder.locale.language import translate
    request = json.load(sys.stdin)
    course = Path(request["course"]) if request.get("course") else None
    rules = rules_of(course)
    lesson = rules.lesson(_lesson_with(request["exercise"], request["sources"], course))
    submission = from_sources("notebook", "student", request["sources"], lesson, rules.limits.budget)
    [grade] = rules.graded([submission])
    reasons = [submission.unreadable] if submission.unreadable is not None else list(grade.for_a_person)
    print(json.dumps({"points": {exercise.name: exercise.points for exercise in grade.exercises},
                      "skipped": [exercise.name for exercise in grade.exercises if exercise.skipped],
                      "why": "; ".join(translate(reason, "en") for reason in reasons)}))


def _lesson_with(exercise: str, sources: Sequence[str], course: Path | None) -> str:
    """The lesson that has this exercise; if several do, the one whose functions these sources define."""
    from autograder.intake.recognise import functions
    from autograder.lessons.installed import every_lesson, untrusted
    lessons = [lesson for lesson in every_lesson(course) if any(each.name == exercise for each in lesson.exercises)]
    if not lessons:
        raise ValueError(untrusted(course) or f"no lesson has an exercise {exercise!r}")
    return max(lessons, key=lambda lesson: functions(lesson, sources)).name


if __name__ == "__main__":
    main()
