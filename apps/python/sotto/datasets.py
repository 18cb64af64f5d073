"""Data that comes with sotto."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from . import _core

__all__ = ["digits"]


def digits(parties: int = 2, components: int = 20) -> tuple[Any, ...]:
    """The UCI optical digits, split between parties: (X0, X1, ..., labels).

    There are 1797 images of 8 x 8, reduced to principal components, and labels 0 to 9. The joint row of all parties has
    norm 1. If `components` is not a multiple of `parties`, the first parties have one more column. `sotto prepare
    digits` writes the same rows, with ten digits per number.

    E. Alpaydin and C. Kaynak, UCI Machine Learning Repository, CC BY 4.0.

    >>> X0, X1, y = digits(parties=2)
    >>> X0.shape, X1.shape, y.shape
    ((1797, 10), (1797, 10), (1797,))
    """
    if not 2 <= parties <= 8:
        raise ValueError(f"parties: 2 to 8, not {parties}")
    if not parties <= components <= 64:
        raise ValueError(f"components: {parties} to 64, a column a party at least, not {components}")
    values, labels = _core.reduced(str(Path(__file__).with_name("digits.csv")), components)
    return (*np.array_split(values.reshape(-1, components), parties, axis=1), labels)
