"""Find out which files there are, by their names and sizes.

tiers: namespaces
"""
import sys

denied(lambda: os.stat(f"{REPOSITORY}/solutions/multihead.py"), lambda: os.stat("/etc/passwd"),
       lambda: os.stat("/bin/sh"), lambda: os.stat("/proc"), lambda: os.readlink("/proc/self/exe"))
for folder in ("/tmp", "/home"):                # unless Python, NumPy or the autograder itself are installed below it
    if not any(place.startswith(folder) for place in (np.__file__, sys.prefix, sys.base_prefix, REPOSITORY)):
        denied(lambda folder=folder: os.stat(folder))
if os.access(f"{REPOSITORY}/README.md", os.F_OK):
    broke_in(REPOSITORY)
