"""The caller's data as arrays that C++ reads without copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def index_of(values: Any) -> Any:
    """The index of the rows, or None. A list has a method called `index`, which is no index."""
    index = getattr(values, "index", None)
    return None if callable(index) else index


def names_of(values: Any) -> list[str] | None:
    """Names of columns."""
    columns = getattr(values, "columns", None)
    return None if columns is None or callable(columns) else [str(name) for name in columns]


def follow_index(values: Any, name: str, index: Any = None, of: str | None = None) -> None:
    """Raises ValueError unless the rows have the same labels as the rows of `of`. Without an index the labels are 0, 1,
    2 and so on."""
    own = index_of(values)
    if _same_labels(own, index):
        return
    rows = len(own if own is not None else index)
    if own is None:
        raise ValueError(
            f"{name}: it has no index, and that of {of} is not 0, 1, 2 and so on; give frames that have one index, or "
            f"{of}.to_numpy() where row t of each is about the same case"
        )
    if index is not None and len(index) != rows:
        return  # lengths are compared later
    differs = [mine != theirs for mine, theirs in zip(own, range(rows) if index is None else index)]
    row = differs.index(True) if True in differs else 0
    if of is None:
        raise ValueError(
            f"{name}: its index is not 0, 1, 2 and so on, first in row {row}, and rows are taken by position here; put the "
            "rows into the order of the others, then give an array by .to_numpy()"
        )
    raise ValueError(
        f"{name}: its index is not that of {of}, first in row {row}; give {name}.loc[{of}.index], or both by .to_numpy() "
        "where row t of each is about the same case"
    )


def _same_labels(own: Any, index: Any) -> bool:
    if own is index:
        return True
    if own is None or index is None:
        labels = np.asarray(index if own is None else own)
        return labels.dtype.kind in "iu" and np.array_equal(labels, np.arange(len(labels)))
    return bool(own.equals(index)) if hasattr(own, "equals") else list(own) == list(index)


def plain(values: ArrayLike, name: str, index: Any = None, of: str | None = None) -> NDArray[Any]:
    """The values as a numpy array. Raises ValueError for a masked array, and for an index that differs from `index`."""
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError(f"{name}: a masked array; fill its gaps first, such as by {name.partition('[')[0]}.filled(0)")
    follow_index(values, name, index, of)
    return np.asarray(values)


def column(values: Any, name: str, number: int) -> str:
    """The column's name."""
    names = names_of(values)
    return f"{name}, column {number}" if names is None else f"{name}, column {names[number]!r}"


def _is_number(cell: Any) -> bool:
    if isinstance(cell, int):
        return abs(cell) < 2**1023  # a larger number may be too large for a float
    return isinstance(cell, (float, np.bool_, np.integer, np.floating)) and not isinstance(cell, np.timedelta64)


def _numbers(values: Any, array: NDArray[Any], name: str) -> NDArray[np.float64]:
    """Refuses a column that does not have only numbers."""
    if array.dtype.kind in "US" and not isinstance(values, np.ndarray):
        # If one cell of a list is a text, numpy would turn all cells into texts.
        array = np.asarray(values, dtype=object)
    columns = []
    for number in range(array.shape[1]):
        part = np.asarray(values.iloc[:, number]) if hasattr(values, "iloc") else array[:, number]
        are_numbers = part.dtype.kind in "fiub" or (part.dtype.kind == "O" and all(_is_number(cell) for cell in part))
        if not are_numbers:
            raise ValueError(_no_numbers(column(values, name, number), part, names_of(values) is not None))
        columns.append(np.asarray(part, dtype=np.float64))
    return np.column_stack(columns)


def _no_numbers(where: str, cells: NDArray[Any], is_frame: bool) -> str:
    """The message for a column of which not all cells are numbers: the first such row, and its type."""
    row, kind = next(
        ((row, type(cell).__name__) for row, cell in enumerate(cells.tolist()) if not _is_number(cell)),
        (0, str(cells.dtype)),
    )
    helps = ", or .astype(float) makes numbers of what looks like them" if is_frame else ""
    return f"{where}: expected real numbers, not {cells.dtype}, first in row {row} ({kind}); correct it{helps}"


