"""The autograder inside other programs: pytest, Gradescope, GitHub Classroom."""
