"""Functions of secrets, compared with numpy.

The tests in C++ (tests/apps/library/) check the results. These tests check the arguments, the axes and the number of
rounds.
"""

import numpy as np
import pytest

import sotto

RNG = np.random.default_rng(2)
X = RNG.uniform(-3, 3, (3, 5))
POSITIVE = RNG.uniform(0.5, 3, (3, 5))
V = RNG.uniform(-3, 3, 6)


def both(compute, x, y=None):
    """Runs `compute` on the secret arrays of both parties. Returns the result, after a check that the costs are the
    planned costs.
    """

    data = (x, x if y is None else y)

    @sotto.program
    def program(s, mine):
        values = [s.input(mine, owner=p, shape=data[p].shape) for p in range(1 if y is None else 2)]
        return s.open(compute(*values), name="z")

    plan, out = program.plan(*data), program.simulate(*data)
    assert (out.rounds, out.bytes, out.dealt) == (plan.rounds, plan.bytes, plan.dealt)
    return out


def one_hot(x, axis):
    if axis is None:
        return (np.arange(x.size) == x.argmax()).astype(float).reshape(x.shape)
    return np.apply_along_axis(lambda row: (np.arange(len(row)) == row.argmax()).astype(float), axis, x)


def softmax(x, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


OF_ONE = {
    "max": (lambda x: x.max(), lambda x: x.max(), X),
    "max down": (lambda x: x.max(axis=0), lambda x: x.max(axis=0), X),
    "max across": (lambda x: x.max(axis=1), lambda x: x.max(axis=1), X),
    "max of a vector": (lambda x: x.max(), lambda x: x.max(), V),
    "min across": (lambda x: x.min(axis=-1), lambda x: x.min(axis=-1), X),
    "argmax": (lambda x: x.argmax(), lambda x: one_hot(x, None), X),
    "argmax down": (lambda x: x.argmax(axis=0), lambda x: one_hot(x, 0), X),
    "argmax across": (lambda x: x.argmax(axis=1), lambda x: one_hot(x, 1), X),
    "argmax of a vector": (lambda x: x.argmax(), lambda x: one_hot(x, 0), V),
    "argmin across": (lambda x: x.argmin(axis=1), lambda x: one_hot(-x, 1), X),
    "sort across": (lambda x: x.sort(), lambda x: np.sort(x), X),
    "sort down": (lambda x: x.sort(axis=0), lambda x: np.sort(x, axis=0), X),
    "sort by the last axis": (lambda x: x.sort(axis=-1), lambda x: np.sort(x, axis=-1), X),
    "sort all": (lambda x: x.sort(axis=None), lambda x: np.sort(x, axis=None), X),
    "sort a vector": (lambda x: x.sort(), lambda x: np.sort(x), V),
    "sort what is equal": (lambda x: x.sort(), lambda x: np.sort(x), np.array([2.0, -1, 2, 0, -1, 2])),
    "sort products": (lambda x: (x * x).sort(), lambda x: np.sort(x * x), V),
    "sort nothing": (lambda x: x[:0].sort(), lambda x: np.sort(x[:0]), V),
    "sort descending": (lambda x: -(-x).sort(), lambda x: -np.sort(-x), X),
    "top of a vector": (lambda x: sotto.top_k(x, 2), lambda x: -np.sort(-x)[:2], V),
    "top of rows": (lambda x: sotto.top_k(x, 3), lambda x: -np.sort(-x, axis=1)[:, :3], X),
    "abs": (sotto.abs, np.abs, X),
    "abs by its operator": (abs, np.abs, X),
    "clip": (lambda x: sotto.clip(x, -1, 2), lambda x: np.clip(x, -1, 2), X),
    "exp": (lambda x: sotto.exp(x, most=3), np.exp, X),
    "sigmoid": (sotto.sigmoid, lambda x: 1 / (1 + np.exp(-x)), X),
    "tanh": (sotto.tanh, np.tanh, X),
    "log": (lambda x: sotto.log(x, least=0.5), np.log, POSITIVE),
    "sqrt": (sotto.sqrt, np.sqrt, POSITIVE),
    "inverse root": (lambda x: sotto.inverse_sqrt(x, least=0.5), lambda x: 1 / np.sqrt(x), POSITIVE),
    "reciprocal": (lambda x: sotto.reciprocal(x, least=0.5), lambda x: 1 / x, POSITIVE),
    "polynomial": (lambda x: sotto.polynomial(x, [1, -2, 0.5]), lambda x: 1 - 2 * x + 0.5 * x**2, X),
    "softmax across": (lambda x: sotto.softmax(x, axis=1), lambda x: softmax(x, 1), X),
    "softmax of a vector": (sotto.softmax, lambda x: softmax(x, 0), V),
    "below a number": (lambda x: x < 0.5, lambda x: x < 0.5, X),
    "above a number": (lambda x: x > 0.5, lambda x: x > 0.5, X),
}


@pytest.mark.parametrize("name", OF_ONE)
def test_of_one(name):
    compute, expected, x = OF_ONE[name]
    value = both(compute, x).value
    wanted = expected(x)
    assert np.shape(value) == np.shape(wanted)
    np.testing.assert_allclose(value, wanted, atol=1e-3, rtol=1e-4)


Y = RNG.uniform(-3, 3, (3, 5))
OF_TWO = {
    "less": (lambda x, y: x < y, np.less, X, Y),
    "less or equal": (lambda x, y: x <= y, np.less_equal, X, np.where(Y > 0, X, Y)),
    "greater or equal": (lambda x, y: x >= y, np.greater_equal, X, np.where(Y > 0, X, Y)),
    "equal": (sotto.equal, np.equal, np.round(X), np.round(Y)),
    "maximum": (sotto.maximum, np.maximum, X, Y),
    "minimum of a row": (sotto.minimum, np.minimum, X, Y[0]),
    "where": (lambda x, y: sotto.where(x < y, x, y), np.minimum, X, Y),
    "where public": (lambda x, y: sotto.where(x < y, 1.0, y), lambda x, y: np.where(x < y, 1, y), X, Y),
    "divide": (lambda x, y: sotto.divide(x, y, least=0.5), np.divide, X, POSITIVE),
    "divide a number": (lambda x, y: sotto.divide(1, y, least=0.5), lambda x, y: 1 / y, X, POSITIVE),
}


@pytest.mark.parametrize("name", OF_TWO)
def test_of_two(name):
    compute, expected, x, y = OF_TWO[name]
    np.testing.assert_allclose(both(compute, x, y).value, expected(x, y), atol=1e-3, rtol=1e-4)


def test_a_second_price_auction():
    @sotto.program(parties=3)
    def second_price(s, bids):
        b = sotto.stack([s.input(bids, owner=p) for p in range(3)])
        win = b.argmax(axis=0)
        return s.open((b * (1 - win)).max(axis=0), name="price")

    bids = RNG.permutation(24).reshape(3, 8) / 2
    out = second_price.simulate(*bids)
    np.testing.assert_allclose(out.value, np.sort(bids, axis=0)[1], atol=1e-4)
    assert out.opened == [sotto.Opening("price", (8,), None, out.opened[0].bits)]


def test_a_maximum_is_of_something():
    for compute in (lambda x: x[:0].max(), lambda x: sotto.top_k(x, 0), lambda x: sotto.top_k(x, 7), lambda x: x.max(axis=1)):
        with pytest.raises(ValueError):
            both(compute, V)
    for compute in (lambda x: sotto.exp(V), lambda x: sotto.where(True, x, x), lambda x: sotto.divide(x, 2.0, least=1)):
        with pytest.raises(TypeError):
            both(compute, V)


def test_sort_is_of_numbers():
    with pytest.raises(ValueError, match="input: entry 3 is not finite"):
        both(lambda x: x.sort(), np.array([1.0, 2, 3, np.nan, 5]))
    with pytest.raises(ValueError, match="axis 2 of a secret of 2 dimensions"):
        both(lambda x: x.sort(axis=2), X)


@pytest.mark.parametrize("shape, axis", [((10**6,), None), ((10**6, 2), 0), ((2, 500_000), 1), ((1000, 1000), None)])
def test_a_mean_is_as_near_as_it_says(shape, axis):
    x = np.full(shape, 2.0)
    value = both(lambda secret: secret.mean(axis=axis), x).value
    assert np.shape(value) == np.shape(x.mean(axis=axis))
    assert np.abs(value - 2).max() <= 2 * 2**-16


def test_functions_share_their_rounds():
    one = both(lambda x: sotto.sigmoid(x), X).rounds
    many = both(lambda x: sotto.sigmoid(x) + sotto.tanh(x) * 2 - sotto.abs(x), X).rounds
    assert many <= one + 1
