"""Change how this Python counts: recursion, digits, hashing, garbage, switching, warnings, decimals, the locale."""
import decimal
import gc
import locale
import warnings

sys.setrecursionlimit(150)
sys.set_int_max_str_digits(640)
sys.setswitchinterval(1e-6)
gc.disable()
gc.set_debug(0)
warnings.simplefilter("error")
decimal.getcontext().prec = 1
decimal.getcontext().traps[decimal.Inexact] = True
for name in ("C", "C.UTF-8", ""):
    try:
        locale.setlocale(locale.LC_ALL, name)
    except locale.Error:
        continue
sys.dont_write_bytecode = False
sys.tracebacklimit = 0
