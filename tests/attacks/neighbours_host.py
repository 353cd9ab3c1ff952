"""Change the machine: its name, its clock, its modules, its power."""
import time

denied(lambda: __import__("socket").sethostname("owned"), lambda: time.clock_settime(time.CLOCK_REALTIME, 0),
       lambda: os.sync() or call("syslog", 5, 0, 0), lambda: call(169 if platform.machine() == "x86_64" else 142, 1, 1, 0, 0),
       lambda: os.chown("/", 0, 0), lambda: os.getxattr("/", "user.x"), lambda: os.statvfs("/"))
