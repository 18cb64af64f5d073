"""Pictures by matplotlib."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any


def new_axes(axes: Any) -> Any:
    """Returns `axes`, or new axes if `axes` is None."""
    if axes is not None:
        return axes
    try:
        pyplot = importlib.import_module("matplotlib.pyplot")
    except ImportError:
        raise ImportError("plot: matplotlib is not installed; python3-matplotlib is its package in Debian") from None
    return pyplot.subplots()[1]


def _columns(points: Sequence[dict[str, float]]) -> tuple[list[float], list[float], list[float]]:
    """The steps, the average rewards and their standard deviations, as three lists."""
    return (
        [point["step"] for point in points],
        [point["average_reward"] for point in points],
        [point.get("average_reward_sd", 0.0) for point in points],
    )


def plot_run(figures: dict[str, Any], axes: Any = None) -> Any:
    """Draws a run."""
    axes = new_axes(axes)
    if figures.get("plaintext_curve"):
        steps, means, deviations = _columns(figures["plaintext_curve"])
        least = 0.0 if figures["settings"]["rewards"] == "binary" else -1.0
        low = [max(mean - 2 * deviation, least) for mean, deviation in zip(means, deviations)]
        high = [min(mean + 2 * deviation, 1.0) for mean, deviation in zip(means, deviations)]
        plays = figures.get("plaintext_plays") or 1
        axes.fill_between(steps, low, high, alpha=0.25, label=f"plain text, 2 sd of {plays} plays")
    for part in (figures.get("compare_parts") or [])[:-1]:  # the last part is all parties together
        axes.plot(*_columns(part["reward_curve"])[:2], linestyle="--", label=f"{part['name']} by itself")
    axes.plot(*_columns(figures["reward_curve"])[:2], color="black", label="private")
    if figures.get("uniform_average_reward") is not None:
        axes.axhline(figures["uniform_average_reward"], color="grey", linestyle=":", label="uniform")
    axes.set_xlabel("step")
    axes.set_ylabel("average reward")
    axes.legend()
    return axes


def plot_policies(rows: Sequence[Any], axes: Any = None) -> Any:
    """The values of policies with their intervals, or their bounds, from the top to the bottom. `rows` are those of an
    Evaluation."""
    axes = new_axes(axes)
    names = [row.policy for row in rows]
    for place, row in enumerate(rows):
        if row.value is not None:
            bars = [[row.value - row.low], [row.high - row.value]]
            axes.errorbar([row.value], [place], xerr=bars, fmt="ko", capsize=3)
        elif row.least is not None:
            axes.plot([row.least, row.most], [place, place], color="grey")
        if row.exact_dr is not None:
            axes.plot([row.exact_dr], [place], "x", color="tab:red")
    earned = next((row.value for row in rows if row.policy == "log"), None)
    if earned is not None:
        axes.axvline(earned, color="grey", linestyle=":")
    axes.set_yticks(range(len(names)))
    axes.set_yticklabels(names)
    axes.invert_yaxis()
    axes.set_xlabel("average reward")
    return axes
