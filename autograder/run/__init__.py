"""Grade a class from submissions to gradebook, on local or cluster workers."""
