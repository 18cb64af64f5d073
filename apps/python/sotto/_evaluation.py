"""The result of an evaluation: the values of policies on a log, with what they cost in privacy."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from . import _core, _html, _plot
from ._arms import Arms
from ._exact import ExactValue
from ._results import report_paths

WEAK = 2  # an epsilon above it is stamped as weak, as in the command's results


class PolicyValue(NamedTuple):
    """One policy on the evaluated events: the model, each arm by itself, or the log.

    The average reward is `value`, with the 95% interval from `low` to `high`. The bounds from `least` to `most` hold
    even if the log gave an arm that the policy picks no chance. `support` says why there is a value, or only bounds, or
    nothing. `lift` is `value` less the log's. `mean_weight` is near 1 if the propensities are right.
    `effective_events` of the policy's own play would show as much. `epsilon` is what the row cost a person at each
    party. `epsilon_spent` is the most that a person has spent at a party in all evaluations, and `epsilon_left` the
    least that is left; both are None without an account. `segment` is None for the whole log.
    """

    policy: str
    segment: str | None
    support: str
    value: float | None
    low: float | None
    high: float | None
    least: float | None
    most: float | None
    lift: float | None
    mean_weight: float | None
    mean_weight_error: float | None
    effective_events: float
    epsilon: float
    epsilon_spent: float | None
    epsilon_left: float | None
    exact_ips: float | None = None
    exact_snips: float | None = None
    exact_dr: float | None = None


class Charge(NamedTuple):
    """The charge of one party's account: `epsilon` for each of `subjects` people whose rows were evaluated, and
    `learning_epsilon` for those whose rows were learned. `most_spent` is the most that one of them has spent in all
    evaluations, and `left` is what the budget then leaves."""

    party: int
    epsilon: float
    learning_epsilon: float
    subjects: int
    most_spent: float
    budget: float
    left: float


class Evaluation(list[PolicyValue]):
    """A list of PolicyValue: the model first, then each arm, then the log, and after them those of segments.

    `pandas.DataFrame(evaluation)` and `frame` make a frame of it. `charges` has a Charge of each party with an account.
    `answer` is the answer of an evaluation in one bit, and otherwise None. `warnings` are doubts about the log.
    """

    def __init__(
        self,
        evaluated: _core.Evaluated,
        figures: dict[str, Any],
        arms: Arms,
        exact: dict[str, ExactValue],
        warnings: Sequence[str],
    ) -> None:
        self._evaluated = evaluated
        self._figures = figures  # those of run.json
        self.charges: tuple[Charge, ...] = tuple(_charges_of(evaluated.charges))
        self.warnings: tuple[str, ...] = tuple(warnings)
        self._has_exact = bool(exact)
        super().__init__(self._rows(arms, exact))

    @property
    def learned(self) -> int:
        """The number of events of the log that the model learned before."""
        return int(self._figures["evaluation"]["learned"])

    @property
    def evaluated(self) -> int:
        """The number of evaluated events."""
        return int(self._figures["evaluation"]["evaluated"])

    @property
    def answer(self) -> bool | None:
        """Whether the model earns more than the log, in an evaluation in one bit."""
        answer = self._figures["evaluation"].get("answer")
        return None if answer is None else bool(answer["model_beats_log"])

    @property
    def noise_half_width(self) -> float:
        """Half the width that the model's interval would have from noise alone."""
        return float(self._figures["evaluation"]["noise_half_width"])

    @property
    def verdict(self) -> str:
        """The result in one sentence, as the command's report says it."""
        return self._evaluated.verdict()

    def frame(self) -> Any:
        """A pandas.DataFrame with one row per policy. It has no columns of segments or exact values if there are none.
        Raises ImportError without pandas."""
        try:
            pandas = importlib.import_module("pandas")
        except ImportError:
            raise ImportError("frame: pandas is not installed; python3-pandas is its package in Debian") from None
        return pandas.DataFrame(list(self), columns=list(PolicyValue._fields))[self._columns()]

    def plot(self, axes: Any = None) -> Any:
        """Draws the value of each policy on the whole log with its interval, bounds as a bare line, and the log as a
        dotted line. Exact values are crosses. Returns the axes of matplotlib, new ones by default. Raises ImportError
        without matplotlib."""
        return _plot.plot_policies([row for row in self if row.segment is None], axes)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the page that `sotto evaluate` writes, and its figures into the .json next to it."""
        self._evaluated.report(*report_paths(path))

    def json(self) -> str:
        """The JSON that `sotto evaluate --json` prints."""
        return self._evaluated.json()

    def __repr__(self) -> str:
        lines = [f"{row.policy}{_of_segment(row)}: {_value_text(row)}" for row in self]
        return "\n".join([self.verdict, *lines])

    def _repr_html_(self) -> str:
        insecure = self._figures["insecure"]
        notes = [f"INSECURE: {', '.join(insecure)}"] if insecure else []
        notes += [f"Weak: epsilon {row.epsilon:g} is above {WEAK}" for row in self[:1] if row.epsilon > WEAK]
        if self._has_exact:
            notes.append("Exact values read the features of all parties, and nothing bounds what they reveal")
        notes += self.warnings
        stamps = "".join(_html.paragraph(note, warns=True) for note in notes)
        names = self._columns()
        rows = [[_shown(getattr(row, name)) for name in names] for row in self]
        charges = [list(map(_shown, charge)) for charge in self.charges]
        uncounted = _html.paragraph("No account counts this evaluation.")
        counted = _html.table(charges, Charge._fields) if charges else uncounted
        return stamps + _html.paragraph(self.verdict) + _html.table(rows, names) + counted

    def _columns(self) -> list[str]:
        left_out = set() if any(row.segment is not None for row in self) else {"segment"}
        if not self._has_exact:
            left_out |= {name for name in PolicyValue._fields if "exact" in name}
        return [name for name in PolicyValue._fields if name not in left_out]

    def _rows(self, arms: Arms, exact: dict[str, ExactValue]) -> Iterable[PolicyValue]:
        evaluation = self._figures["evaluation"]
        epsilon = max((noise["epsilon"] for noise in evaluation["noise"]), default=0.0)
        spent = max((charge.most_spent for charge in self.charges), default=None)
        left = min((charge.left for charge in self.charges), default=None)
        groups = [(None, evaluation["policies"])]
        groups += [(part["segment"], part["policies"]) for part in evaluation.get("segments", [])]
        for segment, policies in groups:
            earned = next((p["value"]["value"] for p in policies if p["policy"] == "log" and "value" in p), None)
            for policy in policies:
                costs = (epsilon, spent, left) if policy["policy"] == "model" else (0.0, None, None)
                known = exact.get(policy["policy"]) if segment is None else None
                yield _row_of(policy, segment, earned, costs, known)._replace(policy=_name(policy["policy"], arms))


def _row_of(policy: dict[str, Any], segment: str | None, earned: float | None, costs: Any, exact: Any) -> PolicyValue:
    value = policy.get("value") or {}
    bounds = policy.get("bounds") or {}
    weight = policy.get("mean_weight") or {}
    lift = None if earned is None or not value or policy["policy"] == "log" else value["value"] - earned
    return PolicyValue(
        policy["policy"], segment, policy["support"], value.get("value"), value.get("low"), value.get("high"),
        bounds.get("low"), bounds.get("high"), lift, weight.get("value"), weight.get("error"),
        policy["effective_events"], *costs, *(exact or (None, None, None)),
    )


def _name(policy: str, arms: Arms) -> str:
    """ "arm 3" by the arm's name."""
    return f"arm {arms.name(int(policy[4:]))}" if policy.startswith("arm ") else policy


def _charges_of(charges: Sequence[str | None]) -> Iterable[Charge]:
    for party, text in enumerate(charges):
        if text is not None:
            charge = json.loads(text)
            yield Charge(
                party, charge["epsilon"], charge["learning_epsilon"], charge["subjects"], charge["most_spent"],
                charge["budget"], max(0.0, charge["budget"] - charge["most_spent"]),
            )


def _of_segment(row: PolicyValue) -> str:
    return "" if row.segment is None else f" in {row.segment}"


def _value_text(row: PolicyValue) -> str:
    if row.value is not None:
        return f"{row.value:.4f} ({row.low:.4f} to {row.high:.4f})"
    return row.support if row.least is None else f"{row.least:.4f} to {row.most:.4f}, as bounds"


def _shown(cell: Any) -> str:
    return "" if cell is None else f"{cell:.4g}" if isinstance(cell, float) else str(cell)
