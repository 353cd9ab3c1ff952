"""What runs in the student's process: the only part of the autograder there, with `wire`."""
