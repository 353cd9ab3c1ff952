"""Keep a course's folder: its settings, the work handed in, and what is done with it so far."""
from pathlib import Path

FOLDER = Path(".autograder")                    # in the course's folder: all that is ours
STORE = FOLDER / "store.db"
JOURNAL = FOLDER / "journal.jsonl"              # where version 0.1 kept the grades
