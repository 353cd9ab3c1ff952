"""Find out which files there are, by their names and sizes.

tiers: namespaces
"""
denied(lambda: os.stat(f"{REPOSITORY}/solutions/multihead.py"), lambda: os.stat("/etc/passwd"),
       lambda: os.stat("/bin/sh"), lambda: os.stat("/proc"), lambda: os.stat("/tmp"), lambda: os.stat("/home"),
       lambda: os.readlink("/proc/self/exe"))
if os.access(f"{REPOSITORY}/README.md", os.F_OK):
    broke_in(REPOSITORY)
