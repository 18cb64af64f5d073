"""The worth of a run, as in the key "worth" of run.json."""

from __future__ import annotations

from typing import Any, NamedTuple


class Lift(NamedTuple):
    """The average reward of the run less that of something else, such as "uniform play" or "party 0 by itself".
    `half_width` is half the width of the 95% interval, and None for a single run."""

    over: str
    earns: float
    lift: float
    half_width: float | None


class Joining(NamedTuple):
    """The gain from joining, by many plays in plain text: all parties together less the best party by itself. `shown`
    says whether the 95% interval lies above 0."""

    best_part: str
    lift: float
    half_width: float
    shown: bool


class Worth(NamedTuple):
    """The worth of a run in one sentence, its lifts, and the gain from joining, which is None if nobody played by
    itself."""

    sentence: str
    lifts: tuple[Lift, ...]
    joining: Joining | None


def worth_of(figures: dict[str, Any]) -> Worth | None:
    """The worth in the figures of run.json, if they have one."""
    worth = figures.get("worth")
    if worth is None:
        return None
    joining = worth.get("joining")
    return Worth(
        worth["sentence"],
        tuple(Lift(**lift) for lift in worth["lifts"]),
        None if joining is None else Joining(**joining),
    )
