"""Register everything that could run at an end: none of it ever does."""
import atexit
import signal
import weakref


def speak(*_):
    os.write(3, b"BROKE IN")
    open("/tmp/autograder-attack-handler", "w")


class Last:
    def __del__(self):
        speak()


last = Last()
atexit.register(speak)
weakref.finalize(Last, speak)
sys.excepthook = sys.unraisablehook = speak
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGUSR1, signal.SIGPIPE):
    signal.signal(number, speak)
