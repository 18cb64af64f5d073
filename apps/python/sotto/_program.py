"""Programs of several parties."""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays, _core
from ._config import Config
from ._secret import Operation, Secret, Shape, Trace, matrix_shape, number, public


class Opening(NamedTuple):
    """A value that left the computation: its name, its shape, and the party that learned it (None: all parties).

    `bits` is the smallest number of fraction bits to which the computation rounded a value, and 64 means exact.
    Functions and public factors have additional errors.
    """

    name: str
    shape: Shape
    to: int | None
    bits: int


class Opened:
    """A placeholder for an opened value, which is known only after the run."""

    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, name: str) -> None:
        self.name = name

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError(
            f"{self.name!r} is known after the run alone, and no program goes by what was opened: return it, "
            "and compute with the value of the result"
        )

    __bool__ = __float__ = __int__ = __index__ = __complex__ = __array__ = __iter__ = __len__ = __getitem__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __matmul__ = _refuse
    __rmatmul__ = __neg__ = __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __str__ = __format__ = _refuse

    def __repr__(self) -> str:
        return f"<{self.name!r}, opened after the run>"


class Session:
    """A program uses this object to share inputs and to open values."""

    def __init__(self, trace: Trace, party: int | None) -> None:
        self._trace = trace
        self._party = party  # None without data

    @property
    def parties(self) -> int:
        """Number of parties."""
        return self._trace.parties

    def input(self, mine: ArrayLike | None, owner: int, *, shape: Shape | None = None, bound: float = 16.0) -> Secret:
        """The owner's array, as a secret.

        Every party calls `input`. Only the owner uses the values of `mine`. Other parties use only the shape of `mine`,
        or `shape` if it is given. At the dealer `mine` is None, so a program over a network must give `shape`. No entry
        may be larger than the public number `bound` in absolute value. A smaller bound costs less, and a larger bound
        leaves fewer fraction bits or is refused.
        """
        if isinstance(owner, bool) or not isinstance(owner, (int, np.integer)) or not 0 <= owner < self.parties:
            raise ValueError(f"owner: a party of 0 to {self.parties - 1}, not {owner!r}")
        if isinstance(mine, Secret):
            raise TypeError("input: it is a secret already")
        is_mine = owner == self._party
        if mine is None and (is_mine or shape is None):
            raise ValueError(
                f"input: party {owner} brings nothing: its data is missing"
                if is_mine
                else f"input: there is no data here to take a shape from: s.input(mine, owner={owner}, shape=...) says it"
            )
        array = _arrays.real(mine, "input") if is_mine or shape is None else None  # type: ignore[arg-type]
        known = _shape(shape) if shape is not None else array.shape  # type: ignore[union-attr]
        if len(known) > 2:
            raise ValueError("input: a secret has two dimensions at most")
        if is_mine:
            self._check(array, known, number(bound, "bound"))  # type: ignore[arg-type]
        operation = Operation("input", (), matrix_shape(known), (number(bound, "bound"),), node=int(owner))
        own = array.reshape(matrix_shape(known)) if is_mine else None  # type: ignore[union-attr]
        return Secret(self._trace, self._trace.add(operation, own), known)

    def constant(self, values: ArrayLike) -> Secret:
        """Makes a secret of public numbers. The parties exchange no messages."""
        array = public(values)
        constant = array.reshape(matrix_shape(array.shape))
        node = self._trace.add(Operation("constant", (), constant.shape, (), constant))  # type: ignore[arg-type]
        return Secret(self._trace, node, array.shape)

    def zeros(self, shape: int | Shape) -> Secret:
        """A secret whose entries are 0."""
        return self.constant(np.zeros(shape))

    def open(self, x: Secret, *, name: str, to: int | None = None) -> Opened:
        """Opens a secret to all parties, or only to the party `to`. A value leaves the computation only by an opening.
        The result of the run lists all openings."""
        if not isinstance(x, Secret):
            raise TypeError(f"open: expected a secret, not {type(x).__name__}")
        if x._trace is not self._trace:
            raise ValueError("open: a secret of another run")
        if not isinstance(name, str) or not name:
            raise ValueError("open: every opening has a name")
        if name in self._trace.shapes:
            raise ValueError(f"open: there is a {name!r} already")
        if to is not None and (isinstance(to, bool) or not isinstance(to, int) or not 0 <= to < self.parties):
            raise ValueError(f"to: a party of 0 to {self.parties - 1}, not {to!r}")
        operation = Operation("open", (x._id,), x._matrix(), name=name, node=-1 if to is None else to)
        self._trace.add(operation)
        self._trace.shapes[name] = x.shape
        return Opened(name)

    @staticmethod
    def _check(array: NDArray[np.float64], known: Shape, bound: float) -> None:
        if array.shape != known:
            raise ValueError(f"input: expected the shape {known}, not {array.shape}")
        wrong = ~np.isfinite(array)
        if wrong.any():
            raise ValueError(f"input: {_place(wrong)} is not finite")
        wrong = np.abs(array) > bound
        if wrong.any():
            raise ValueError(f"input: {_place(wrong)} is larger than the bound, {bound:g}; give a larger bound")


