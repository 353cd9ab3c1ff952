"""Nest a source so deeply that a parser could break on it, in a cell and within.

cell: raised
"""
for nested in ("(" * 10**5 + ")" * 10**5, "[" * 10**5, "-" * 10**6 + "1", "lambda: " * 10**4 + "0", "f'{" * 1000):
    try:
        compile(nested, "nested", "eval")
    except (SyntaxError, MemoryError, RecursionError) as error:
        print(type(error).__name__)
exec("((((" * 10**5)
