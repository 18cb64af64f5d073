"""Comparing explorations."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any, NamedTuple

from . import _html, _plot


class Compared(NamedTuple):
    """One exploration and its average reward. `plaintext` is the mean reward of the plays in plain text, or None. `eta`
    bounds what one arm reveals, and `eta_run` what all arms reveal; None means unbounded."""

    epsilon: float
    average_reward: float
    plaintext: float | None
    plaintext_sd: float | None
    eta: float | None
    eta_run: float | None


class Comparison(list[Compared]):
    """A list of Compared."""

    def frame(self) -> Any:
        """A pandas.DataFrame, one row per exploration. Raises ImportError without pandas."""
        try:
            pandas = importlib.import_module("pandas")
        except ImportError:
            raise ImportError("frame: pandas is not installed; python3-pandas is its package in Debian") from None
        return pandas.DataFrame(list(self), columns=list(Compared._fields))

    def plot(self, axes: Any = None) -> Any:
        """Draws the reward against eta of one arm: a point for the private run, and a bar of 2 standard deviations for
        the plays in plain text. An exploration of 0 has no bound and is not drawn."""
        axes = _plot.new_axes(axes)
        bounded = [run for run in self if run.eta is not None]
        played = [run for run in bounded if run.plaintext is not None]
        if played:
            bars = [2 * (run.plaintext_sd or 0) for run in played]
            means = [run.plaintext for run in played]
            axes.errorbar([run.eta for run in played], means, yerr=bars, fmt="s", label="plain text, 2 sd of the plays")
        axes.plot([run.eta for run in bounded], [run.average_reward for run in bounded], "ko", label="private")
        for run in bounded:
            axes.annotate(f"{run.epsilon:g}", (run.eta, run.average_reward), textcoords="offset points", xytext=(6, 6))
        axes.set_xlabel("eta of one arm")
        axes.set_ylabel("average reward")
        axes.legend()
        return axes

    def __repr__(self) -> str:
        return "\n".join(map(repr, self)) or "Comparison([])"

    def _repr_html_(self) -> str:
        rows = [[_shown(run[0]), *map(_shown, run[1:4]), *(_bound(eta) for eta in run[4:])] for run in self]
        return _html.table(rows, Compared._fields)


def _shown(number: float | None) -> str:
    return "" if number is None else f"{number:.4g}"


def _bound(eta: float | None) -> str:
    return "unbounded" if eta is None else f"{eta:.4g}"


def compared(runs: Iterable[tuple[float, Any]]) -> Comparison:
    """Makes the comparison of runs with different explorations."""
    return Comparison(
        Compared(
            epsilon,
            run.average_reward,
            run.plaintext,
            run._figures.get("plaintext_average_reward_sd"),
            run.privacy.eta,
            run.privacy.eta_run,
        )
        for epsilon, run in runs
    )
