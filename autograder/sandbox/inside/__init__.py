"""What runs in the student's process, and nothing else of the autograder."""