@dataclass(frozen=True)
class Cost:
    """The exact costs of a program. `bytes` are those of the party that sends most, and `dealt` the bytes that the last
    party receives from the dealer. `seconds` is the time of the messages on the link. Without a dealer, `rounds` and
    `bytes` include making the randomness (`preprocessing_rounds`, `preprocessing_bytes`)."""

    rounds: int
    bytes: int
    dealt: int
    preprocessing_rounds: int
    preprocessing_bytes: int
    seconds: float | None
    opened: list[Opening]


@dataclass(frozen=True)
class Result:
    """The value that a program returned, and the costs of the run as in `Cost`. Over the network, a value that this
    role does not learn is None."""

    value: Any
    rounds: int
    bytes: int
    dealt: int
    preprocessing_rounds: int
    preprocessing_bytes: int
    opened: list[Opening]
    values: dict[str, Any] = field(repr=False)  # by name


# The number of parties that each mode needs; None means any number.
_PARTIES: dict[str, int | None] = dict(_core.modes())


def require_mode(preprocessing: Any) -> str:
    """Raises ValueError for an unknown mode."""
    if not isinstance(preprocessing, str) or preprocessing not in _PARTIES:
        *others, last = (repr(mode) for mode in _PARTIES)
        raise ValueError(f"preprocessing: {', '.join(others)} or {last}, not {preprocessing!r}")
    return preprocessing


def _tell(line: str) -> None:
    print(f"sotto: {line}", file=sys.stderr, flush=True)


