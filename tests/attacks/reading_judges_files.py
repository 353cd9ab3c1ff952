"""Read the checks, the mistakes and the reference where they lie on the disk."""
PLACES = ["autograder/lesson.py", "autograder/lessons/multihead/lesson.py", "autograder/lessons/multihead/probes.py",
          "autograder/sandbox/student.py", "solutions/multihead.py", "tests/attacks/kit.py", "README.md"]
denied(*[lambda place=place: open(f"{REPOSITORY}/{place}").read() for place in PLACES],
       lambda: os.listdir(REPOSITORY), lambda: os.listdir(f"{REPOSITORY}/solutions"),
       lambda: os.scandir(f"{REPOSITORY}/autograder").__next__())
