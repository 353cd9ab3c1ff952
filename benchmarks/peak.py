"""Run a command and write the most memory that any process of it held, in MB: python -S peak.py FILE COMMAND...

A process of its own, and a small one: what a process held before it became the command counts as the command's.
"""
import os
import resource
import sys

pid = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
with open(sys.argv[1], "w") as file:
    file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024))
sys.exit(code if code >= 0 else 128 - code)
