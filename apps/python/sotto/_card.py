"""The model card."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from . import _core

INSECURE = {"insecure-seed": "random_state makes the run repeatable, so anyone who knows it knows all secrets"}


def card_of(figures: dict[str, Any], privacy: Any, costs: _core.Cost) -> str:
    """The model card in Markdown, from the figures of run.json."""
    parts = [
        [f"# A private bandit of {figures['parties']} parties", *_first(figures)],
        ["## Data", *_data(figures)],
        ["## Value", *_value(figures)],
        ["## Privacy", *_privacy(privacy)],
        ["## Who could know what", *_views(figures), *_coalitions(figures)],
        ["## Costs", *_costs(costs)],
    ]
    return "\n\n".join(text for part in parts for text in part) + "\n"


def _cell(text: object) -> str:
    """Escapes Markdown and HTML."""
    written = str(text).replace("\\", "\\\\").replace("\n", " ")
    for mark in "|*_`[]<>":
        written = written.replace(mark, "\\" + mark)
    return written


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [list(map(_cell, head)), ["---"] * len(head), *(list(map(_cell, row)) for row in rows)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _first(figures: dict[str, Any]) -> list[str]:
    worth = figures.get("worth")
    warnings = ["This run was a simulation: one process had the data of all parties."]
    warnings += [f"INSECURE: {INSECURE.get(flag, flag)}." for flag in figures["insecure"]]
    return [*([worth["sentence"]] if worth else []), *(f"> {warning}" for warning in warnings)]


def _data(figures: dict[str, Any]) -> list[str]:
    inputs = [(part["name"], part["features"]) for part in figures["inputs"]]
    kind = "0 or 1" if figures["settings"]["rewards"] == "binary" else "in [-1, 1]"
    return [
        f"{figures['steps']} steps, {figures['arms']} arms, rewards {kind}. Parameters: epsilon "
        f"{figures['epsilon']:g}, batch {figures['batch']}.",
        _table(["party", "features"], inputs),
        f"A row's norm over all parties is at most {figures['max_norm']:g}, a public bound.",
    ]


def _value(figures: dict[str, Any]) -> list[str]:
    plays = figures.get("plaintext_plays")
    rows = [("the private run", figures["average_reward"], "one run")]
    if figures.get("plaintext_average_reward") is not None:
        deviation = figures.get("plaintext_average_reward_sd")
        spread = "" if deviation is None else f", standard deviation {deviation:.4f}"
        rows.append(("the same in plain text", figures["plaintext_average_reward"], f"mean of {plays} plays{spread}"))
    for part in (figures.get("compare_parts") or [])[:-1]:
        name = f"{part['name']} by itself, in plain text"
        rows.append((name, part["average_reward"], f"mean of {part['plays']} plays"))
    for name, key in (("uniform play", "uniform_average_reward"), ("the best arm of each row", "best_average_reward")):
        if figures.get(key) is not None:
            rows.append((name, figures[key], "exact"))
    cells = [(name, f"{reward:.4f}", source) for name, reward, source in rows]
    return [_table(["play", "average reward", "from"], cells)]


def _bound(eta: float | None) -> str:
    return "unbounded" if eta is None else f"{eta:.4g}"


def _privacy(privacy: Any) -> list[str]:
    vacuous = " This bound is above 10, so it promises nothing." if privacy.vacuous else ""
    return [
        "The actor sees the arms. As differential privacy of a row's features, one arm reveals at most "
        f"eta = {_bound(privacy.eta)}. All {privacy.decided} arms together reveal at most {_bound(privacy.eta_run)}, "
        f"except with a probability of {privacy.delta:g}.{vacuous}"
    ]


def _views(figures: dict[str, Any]) -> list[str]:
    rows = [
        (view["role"].replace(" (memory)", ""), "; ".join(view["learns"]), "; ".join(view["never_sees"]) or "nothing")
        for view in figures["views"]
    ]
    return ["Roles that follow the protocol, each by itself:", _table(["role", "learns", "never sees"], rows)]


def _coalitions(figures: dict[str, Any]) -> list[str]:
    rows = [
        (", or ".join(" with ".join(group) for group in source["read_by"]), source["what"], source["source"])
        for source in figures["randomness"]
    ]
    return ["Roles that put together what they have:", _table(["roles", "could read", "from"], rows)]


def _costs(costs: _core.Cost) -> list[str]:
    return [
        f"{costs['rounds']:,} rounds. The largest party sends {costs['bytes']:,} bytes, and a dealer deals "
        f"{costs['dealt']:,} bytes."
    ]
