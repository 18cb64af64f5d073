"""The private evaluation of a log: files, flags and accounts of `sotto evaluate`, for the part in C++."""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _core, _exact
from ._arguments import flag
from ._evaluation import Evaluation
from ._log import Log
from ._memory_files import MemoryFiles

Parts = list[NDArray[np.float64]]
LONGEST_ID = 1024  # bytes
FLAGS = (
    "held_out", "split", "propensities", "least_propensity", "clip_weights", "arms_offered", "full_support", "segment",
    "cells", "answers", "clip_rewards", "account_epsilon", "account_rows_per_subject", "learning_epsilon",
    "learning_delta", "account_budget", "account_forget_after", "uncovered_learning",
)


@dataclass(frozen=True)
class Question:
    """An evaluation to do. `flags` are those of the command without "--" and with "_" for "-"; None leaves one out.
    `accounts` and `subjects` have one entry per party."""

    parts: Parts
    log: Log
    flags: dict[str, Any]
    accounts: list[str | None]
    subjects: list[list[str] | None]
    exact: bool
    command: str


def own_flags(given: dict[str, Any], has_model: bool, has_accounts: bool, bandit: Any, arms: int) -> dict[str, Any]:
    """The flags that follow from the bandit. Raises ValueError for arguments that do not fit together."""
    flags = {"max_norm": bandit.max_norm, "batch": bandit.batch, "arms": arms, "reward_scale": given["reward_scale"]}
    for name in ("clip_weights", "full_support", "clip_rewards", "uncovered_learning"):
        flags[name] = flag(name, given[name])
    flag("exact", given["exact"])
    if bandit.preprocessing != "dealer":
        raise ValueError(
            f'preprocessing: an evaluation needs a "dealer", and this bandit has {bandit.preprocessing!r}; evaluate a '
            "bandit with a dealer"
        )
    if has_model:
        if given["reward_scale"] not in (None, 1):
            raise ValueError("reward_scale: the model has learned rewards in [-1, 1]; divide those of the log instead")
        flags["reward_scale"] = 1
        flags["held_out"] = 1 if given["held_out"] is None else given["held_out"]
    if given["exact"] and (has_model or has_accounts):
        why = "the model is in shares; reset() the bandit" if has_model else "no account counts it; give no accounts"
        raise ValueError(f"exact: exact values are of a simulation, and {why}, or leave exact out")
    learns = not has_model or (given["held_out"] is not None and given["held_out"] != 1)
    covered = given["learning_epsilon"] > 0 or given["answers"] == "bit" or given["uncovered_learning"]
    if has_accounts and learns and not covered:
        raise ValueError(
            "accounts: the model learns from rows of the log, and counts over other rows reveal something about them "
            "that no epsilon covers. Give learning_epsilon, or fit the bandit on other rows before, or give "
            'answers="bit", which reveals one bit about them; or accept it with uncovered_learning=True'
        )
    return flags


def answered(question: Question, model: _core.SharedModel | None) -> Evaluation:
    """Runs the evaluation of a learned model, or without one of the model that is learned from the log."""
    with MemoryFiles() as files:
        flags = {"--party": [files.add(f"X[{p}]", _rows_text(part)) for p, part in enumerate(question.parts)]}
        flags["--log"] = [files.add("log", _log_text(question.log, question.flags.get("segment")))]
        flags.update(_flags_of(question.flags))
        of_party = [
            _core.PartyFiles(account or "", "" if ids is None else files.add(f"subjects[{p}]", _lines(ids)))
            for p, (account, ids) in enumerate(zip(question.accounts, question.subjects))
        ]
        try:
            evaluated = _core.evaluate(flags, of_party, model, question.command)
        except ValueError as error:
            raise ValueError(_in_python(files.respelled(str(error)))) from None
        doubts = [_in_python(files.respelled(doubt)) for doubt in evaluated.warnings]
    for doubt in doubts:
        warnings.warn(doubt, UserWarning, stacklevel=4)
    figures: dict[str, Any] = json.loads(evaluated.json())
    return Evaluation(evaluated, figures, question.log.arms, _exact_of(question, evaluated, figures), doubts)


def accounts_of(accounts: Any, parties: int) -> list[str | None]:
    """One path or None per party. Raises ValueError for another number, and for two parties with one account."""
    if accounts is None:
        return [None] * parties
    if isinstance(accounts, (str, os.PathLike)) or not hasattr(accounts, "__iter__"):
        raise ValueError("accounts: expected a list with the path of each party's account, or None for a party without")
    paths = [None if account is None else os.fspath(account) for account in accounts]
    if len(paths) != parties:
        raise ValueError(
            f"accounts: expected one a party, {parties} of them, not {len(paths)}; None is for a party without"
        )
    real = [os.path.realpath(path) for path in paths if path is not None]
    if len(set(real)) < len(real):
        raise ValueError("accounts: two parties have one account; each needs its own, by `sotto account begin`")
    return paths


