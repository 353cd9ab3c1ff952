"""nbgrader's own tests pass with our nbgrader_config.py: other assignments go through it as they always did."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.lessons.kit.course_file import course_file

pytestmark = pytest.mark.integration

#: nbgrader's tests rely on its default folders; SEEN tells that the configuration was read at all
OTHERWISE = """
import os, pathlib
pathlib.Path(os.environ["SEEN"]).touch()
c.CourseDirectory.course_id = ""
c.CourseDirectory.source_directory = "source"
"""
#: for each new gradebook nbgrader starts alembic, which says each time what the latest version of a gradebook is
ONCE = """
import functools
import nbgrader.api
nbgrader.api.get_alembic_version = functools.cache(nbgrader.api.get_alembic_version)
"""


@pytest.mark.parametrize("part", ["autograde", "generate_assignment", "generate_feedback", "export", "collect",
                                  "zip_collect"])
def test_nbgraders_own_tests_pass_with_our_configuration(tmp_path: Path, part: str) -> None:
    ours = course_file("nbgrader_config.py").read_text(encoding="utf-8")
    (tmp_path / "nbgrader_config.py").write_text(ours + OTHERWISE, encoding="utf-8")
    (tmp_path / "alembic_asked_once.py").write_text(ONCE, encoding="utf-8")
    environment = {**os.environ, "JUPYTER_CONFIG_PATH": str(tmp_path), "SEEN": str(tmp_path / "seen"),
                   "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    environment.pop("JUPYTER_NO_CONFIG", None)
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:autograder",
                           "-p", "alembic_asked_once", "--pyargs", f"nbgrader.tests.apps.test_nbgrader_{part}"],
                          cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-8000:]
    assert (tmp_path / "seen").exists()
