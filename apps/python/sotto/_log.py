"""A log of past decisions as the caller gives it: a frame, or columns by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _frames
from ._arms import Arms


@dataclass(frozen=True)
class Log:
    """One row per event. `propensities` and `segments` are None if the log has no such column, or none is named."""

    arms: Arms
    played: NDArray[np.int64]
    rewards: NDArray[np.float64]
    propensities: NDArray[np.float64] | None
    segments: list[str] | None


def read(log: Any, X: Sequence[Any], rows: int, known: Arms | None, segment: str | None) -> Log:
    """The log about the rows of X. `known` are the arms of the bandit; without them, the arms are those of the log.

    Raises TypeError for what is no log. Raises ValueError that names the row and the column for a cell that does not
    fit, and for a log of other rows than X.
    """
    column_of = _columns_of(log, segment)
    if _arrays.index_of(log) is not None and not isinstance(log, Mapping):
        index, of = _arrays.common_index(X)
        _arrays.follow_index(log, "log", index, of)
    labels = _labels(_needed(column_of, "arm"))
    if len(labels) != rows:
        raise ValueError(f"log: {len(labels)} rows, but X has {rows}: an event needs a row at each party")
    arms = known or Arms.of_data(labels, "log['arm']")
    propensities = column_of("propensity")
    return Log(
        arms,
        arms.numbers(labels, "log['arm']", rows),
        _numbers("reward", _needed(column_of, "reward"), rows),
        None if propensities is None else _numbers("propensity", propensities, rows),
        None if segment is None else _texts(segment, _needed(column_of, segment), rows),
    )


def _columns_of(log: Any, segment: str | None) -> Callable[[str], Any]:
    """A function that gives the column of a name, or None."""
    if segment is not None and not isinstance(segment, str):
        raise ValueError(f"segment: expected the name of a column of the log, not {type(segment).__name__}")
    if segment in ("arm", "reward", "propensity"):
        raise ValueError(
            f"segment: {segment!r} has a meaning of its own; name a column of what was known before the arm was "
            "chosen, such as a country"
        )
    if _frames.is_pandas(log):
        return lambda name: _frames.column_of(log, name)
    if isinstance(log, Mapping):
        return lambda name: log.get(name)
    wanted = {"arm", "reward", "propensity", segment}
    if not hasattr(log, "__arrow_c_stream__"):
        raise TypeError(
            "log: expected a pandas.DataFrame, a dict of columns, or an object that has __arrow_c_stream__, not "
            f"{type(log).__name__}"
        )
    table = _frames.table_of(log, lambda name: name in wanted)
    return lambda name: _plain(table.cells(table.columns.index(name))) if name in table.columns else None


def _plain(texts: list[str]) -> list[Any]:
    """Numbers instead of texts, if all texts are numbers. An empty text is a missing value."""
    try:
        return [int(text) for text in texts]
    except ValueError:
        pass
    try:
        return [math.nan if text == "" else float(text) for text in texts]
    except ValueError:
        return [None if text == "" else text for text in texts]


def _needed(column_of: Callable[[str], Any], name: str) -> Any:
    column = column_of(name)
    if column is None:
        raise ValueError(
            f"log: there is no column {name!r}: a log has the columns arm and reward, and may have propensity and a "
            "column of segments"
        )
    return column


def _labels(values: Any) -> NDArray[Any]:
    """The arms as whole numbers, if all are. Refuses a row without an arm."""
    array = np.asarray(values, dtype=None if hasattr(values, "dtype") else object)
    for row, cell in enumerate(array.tolist()):
        if cell is None or cell != cell:
            raise _refused("arm", row, "a missing value where an arm is expected", "leave the event out")
    if array.dtype.kind not in "fO" or array.ndim != 1:
        return array
    return array.astype(np.int64) if all(map(_is_whole, array.tolist())) else array


def _is_whole(cell: Any) -> bool:
    return isinstance(cell, (int, float)) and math.isfinite(cell) and cell == int(cell)


def _numbers(name: str, values: Any, rows: int) -> NDArray[np.float64]:
    array = _checked(name, values, rows)
    if array.dtype.kind not in "fiub":
        for row, cell in enumerate(array.tolist()):
            if not isinstance(cell, (int, float)):
                kind = "a missing value" if cell is None else f"a value of the type {type(cell).__name__}"
                raise _refused(name, row, f"{kind} where a number is expected", "correct it, or leave the event out")
    numbers = np.asarray(array, dtype=np.float64)
    if not np.isfinite(numbers).all():
        row = int(np.argmin(np.isfinite(numbers)))
        raise _refused(name, row, "NaN or inf where a number is expected", "correct it, or leave the event out")
    if name == "propensity" and not ((numbers > 0) & (numbers <= 1)).all():
        row = int(np.argmin((numbers > 0) & (numbers <= 1)))
        raise _refused(
            name, row, "a number not above 0 and at most 1", "give the probability with which the row's arm was played"
        )
    return numbers


def _texts(name: str, values: Any, rows: int) -> list[str]:
    texts = []
    for row, cell in enumerate(_checked(name, values, rows).tolist()):
        text = None if cell is None or cell != cell else str(cell).strip()
        if not text:
            raise _refused(name, row, "a missing value where a segment is expected", "give such rows a segment")
        if any(ord(letter) < 32 for letter in text):
            raise _refused(name, row, "a text with a control character", "write the segment without it")
        texts.append(text)
    return texts


def _checked(name: str, values: Any, rows: int) -> NDArray[Any]:
    """The column as an array whose cells keep their types."""
    array = np.asarray(values, dtype=None if hasattr(values, "dtype") else object)
    if array.dtype.kind == "O" and all(type(cell) in (int, float, bool) for cell in array.tolist()):
        array = array.astype(np.float64)
    if array.shape != (rows,):
        raise ValueError(f"log[{name!r}]: expected one a row, {rows} of them, not the shape {array.shape}")
    return array


def _refused(name: str, row: int, kind: str, remedy: str) -> ValueError:
    return ValueError(f"log, row {row}, column {name!r}: {kind}; {remedy}")
