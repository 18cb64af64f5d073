"""Secrets of a program. A secret only records operations, and contains no value."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any, NoReturn, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays, _numpy

Shape = tuple[int, ...]
Other = Union["Secret", ArrayLike]

SOURCE = __file__.rpartition("/")[0]


class Operation:
    """One operation of a program, which is one node of the program's graph."""

    __slots__ = ("constant", "inputs", "line", "name", "node", "numbers", "op", "shape")

    def __init__(
        self,
        op: str,
        inputs: tuple[int, ...],
        shape: tuple[int, int],
        numbers: tuple[float, ...] = (),
        constant: NDArray[np.float64] | None = None,
        name: str = "",
        node: int = -1,
    ) -> None:
        self.op = op
        self.inputs = inputs
        self.shape = shape
        self.numbers = numbers
        self.constant = constant
        self.name = name
        self.node = node
        self.line = _line_of_caller()

    def difference(self, other: Operation) -> tuple[str, str] | None:
        """The two operations in words, without their numbers, which may come from private data."""
        mine, theirs = (f"{o.op} of the shape {o.shape[0]} x {o.shape[1]}" for o in (self, other))
        if mine != theirs:
            return mine, theirs
        if self.inputs != other.inputs:
            return f"{mine}, of the operations {self.inputs}", f"of the operations {other.inputs}"
        if (self.name, self.node) != (other.name, other.node):
            return f"{mine}, {self._whose()}", f"{other._whose()}"
        if self.numbers != other.numbers:
            return mine, "the same with another public number, such as a bound or a factor"
        if self.constant is None or other.constant is None or np.array_equal(self.constant, other.constant):
            return None
        row, column = np.argwhere(self.constant != other.constant)[0]
        return mine, f"the same with other public numbers, first in row {row}, column {column}"

    def _whose(self) -> str:
        if self.op == "input":
            return f"an input of party {self.node}"
        return f"{self.name!r} for " + ("all parties" if self.node < 0 else f"party {self.node}")


def _line_of_caller() -> str:
    frame = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename.startswith(SOURCE):
        frame = frame.f_back  # type: ignore[assignment]
    return "" if frame is None else f"line {frame.f_lineno} of {frame.f_code.co_name}"


class Trace:
    """The operations and inputs of one party."""

    def __init__(self, parties: int) -> None:
        self.parties = parties
        self.operations: list[Operation] = []
        self.inputs: list[NDArray[np.float64] | None] = []  # one per node
        self.shapes: dict[str, Shape] = {}  # of opened values
        self.returned: Any = None
        self.done = False

    def add(self, operation: Operation, mine: NDArray[np.float64] | None = None) -> int:
        if self.done:
            raise RuntimeError("the program has returned: its secrets are of no use any more")
        self.operations.append(operation)
        self.inputs.append(mine)
        return len(self.operations) - 1


def matrix_shape(shape: Shape) -> tuple[int, int]:
    """A number is 1 x 1, and a vector is a row."""
    return (1, 1) if shape == () else (1, shape[0]) if len(shape) == 1 else (shape[0], shape[1])


def _refuse(what: str, instead: str) -> NoReturn:
    raise TypeError(f"a secret {what}: {instead}; s.open(x, name=...) shows it to all parties after the run")


