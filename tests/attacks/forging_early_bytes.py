"""Write to the channel while the cells still run.

cell: refused
"""
os.write(3, b"\0\0\0\1\xc0")
