"""Have the dynamic loader read files for us, and Python's own ways to run them."""
import importlib.machinery
import importlib.util
import runpy
import sqlite3


def extension(path):
    loader = importlib.machinery.ExtensionFileLoader("x", path)
    importlib.util.module_from_spec(importlib.util.spec_from_loader("x", loader))


def attached():
    """SQLite opens files by itself."""
    return sqlite3.connect(":memory:").execute("ATTACH '/etc/passwd' AS x").execute("SELECT * FROM x.sqlite_master")


class Failed(OSError):
    pass


def told(attempt):
    try:
        return attempt()
    except (sqlite3.Error, SyntaxError) as error:
        raise Failed(str(error)) from None


denied(lambda: ctypes.CDLL("/etc/passwd"), lambda: ctypes.CDLL(f"{REPOSITORY}/README.md"),
       lambda: extension("/etc/passwd"), lambda: runpy.run_path(f"{REPOSITORY}/solutions/multihead.py"),
       lambda: told(attached), lambda: told(lambda: sqlite3.connect(f"{REPOSITORY}/x").execute("CREATE TABLE y (z)")))
