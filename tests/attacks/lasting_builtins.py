"""Poison Python in memory, so that not even the worker can go on.

cell: quit
points: any
"""
import builtins

builtins.len = builtins.isinstance = lambda *_: 0