def subjects_of(subjects: Any, X: Sequence[Any], rows: int) -> list[list[str] | None]:
    """The ids of the people that each party's rows are about. By default these are the indices of frames. None for a
    party whose rows have no ids: its account then knows a row by its contents."""
    if subjects is None:
        return [_ids_of(_arrays.index_of(part), f"X[{p}].index", rows, True) for p, part in enumerate(X)]
    if isinstance(subjects, str) or not hasattr(subjects, "__len__"):
        raise ValueError("subjects: expected the ids of the rows, or a list with those of each party")
    per_party = len(subjects) == len(X) and all(ids is None or _is_list(ids) for ids in subjects)
    given = list(subjects) if per_party else [subjects] * len(X)
    return [_ids_of(ids, f"subjects[{p}]" if per_party else "subjects", rows, False) for p, ids in enumerate(given)]


def _is_list(ids: Any) -> bool:
    return not isinstance(ids, str) and hasattr(ids, "__len__")


def _ids_of(ids: Any, name: str, rows: int, is_index: bool) -> list[str] | None:
    if ids is None:
        return None
    array = np.asarray(ids, dtype=None if hasattr(ids, "dtype") else object)
    if is_index and array.dtype.kind in "iu" and np.array_equal(array, np.arange(rows)):
        return None  # the numbers of the rows are no ids
    if array.shape != (rows,):
        raise ValueError(f"{name}: expected one id a row, {rows} of them, not the shape {array.shape}")
    texts = []
    for row, cell in enumerate(array.tolist()):
        if isinstance(cell, bool) or not isinstance(cell, (str, int)):
            raise ValueError(
                f"{name}, row {row}: a value of the type {type(cell).__name__} where an id, a text or a whole number, "
                "is expected; write the ids as texts"
            )
        text = str(cell)
        if not text or len(text.encode()) > LONGEST_ID or any(letter in text for letter in "\n\r\0"):
            raise ValueError(f"{name}, row {row}: an id is a text of 1 to {LONGEST_ID} bytes in one line; shorten it")
        texts.append(text)
    return texts


def _lines(texts: list[str]) -> str:
    return "".join(text + "\n" for text in texts)


def _rows_text(part: NDArray[np.float64]) -> str:
    lines = [",".join(f"x{column}" for column in range(part.shape[1]))]
    lines += [",".join(map(repr, row)) for row in part.tolist()]
    return _lines(lines)


def _log_text(log: Log, segment: str | None) -> str:
    """The log as the command reads it. Numbers have an exponent, so no point in them can separate thousands."""
    columns: dict[str, list[str]] = {
        "arm": [str(arm) for arm in log.played.tolist()],
        "reward": [f"{reward:.17e}" for reward in log.rewards.tolist()],
    }
    if log.propensities is not None:
        columns["propensity"] = [repr(chance) for chance in log.propensities.tolist()]
    if segment is not None and log.segments is not None:
        columns[_quoted(segment)] = [_quoted(text) for text in log.segments]
    lines = [",".join(columns), *map(",".join, zip(*columns.values()))]
    return _lines(lines)


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _flags_of(given: dict[str, Any]) -> dict[str, list[str]]:
    flags = {}
    for name, value in given.items():
        if value is None or value is False:
            continue
        flags["--" + name.replace("_", "-")] = [] if value is True else [str(value)]
    return flags


def _in_python(message: str) -> str:
    """Settings of configs by the names of Python's arguments, and rows counted from 0."""
    message = re.sub(r"(?<= \()rows? \d[^)]*", lambda found: _from_zero(found.group()), message)
    message = re.sub(r"--([a-z]+(?:-[a-z]+)*)", lambda found: found.group(1).replace("-", "_"), message)
    for words, argument in (
        ("raise the budget in [account]", "raise account_budget"),
        ("budget in [account]", "account_budget"),
        (" in [run]", ""),
        (" in [account]", ""),
        ("[account]: ", ""),
    ):
        message = message.replace(words, argument)
    return message


def _from_zero(rows: str) -> str:
    return re.sub(r"\d+", lambda number: str(int(number.group()) - 1), rows)


def _exact_of(question: Question, evaluated: _core.Evaluated, figures: dict[str, Any]) -> dict[str, _exact.ExactValue]:
    """The exact values of the model and of each arm, on the rows that the evaluation took. Empty if nobody asked."""
    if not question.exact:
        return {}
    log, count = question.log, question.log.arms.count
    learned, rest = np.split(evaluated.rows, [figures["evaluation"]["learned"]])
    weights = evaluated.weights[len(learned) :]
    scale = figures["log"]["reward_scale"]
    rewards = np.clip(log.rewards, -scale, scale)
    X = np.hstack(question.parts)
    scores = _exact.Twin(X[learned], log.played[learned], rewards[learned], count).scores(X[rest])
    picks = {"model": scores.argmax(axis=1), **{f"arm {arm}": np.full(len(rest), arm) for arm in range(count)}}
    return {
        policy: _exact.exact_value(picked, log.played[rest], rewards[rest], weights, scores)
        for policy, picked in picks.items()
    }
