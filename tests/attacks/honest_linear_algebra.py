"""Large products and decompositions, as far as BLAS and LAPACK go."""
import numpy as np

a = np.random.default_rng(0).normal(size=(400, 400))
print((a @ a).shape, np.linalg.inv(a).shape, np.linalg.svd(a[:100])[1].shape, np.linalg.eigh(a + a.T)[0].shape)
print(np.linalg.solve(a, a[0]).shape, np.linalg.qr(a)[0].shape, np.linalg.norm(a) > 0, np.linalg.matrix_rank(a[:50]))
print(np.linalg.lstsq(a, a[0], rcond=None)[0].shape, np.linalg.det(a) != 0, np.kron(a[:5], a[:5]).shape)
