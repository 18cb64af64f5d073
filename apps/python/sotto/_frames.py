"""Turns the cells of frames into texts, as in a CSV. This module never imports pandas itself."""

from __future__ import annotations

import datetime
import decimal
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core

MIDNIGHT = " 00:00:00"


def is_pandas(frame: Any) -> bool:
    """Whether the frame is a pandas.DataFrame."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(frame, pandas.DataFrame)


def table_of(frame: Any, is_read: Callable[[str], bool]) -> _core.Table:
    """The cells of a pandas.DataFrame, or of an object with `__arrow_c_stream__`. If `is_read` is false for a column's
    name, the cells of the column are left empty.
    """
    if is_pandas(frame):
        names = _names_of(frame.columns)
        columns = [
            _texts_of(frame.iloc[:, number], name) if is_read(name) else [""] * len(frame)
            for number, name in enumerate(names)
        ]
        return _core.Table(names, columns)
    stream = getattr(frame, "__arrow_c_stream__", None)
    if stream is None or isinstance(frame, type):
        raise TypeError(
            "frame: expected a pandas.DataFrame, or an object that has __arrow_c_stream__, not "
            f"{type(frame).__name__}; pandas.DataFrame(...) makes one of arrays and lists"
        )
    return _core.Table.of_stream(stream(), is_read)


def column_of(frame: Any, name: str | None) -> Any:
    """The column called `name`, or None if there is no such column."""
    names = [_core.plain_name(known) for known in _names_of(frame.columns)]
    return frame.iloc[:, names.index(name)] if name in names else None


def _names_of(columns: Iterable[Any]) -> list[str]:
    names = list(columns)
    for number, name in enumerate(names):
        if isinstance(name, (bool, np.bool_)) or not isinstance(name, (str, int, np.integer)):
            raise TypeError(
                f"the frame's column {number}: its name is of the type {type(name).__name__}, where a text is "
                "expected; frame.columns = [...] renames the columns"
            )
    return [_encodable(str(name), f"the frame's column {number}: its name") for number, name in enumerate(names)]


def _encodable(text: str, what: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{what} has a character that is not of Unicode; write it again") from None
    return text


def _texts_of(column: Any, name: str) -> list[str]:
    """The cells of a column as texts."""
    kind = column.dtype.kind if isinstance(column.dtype, np.dtype) else "O"
    if kind in "iu":
        return [str(number) for number in column.tolist()]
    width = getattr(column.dtype, "numpy_dtype", column.dtype)  # numpy's type of a nullable column
    if isinstance(width, np.dtype) and width.kind == "f":
        return _reals(column.to_numpy(dtype=width, na_value=np.nan))
    texts = [_text_of(cell, row, name) for row, cell in enumerate(column)]
    return _without_midnights(texts) if column.dtype.kind == "M" else texts


def _without_midnights(texts: list[str]) -> list[str]:
    """Removes the time of day if every time is midnight."""
    if not all(text == "" or text.endswith(MIDNIGHT) for text in texts):
        return texts
    return [text[: -len(MIDNIGHT)] for text in texts]


def _reals(numbers: NDArray[Any]) -> list[str]:
    if numbers.dtype == np.float64:
        return [_real(number) for number in numbers.tolist()]
    return [_small_real(number) for number in numbers]


def _real(number: float) -> str:
    return "" if number != number else repr(number)


def _small_real(number: Any) -> str:
    """The number in the shortest form for its type, or an empty text for NaN."""
    return "" if number != number else str(number)


def _decimal(number: decimal.Decimal) -> str:
    return "" if number.is_nan() else str(number)


def _whole(number: Any) -> str:
    try:
        return str(int(number))
    except ValueError:  # Python writes at most 4,300 digits
        return "inf"


def _time(time: datetime.datetime) -> str:
    return (time if time.tzinfo is None else time.astimezone(datetime.timezone.utc)).isoformat(sep=" ")


_WRITERS: list[tuple[Any, Callable[[Any], str]]] = [
    (str, str),
    ((bool, np.bool_), lambda cell: str(bool(cell))),
    (float, lambda cell: _real(float(cell))),
    ((int, np.integer), _whole),
    (np.floating, _small_real),
    (decimal.Decimal, _decimal),
    (datetime.datetime, _time),
    (datetime.date, lambda cell: str(cell.isoformat())),
]


def _is_missing(cell: Any) -> bool:
    pandas = sys.modules["pandas"]
    return cell is None or cell is pandas.NA or cell is pandas.NaT


def _text_of(cell: Any, row: int, name: str) -> str:
    """The cell as text; a missing value is an empty text."""
    if _is_missing(cell):
        return ""
    for types, write in _WRITERS:
        if isinstance(cell, types) and not isinstance(cell, np.timedelta64):
            return _encodable(write(cell), f"row {row}, column {name!r}: the text")
    raise TypeError(
        f"row {row}, column {name!r}: a value of the type {type(cell).__name__}, where a number, a text, a date, a "
        f"truth value or a missing value is expected; frame[{name!r}].astype(str) makes texts of it, and "
        f"drop=[{name!r}] leaves the column out"
    )