class Program:
    """A program of several parties. The decorator `program` makes it."""

    def __init__(self, function: Callable[..., Any], parties: int, bits: int, preprocessing: str) -> None:
        functools.update_wrapper(self, function)
        if isinstance(parties, bool) or not isinstance(parties, int) or not 2 <= parties <= 8:
            raise ValueError(f"parties: 2 to 8, not {parties!r}")
        if isinstance(bits, bool) or not isinstance(bits, int) or not 8 <= bits <= 24:
            raise ValueError(f"bits: 8 to 24, not {bits!r}")
        if _PARTIES[require_mode(preprocessing)] not in (None, parties):
            raise ValueError(f"preprocessing: {preprocessing!r} is of {_PARTIES[preprocessing]} parties, not {parties}")
        self.parties = parties
        self.bits = bits
        self.preprocessing = preprocessing
        self._function = function
        self._takes_data = len(inspect.signature(function).parameters) > 1

    def simulate(self, *data: Any) -> Result:
        """Plays the program with all roles in this process. Pass one argument per party, which is this party's data."""
        traces = self._traced(data)
        inputs = [trace.inputs for trace in traces]
        played = _core.simulate_graph(_graph(traces[0]), self.parties, self.bits, self.preprocessing, inputs)
        return _result(traces[0], played)

    def plan(self, *data: Any, link: str | None = None) -> Cost:
        """The costs of `simulate` and `run`, computed only from shapes. Raises ValueError for a program whose bounds do
        not fit.

        `data` is the same as for `simulate`, or nothing if the program gives all shapes. `link` is as in
        `EpsilonGreedy.plan`.
        """
        trace = self._traced(data)[0] if data else self._at(None, (None,) if self._takes_data else ())
        cost = _core.plan_graph(_graph(trace), self.parties, self.bits, self.preprocessing, "" if link is None else link)
        return Cost(*_counts(cost), cost["seconds"], _openings(trace, cost))

    def run(
        self, config: Config | str | os.PathLike[str], mine: Any = None, *, report: Callable[[str], Any] = _tell
    ) -> Result:
        """Plays one role over the network, until the run is over at all roles.

        `mine` is this party's data. A role without data, such as a dealer, leaves out `mine`. Links use TLS 1.3. No
        role starts if two roles differ in their configs or in the operations of their programs. `report` receives lines
        such as "party 1 is here (1 of 2)", which by default go to stderr.

        Raises ValueError for an error in an argument, the config or the data of this role, and `sotto.Error` for every
        other error. Ctrl-C ends the run at all roles.
        """
        config = config if isinstance(config, Config) else Config(config)
        self._check(config)
        trace = self._at(config.party, (mine,) if self._takes_data else ())
        played = _core.run_graph(_graph(trace), config._config, trace.inputs, report)
        return _result(trace, played)

    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError(f"{self.__name__} is a program of several parties: call {self.__name__}.simulate, one argument a party, or .run")  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return f"<program {self.__name__} of {self.parties} parties>"  # type: ignore[attr-defined]

    def _traced(self, data: tuple[Any, ...]) -> list[Trace]:
        """Traces the function at each party."""
        expected = self.parties if self._takes_data else 0
        if len(data) != expected:
            raise ValueError(f"{self!r} takes {expected} arguments, one a party, not {len(data)}")
        traces = []
        for party in range(self.parties):
            traces.append(self._at(party, data[party : party + 1]))
            if party > 0:
                _compare(traces[0], traces[-1], party)
        return traces

    def _at(self, party: int | None, mine: tuple[Any, ...]) -> Trace:
        """Traces the function at one role."""
        trace = Trace(self.parties)
        trace.returned = self._function(Session(trace, party), *mine)
        trace.done = True
        _refuse_secrets(trace.returned)
        return trace

    def _check(self, config: Config) -> None:
        if config.parties != self.parties or config.bits != self.bits:
            raise ValueError(
                f"the run has {config.parties} parties and {config.bits} fraction bits, but {self!r} is of {self.parties} and "
                f"{self.bits}: make both alike, by sotto.program(parties=, bits=) or by parties and bits in [run]"
            )
        if config.preprocessing != self.preprocessing:
            raise ValueError(
                f"the run has preprocessing = {config.preprocessing!r}, but {self!r} is of {self.preprocessing!r}: make both "
                "alike, by sotto.program(preprocessing=) or by preprocessing in [run]"
            )
        if config._config.receiver:
            raise ValueError("programs of Python open results only to parties: set receiver = false in [run], at all roles")


def _counts(played: _core.OpenedCost) -> tuple[int, int, int, int, int]:
    ahead = played["preprocessing_rounds"], played["preprocessing_bytes"]
    return (played["rounds"], played["bytes"], played["dealt"], *ahead)


def _graph(trace: Trace) -> _core.Graph:
    graph = _core.Graph()
    for o in trace.operations:
        graph.add(o.op, o.inputs, o.shape, o.numbers, o.constant, o.name, o.node, o.line)
    return graph


