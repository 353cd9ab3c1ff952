"""Let tracebacks, inspect and linecache fetch the source of files that cannot be read."""
import inspect
import linecache
import tokenize
import traceback

for path in (f"{REPOSITORY}/solutions/multihead.py", "/etc/passwd", f"{REPOSITORY}/autograder/lesson.py"):
    if linecache.getlines(path):
        broke_in(path)
    code = compile("1/0", path, "exec")
    try:
        exec(code)
    except ZeroDivisionError as error:
        if len(traceback.format_exception(error)) > 3 and "root:" in "".join(traceback.format_exception(error)):
            broke_in(path)
denied(lambda: tokenize.open("/etc/passwd"), lambda: inspect.getsource(sys.modules["autograder.sandbox.inside.worker"]))
