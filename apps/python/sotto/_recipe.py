"""Recipes for tables."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from . import _arguments, _core, _frames

Names = Union[str, Sequence[str]]
LISTS = ("drop", "one_hot", "number", "percent", "missing", "not_missing")


class Recipe:
    """The way from the columns of one party's table to rows of features.

    A recipe contains means of the party's columns and names of categories, so it belongs to one party. `sotto prepare
    party` makes the same recipe.toml from a CSV of the frame, and the same rows, bit for bit.

    A frame is a pandas.DataFrame, or any object with `__arrow_c_stream__`, such as a frame of polars or a table of
    pyarrow. Its cells are numbers, texts, dates, truth values, or missing.

    No message shows a cell.

    Examples
    --------
    >>> import pandas, sotto
    >>> frame = pandas.DataFrame({"age": [41, 32, None], "plan": ["gold", "basic", "gold"]})
    >>> recipe = sotto.Recipe.fit(frame)
    >>> recipe.features
    ['age', 'age missing', 'plan=gold', 'plan=basic', 'constant']
    >>> recipe.transform(frame).shape
    (3, 5)
    """

    _recipe: _core.Recipe
    _uses: dict[str, str]

    def __init__(self) -> None:
        raise TypeError("Recipe.fit(frame) learns a recipe, and Recipe.load(path) reads one")

    @classmethod
    def fit(
        cls,
        frame: Any,
        *,
        id: Names | None = None,
        label: str | None = None,
        subject: str | None = None,
        drop: Names = (),
        one_hot: Names = (),
        number: Names = (),
        percent: Names = (),
        missing: Names = (),
        not_missing: Names = (),
        decimal_comma: bool = False,
        robust: bool = False,
        clip: float = 4,
        categories: int = 16,
        components: int = 0,
        constant: float = 0.2,
        normalise: bool = True,
        parties: int = 2,
        max_norm: float = 1.0,
        share: float | None = None,
    ) -> Recipe:
        """Learns a recipe from a frame, with the flags of `sotto prepare party` as arguments.

        Columns. The frame is a pandas.DataFrame or has `__arrow_c_stream__`, with one row per case. Three arguments
        name columns that are no features: `id` (ids of the cases, from one column or several), `label` (the best arm)
        and `subject` (the person that a row is about). All other columns are features; a name or a list of names
        chooses their use. `drop` leaves columns out, and `one_hot` makes categories. `number` keeps columns that look
        like ids or codes, and `percent` reads numbers that may end with %.

        Cells. `missing` lists further words that mean a missing value, and `not_missing` lists words that mean a value.
        A word is WORD for all columns or COLUMN=WORD. With `decimal_comma` the text 1,5 is one and a half.

        Numbers. With `robust` numbers are standardised by median and quartiles instead of mean and deviation. `clip` is
        the largest distance from the mean in deviations, 0 to 1e6, and 0 means no limit. `categories` is the largest
        number of categories of a column, 1 to 16384. One more category holds all the rest. `components` is the number
        of principal components, and 0 means the features themselves.

        Norms. `constant` adds a feature with the same value in all rows. It states this value relative to the usual
        length of a row, from 0 to 100. Each row has at most the norm max_norm / sqrt(parties), with `parties` from 2 to
        8 and `max_norm` up to 8. With `normalise` every row has exactly this norm. A `share` up to `max_norm` replaces
        this norm.

        Raises ValueError for an argument or a cell that does not fit, and TypeError for a frame or a cell of another
        type. Doubts about the table are warnings (UserWarning).
        """
        given = dict(locals())
        options = _core.FitOptions()
        for name in LISTS:
            setattr(options, name, _names(name, given[name]))
        options.id = [] if id is None else _names("id", id)
        for name in options.id:
            _column("id", name, frame)
        for name in ("label", "subject"):
            setattr(options, name, _column(name, given[name], frame))
        options.decimal_comma = _arguments.flag("decimal_comma", decimal_comma)
        options.robust = _arguments.flag("robust", robust)
        options.normalise = _arguments.flag("normalise", normalise)
        options.clip = _arguments.number("clip", clip, 0, 1e6)
        options.categories = _arguments.whole("categories", categories, 1, 16384)
        options.components = _arguments.whole("components", components, 0, 16384)
        options.constant = _arguments.number("constant", constant, 0, 100)
        options.parties = _arguments.whole("parties", parties, 2, 8)
        options.max_norm = _arguments.number("max_norm", max_norm, 0, 8)
        options.share = None if share is None else _arguments.number("share", share, 0, 8)
        made, uses, doubts = _core.Recipe.fit(_frames.table_of(frame, lambda name: name not in options.drop), options)
        _warn(doubts)
        return cls._of(made, uses)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Recipe:
        """Raises OSError if there is no such file, and ValueError with the line for a file that is no recipe."""
        return cls._of(_core.Recipe(_text_of(path), os.fspath(path)), {})

    def save(self, path: str | os.PathLike[str]) -> None:
        """The file appears completely or not at all. The folder must exist."""
        Path(path).parent.stat()  # raises FileNotFoundError
        self._recipe.save(os.fspath(path))

    def transform(self, frame: Any) -> Any:
        """The features of each row of the frame, as float64: one row per case and one column per feature.

        For a pandas.DataFrame the result is a pandas.DataFrame, with the ids as index if the recipe has a column of
        ids. `EpsilonGreedy` therefore refuses frames of parties whose rows are about other cases. For another frame the
        result is an array.

        The frame needs the columns of `columns`, in any order. Further columns cause a warning and are ignored. Raises
        ValueError and TypeError as `fit`.
        """
        values, doubts = self._recipe.transform(self._table(frame))
        _warn(doubts)
        if not _frames.is_pandas(frame):
            return values
        pandas = sys.modules["pandas"]
        ids = [_frames.column_of(frame, name) for name in self._recipe.id]
        index = frame.index
        if ids:
            index = pandas.Index(ids[0]) if len(ids) == 1 else pandas.MultiIndex.from_arrays(ids)
        return pandas.DataFrame(values, columns=self.features, index=index)

    def arms_of(self, frame: Any) -> NDArray[Any]:
        """The best arm of each row, from the column of labels: names in `arms`, or whole numbers from 0.

        Raises ValueError if the recipe or the frame has no such column, or for a label that the recipe does not know.
        """
        numbers = self._recipe.arms_of(self._table(frame))
        return np.array(self.arms)[numbers] if self.arms else numbers

    @property
    def arms(self) -> list[str]:
        """The label of each arm. The list is empty if the labels are numbers, or if there is no label."""
        return self._recipe.arms

    @property
    def features(self) -> list[str]:
        """The names of the features, such as "age", "age missing", "plan=gold"."""
        return self._recipe.features

    @property
    def columns(self) -> list[str]:
        """The names of the columns that a frame must have."""
        return self._recipe.columns(True)

    @property
    def id(self) -> str | list[str] | None:
        """The column of ids, or a list if several columns make the ids together."""
        names = self._recipe.id
        if len(names) > 1:
            return names
        return names[0] if names else None

    @property
    def label(self) -> str | None:
        """The name of the column of labels."""
        return self._recipe.label

    @property
    def norm(self) -> float:
        """Largest row norm."""
        return self._recipe.norm

    @property
    def uses(self) -> dict[str, str]:
        """The use of each column, such as "number, standardised". Empty for a recipe that was read from a file."""
        return dict(self._uses)

    def __repr__(self) -> str:
        return f"Recipe(columns={len(self.columns)}, features={len(self.features)}, norm={self.norm:.4g})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self._recipe.text, self._uses)

    @classmethod
    def _of(cls, recipe: _core.Recipe, uses: dict[str, str]) -> Recipe:
        made = cls.__new__(cls)
        made._recipe = recipe
        made._uses = uses
        return made

    def _table(self, frame: Any) -> _core.Table:
        """The frame as a table, with only the cells that the recipe reads."""
        needed = {*self.columns, *self._recipe.id, self.label}
        return _frames.table_of(frame, lambda name: _core.plain_name(name) in needed)


def _unpickled(text: str, uses: dict[str, str]) -> Recipe:
    return Recipe._of(_core.Recipe(text, "recipe.toml"), uses)


def _text_of(path: str | os.PathLike[str]) -> str:
    largest = 1 << 22  # bytes
    with open(path, "rb") as file:
        text = file.read(largest + 1)
    if len(text) > largest:
        raise ValueError(f"{os.fspath(path)}: longer than 4 MB, so no recipe")
    try:
        return text.decode()
    except UnicodeDecodeError:
        raise ValueError(f"{os.fspath(path)}: not in UTF-8, so no recipe") from None


def _warn(doubts: Sequence[str]) -> None:
    for doubt in doubts:
        warnings.warn(doubt, UserWarning, stacklevel=3)


def _names(argument: str, names: Any) -> list[str]:
    if not isinstance(names, Iterable):
        raise TypeError(f"{argument}: expected a text or a list of texts, not {type(names).__name__}")
    given = [names] if isinstance(names, str) else list(names)
    for name in given:
        if not isinstance(name, str):
            raise TypeError(f"{argument}: expected texts, not {type(name).__name__}")
    return given


def _column(argument: str, name: Any, frame: Any) -> str | None:
    if name is not None and not isinstance(name, str):
        raise TypeError(f"{argument}: expected the name of a column, not {type(name).__name__}")
    if name is not None and _frames.is_pandas(frame) and name not in frame.columns and name in frame.index.names:
        raise ValueError(f"{argument}: {name!r} is the frame's index; frame.reset_index() makes a column of it")
    return name
