"""Read from whatever descriptors were left open."""
for number in range(64):
    try:
        os.fstat(number)
    except OSError:
        continue
    if number > 3:
        broke_in(number)
    if number < 3 and os.read(number, 1):
        broke_in(f"{number} has something to say")
