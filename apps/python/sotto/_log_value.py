"""Estimates the average reward of a policy from a log of another policy, by inverse propensities."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays

LEAST = 0.01  # smallest propensity, the default of `least_propensity` in a config
FAR = 4  # largest accepted difference, in standard errors


class Estimate(float):
    """An average reward with its 95% interval, as a float.

    `half_width` is half the width of the interval. `mean_weight` is near 1 if the propensities are right and the log
    contains all arms that the policy picks.
    """

    half_width: float
    mean_weight: float

    def __new__(cls, value: float, half_width: float, mean_weight: float) -> Estimate:
        made = super().__new__(cls, value)
        made.half_width, made.mean_weight = half_width, mean_weight
        return made

    def __reduce__(self) -> tuple[type[Estimate], tuple[float, float, float]]:
        return Estimate, (float(self), self.half_width, self.mean_weight)

    def __repr__(self) -> str:
        return f"{float(self):.4f} +- {self.half_width:.4f}"


def propensities_of(values: ArrayLike, rows: int, n_arms: int) -> NDArray[np.float64]:
    """Refuses propensities that cannot be right: the mean of 1 / propensity is at most the number of arms, up to chance
    and a rounding of 1%."""
    given = _arrays.real(values, "propensities")
    if given.shape != (rows,):
        raise ValueError(f"propensities: expected one a row, {rows} of them, not the shape {given.shape}")
    wrong = ~((given > 0) & (given <= 1))
    if wrong.any():
        raise ValueError(
            f"propensities: row {wrong.argmax()} has none above 0 and at most 1; give the probability with which its "
            "arm was played, or leave the row out"
        )
    if (given < LEAST).any():
        raise ValueError(
            f"propensities: row {(given < LEAST).argmax()} has one below {LEAST}, so its weight says nothing; leave "
            f"such rows out, or give np.maximum(propensities, {LEAST})"
        )
    weights = 1 / given
    most = n_arms * 1.01 + FAR * weights.std() / math.sqrt(rows)
    if weights.mean() > most:
        raise ValueError(
            f"propensities: the mean of 1 / propensity is {weights.mean():.3g}, and {n_arms} is the most with {n_arms} "
            "arms; give the probability with which each row's own arm was played"
        )
    return given


def value_on_log(
    picked: NDArray[np.int64],
    played: NDArray[np.int64],
    rewards: NDArray[np.float64],
    propensities: NDArray[np.float64],
) -> Estimate:
    """The average reward of the policy that picks `picked`: c + mean(g (r - c)) over all rows, where r is the row's
    reward. Here g is 1 / propensity in rows whose played arm was picked, and otherwise 0. c is the mean of all rewards,
    which makes the interval narrower.

    Raises ValueError if the mean of g differs from 1 by more than chance allows. The mean of g is close to 1 if the
    propensities are right and each picked arm had a chance to be played.
    """
    weights = np.where(picked == played, 1 / propensities, 0.0)
    error = weights.std() / math.sqrt(len(weights))
    mean = float(weights.mean())
    if abs(mean - 1) > FAR * error:
        why = "the arms that the model picks were not all played" if mean < 1 else "the propensities are too small"
        raise ValueError(
            f"propensities: the mean weight of the model's arms is {mean:.3g} +- {2 * error:.2g}, and 1 is expected, "
            f"so {why} and the log tells no value"
        )
    centre = float(rewards.mean())
    gains = weights * (rewards - centre)
    half_width = 2 * float(gains.std()) / math.sqrt(len(gains))
    return Estimate(centre + float(gains.mean()), half_width, mean)
