"""From answers to a grade: worlds, checks, own tests, diagnosis, points."""
