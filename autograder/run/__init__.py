"""Grading a class: local and cluster workers, from submissions to the gradebook."""
