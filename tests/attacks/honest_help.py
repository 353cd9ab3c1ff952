"""Ask for help, as one does in a notebook: texts about functions, and how NumPy was built."""
import doctest
import unittest

import numpy as np


class TestShapes(unittest.TestCase):
    def test_split(self):
        self.assertEqual(split_heads(np.ones((1, 2, 4)), 2).shape, (1, 2, 2, 2))


help(np.sum)
np.info(np.mean)
np.show_config()
unittest.main(argv=[""], exit=False)
print(doctest.testmod())
