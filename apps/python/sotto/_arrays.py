"""What a caller gives, as arrays that C++ reads where they lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def plain(values: ArrayLike, name: str) -> NDArray[Any]:
    """Any array, but for one whose mask would be lost."""
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError(f"{name}: a masked array; fill its gaps first, such as by {name.partition('[')[0]}.filled(0)")
    return np.asarray(values)


def real(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """As float64: the same array where it is one, a copy where it holds other real numbers."""
    array = plain(values, name)
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name}: expected real numbers, not {array.dtype}")
    return np.asarray(array, dtype=np.float64)


def matrix(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """A row a case, a column a feature."""
    array = real(values, name)
    if array.ndim != 2:
        raise ValueError(f"{name}: expected a matrix, a row a case and a column a feature, not {array.ndim} dimensions")
    if array.shape[1] == 0:
        raise ValueError(f"{name}: no columns")
    return array


def parts(values: Sequence[ArrayLike], name: str = "X") -> list[NDArray[np.float64]]:
    """The matrices of all parties, with rows about the same cases."""
    if isinstance(values, np.ndarray) and values.ndim == 2:
        raise ValueError(f"{name}: expected a list of matrices, one a party, not one matrix of all features")
    matrices = [matrix(part, f"{name}[{p}]") for p, part in enumerate(values)]
    if not 2 <= len(matrices) <= 8:
        raise ValueError(f"{name}: 2 to 8 parties, {len(matrices)} given: a list of matrices, one a party")
    for p, part in enumerate(matrices):
        if len(part) != len(matrices[0]):
            raise ValueError(
                f"{name}[{p}]: {len(part)} rows, but {name}[0] has {len(matrices[0])}: row t is about the same case"
            )
    return matrices


def whole(values: ArrayLike, name: str, rows: int) -> NDArray[np.int64]:
    """Whole numbers, one a row."""
    array = plain(values, name)
    if array.ndim != 1 or len(array) != rows:
        raise ValueError(f"{name}: expected one a row, {rows} of them, not the shape {array.shape}")
    if array.dtype.kind not in "iu" and not (rows == 0 and array.dtype.kind == "f"):
        raise ValueError(f"{name}: expected whole numbers, not {array.dtype}")
    if array.dtype.kind == "u" and rows > 0 and array.max() > np.iinfo(np.int64).max:
        raise ValueError(f"{name}: a number is too large")
    return np.ascontiguousarray(array, dtype=np.int64)


def refuse_empty(matrices: Sequence[NDArray[Any]], name: str = "X") -> None:
    if len(matrices[0]) == 0:
        raise ValueError(f"{name}: no rows")
