"""Prepares what a new check, mistake, exercise or lesson needs: the files and the test, with the names filled in.

What it makes is found by `autograder verify`, which says that it is unfinished until its TODOs are gone. All of it is
made, or nothing; no file is overwritten.
"""
from autograder.authoring.new.checkout import CannotMake, Checkout, Made
from autograder.authoring.new.exercises import new_exercise, new_lesson
from autograder.authoring.new.parts import new_check, new_mistake

__all__ = ["CannotMake", "Checkout", "Made", "new_check", "new_exercise", "new_lesson", "new_mistake"]
