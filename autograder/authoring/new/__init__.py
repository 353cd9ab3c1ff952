"""Prepare the files and the test of a new check, mistake, exercise or lesson, with the names filled in.

`autograder verify` finds the new part and reports it as unfinished until its TODOs are gone. Either all files are made
or none; no file is overwritten.
"""
from autograder.authoring.new.checkout import CannotMake, Checkout, Made
from autograder.authoring.new.exercises import new_exercise, new_lesson
from autograder.authoring.new.parts import new_check, new_mistake

__all__ = ["CannotMake", "Checkout", "Made", "new_check", "new_exercise", "new_lesson", "new_mistake"]
