"""Leave by SystemExit from whatever function is entered next, also the worker's own.

cell: quit
"""


def leave(*event):
    raise SystemExit


sys.settrace(leave)
