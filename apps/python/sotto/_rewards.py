"""Rewards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays
from ._arms import Arms, Name

# A function of row and arm, a matrix with one column per arm, or the right arm of each row.
Reward = Union[Callable[[int, Any], float], ArrayLike]


def earned(rewards: ArrayLike, X: Any, rows: int) -> NDArray[np.float64]:
    """The rewards as float64, one per row."""
    array = np.ascontiguousarray(_arrays.real(_arrays.one_a_row(rewards, "rewards", X), "rewards"))
    if array.ndim != 1 or len(array) != rows:
        raise ValueError(f"rewards: expected one a row, {rows} of them, not the shape {array.shape}")
    return array


def arms_of(reward: Any) -> Arms:
    """The arms of a reward array, from its columns or its labels."""
    names = _arrays.names_of(reward)
    if names is not None:
        return Arms.named("reward", names)
    array = _arrays.plain(reward, "reward")
    return Arms(array.shape[1]) if array.ndim == 2 and array.shape[1] > 0 else Arms.of_data(array, "reward")


def by_number(reward: Any, rows: int, arms: Arms) -> Any:
    """The rewards, with numbers of arms in place of names."""
    if callable(reward):
        return reward if arms.names is None else lambda row, arm: reward(row, arms.name(arm))
    if arms.names is not None:
        reward = in_order_of(reward, arms.names, "reward")
    array = _arrays.plain(reward, "reward")
    if array.ndim == 1 and arms.names is not None:
        return arms.numbers(array, "reward", rows)
    if array.ndim == 1:
        if array.dtype.kind not in "iu":
            raise ValueError(
                "reward: a vector has the right arm of each row as whole numbers, such as y.astype(int), not "
                f"{array.dtype}; rewards themselves are a matrix, a row a case and a column an arm"
            )
        labels = _arrays.whole(array, "reward", rows)
        if labels.min() < 0 or labels.max() >= arms.count:
            row = int(np.argmax((labels < 0) | (labels >= arms.count)))
            raise ValueError(
                f"reward: right arms are 0 to {arms.count - 1}, and row {row} has another; correct it, or give more "
                "arms by n_arms"
            )
        return labels
    matrix = _arrays.matrix(array, "reward")
    if matrix.shape != (rows, arms.count):
        raise ValueError(f"reward: expected the shape {(rows, arms.count)}, not {matrix.shape}")
    return matrix


def in_order_of(matrix: Any, arms: Sequence[Name], argument: str) -> Any:
    """Puts the columns of a frame in the order of the arms."""
    names = _arrays.names_of(matrix)
    if names is None or not hasattr(matrix, "iloc"):
        return matrix
    if sorted(names) != sorted(map(str, arms)):
        raise ValueError(f"{argument}: the names of its columns are not those of the arms; give one column an arm")
    return matrix.iloc[:, [names.index(str(arm)) for arm in arms]]
