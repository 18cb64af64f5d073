"""The exact values of policies on a log, from the plain-text twin. Only a simulation has them: the twin reads the
features of all parties, and nothing bounds what exact values reveal."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]


class ExactValue(NamedTuple):
    """Three estimates of one policy's average reward. `ips` weighs each agreeing event by 1 / propensity. `snips`
    divides by the sum of these weights instead of the number of events, and is None if no event agrees. `dr` (doubly
    robust) corrects the twin's own predictions by these weights."""

    ips: float
    snips: float | None
    dr: float


class Twin:
    """The ridge regressions of the arms, on open data: A = I + sum x x', b = sum r x, w = A^-1 b."""

    def __init__(self, X: Reals, arms: NDArray[np.int64], rewards: Reals, n_arms: int) -> None:
        features = X.shape[1]
        self._weights = np.empty((n_arms, features))
        for arm in range(n_arms):
            rows = X[arms == arm]
            self._weights[arm] = np.linalg.solve(np.eye(features) + rows.T @ rows, rows.T @ rewards[arms == arm])

    def scores(self, X: Reals) -> Reals:
        """The predicted reward of each arm: one row per case, one column per arm."""
        return np.asarray(X @ self._weights.T)


def exact_value(
    picked: NDArray[np.int64], played: NDArray[np.int64], rewards: Reals, weights: Reals, scores: Reals
) -> ExactValue:
    """The value of the policy that picks `picked`. `weights` are 1 / propensity, and `scores` are the twin's."""
    rows = np.arange(len(picked))
    counted = np.where(picked == played, weights, 0.0)
    total = float(counted.sum())
    gains = counted * (rewards - scores[rows, played])
    return ExactValue(
        float((counted * rewards).mean()),
        float((counted * rewards).sum()) / total if total > 0 else None,
        float((scores[rows, picked] + gains).mean()),
    )
