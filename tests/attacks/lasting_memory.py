"""Write into memory that the children of one zygote share until they write to it: from here on, 300 is 7.

points: any
"""
import numpy as np

constant = np.pi
ctypes.memset(id(np.pi) + 16, 0, 8)                            # pi is 0, in whatever uses this very object
ctypes.memset(id(257 - 252) + 24, 7, 1)                        # 5 is 7
