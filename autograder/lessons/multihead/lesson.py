"""The multi-head attention lesson: five exercises, 20 points."""

from autograder.lessons.kit.lesson import Exercise, Lesson
from autograder.lessons.multihead import probes
from autograder.lessons.multihead.advice import advice
from autograder.lessons.multihead.checks import merge_heads, multihead, multihead_backward, own_test, split_heads
from autograder.lessons.multihead.implementations import IMPLEMENTATIONS
from autograder.lessons.multihead.sample_tests import SAMPLE_TESTS

LESSON = Lesson(
    name="multihead",
    exercises=(
        Exercise("split_heads", "test_split_heads", 3, split_heads.CHECKS, telling=probes.SPLIT),
        Exercise("merge_heads", "test_merge_heads", 2, merge_heads.CHECKS, telling=probes.MERGE),
        Exercise("multihead", "test_multihead", 5, multihead.CHECKS,
                 stand_ins=("split_heads", "merge_heads"), proxied=("split_heads", "merge_heads"),
                 telling=probes.GENERAL.forward),
        Exercise("multihead_backward", "test_multihead_backward", 7, multihead_backward.CHECKS,
                 stand_ins=("split_heads", "merge_heads", "multihead"), proxied=("split_heads", "merge_heads"),
                 telling=probes.GENERAL.backward, differentiates="multihead"),
        Exercise("own_test", "test_own_test", 3, own_test.CHECKS, implementations=IMPLEMENTATIONS),
    ),
    reference="solutions/multihead.py",
    given={"attention": "assignments/multihead/attention.py"},
    prelude="import numpy as np\nfrom attention import attention, attention_backward\n",
    editions={"nl": "assignments/multihead/multihead.ipynb", "en": "assignments/multihead-en/multihead.ipynb"},
    tools={name: f"assignments/multihead/{name}.py" for name in ("slips", "examples", "gradcheck")},
    shows={name: f"assignments/multihead/{name}.py" for name in ("explore", "practice", "selfcheck", "training")},
    sample_tests=SAMPLE_TESTS,
    advice=advice,
)
