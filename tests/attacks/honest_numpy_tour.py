"""The corners of NumPy that load their code late."""
import numpy as np
import numpy.ma
import numpy.polynomial
import numpy.testing

x = np.random.default_rng(0).normal(size=(4, 8, 8))
print(np.fft.fft(x).shape, np.fft.irfftn(np.fft.rfftn(x)).shape, np.einsum("bij,bjk->bik", x, x, optimize=True).shape)
print(np.einsum_path("ij,jk,kl", x[0], x[1], x[2])[0], np.ma.masked_less(x, 0).count(), np.polyfit([1, 2, 3], [1, 4, 9], 2))
print(np.polynomial.Polynomial([1, 2])(3), np.lib.stride_tricks.sliding_window_view(x, 2, axis=0).shape)
np.testing.assert_allclose(x, x), np.set_printoptions(precision=3), np.show_config(), np.histogram(x), np.array2string(x)
np.savetxt(sys.stdout, x[0, :1]), np.loadtxt(["1 2", "3 4"]), np.vectorize(lambda v: v + 1)(x), np.datetime64("2024-01-01")
np.seterr(all="warn"), np.array(["a", "b"]).astype("U3"), np.char.upper(["a"]), np.rec.array([(1, 2.0)]), np.longdouble(1) / 3
