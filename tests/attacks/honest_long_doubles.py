"""Compare with long doubles, where the machine has them, and with fractions."""
from decimal import Decimal
from fractions import Fraction

import numpy as np

third = np.longdouble(1) / 3
assert abs(float(third) - float(Fraction(1, 3))) < 1e-15
assert abs(Decimal(float(third)) - Decimal(1) / 3) < Decimal("1e-15")
print(np.finfo(np.longdouble).eps, (np.ones((3, 3), np.longdouble) @ np.ones((3, 3))).sum())
