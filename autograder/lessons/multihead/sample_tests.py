"""Tests that students write for own_test, as bodies of the function, from weak to useless."""
SHAPES_ONLY = '''\
    x = np.ones((2, 3, 4))
    params = {name: np.ones((4, 4)) for name in ("wq", "wk", "wv", "wo")}
    y, cache = multihead(x, params, 2, np.ones((3, 3), dtype=bool))
    dx, grads = multihead_backward(cache, params, y)
    assert y.shape == x.shape and dx.shape == x.shape
    for name in params:
        assert grads[name].shape == params[name].shape'''
ONE_KEY = '''\
    params = {"wq": np.eye(2), "wk": np.eye(2), "wv": 2 * np.eye(2), "wo": np.array([[1, 1], [0, 1]])}
    y, cache = multihead(np.array([[[1, 2]]]), params, 1, np.ones((1, 1), dtype=bool))
    assert np.allclose(y, [[[2, 6]]])
    dx, grads = multihead_backward(cache, params, np.array([[[3, 5]]]))
    assert np.allclose(dx, [[[16, 10]]])'''
W4 = '''\
    params = {"wq": np.eye(2), "wk": np.eye(2), "wv": 2 * np.eye(2), "wo": np.array([[1, 1], [0, 1]])}
    x = np.array([[[1, 2], [0, 1]]])
    y, cache = multihead(x, params, 1, np.ones((2, 2), dtype=bool))
    dx, grads = multihead_backward(cache, params, np.ones((1, 2, 2)))
    assert np.allclose(dx, [[[7.0619, 5.2804], [2.2820, 0.0635]]], atol=1e-4)
    assert all(gradient.dtype == float for gradient in (dx, *grads.values()))'''

SAMPLE_TESTS = (ONE_KEY, W4, SHAPES_ONLY, "    pass")
