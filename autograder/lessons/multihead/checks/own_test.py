"""own_test: the student's own test, graded by what it catches."""
OWN_TEST = ()
