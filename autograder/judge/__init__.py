"""Turn answers into a grade: worlds, checks, own tests, diagnosis, points."""
