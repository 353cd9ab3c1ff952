"""The checks of the lesson, one file per exercise."""
