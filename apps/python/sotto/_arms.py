"""The bandit's arms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays
from ._arguments import whole

Name = Union[str, int]
MOST = 1024


@dataclass(frozen=True)
class Arms:
    """The arms of a bandit, which are numbered from 0. Arm i has the name `names[i]` if `names` is given."""

    count: int
    names: tuple[Name, ...] | None = None

    @staticmethod
    def known(n_arms: Any, names: Any) -> Arms | None:
        """Returns None if both arguments are None."""
        if names is None:
            return None if n_arms is None else Arms(whole("n_arms", n_arms, 1, MOST))
        arms = Arms.named("arms", names)
        if n_arms is not None and n_arms != arms.count:
            raise ValueError(f"n_arms: {arms.count} arms are named, not {n_arms}; leave n_arms out")
        return arms

    @staticmethod
    def named(argument: str, names: Any) -> Arms:
        if isinstance(names, str) or not hasattr(names, "__iter__"):
            raise ValueError(f"{argument}: expected a list of names, not {type(names).__name__}")
        listed = [_plain_name(name) for name in list(names)]
        if None in listed:
            raise ValueError(f"{argument}: names are texts or whole numbers, and one is neither")
        if not 1 <= len(listed) <= MOST:
            raise ValueError(f"{argument}: 1 to {MOST} names, not {len(listed)}")
        if len(set(listed)) < len(listed):
            raise ValueError(f"{argument}: a name comes twice")
        return Arms(len(listed), tuple(name for name in listed if name is not None))

    @staticmethod
    def of_data(labels: ArrayLike, argument: str) -> Arms:
        """The arms that occur in `labels`: texts in alphabetical order, or whole numbers in ascending order."""
        array = _arrays.plain(labels, argument)
        if array.ndim != 1 or len(array) == 0:
            raise ValueError(f"{argument}: expected one a row, not the shape {array.shape}")
        listed = [_plain_name(label) for label in array.tolist()]
        names = set(listed)
        texts = sorted(name for name in names if isinstance(name, str))
        numbers = sorted(name for name in names if isinstance(name, int))
        if None in names:
            row = listed.index(None)
            raise ValueError(
                f"{argument}: row {row} has a value of the type {type(array.tolist()[row]).__name__}; arms are texts "
                "or whole numbers, so correct it or leave the row out"
            )
        if texts and numbers:
            raise ValueError(f"{argument}: some arms are texts and some numbers; arms=[...] of the bandit names them")
        return Arms.named(argument, texts or numbers)

    def array(self) -> NDArray[Any]:
        """An array whose entry i is the name of arm i."""
        return np.arange(self.count) if self.names is None else np.array(self.names)

    def name(self, number: int) -> Name:
        return number if self.names is None else self.names[number]

    def numbers(self, given: ArrayLike, argument: str, rows: int) -> NDArray[np.int64]:
        """The number (from 0) of each given arm, one per row. Error messages show only names of known arms."""
        if self.names is None:
            return _arrays.whole(given, argument, rows)
        array = _arrays.plain(given, argument)
        if array.ndim != 1 or len(array) != rows:
            raise ValueError(f"{argument}: expected one a row, {rows} of them, not the shape {array.shape}")
        place: dict[Name | None, int] = {name: number for number, name in enumerate(self.names)}
        numbers = [place.get(_plain_name(label), -1) for label in array.tolist()]
        if -1 in numbers:
            shown = ", ".join(map(repr, self.names[:4])) + (", ..." if self.count > 4 else "")
            raise ValueError(
                f"{argument}: row {numbers.index(-1)} has none of the {self.count} arms {shown}; correct it, or name "
                "its arm in arms=[...]"
            )
        return np.array(numbers, dtype=np.int64)


def _plain_name(name: Any) -> Name | None:
    """A whole number may be a float, as in a column that had gaps."""
    if isinstance(name, str):
        return str(name)
    if isinstance(name, (int, np.integer)):
        return int(name)
    is_whole = isinstance(name, (float, np.floating)) and float(name).is_integer()
    return int(name) if is_whole else None
