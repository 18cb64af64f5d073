"""Scores that are opened, which no run over a network does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Scores:
    """The model's estimate of each arm's reward, by row, and a stamp: nothing bounds what scores reveal.

    `values` has one row per case and one column per arm, in the order of `arms`. Scores reveal features of all parties
    to whoever sees them. `np.asarray(scores)` gives the values.
    """

    values: NDArray[np.float64]
    arms: NDArray[Any]
    secure: bool = False
    eta: float | None = None  # None means unbounded, as in Privacy

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype) if copy or dtype is not None else self.values

    def __repr__(self) -> str:
        rows, arms = self.values.shape
        return f"Scores({rows} x {arms}, INSECURE: nothing bounds what they reveal)"


def require_consent(exact_scores: bool | Sequence[bool], parties: int) -> None:
    """Refuses scores unless each party has agreed to them."""
    if exact_scores is False or exact_scores is True:
        agreed = [exact_scores] * parties
    else:
        agreed = list(exact_scores)
    if len(agreed) != parties:
        raise ValueError(f"exact_scores: {parties} parties, and the answers of {len(agreed)}")
    if all(agreed):
        return
    raise ValueError(
        f"exact_scores: party {agreed.index(False)} has not agreed. Scores reveal features of all parties without a "
        "bound, so each party must set exact_scores=True; predict gives arms, which a run over a network gives too"
    )


def checked(exact_scores: Any) -> bool | Sequence[bool]:
    """The argument, if it is True, False, or a list of them with one per party."""
    if isinstance(exact_scores, (bool, np.bool_)):
        return bool(exact_scores)
    if isinstance(exact_scores, (list, tuple)) and all(isinstance(answer, (bool, np.bool_)) for answer in exact_scores):
        return exact_scores
    raise ValueError("exact_scores: True, False, or a list of them with one a party")