def real(values: ArrayLike, name: str, index: Any = None, of: str | None = None) -> NDArray[np.float64]:
    """The values as float64; an array of float64 is not copied."""
    array = plain(values, name, index, of)
    if array.dtype.kind not in "fiub":
        if array.ndim == 2 and array.shape[1] > 0 and array.dtype.kind != "c":
            return _numbers(values, array, name)
        raise ValueError(f"{name}: expected real numbers, not {array.dtype}")
    return np.asarray(array, dtype=np.float64)


def matrix(values: ArrayLike, name: str, index: Any = None, of: str | None = None) -> NDArray[np.float64]:
    """The values as a matrix of float64, with one row per case and one column per feature."""
    array = real(values, name, index, of)
    if array.ndim != 2:
        raise ValueError(f"{name}: expected a matrix, a row a case and a column a feature, not {array.ndim} dimensions")
    if array.shape[1] == 0:
        raise ValueError(f"{name}: no columns")
    if names_of(values) is not None and not np.isfinite(array).all():
        row, number = np.argwhere(~np.isfinite(array))[0]
        where = f"{column(values, name, number)}, row {row}"
        raise ValueError(f"{where}: not a finite number, but NaN or inf; fill it, or leave the row out at all parties")
    return array


def common_index(values: Sequence[Any], name: str = "X") -> tuple[Any, str | None]:
    """The first index that any of the values has, and the name of these values."""
    for p, part in enumerate(values):
        if index_of(part) is not None:
            return index_of(part), f"{name}[{p}]"
    return None, None


def parts(values: Sequence[ArrayLike], name: str = "X") -> list[NDArray[np.float64]]:
    """The matrix of each party as float64. All frames must have the same index."""
    if isinstance(values, np.ndarray) and values.ndim == 2:
        raise ValueError(f"{name}: expected a list of matrices, one a party, not one matrix of all features")
    if names_of(values) is not None:
        raise ValueError(f"{name}: expected a list of frames, one a party, not one frame of all features")
    index, of = common_index(values, name)
    matrices = [matrix(part, f"{name}[{p}]", index, of) for p, part in enumerate(values)]
    if not 2 <= len(matrices) <= 8:
        raise ValueError(f"{name}: 2 to 8 parties, {len(matrices)} given: a list of matrices, one a party")
    for p, part in enumerate(matrices):
        if len(part) != len(matrices[0]):
            raise ValueError(
                f"{name}[{p}]: {len(part)} rows, but {name}[0] has {len(matrices[0])}: row t is about the same case"
            )
    return matrices


def one_a_row(values: ArrayLike, name: str, X: Sequence[Any], *, keeps_names: bool = False) -> ArrayLike:
    """Values with an index must have the index of X. With `keeps_names` a data frame stays a data frame."""
    if index_of(values) is not None:
        index, of = common_index(X)
        follow_index(values, name, index, of)
        return values if keeps_names and names_of(values) is not None else np.asarray(values)
    return values


def whole(values: ArrayLike, name: str, rows: int) -> NDArray[np.int64]:
    """Whole numbers, one per row."""
    array = plain(values, name)
    if array.ndim != 1 or len(array) != rows:
        raise ValueError(f"{name}: expected one a row, {rows} of them, not the shape {array.shape}")
    if array.dtype.kind not in "iu" and not (rows == 0 and array.dtype.kind == "f"):
        raise ValueError(f"{name}: expected whole numbers, not {array.dtype}; .astype(int) makes them of others")
    if array.dtype.kind == "u" and rows > 0 and array.max() > np.iinfo(np.int64).max:
        raise ValueError(f"{name}: a number is too large")
    return np.ascontiguousarray(array, dtype=np.int64)


def refuse_empty(matrices: Sequence[NDArray[Any]], name: str = "X") -> None:
    if len(matrices[0]) == 0:
        raise ValueError(f"{name}: no rows")
