"""Hang while the cells run: the definitions after it count all the same.

cell: timed_out
"""
while True:
    pass
