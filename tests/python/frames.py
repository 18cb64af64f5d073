"""One table as a CSV for `sotto prepare party`, and as a frame of Apache Arrow.

The frame is a producer of Arrow's C stream interface in ctypes, and counts what is released.
"""

import ctypes
import datetime
import os
import struct
import subprocess

import numpy as np
import pytest

P = ctypes.c_void_p
Released = ctypes.CFUNCTYPE(None, P)


class Schema(ctypes.Structure):
    _fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p),
                ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64), ("children", P), ("dictionary", P),
                ("release", P), ("private_data", P)]


class Array(ctypes.Structure):
    _fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
                ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64), ("buffers", P), ("children", P),
                ("dictionary", P), ("release", P), ("private_data", P)]


Called = ctypes.CFUNCTYPE(ctypes.c_int, P, P)
Told = ctypes.CFUNCTYPE(P, P)


class Stream(ctypes.Structure):
    _fields_ = [("get_schema", Called), ("get_next", Called), ("get_last_error", Told), ("release", P),
                ("private_data", P)]


def bits(flags):
    return np.packbits(np.array(flags, dtype=bool), bitorder="little").tobytes()


def texts(values, offset_type):
    data = [("" if value is None else value).encode() if not isinstance(value, bytes) else value for value in values]
    return [np.cumsum([0, *map(len, data)]).astype(offset_type).tobytes(), b"".join(data)]


def views(values):
    """Texts of at most 12 bytes are in their views, and all others in turn in two buffers after the views."""
    packed, long, number = b"", [b"", b""], 0
    for value in values:
        data = ("" if value is None else value).encode()
        if len(data) <= 12:
            packed += struct.pack("<i12s", len(data), data)
            continue
        packed += struct.pack("<i4sii", len(data), data[:4], number, len(long[number]))
        long[number] += data
        number = 1 - number
    return [packed, *long, struct.pack("<qq", *map(len, long))]


DTYPES = dict(zip("cCsSiIlLfg", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]))


def buffers_of(kind, values):
    """Returns all buffers of a column except the validity bitmap."""
    if kind == "n":
        return []
    if kind == "b":
        return [bits([bool(value) for value in values])]
    if kind in ("u", "z"):
        return texts(values, "i4")
    if kind == "U":
        return texts(values, "i8")
    if kind == "vu":
        return views(values)
    if kind.startswith("d:"):
        return [b"".join((value or 0).to_bytes(16, "little", signed=True) for value in values)]
    if kind == "tdD":
        return [np.array([value or 0 for value in values], dtype="i4").tobytes()]
    if kind.startswith("t"):
        return [np.array([value or 0 for value in values], dtype="i8").tobytes()]
    return [np.array([0 if value is None else value for value in values], dtype=DTYPES.get(kind, "f8")).tobytes()]


class ArrowFrame:
    """Columns as {name: (format, values)}, and for categories {name: (format of the numbers, numbers, format of the
    values, values)}. A missing value is None. The batches end before the rows `cuts`. Each array begins `skipped` cells
    before its first row, and each batch `outer` rows before it. With `counts_nulls=False` the number of missing values
    is said to be unknown."""

    def __init__(self, columns, cuts=(), skipped=0, hurt=None, outer=0, counts_nulls=True):
        self.columns, self.cuts, self.skipped, self.hurt = columns, list(cuts), skipped, hurt
        self.outer, self.counts_nulls = outer, counts_nulls
        self.made = self.released = 0
        self._kept = []

    def __arrow_c_stream__(self, requested_schema=None):
        rows = max((len(column[1]) for column in self.columns.values()), default=0)
        ends = [0, *self.cuts, rows]
        batches = iter(list(zip(ends, ends[1:])))

        def get_schema(_, out):
            ctypes.cast(out, ctypes.POINTER(Schema))[0] = self._schema()
            return 0

        def get_next(_, out):
            if self.hurt == "stream":
                return 5
            span = next(batches, None)
            ctypes.cast(out, ctypes.POINTER(Array))[0] = Array() if span is None else self._batch(*span)
            return 0

        why = ctypes.create_string_buffer(b"the disk is gone\x1b[0m")
        told = Told(lambda _: ctypes.addressof(why))
        stream = Stream(Called(get_schema), Called(get_next), told, self._release(Stream))
        self._kept += [stream, why]
        name = ctypes.create_string_buffer(b"arrow_array" if self.hurt == "capsule" else b"arrow_array_stream")
        self._kept.append(name)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [P, P, P]
        return new(ctypes.addressof(stream), ctypes.addressof(name), None)

    def _release(self, kind):
        """A callback that counts, and that marks its struct as released."""
        self.made += 1

        def release(pointer):
            self.released += 1
            ctypes.cast(pointer, ctypes.POINTER(kind))[0].release = None

        callback = Released(release)
        self._kept.append(callback)
        return ctypes.cast(callback, P)

    def _pointers(self, items):
        array = (P * max(len(items), 1))(*[ctypes.addressof(item) if item is not None else None for item in items])
        self._kept += [array, *items]
        return ctypes.cast(array, P)

    def _schema(self):
        children = []
        for name, column in self.columns.items():
            dictionary = Schema(column[2].encode(), b"") if len(column) == 4 else None
            self._kept.append(dictionary)
            values = dictionary and ctypes.addressof(dictionary)
            children.append(Schema(column[0].encode(), name.encode(), None, 2, 0, None, values))
        kind = b"g" if self.hurt == "schema" else b"+s"
        return Schema(kind, b"", None, 0, len(children), self._pointers(children), None, self._release(Schema))

    def _array(self, kind, values, dictionary=None):
        padded = [values[0] if values else None] * self.skipped + list(values)
        given = [value is not None for value in padded]
        buffers = [None if all(given) or kind == "n" else bits(given), *buffers_of(kind, padded)]
        if kind == "n":
            buffers = []
        if self.hurt == "buffers":
            buffers = buffers[:1]
        held = [None if data is None else ctypes.create_string_buffer(data, max(len(data), 1)) for data in buffers]
        length = len(values) - (1 if self.hurt == "rows" else 0)
        nulls = given.count(False) if self.counts_nulls else -1
        return Array(length, nulls, self.skipped, len(held), 0, self._pointers(held), None, dictionary)

    def _batch(self, first, last):
        children = []
        for column in self.columns.values():
            dictionary = self._array(column[2], column[3]) if len(column) == 4 else None
            self._kept.append(dictionary)
            cells = list(column[1][:1]) * self.outer + list(column[1][first:last])
            children.append(self._array(column[0], cells, dictionary and ctypes.addressof(dictionary)))
        count = len(children) - (1 if self.hurt == "children" else 0)
        buffers = self._pointers([None])
        return Array(last - first, 0, self.outer, 1, count, buffers, self._pointers(children), None, self._release(Array))