class Secret:
    """A number, a vector or a matrix that nobody sees.

    The operators + - * with public numbers and secrets, @, comparisons, slices, sums and the methods below compute in
    secret. `/` divides only by public numbers; see `sotto.divide`.
    """

    __slots__ = ("_id", "_is_product", "_settled_id", "_trace", "shape")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, trace: Trace, node: int, shape: Shape, is_product: bool = False) -> None:
        self._trace = trace
        self._id = node
        self.shape = shape
        self._is_product = is_product  # not rounded yet
        self._settled_id = -1 if is_product else node

    # ---- operations that secrets do not have

    def __bool__(self) -> bool:
        _refuse("is neither true nor false", "sotto.where(bit, x, y) chooses in secret")

    def __float__(self) -> float:
        _refuse("is no number to look at", "compute with it as it is")

    __int__ = __complex__ = __float__

    def __index__(self) -> int:
        _refuse("is no index", "take entries by a product with a one-hot, such as x.argmax()")

    def __eq__(self, other: object) -> bool:
        raise TypeError(
            "secrets have no ==, whose result everybody would see: sotto.equal(x, y) compares in secret, and "
            "s.open(x, name=...) opens"
        )

    __ne__ = __eq__

    def __str__(self) -> str:
        _refuse("cannot be printed", "repr(x) has its shape")

    def __format__(self, spec: str) -> str:
        _refuse("cannot be printed", "repr(x) has its shape")

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        _refuse("is no array of numpy", "compute with its operators and methods, and sotto's functions")

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """Numpy calls this method for `array * secret`."""
        if ufunc.__name__ not in _numpy.OPERATORS or method != "__call__" or options:
            _numpy.refuse(ufunc.__name__)
        of_left, of_right = _numpy.OPERATORS[ufunc.__name__]
        left, right = inputs
        if isinstance(left, Secret):
            return getattr(left, of_left)(right)
        return getattr(right, of_right)(left)

    def __array_function__(self, function: Any, *_: Any) -> NoReturn:
        _numpy.refuse(function.__name__)

    def __contains__(self, item: object) -> bool:
        _refuse("cannot be searched in the open", "sotto.equal(x, value).max() is 1 where it holds the value, in secret")

    def __repr__(self) -> str:
        return f"<Secret of shape {self.shape}>"

    # ---- shape

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def T(self) -> Secret:  # noqa: N802
        """The transpose of the secret."""
        if self.ndim < 2:
            return self
        return self._local("transpose", (self.shape[1], self.shape[0]))

    def __len__(self) -> int:
        if self.ndim == 0:
            raise TypeError("a single secret has no length")
        return self.shape[0]

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def reshape(self, *shape: int | Sequence[int]) -> Secret:
        """The same entries in another shape, as in numpy. One length may be -1."""
        wanted = np.empty(self.shape, dtype=np.int8).reshape(*shape).shape
        if len(wanted) > 2:
            raise ValueError("a secret has two dimensions at most")
        return self._local("reshape", wanted)

    def ravel(self) -> Secret:
        return self.reshape(-1)

    def __getitem__(self, key: Any) -> Secret:
        keys = key if isinstance(key, tuple) else (key,)
        if len(keys) > self.ndim:
            raise IndexError(f"{len(keys)} indices of a secret of {self.ndim} dimensions")
        result, shape = self, []
        rows, columns = matrix_shape(self.shape)
        if self.ndim == 2:
            first, count, keeps = _range_of(keys[0], rows)
            result = result._matrix_local("rows", (count, columns), (first, count))
            shape = [count] if keeps else []
            rows = count
            keys = keys[1:]
        first, count, keeps = _range_of(keys[0] if keys else slice(None), columns)
        result = result._matrix_local("columns", (rows, count), (first, count))
        shape += [count] if keeps else []
        return result._as(tuple(shape))

    def _as(self, shape: Shape) -> Secret:
        """The same entries in the given shape."""
        if self._matrix() != matrix_shape(shape):
            return self._local("reshape", shape)
        same = Secret(self._trace, self._id, shape, self._is_product)
        same._settled_id = self._settled_id
        return same

    # ---- arithmetic

    def __neg__(self) -> Secret:
        return self._new("negative", (self._id,), self.shape, is_product=self._is_product)

    def __pos__(self) -> Secret:
        return self

    def __add__(self, other: Other) -> Secret:
        return self._sum(other, "add")

    __radd__ = __add__

    def __sub__(self, other: Other) -> Secret:
        return self._sum(other, "subtract")

    def __rsub__(self, other: Other) -> Secret:
        return (-self) + other

    def _sum(self, other: Other, op: str) -> Secret:
        if not isinstance(other, Secret):
            values = public(other)
            if values.ndim == 0 and values == 0:  # sum() begins with 0
                return self
            return self._with_public("add_public", values if op == "add" else -values)
        self._check_same(other)
        shape = np.broadcast_shapes(self.shape, other.shape)
        # Two products of the same shape can be added before they are rounded.
        joins = (self._is_product or other._is_product) and self._matrix() == other._matrix()
        left, right = (self._id, other._id) if joins else (self._settled(), other._settled())
        return self._new(op, (left, right), shape, is_product=joins)

    def __mul__(self, other: Other) -> Secret:
        if not isinstance(other, Secret):
            factor = public(other)
            if factor.ndim == 0:
                # A product times an exact factor can be rounded after the multiplication.
                joins = self._is_product and _is_exact(float(factor))
                node = self._id if joins else self._settled()
                return self._new("scale", (node,), self.shape, (float(factor),), is_product=joins)
            return self._with_public("multiply_public", factor)
        self._check_same(other)
        shape = np.broadcast_shapes(self.shape, other.shape)
        return self._new("multiply", (self._settled(), other._settled()), shape, is_product=True)

    __rmul__ = __mul__

    def __truediv__(self, other: Other) -> Secret:
        if isinstance(other, Secret):
            raise TypeError("sotto.divide(x, y, least=...) divides by a secret, whose smallest size it has to know")
        with np.errstate(divide="ignore", invalid="ignore"):
            return self * (1 / public(other))

    def __rtruediv__(self, other: Other) -> NoReturn:
        raise TypeError("sotto.divide(x, y, least=...) divides by a secret, whose smallest size it has to know")

    def __pow__(self, exponent: int) -> Secret:
        if exponent != 2:
            raise TypeError("secrets have the power 2 alone; sotto.polynomial has others")
        return self * self

    def __matmul__(self, other: Other) -> Secret:
        return matmul(self, other)

    def __rmatmul__(self, other: ArrayLike) -> Secret:
        return matmul(other, self)

    def _with_public(self, op: str, values: NDArray[np.float64]) -> Secret:
        shape = np.broadcast_shapes(self.shape, values.shape)
        wide = np.ascontiguousarray(np.broadcast_to(values, shape)).reshape(matrix_shape(shape))
        return self._broadcast(shape)._new(op, (), shape, constant=wide, of_self=True)

    # ---- comparisons, in secret: 1 if the comparison holds and 0 otherwise

    def __lt__(self, other: Other) -> Secret:
        return less(self, other)

    def __gt__(self, other: Other) -> Secret:
        return less(other, self)

    def __ge__(self, other: Other) -> Secret:
        return 1 - less(self, other)

    def __le__(self, other: Other) -> Secret:
        return 1 - less(other, self)

    def __abs__(self) -> Secret:
        return self._function("abs")

    # ---- reductions

    def sum(self, axis: int | None = None) -> Secret:
        """The sum of the entries. It is exact, and the parties exchange no messages."""
        return self._reduced("sum", self._axis(axis))

    def mean(self, axis: int | None = None) -> Secret:
        """The mean of the entries. The parties exchange no messages. The relative error is at most 2^-22 in general.
        The error is up to 2^-12 if there are very many entries or the bound is very large. For example, with 20
        fraction bits and a bound of 16, the error for 10^6 entries is 2^-16."""
        axis = self._axis(axis)
        if (self.size if axis is None else self.shape[axis]) == 0:
            raise ValueError("the mean of nothing")
        return self._reduced("mean", axis)

    def _reduced(self, op: str, axis: int | None) -> Secret:
        if axis is None or self.ndim < 2:
            return self._local(op, ())
        if axis == 0:
            return self._local(f"column_{op}s", (self.shape[1],))
        column = self._matrix_local(f"row_{op}s", (self.shape[0], 1))
        return column._as((self.shape[0],))

    def max(self, axis: int | None = None) -> Secret:
        """The largest entries."""
        return self._along("row_max", axis)

    def min(self, axis: int | None = None) -> Secret:
        """The smallest entries."""
        return self._along("row_min", axis)

    def argmax(self, axis: int | None = None) -> Secret:
        """The result is 1 at the largest entry and 0 elsewhere, in the shape of the secret. `x * x.argmax()` selects
        this entry. Among equal entries one is chosen at random."""
        return self._along("row_argmax", axis, keeps=True)

    def argmin(self, axis: int | None = None) -> Secret:
        """The result is 1 at the smallest entry and 0 elsewhere, in the shape of the secret. Among equal entries one is
        chosen at random."""
        return (-self).argmax(axis)

    def sort(self, axis: int | None = -1) -> Secret:
        """Sorts an axis of at most 256 entries in ascending order, as `numpy.sort`. The entries of `-(-x).sort()` are
        in descending order."""
        if axis is None:
            return self.ravel().sort()
        if self._axis(axis) is None or self.size == 0:
            return self
        return -(-self)._along("row_sort", axis, keeps=True)

    def within(self, bound: float) -> Secret:
        """The caller promises that no entry is larger than `bound` in absolute value. A larger entry causes wrong
        numbers."""
        return self._new("within", (self._id,), self.shape, (number(bound, "bound"),), is_product=self._is_product)

    # ---- how operations are added

    def _axis(self, axis: int | None) -> int | None:
        if axis is None:
            return None
        if not -self.ndim <= axis < self.ndim:
            raise ValueError(f"axis {axis} of a secret of {self.ndim} dimensions")
        return axis % self.ndim

    def _along(self, op: str, axis: int | None, keeps: bool = False, numbers: tuple[float, ...] = ()) -> Secret:
        """Applies `op` to each row. If `keeps` is true, the result has the shape of the rows, otherwise it has one
        entry per row."""
        if self.size == 0:
            raise ValueError(f"{op[4:]} of nothing")
        axis = self._axis(axis)
        if axis is None or self.ndim < 2:
            flat = self._local("reshape", (self.size,)) if self.ndim == 2 else self
            shape = matrix_shape(flat.shape) if keeps else (1, 1)
            result = flat._matrix_local(op, shape, numbers)
            return result._as(self.shape if keeps else ())
        rows = self.T if axis == 0 else self
        result = rows._matrix_local(op, rows.shape if keeps else (rows.shape[0], 1), numbers)  # type: ignore[arg-type]
        if not keeps:
            return result._as((rows.shape[0],))
        result = result._as(rows.shape)
        return result.T if axis == 0 else result

    def _matrix(self) -> tuple[int, int]:
        return self._trace.operations[self._id].shape

    def _settled(self) -> int:
        """The node of the rounded value."""
        if self._settled_id < 0:
            self._settled_id = self._trace.add(Operation("rounded", (self._id,), self._matrix()))
        return self._settled_id

    def _check_same(self, other: Secret) -> None:
        if self._trace is not other._trace:
            raise ValueError("the secrets are of two runs")

    def _new(
        self,
        op: str,
        inputs: tuple[int, ...],
        shape: Shape,
        numbers: tuple[float, ...] = (),
        constant: NDArray[np.float64] | None = None,
        is_product: bool = False,
        of_self: bool = False,
    ) -> Secret:
        if len(shape) > 2:
            raise ValueError("a secret has two dimensions at most")
        inputs = (self._settled(), *inputs) if of_self else inputs
        node = self._trace.add(Operation(op, inputs, matrix_shape(shape), numbers, constant))
        return Secret(self._trace, node, shape, is_product)

    def _local(self, op: str, shape: Shape, numbers: tuple[float, ...] = ()) -> Secret:
        return self._new(op, (), shape, numbers, of_self=True)

    def _matrix_local(self, op: str, matrix: tuple[int, int], numbers: tuple[float, ...] = ()) -> Secret:
        node = self._trace.add(Operation(op, (self._settled(),), matrix, numbers))
        return Secret(self._trace, node, matrix)

    def _function(self, op: str, numbers: tuple[float, ...] = ()) -> Secret:
        return self._local(op, self.shape, numbers)

    def _broadcast(self, shape: Shape) -> Secret:
        if self.shape == shape:
            return self
        if matrix_shape(self.shape) == matrix_shape(shape):
            return self._as(shape)
        return self._local("broadcast", shape)