def _openings(trace: Trace, played: _core.OpenedCost) -> list[Opening]:
    opened = [o for o in trace.operations if o.op == "open"]
    return [
        Opening(o.name, trace.shapes[o.name], None if o.node < 0 else o.node, bits) for o, bits in zip(opened, played["bits"])
    ]


def _result(trace: Trace, played: _core.PlayedGraph) -> Result:
    openings = _openings(trace, played)
    values: dict[str, Any] = {}
    for opening, matrix in zip(openings, played["opened"]):
        array = None if matrix is None else matrix.reshape(opening.shape)
        values[opening.name] = array if array is None or opening.shape else float(array)
    return Result(_filled(trace.returned, values), *_counts(played), openings, values)


def program(
    function: Callable[..., Any] | None = None, *, parties: int = 2, bits: int = 20, preprocessing: str = "dealer"
) -> Any:
    """Makes a program of several parties from a function.

    The function is called once per party, with a session and that party's own data. Its operations may depend only on
    shapes and public numbers, and must be the same at all parties. `bits` are the fraction bits of products and
    functions.

    `preprocessing` says who makes the randomness:

    - "dealer": a dealer makes the randomness, and is trusted to keep the randomness secret.
    - "replicated": three parties make the randomness themselves. Any two parties could read everything if they
      exchanged their data.
    - "ot": two parties make the randomness themselves, by oblivious transfers.
    - "helper": two parties make the randomness with a helper. The helper is a role in place of the dealer, and knows
      nothing of the randomness.

    >>> import sotto
    >>> @sotto.program(parties=3)
    ... def second_price(s, bids):
    ...     b = sotto.stack([s.input(bids, owner=p) for p in range(3)])
    ...     win = b.argmax(axis=0)
    ...     return s.open((b * (1 - win)).max(axis=0), name="price")
    >>> out = second_price.simulate([3, 8], [5, 2], [4, 9])
    >>> out.value.tolist()
    [4.0, 8.0]
    >>> [opening.name for opening in out.opened]
    ['price']
    >>> out.rounds == second_price.plan([3, 8], [5, 2], [4, 9]).rounds
    True
    """
    if function is None:
        return functools.partial(program, parties=parties, bits=bits, preprocessing=preprocessing)
    return Program(function, parties, bits, preprocessing)


def _shape(shape: Any) -> Shape:
    lengths = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    if any(isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0 for n in lengths):
        raise ValueError(f"shape: expected lengths, not {shape!r}")
    return tuple(int(n) for n in lengths)


def _place(wrong: NDArray[np.bool_]) -> str:
    """Names the first wrong entry."""
    place = [int(n) for n in np.argwhere(wrong)[0]]
    if len(place) == 2:
        return f"the entry in row {place[0]}, column {place[1]},"
    return f"entry {place[0]}" if place else "the number"


def _compare(first: Trace, other: Trace, party: int) -> None:
    for place, (one, two) in enumerate(zip(first.operations, other.operations)):
        difference = one.difference(two)
        if difference is not None:
            raise ValueError(
                f"the program is not the same at all parties: at {one.line}, operation {place}, party 0 does "
                f"{difference[0]} and party {party} {difference[1]}; it may go by shapes and public numbers alone"
            )
    if len(first.operations) != len(other.operations):
        raise ValueError(
            f"the program is not the same at all parties: party 0 does {len(first.operations)} operations and party "
            f"{party} {len(other.operations)}; it may go by shapes and public numbers alone"
        )


def _refuse_secrets(value: Any) -> None:
    if isinstance(value, Secret):
        raise TypeError("the program returns a secret: open it with s.open(x, name=...)")
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for part in value:
            _refuse_secrets(part)


def _filled(value: Any, values: dict[str, Any]) -> Any:
    """Replaces each placeholder by its opened value."""
    if isinstance(value, Opened):
        return values[value.name]
    if isinstance(value, dict):
        return {key: _filled(part, values) for key, part in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_filled(part, values) for part in value))
    if isinstance(value, (list, tuple)):
        return type(value)(_filled(part, values) for part in value)
    return value
