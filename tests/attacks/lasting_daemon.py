"""Stay behind as a daemon."""


def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            import time
            time.sleep(600)
        os._exit(0)
    return "a daemon"


denied(daemon, lambda: os.setsid(), lambda: os.execv("/bin/sleep", ["sleep", "600"]))
