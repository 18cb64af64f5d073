"""Opened scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Scores:
    """The model's estimate of each arm's reward, by row. Nothing bounds what scores reveal about the features of all
    parties.

    `values` has one column per arm, in the order of `arms`.
    """

    values: NDArray[np.float64]
    arms: NDArray[Any]
    secure: bool = False
    eta: float | None = None  # unbounded

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype) if copy or dtype is not None else self.values

    def __repr__(self) -> str:
        rows, arms = self.values.shape
        return f"Scores({rows} x {arms}, INSECURE: nothing bounds what they reveal)"


def require_consent(exact_scores: bool | Sequence[bool], parties: int) -> None:
    """Raises ValueError unless each party has agreed to open scores."""
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
    """Checks the argument."""
    if isinstance(exact_scores, (bool, np.bool_)):
        return bool(exact_scores)
    if isinstance(exact_scores, (list, tuple)) and all(isinstance(answer, (bool, np.bool_)) for answer in exact_scores):
        return exact_scores
    raise ValueError("exact_scores: True, False, or a list of them with one a party")
