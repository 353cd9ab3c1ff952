"""Unpack a small bomb.

cell: out_of_memory
"""
import zlib

bomb = zlib.compress(bytes(10**8))
unpacked = [zlib.decompress(bomb) for _ in range(100)]
