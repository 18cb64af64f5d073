"""The model of a bandit in the sealed folders of `sotto bandit`, one per party, and the bandit's arguments next to
each."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from . import _core

ARGUMENTS = "bandit.json"  # in each party's folder; the program does not read it
FORMAT = 1


class Kept(NamedTuple):
    """A bandit as it was found: its arguments, and how many arms it had opened before. `learned_arms` are the names of
    its arms, if they came from data. `names` are those of columns."""

    parameters: dict[str, Any]
    learned_arms: list[Any] | None
    names: Any  # of each party a list, or None
    decided: int
    greedy: int
    opened_scores: int


def folders_of(place: Any) -> list[str]:
    """The folder of each party: those in the folder of `save` or of `sotto bandit --out`, or those of a list."""
    if isinstance(place, (str, os.PathLike)):
        state = Path(place) / "state"
        if not state.is_dir():
            raise ValueError(
                f"{os.fspath(place)}: there is no folder state in it; name the folder of save(), or the --out of "
                "`sotto bandit` with --log or --checkpoint-every"
            )
        numbers = sorted(int(path.name[6:]) for path in state.glob("party_*") if path.name[6:].isdigit())
        return _all_there([os.fspath(state / f"party_{p}") for p in range(max(numbers, default=1) + 1)])
    return _all_there([os.fspath(folder) for folder in place])


def _all_there(folders: list[str]) -> list[str]:
    for party, folder in enumerate(folders):
        if not os.path.exists(folder):
            raise ValueError(
                f"{folder}: the folder of party {party} is missing; bring it back, since each party has its own share "
                "of the model, and all are needed"
            )
    return folders


def write_arguments(folder: str | os.PathLike[str], kept: Kept) -> None:
    """Writes the arguments into the folder of each party, where only its owner can read them. A party's file has the
    names of its own columns only."""
    for party, own in enumerate(kept.names):
        text = json.dumps({"format": FORMAT, **kept._asdict(), "names": own}, indent=2) + "\n"
        path = Path(folder) / "state" / f"party_{party}" / ARGUMENTS
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(text)


def arguments_in(folders: Sequence[str]) -> Kept | None:
    """The arguments that `save` wrote, which must be the same in all folders. None for the folders of a run of
    `sotto bandit`."""
    paths = [Path(folder if os.path.isdir(folder) else os.path.dirname(folder)) / ARGUMENTS for folder in folders]
    if not any(path.exists() for path in paths):
        return None
    parts = [_read(path) for path in paths]
    for party, part in enumerate(parts):
        if part._replace(names=[]) != parts[0]._replace(names=[]):
            raise ValueError(f"{paths[party]}: other arguments than those of party 0; give the folders of one save()")
    return parts[0]._replace(names=[part.names for part in parts])


def require_arguments(kept: Kept, known: Sequence[str], folder: str) -> None:
    """Raises ValueError for arguments that no bandit has."""
    unknown = sorted(set(kept.parameters) - set(known))
    if unknown:
        raise ValueError(f"{Path(folder) / ARGUMENTS}: there is no {unknown[0]}; bring the file back")


def _read(path: Path) -> Kept:
    """The arguments in one file, with the names of that party's columns only."""
    try:
        read = json.loads(path.read_text())
        if read.pop("format") != FORMAT:
            raise ValueError(f"{path}: written by another version of sotto; read it with that version")
        return Kept(**read)
    except (OSError, TypeError, KeyError, AttributeError, json.JSONDecodeError, UnicodeDecodeError):
        raise ValueError(
            f"{path}: not what save() writes; bring the file back, or remove it from all folders"
        ) from None


def parameters_of(found: _core.FoundModel) -> dict[str, Any]:
    """The arguments of a bandit that continues a run of `sotto bandit`."""
    settings = found.settings
    return {
        "n_arms": settings.arms,
        "epsilon": settings.epsilon,
        "max_norm": settings.max_norm,
        "batch": settings.batch,
        "rewards": "binary" if settings.binary_rewards else "real",
        "reward_lag": settings.reward_lag,
        "max_rows": max(settings.steps, found.learned),
        "preprocessing": settings.preprocessing,
        "update": settings.update,
    }


def column_names(names: Sequence[list[str] | None], columns: Sequence[int]) -> list[list[str]]:
    """The names of each party's columns in its file. Columns without names, or with names that no file of columns can
    have, are called x0, x1 and so on. The first party's constant feature comes last."""
    written = []
    for own, count in zip(names, columns):
        usable = own is not None and len(set(own)) == len(own) and all(map(_fits_a_line, own))
        known = own if own is not None and usable else [f"x{column}" for column in range(count)]
        written.append(known if len(known) == count else [*known, _new_name("constant", known)])
    return written


def _fits_a_line(name: str) -> bool:
    return name.strip() == name != "" and name.isprintable()


def _new_name(name: str, known: Sequence[str]) -> str:
    return name if name not in known else _new_name(name + "'", known)