def _is_exact(factor: float) -> bool:
    """Whether multiplying by the factor is exact."""
    return float(factor * 16).is_integer() and abs(factor) <= 16


def _range_of(key: Any, length: int) -> tuple[int, int, bool]:
    """The first index of `key`, the number of its indices, and whether it is a slice."""
    if isinstance(key, slice):
        first, end, step = key.indices(length)
        if step != 1:
            raise IndexError("slices of secrets have the step 1")
        return first, max(0, end - first), True
    if isinstance(key, Secret):
        raise TypeError("a secret is no index: take entries by a product with its one-hot, such as x.argmax()")
    if isinstance(key, (bool, np.bool_)) or not isinstance(key, (int, np.integer)):
        raise IndexError("secrets are taken by whole numbers and slices")
    if not -length <= key < length:
        raise IndexError(f"index {key} of {length}")
    return int(key) % length, 1, False


def public(values: ArrayLike) -> NDArray[np.float64]:
    """The values as a public array of at most two dimensions. Raises ValueError if one is not finite."""
    array = _arrays.real(values, "a public number")
    if array.ndim > 2:
        raise ValueError("a public array has two dimensions at most")
    if not np.isfinite(array).all():
        raise ValueError("a public number is not finite")
    return array


def number(value: Any, name: str) -> float:
    if isinstance(value, Secret):
        raise TypeError(f"{name}: expected a public number, not a secret")
    array = public(value)
    if array.ndim != 0:
        raise ValueError(f"{name}: expected one number")
    return float(array)


