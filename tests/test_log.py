"""The instructor's log and the profile."""
import json

import pytest
from courses import grade_of

from autograder.output.jsonl import CannotWrite
from autograder.output.log import event_log
from autograder.records import Submission
from autograder.run.dispatch import Judged
from autograder.stages import Profile


def test_each_event_is_a_line_and_a_copy_is_named(tmp_path):
    with event_log(str(tmp_path / "log"), print) as log:
        log("started", submissions=1)
        log("graded", judged=Judged(Submission("a", "student-02", "multihead"), grade_of("student-02"), "copied",
                                    copy_of="student-01"))
    first, second = map(json.loads, (tmp_path / "log").read_text().splitlines())
    assert (first["event"], first["submissions"]) == ("started", 1)
    assert (second["student"], second["points"], second["worker"], second["copy_of"]) == (
        "student-02", 20, None, "student-01")


def test_a_log_that_cannot_be_opened_stops_before_anything_is_graded(tmp_path):
    with pytest.raises(CannotWrite, match="cannot write"):
        event_log(str(tmp_path), print).__enter__()


def test_a_log_on_a_full_disk_ends_with_one_complaint():
    said = []
    with event_log("/dev/full", said.append) as log:
        log("started")
        log("finished")
    assert said == ["the log /dev/full ends here: No space left on device"]


def test_a_stage_within_a_stage_is_taken_out_of_it():
    moments = iter([0.0, 1.0, 3.0, 7.0])
    profile = Profile(lambda: next(moments))
    with profile.stage("outer"), profile.stage("inner"):
        pass
    assert profile.taken() == {"outer": 5.0, "inner": 2.0}
    assert profile.taken() == {}
