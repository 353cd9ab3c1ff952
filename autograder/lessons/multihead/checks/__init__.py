"""The checks of the lesson: a file for each exercise."""
