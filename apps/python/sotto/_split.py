"""Splitting one matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

import numpy as np

from . import _arrays
from ._arguments import whole

Split = Union[int, Sequence[int], None]


def checked(split: Any) -> Split:
    """Checks the argument."""
    if split is None:
        return None
    if isinstance(split, (list, tuple)):
        for columns in split:
            whole("split", columns, 1, 1 << 20)
        if not 2 <= len(split) <= 8:
            raise ValueError(f"split: 2 to 8 parties, not {len(split)}")
        return split
    whole("split", split, 2, 8)
    return int(split) if not isinstance(split, int) else split


def ends_of(split: int | Sequence[int], rows: int, columns: int) -> list[int]:
    """For each party, the index after the party's last column. Even parts differ by at most one column."""
    if isinstance(split, int):
        if columns < split:
            raise ValueError(
                f"X: {columns} feature(s) (shape=({rows}, {columns})) while a minimum of {split} is required: "
                f"split={split} needs a column a party"
            )
        return [len(part) and int(part[-1]) + 1 for part in np.array_split(np.arange(columns), split)]
    if sum(split) != columns:
        raise ValueError(f"X: {columns} feature(s), and split={list(split)} has {sum(split)}")
    return [int(end) for end in np.cumsum(split)]


def parts_of(X: Any, split: int | Sequence[int]) -> list[Any]:
    """The columns of each party, as slices of a frame or views of an array."""
    if hasattr(X, "tocsr"):
        raise TypeError("X: a sparse matrix, where a dense one is expected; X.toarray() makes one")
    is_frame = hasattr(X, "iloc") and _arrays.names_of(X) is not None
    matrix = X if is_frame else _arrays.plain(X, "X")
    if getattr(matrix, "ndim", 2) != 2:
        raise ValueError(
            f"X: expected one matrix, since split={split!r}, not {matrix.ndim} dimensions. Reshape your data: "
            "X.reshape(1, -1) is one row"
        )
    ends = ends_of(split, *matrix.shape)
    spans = list(zip([0, *ends], ends))
    return [matrix.iloc[:, a:b] if is_frame else matrix[:, a:b] for a, b in spans]
