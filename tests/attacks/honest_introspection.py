"""A student's own tests and a look at one's own code."""
import dis
import doctest
import inspect
import io
import unittest


def double(x):
    """Twice x.

    >>> double(2)
    4
    """
    return 2 * x


class TestDouble(unittest.TestCase):
    def test_double(self):
        self.assertEqual(double(3), 6)


print(inspect.getsource(double)[:10], inspect.signature(split_heads), doctest.testmod().attempted)
unittest.main(argv=["notebook"], exit=False, verbosity=0)
dis.dis(double, file=io.StringIO()), help(double)
try:
    raise ValueError("seen")
except ValueError:
    import traceback
    traceback.print_exc()
print(globals()["__name__"], "split_heads" in dir(), callable(exit), type(get_ipython()).__name__)
