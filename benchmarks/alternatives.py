"""The same submissions by what else there is: nbgrader with its own kernel, nbgrader with our hook, otter."""
from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path

from benchmarks.measure import run

DRIVER = Path(__file__).with_name("nbgrader_driver.py")
MADE = ("autograded", "feedback", ".autograder", "gradebook.db", "report.html")


def nbgrader(course: Path, folder: Path, students: list[str], hook: bool) -> float:
    """Seconds a submission of `nbgrader autograde`, its own start-up and import not counted.

    `folder` becomes a copy of the course with these students only. With `hook` our engine takes the kernel's place.
    """
    shutil.copytree(course, folder, ignore=shutil.ignore_patterns("submitted", *MADE))
    for student in students:
        shutil.copytree(course / "submitted" / student, folder / "submitted" / student)
    config = folder / "nbgrader_config.py"
    text = config.read_text(encoding="utf-8")
    if "ENGINE = True" not in text:
        raise SystemExit(f"{config} has no line `ENGINE = True` that could be switched")
    config.write_text(text.replace("ENGINE = True", f"ENGINE = {hook}"), encoding="utf-8")
    run([sys.executable, "-m", "nbgrader", "generate_assignment", "multihead", "--force"], folder, fine=(0,))
    took = float(run([sys.executable, str(DRIVER), "multihead"], folder, fine=(0,)).output.split()[-1])
    done = len(list(folder.glob("autograded/*/multihead/multihead.ipynb")))
    if done < len(students) * 0.9:
        raise SystemExit(f"nbgrader graded {done} of {len(students)} submissions; that is nothing to compare with")
    return took / len(students)


def otter_is_there() -> bool:
    return importlib.util.find_spec("otter") is not None
