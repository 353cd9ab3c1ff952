"""Run the autograder inside other programs: pytest, Gradescope, GitHub Classroom."""
