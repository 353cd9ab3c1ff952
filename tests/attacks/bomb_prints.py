"""Print 100 MB.

output: cut
"""
for _ in range(100):
    print("x" * 10**6)
