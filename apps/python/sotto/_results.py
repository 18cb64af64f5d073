"""Results."""

from __future__ import annotations

import errno
import functools
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _card, _core, _html, _plot
from ._arms import Arms
from ._worth import Worth, worth_of


class Curve(NamedTuple):
    """The running average of rewards, at about 200 of the steps."""

    step: NDArray[np.int64]
    average_reward: NDArray[np.float64]


@dataclass(frozen=True)
class Privacy:
    """The information about features that the arms reveal to the actor, as differential privacy; None means unbounded.

    eta bounds one arm, and eta_run all `decided` arms together, except with probability `delta`. With a bound eta, the
    probability of an arm differs between two rows by at most a factor of exp(eta). `vacuous` says that eta_run promises
    nothing in practice.
    """

    eta: float | None
    eta_run: float | None
    delta: float
    decided: int

    @property
    def vacuous(self) -> bool:
        """Whether eta_run is unbounded or above 10, which means odds of 22,000 to 1."""
        return self.eta_run is None or _core.is_vacuous(self.eta_run)

    def __repr__(self) -> str:
        run = "unbounded" if self.eta_run is None else f"{self.eta_run:.4g}" + (" (vacuous)" if self.vacuous else "")
        arm = "unbounded" if self.eta is None else f"{self.eta:.4g}"
        return f"Privacy(eta={arm}, eta_run={run}, delta={self.delta:g}, decided={self.decided})"

    def _repr_html_(self) -> str:
        def bound(eta: float | None) -> str:
            return "unbounded" if eta is None else f"{eta:.4g}"

        rows = [("eta of one arm", bound(self.eta)), (f"eta of all {self.decided} arms", bound(self.eta_run))]
        note = "eta of all arms promises nothing" if self.vacuous else ""
        return _html.table([*rows, ("delta", f"{self.delta:g}")]) + (_html.paragraph(note, warns=True) if note else "")


@dataclass(frozen=True)
class Plan:
    """The exact costs of a run. `bytes` are those of the party that sends most, and `dealt` those of the dealer.
    `seconds` is the time of the messages on the link, without arithmetic. `phases` has the same costs for the parts of
    the run."""

    rounds: int
    bytes: int
    dealt: int
    seconds: float | None
    steps: int
    link: str | None
    phases: dict[str, _core.PhaseCost] = field(repr=False)

    def _repr_html_(self) -> str:
        def row(name: str, cost: Any) -> tuple[str, ...]:
            return (name, *(_html.grouped(cost[key]) for key in ("rounds", "bytes", "dealt")))

        total = {"rounds": self.rounds, "bytes": self.bytes, "dealt": self.dealt}
        rows = [row(name, cost) for name, cost in self.phases.items()] + [row(f"all {self.steps} steps", total)]
        time = "" if self.seconds is None else _html.paragraph(f"{self.seconds:.3g} s of messages on {self.link}")
        return _html.table(rows, ("phase", "rounds", "bytes sent", "bytes dealt")) + time


def report_paths(path: str | os.PathLike[str]) -> tuple[str, str]:
    """The paths of a page and of its figures. Raises FileNotFoundError if the folder is missing, and ValueError if the
    page would be its own figures."""
    page = Path(path)
    if not page.parent.is_dir():
        raise FileNotFoundError(
            errno.ENOENT, "there is no such folder to write the report into: make it first", str(page.parent)
        )
    if page.suffix == ".json":
        raise ValueError(
            "report: the page is HTML, and its figures go to the .json next to it; give another name, such as run.html"
        )
    return os.fspath(page), os.fspath(page.with_suffix(".json"))


