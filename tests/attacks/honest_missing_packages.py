"""Import what only the student has, and go on without it.

cell: raised
"""
for package in ("pandas", "torch", "scipy", "seaborn", "pytest", "click", "nbgrader", "traitlets"):
    try:
        __import__(package)
    except ImportError as error:
        print("not here:", error.name)
    else:
        broke_in(package)
import pandas as pd
