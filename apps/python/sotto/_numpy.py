"""Equivalents of numpy's functions."""

from __future__ import annotations

from typing import NoReturn

# Each operator has one method for a secret on the left side and one for a secret on the right side.
OPERATORS = {
    "add": ("__add__", "__radd__"),
    "subtract": ("__sub__", "__rsub__"),
    "multiply": ("__mul__", "__rmul__"),
    "divide": ("__truediv__", "__rtruediv__"),
    "true_divide": ("__truediv__", "__rtruediv__"),
    "matmul": ("__matmul__", "__rmatmul__"),
    "less": ("__lt__", "__gt__"),
    "less_equal": ("__le__", "__ge__"),
    "greater": ("__gt__", "__lt__"),
    "greater_equal": ("__ge__", "__le__"),
    "equal": ("__eq__", "__eq__"),
    "not_equal": ("__ne__", "__ne__"),
}

_REMEDIES = {
    "abs": "sotto.abs(x)",
    "absolute": "sotto.abs(x)",
    "amax": "x.max(axis)",
    "amin": "x.min(axis)",
    "argmax": "x.argmax(axis), which is 1 at the place",
    "argmin": "x.argmin(axis), which is 1 at the place",
    "average": "x.mean(axis)",
    "broadcast_to": "x * np.ones(shape)",
    "clip": "sotto.clip(x, least, most)",
    "column_stack": "sotto.concatenate([...], axis=1)",
    "concatenate": "sotto.concatenate([...], axis)",
    "dot": "x @ y",
    "exp": "sotto.exp(x, most=...)",
    "hstack": "sotto.concatenate([...], axis=1)",
    "inner": "x @ y.T",
    "log": "sotto.log(x, least=...)",
    "max": "x.max(axis)",
    "maximum": "sotto.maximum(x, y)",
    "mean": "x.mean(axis)",
    "min": "x.min(axis)",
    "minimum": "sotto.minimum(x, y)",
    "negative": "-x",
    "power": "x**2, or sotto.polynomial(x, coefficients)",
    "ravel": "x.reshape(-1)",
    "reciprocal": "sotto.reciprocal(x, least=...)",
    "reshape": "x.reshape(shape)",
    "sort": "x.sort(axis)",
    "sqrt": "sotto.sqrt(x)",
    "square": "x * x",
    "stack": "sotto.stack([...])",
    "std": "sotto.sqrt of the mean of (x - x.mean()) ** 2",
    "sum": "x.sum(axis)",
    "tanh": "sotto.tanh(x)",
    "transpose": "x.T",
    "var": "the mean of (x - x.mean()) ** 2",
    "vstack": "sotto.concatenate([...])",
    "where": "sotto.where(bit, x, y)",
}


def refuse(name: str) -> NoReturn:
    remedy = "its operator, into a new secret: x = x + y" if name in OPERATORS else _REMEDIES.get(name)
    if remedy is not None:
        raise TypeError(f"numpy's {name} is of public numbers: of secrets it is {remedy}")
    raise TypeError(f"numpy's {name} is of public numbers: sotto has the functions of secrets, and x.sum, x.max and others")
