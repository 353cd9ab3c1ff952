"""nbgrader's own test-suite with our nbgrader_config.py: other assignments go through it as they always did."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.lessons.kit.course_file import course_file

pytestmark = pytest.mark.integration

#: where a course of ours keeps its files differs from nbgrader's default, which its tests rely on
NBGRADERS_FOLDERS = '\nc.CourseDirectory.course_id = ""\nc.CourseDirectory.source_directory = "source"\n'


@pytest.mark.parametrize("part", ["autograde", "generate_assignment", "generate_feedback", "export", "collect",
                                  "zip_collect"])
def test_nbgraders_own_tests_pass_with_our_configuration(tmp_path, part):
    ours = course_file("nbgrader_config.py").read_text(encoding="utf-8")
    (tmp_path / "nbgrader_config.py").write_text(ours + NBGRADERS_FOLDERS, encoding="utf-8")
    environment = {**os.environ, "JUPYTER_CONFIG_PATH": str(tmp_path),
                   "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    environment.pop("JUPYTER_NO_CONFIG", None)
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:autograder",
                           "--pyargs", f"nbgrader.tests.apps.test_nbgrader_{part}"],
                          cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:]