def mixed_columns(rows=200, seed=0):
    """{name: cells} of a table that has every kind of column. A missing cell is None."""
    rng = np.random.default_rng(seed)

    def gaps(cells, part):
        return [None if rng.random() < part else cell for cell in cells]

    first = datetime.date(2026, 1, 1)
    plans = ["gold", "silver", "básic plan", 'the "old" one, with a comma']
    return {
        "customer": [f"k{row:05d}" for row in rng.permutation(rows)],
        "income": gaps([float(x) for x in np.exp(rng.normal(8, 2, rows))], 0.2),
        "age": [int(x) for x in rng.integers(18, 90, rows)],
        "debt": [float(x) for x in rng.normal(0, 1e-9, rows)],
        "plan": gaps([str(x) for x in rng.choice(plans, rows)], 0.1),
        "postcode": [f"{x:05d}" for x in rng.choice([1067, 1069, 80331], rows)],
        "member": gaps([bool(x) for x in rng.integers(0, 2, rows)], 0.05),
        "since": [first + datetime.timedelta(days=int(x)) for x in rng.integers(0, 400, rows)],
        "same": [7] * rows,
        "offer": [str(x) for x in rng.choice(["sms", "mail", "call"], rows)],
    }


def csv_of(columns):
    """The table as a CSV, with quotes where they are needed."""

    def text(cell):
        written = "" if cell is None else repr(cell) if isinstance(cell, float) else str(cell)
        return '"' + written.replace('"', '""') + '"' if '"' in written or "," in written else written

    lines = [",".join(columns)] + [",".join(map(text, row)) for row in zip(*columns.values())]
    return "\n".join(lines) + "\n"


FORMATS = {"customer": "u", "income": "g", "age": "i", "debt": "g", "plan": "vu", "postcode": "U", "member": "b",
           "since": "tdD", "same": "c", "offer": "u"}


def arrow_of(columns, **form):
    """The same table as a frame of Arrow."""
    epoch = datetime.date(1970, 1, 1)
    made = {name: (FORMATS[name], cells) for name, cells in columns.items()}
    if "since" in columns:
        made["since"] = ("tdD", [(day - epoch).days for day in columns["since"]])
    if "offer" in columns:
        values = sorted(set(columns["offer"]), reverse=True)
        made["offer"] = ("S", [values.index(cell) for cell in columns["offer"]], "u", values)
    return ArrowFrame(made, **form)


def prepare(folder, csv, *flags):
    """(recipe.toml, the rows, the labels or None) that `sotto prepare party` makes of the CSV."""
    program = os.environ.get("SOTTO_PROGRAM")
    if not program:
        pytest.skip("SOTTO_PROGRAM does not name the program sotto")
    table = folder / "table.csv"
    table.write_text(csv)
    command = [program, "prepare", "party", str(table), "--out", str(folder / "out"), *flags]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    out = folder / "out"
    labels = out / "environment.csv"
    recipe = out / "recipe.toml"
    rows = np.loadtxt(out / "rows.csv", delimiter=",", skiprows=1, ndmin=2)
    return (recipe.read_text() if recipe.exists() else None, rows,
            np.loadtxt(labels, skiprows=1, dtype=int) if labels.exists() else None)


# (flags of the command, arguments of Recipe.fit)
FITS = [
    ("", {}),
    ("--robust", {"robust": True}),
    ("--id customer --label offer", {"id": "customer", "label": "offer"}),
    ("--id customer --subject offer --number postcode", {"id": "customer", "subject": "offer", "number": "postcode"}),
    ("--drop since --drop plan --one-hot age --categories 5",
     {"drop": ["since", "plan"], "one_hot": "age", "categories": 5}),
    ("--missing plan=gold --missing 0 --not-missing plan=NA",
     {"missing": ["plan=gold", "0"], "not_missing": ["plan=NA"]}),
    ("--components 3 --constant 0 --clip 2.5", {"components": 3, "constant": 0, "clip": 2.5}),
    ("--no-normalise --parties 5 --max-norm 2", {"normalise": False, "parties": 5, "max_norm": 2}),
    ("--share 0.25 --one-hot since --categories 7", {"share": 0.25, "one_hot": ["since"], "categories": 7}),
]