class Run:
    """A run that was played. `arms` and `rewards` have one number per step. The counts `rounds`, `bytes` and `dealt`
    come from the messages that were really sent."""

    def __init__(self, run: _core.Run, privacy: Privacy, arms: Arms) -> None:
        self._run = run
        self._arms = arms
        self.privacy = privacy

    @functools.cached_property
    def _figures(self) -> dict[str, Any]:
        """The figures of run.json."""
        figures: dict[str, Any] = json.loads(self._run.json())
        return figures

    @property
    def worth(self) -> Worth | None:
        """How much better the run is than other policies, or None if the run has no comparison."""
        return worth_of(self._figures)

    @property
    def average_reward(self) -> float:
        """The mean of the rewards of all steps."""
        return self._run.average_reward

    @property
    def plaintext(self) -> float | None:
        """The mean reward of the plain-text twin, the same algorithm on open data with its own randomness. None if the
        twin did not play."""
        return self._run.plaintext

    @property
    def uniform(self) -> float | None:
        """The reward of uniform play; None if rewards are a function."""
        return self._run.uniform

    @property
    def best(self) -> float | None:
        """The reward of the best arms; None if rewards are a function."""
        return self._run.best

    @property
    def curve(self) -> Curve:
        """The running average of the private run's rewards."""
        return Curve(*self._run.curve)

    @property
    def plaintext_curve(self) -> Curve:
        """The running average of the plain-text twin's rewards."""
        return Curve(*self._run.plaintext_curve)

    @property
    def arms(self) -> NDArray[Any]:
        """The arm of each step, by name if arms have names. The array is read-only."""
        if self._arms.names is None:
            return self._run.arms
        named = self._arms.array()[self._run.arms]
        named.flags.writeable = False
        return named

    @property
    def rewards(self) -> NDArray[np.float64]:
        """The reward of each step. The array is read-only."""
        return self._run.rewards

    @property
    def rounds(self) -> int:
        """Rounds of messages."""
        return self._run.cost["rounds"]

    @property
    def bytes(self) -> int:
        """The bytes of the party that sent most."""
        return self._run.cost["bytes"]

    @property
    def dealt(self) -> int:
        """The bytes that the last party received from the dealer."""
        return self._run.cost["dealt"]

    @property
    def seconds(self) -> float:
        """The time of the run in this process, with all roles one after the other."""
        return self._run.seconds

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the page of the run into an existing folder, as one HTML file that loads nothing. Writes all figures
        of the page next to it, into a file of the same name that ends with .json: run.json for run.html."""
        self._run.report(*report_paths(path))

    def json(self) -> str:
        """The JSON that `sotto bandit --json` prints for a run."""
        return self._run.json()

    def plot(self, axes: Any = None) -> Any:
        """Draws the average reward by step: the private run, the plays in plain text, each party by itself, and uniform
        play. Returns the axes of matplotlib."""
        return _plot.plot_run(self._figures, axes)

    def card(self) -> str:
        """The model card in Markdown, with no feature, arm or reward of a row."""
        return _card.card_of(self._figures, self.privacy, self._run.cost)

    def __repr__(self) -> str:
        twin = "" if self.plaintext is None else f", plaintext={self.plaintext:.4f}"
        figures = f"Run(steps={len(self.arms)}, average_reward={self.average_reward:.4f}{twin}, rounds={self.rounds})"
        return figures if self.worth is None else f"{self.worth.sentence}\n{figures}"

    def _repr_html_(self) -> str:
        rewards = {"private": self.average_reward, "plain text": self.plaintext}
        rewards.update({"uniform": self.uniform, "best": self.best})
        rows = [(f"average reward, {name}", f"{reward:.4f}") for name, reward in rewards.items() if reward is not None]
        rows += [("rounds", _html.grouped(self.rounds)), ("bytes sent", _html.grouped(self.bytes))]
        rows += [("bytes dealt", _html.grouped(self.dealt))]
        first = "" if self.worth is None else _html.paragraph(self.worth.sentence)
        insecure = self._figures["insecure"]
        stamp = _html.paragraph(f"INSECURE: {', '.join(insecure)}", warns=True) if insecure else ""
        return stamp + first + _html.table(rows) + self.privacy._repr_html_()
