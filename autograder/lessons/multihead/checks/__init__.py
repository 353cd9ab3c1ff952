"""The checks of the lesson, in the order of the exercises; a file each."""
from autograder.lessons.multihead.checks.merge_heads import MERGE_HEADS
from autograder.lessons.multihead.checks.multihead import MULTIHEAD
from autograder.lessons.multihead.checks.multihead_backward import MULTIHEAD_BACKWARD
from autograder.lessons.multihead.checks.own_test import OWN_TEST
from autograder.lessons.multihead.checks.split_heads import SPLIT_HEADS

__all__ = ["MERGE_HEADS", "MULTIHEAD", "MULTIHEAD_BACKWARD", "OWN_TEST", "SPLIT_HEADS"]
