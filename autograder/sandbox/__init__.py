"""The judge's side of the wall; what runs on the student's side is in `inside`."""
