"""Leave notes without end: many left-out magics in one cell."""
get_ipython().system("x" * 10**6)
for number in range(100_000):
    get_ipython().system(str(number))
