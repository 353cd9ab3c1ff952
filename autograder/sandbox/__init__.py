"""The wall, seen from the judge's side; what runs on the student's side is in `inside`."""
