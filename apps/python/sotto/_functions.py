"""Functions of secrets. An entry outside the range of a function causes a wrong number, but reveals nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ._secret import Other, Secret, less, matmul, matrix_shape, number, pair

__all__ = [
    "abs",
    "clip",
    "concatenate",
    "divide",
    "equal",
    "exp",
    "inverse_sqrt",
    "less",
    "log",
    "matmul",
    "maximum",
    "minimum",
    "polynomial",
    "reciprocal",
    "sigmoid",
    "softmax",
    "sqrt",
    "stack",
    "tanh",
    "top_k",
    "where",
]


def _one(x: Secret) -> Secret:
    if not isinstance(x, Secret):
        raise TypeError(f"expected a secret, not {type(x).__name__}: numpy has functions of public numbers")
    return x


def _entrywise(op: str, x: Other, y: Other) -> Secret:
    left, right = pair(x, y)
    shape = np.broadcast_shapes(left.shape, right.shape)
    left, right = left._broadcast(shape), right._broadcast(shape)
    return left._new(op, (left._settled(), right._settled()), shape)


def stack(parts: Sequence[Secret]) -> Secret:
    """Joins numbers into a vector, or vectors into the rows of a matrix, without messages."""
    parts = list(parts)
    if not parts or any(_one(part).shape != parts[0].shape for part in parts):
        raise ValueError("stack: expected secrets of one shape, at least one")
    if parts[0].ndim > 1:
        raise ValueError("stack: matrices go by concatenate")
    if parts[0].ndim == 0:
        return _joined("hstack", parts, (len(parts),))
    return _joined("vstack", parts, (len(parts), len(parts[0])))


def concatenate(parts: Sequence[Secret], axis: int = 0) -> Secret:
    """Joins parts one below the other, or side by side with axis=1, without messages."""
    parts = list(parts)
    if not parts or any(_one(part).ndim != parts[0].ndim for part in parts) or parts[0].ndim == 0:
        raise ValueError("concatenate: expected vectors, or matrices, at least one")
    axis = parts[0]._axis(axis) or 0
    if any(part.shape[:axis] + part.shape[axis + 1 :] != parts[0].shape[:axis] + parts[0].shape[axis + 1 :] for part in parts):
        raise ValueError("concatenate: the shapes do not fit")
    length = sum(part.shape[axis] for part in parts)
    shape = (*parts[0].shape[:axis], length, *parts[0].shape[axis + 1 :])
    return _joined("hstack" if axis == 1 or parts[0].ndim == 1 else "vstack", parts, shape)


def _joined(op: str, parts: Sequence[Secret], shape: tuple[int, ...]) -> Secret:
    for part in parts:
        parts[0]._check_same(part)
    return parts[0]._new(op, tuple(part._settled() for part in parts), shape)


def equal(x: Other, y: Other) -> Secret:
    """1 where x and y are equal in the fraction bits that both have, and 0 elsewhere."""
    return _entrywise("equal", x, y)


def maximum(x: Other, y: Other) -> Secret:
    """The larger of x and y, entry by entry."""
    return _entrywise("max", x, y)


def minimum(x: Other, y: Other) -> Secret:
    """The smaller of x and y, entry by entry."""
    return _entrywise("min", x, y)


def where(bit: Secret, x: Other, y: Other) -> Secret:
    """Chooses x where the secret bit is 1, and y where the bit is 0."""
    if not isinstance(bit, Secret):
        raise TypeError("where: the bit is public, so numpy's where will do")
    left, right = (value if isinstance(value, Secret) else pair(bit, value)[1] for value in (x, y))
    shape = np.broadcast_shapes(bit.shape, left.shape, right.shape)
    of = tuple(value._broadcast(shape)._settled() for value in (bit, left, right))
    return bit._new("select", of, shape)


def abs(x: Secret) -> Secret:
    """The absolute value."""
    return _one(x)._function("abs")


def clip(x: Secret, least: float, most: float) -> Secret:
    """Replaces entries below `least` by `least`, and entries above `most` by `most`."""
    return _one(x)._function("clamp", (number(least, "least"), number(most, "most")))


def divide(x: Other, y: Secret, *, least: float) -> Secret:
    """x / y, where y >= `least`, a public number above 0."""
    left, right = pair(x, _one(y))
    shape = np.broadcast_shapes(left.shape, right.shape)
    left, right = left._broadcast(shape), right._broadcast(shape)
    return left._new("divide", (left._settled(), right._settled()), shape, (number(least, "least"),))


def reciprocal(x: Secret, *, least: float) -> Secret:
    """1 / x, where x >= `least`, a public number above 0."""
    return _one(x)._function("reciprocal", (number(least, "least"),))


def sqrt(x: Secret) -> Secret:
    """The square root of x, where x >= 0."""
    return _one(x)._function("sqrt")


def inverse_sqrt(x: Secret, *, least: float) -> Secret:
    """1 / sqrt(x), where x >= `least`, a public number above 0."""
    return _one(x)._function("inverse_sqrt", (number(least, "least"),))


def log(x: Secret, *, least: float) -> Secret:
    """The natural logarithm of x, where x >= `least`, a public number above 0."""
    return _one(x)._function("log", (number(least, "least"),))


def exp(x: Secret, *, most: float = 8.0) -> Secret:
    """exp(x), where x <= `most` <= 8."""
    return _one(x)._function("exp", (number(most, "most"),))


def sigmoid(x: Secret) -> Secret:
    """1 / (1 + exp(-x))."""
    return _one(x)._function("sigmoid")


def tanh(x: Secret) -> Secret:
    """The hyperbolic tangent."""
    return _one(x)._function("tanh")


def softmax(x: Secret, axis: int = -1) -> Secret:
    """exp(x_j) divided by the sum of exp(x_k) along an axis."""
    return _one(x)._along("row_softmax", axis, keeps=True)


def top_k(x: Secret, k: int) -> Secret:
    """The k largest entries of a vector, or of each row, descending."""
    width = matrix_shape(_one(x).shape)[1]
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or not 1 <= k <= width:
        raise ValueError(f"top_k: a whole number of 1 to {width}, not {k!r}")
    rows = matrix_shape(x.shape)[0]
    result = x._matrix_local("row_top", (rows, int(k)), (float(k),))
    return result._as((*x.shape[:-1], int(k)))


def polynomial(x: Secret, coefficients: Sequence[float]) -> Secret:
    """c[0] + c[1] x + c[2] x^2 + ..., with a degree of at most 16."""
    numbers = tuple(number(value, "a coefficient") for value in coefficients)
    if not 1 <= len(numbers) <= 17:
        raise ValueError(f"polynomial: 1 to 17 coefficients, not {len(numbers)}")
    return _one(x)._function("polynomial", numbers)
