"""Keep a course's folder: its settings, the work handed in, and what is done with it so far."""