def secret(value: Other, like: Secret) -> Secret:
    """The value as a secret of the program of `like`."""
    if isinstance(value, Secret):
        like._check_same(value)
        return value
    array = public(value)
    return like._new("constant", (), array.shape, constant=array.reshape(matrix_shape(array.shape)))


def pair(x: Other, y: Other) -> tuple[Secret, Secret]:
    if isinstance(x, Secret):
        return x, secret(y, x)
    if isinstance(y, Secret):
        return secret(x, y), y
    raise TypeError("expected a secret")


def less(x: Other, y: Other) -> Secret:
    """1 where x < y, 0 elsewhere."""
    left, right = pair(x, y)
    shape = np.broadcast_shapes(left.shape, right.shape)
    left, right = left._broadcast(shape), right._broadcast(shape)
    return left._new("less", (left._settled(), right._settled()), shape)


def matmul(x: Other, y: Other) -> Secret:
    """As in numpy, a vector is a row on the left and a column on the right."""
    left: Secret | NDArray[np.float64] = x if isinstance(x, Secret) else public(x)
    right: Secret | NDArray[np.float64] = y if isinstance(y, Secret) else public(y)
    if len(left.shape) == 0 or len(right.shape) == 0:
        raise ValueError("a matrix product of a single number: use *")
    inner = left.shape[-1]
    if right.shape[0] != inner:
        raise ValueError(f"a matrix product of the shapes {left.shape} and {right.shape}")
    shape = (*left.shape[:-1], *right.shape[1:])
    if len(left.shape) == 1 and len(right.shape) == 1 and isinstance(left, Secret) and isinstance(right, Secret):
        left._check_same(right)
        return left._new("row_dot", (left._settled(), right._settled()), (), is_product=True)
    rows = left.shape[0] if len(left.shape) == 2 else 1
    columns = right.shape[1] if len(right.shape) == 2 else 1
    if isinstance(right, Secret):
        column = right if right.ndim == 2 else right._matrix_local("reshape", (inner, 1))
        if isinstance(left, Secret):
            left._check_same(right)
            operation = Operation("matmul", (left._settled(), column._settled()), (rows, columns))
            return Secret(left._trace, left._trace.add(operation), (rows, columns), True)._as(shape)
        known = np.ascontiguousarray(left.reshape(rows, inner))
        operation = Operation("matmul_left", (column._settled(),), (rows, columns), (), known)
        return Secret(right._trace, right._trace.add(operation), (rows, columns))._as(shape)
    if not isinstance(left, Secret):
        raise TypeError("expected a secret")
    known = np.ascontiguousarray(right.reshape(inner, columns))
    operation = Operation("matmul_right", (left._settled(),), (rows, columns), (), known)
    return Secret(left._trace, left._trace.add(operation), (rows, columns))._as(shape)
