"""The run's worth."""

from __future__ import annotations

from typing import Any, NamedTuple


class Lift(NamedTuple):
    """The average reward of the run less that of another policy. `half_width` is half of the 95% interval, and None for
    a single run."""

    over: str
    earns: float
    lift: float
    half_width: float | None


class Joining(NamedTuple):
    """The average reward of all parties together, less that of the best single party, over many plays in plain text.
    `shown` says whether the 95% interval lies above 0."""

    best_part: str
    lift: float
    half_width: float
    shown: bool


class Worth(NamedTuple):
    """Compares a run with other policies. `joining` is None if no party played by itself."""

    sentence: str
    lifts: tuple[Lift, ...]
    joining: Joining | None


def worth_of(figures: dict[str, Any]) -> Worth | None:
    """The comparison with other policies, from the figures of run.json."""
    worth = figures.get("worth")
    if worth is None:
        return None
    joining = worth.get("joining")
    return Worth(
        worth["sentence"],
        tuple(Lift(**lift) for lift in worth["lifts"]),
        None if joining is None else Joining(**joining),
    )
