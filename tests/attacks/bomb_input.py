"""Wait for a person to type something.

cell: raised
"""
input("? ")
