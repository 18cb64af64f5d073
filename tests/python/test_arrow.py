"""The texts of cells in Arrow's C stream interface: each type that a frame of polars or pyarrow may have, in each form
that such a frame may have. The frames are those of frames.py, and the expected texts were written down by hand."""

import pytest
from frames import ArrowFrame

import sotto
from sotto import _core

LONG = "a text of more than twelve bytes, ñ"
LONGER = "another text of more than twelve bytes"

# (format, values, texts); with categories the format is (format of the numbers, format of the values, values)
TYPES = [
    ("b", [True, False, None, True], ["True", "False", "", "True"]),
    ("c", [-128, 127, 0, None], ["-128", "127", "0", ""]),
    ("C", [0, 255, None, 7], ["0", "255", "", "7"]),
    ("s", [-32768, 32767, None, 1], ["-32768", "32767", "", "1"]),
    ("S", [0, 65535, None, 1], ["0", "65535", "", "1"]),
    ("i", [-(2**31), 2**31 - 1, None, 1], ["-2147483648", "2147483647", "", "1"]),
    ("I", [0, 2**32 - 1, None, 1], ["0", "4294967295", "", "1"]),
    ("l", [-(2**63), 2**63 - 1, None, 1], ["-9223372036854775808", "9223372036854775807", "", "1"]),
    ("L", [0, 2**64 - 1, None, 1], ["0", "18446744073709551615", "", "1"]),
    ("f", [0.1, 950.0, None, float("nan")], ["0.1", "950.0", "", ""]),
    ("f", [-0.0, 1.5e-45, 3.4028235e38, float("inf")], ["-0.0", "1e-45", "3.4028235e+38", "inf"]),
    ("g", [0.1, 950.0, None, float("nan")], ["0.1", "950.0", "", ""]),
    ("g", [1 / 3, 5e-324, 1.7976931348623157e308, float("-inf")],
     ["0.3333333333333333", "5e-324", "1.7976931348623157e+308", "-inf"]),
    ("u", ["a", "", None, LONG], ["a", "", "", LONG]),
    ("U", [LONG, "", None, "b"], [LONG, "", "", "b"]),
    ("vu", ["twelve bytes", LONG, None, LONGER], ["twelve bytes", LONG, "", LONGER]),
    ("vu", [LONG, LONGER, LONG, "1,2"], [LONG, LONGER, LONG, "1,2"]),
    ("n", [None] * 4, [""] * 4),
    ("tdD", [0, -1, None, 20_000], ["1970-01-01", "1969-12-31", "", "2024-10-04"]),
    ("tdD", [-719_162, 2_932_896, 11_016, None], ["0001-01-01", "9999-12-31", "2000-02-29", ""]),
    ("tdm", [86_400_000, -1, None, 0], ["1970-01-02", "1969-12-31", "", "1970-01-01"]),
    ("tss:", [0, -1, None, 86_399], ["1970-01-01 00:00:00", "1969-12-31 23:59:59", "", "1970-01-01 23:59:59"]),
    ("tss:", [0, 86_400, None, -86_400], ["1970-01-01", "1970-01-02", "", "1969-12-31"]),
    ("tsm:", [1, 0, None, -1], ["1970-01-01 00:00:00.001000", "1970-01-01 00:00:00", "", "1969-12-31 23:59:59.999000"]),
    ("tsu:", [1, 10**6, None, -1],
     ["1970-01-01 00:00:00.000001", "1970-01-01 00:00:01", "", "1969-12-31 23:59:59.999999"]),
    ("tsn:", [1, 1000, None, 10**9],
     ["1970-01-01 00:00:00.000000001", "1970-01-01 00:00:00.000001", "", "1970-01-01 00:00:01"]),
    ("tsu:UTC", [0, 1, None, 10**6],
     ["1970-01-01 00:00:00+00:00", "1970-01-01 00:00:00.000001+00:00", "", "1970-01-01 00:00:01+00:00"]),
    ("tsm:Europe/Berlin", [0, 3_600_000, None, 0],
     ["1970-01-01 00:00:00+00:00", "1970-01-01 01:00:00+00:00", "", "1970-01-01 00:00:00+00:00"]),
    ("d:10,2", [12345, -5, None, 0], ["123.45", "-0.05", "", "0.00"]),
    ("d:38,0,128", [10**37, -(10**37), None, 1], [f"1{'0' * 37}", f"-1{'0' * 37}", "", "1"]),
    (("C", "U", ["gold", LONG, None]), [1, 0, None, 2], [LONG, "gold", "", ""]),
    (("I", "vu", ["gold", LONG]), [1, 0, None, 1], [LONG, "gold", "", LONG]),
    (("i", "u", ["x", "", "z"]), [2, 1, 0, None], ["z", "", "x", ""]),
    (("l", "g", [2.5, None]), [0, 1, None, 0], ["2.5", "", "", "2.5"]),
    (("S", "tdD", [0, 1]), [1, 0, None, 1], ["1970-01-02", "1970-01-01", "", "1970-01-02"]),
]
FORMS = {
    "whole": {},
    "in chunks": {"cuts": [1, 1, 3]},
    "a slice": {"skipped": 3},
    "a slice within a byte of flags": {"skipped": 11},
    "a slice of a table": {"outer": 2},
    "slices of slices, in chunks": {"cuts": [2], "skipped": 5, "outer": 9},
    "nulls that are not counted": {"counts_nulls": False, "skipped": 1},
}


def frame_of(kind, values, **form):
    column = (kind, values) if isinstance(kind, str) else (kind[0], values, *kind[1:])
    return ArrowFrame({"x": column, "y": ("i", list(range(len(values))))}, **form)


def cells_of(frame, number=0):
    return _core.Table.of_stream(frame.__arrow_c_stream__(), lambda name: True).cells(number)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind, values, texts", TYPES)
def test_cells_of_each_type_in_each_form(kind, values, texts, form):
    frame = frame_of(kind, values, **FORMS[form])
    assert cells_of(frame) == texts
    assert frame.made == frame.released > 0, "all structs are given back, once"
    assert cells_of(frame_of(kind, values, **FORMS[form]), 1) == ["0", "1", "2", "3"]


@pytest.mark.parametrize("kind", ["b", "c", "L", "g", "u", "U", "vu", "tdD", "tsu:UTC", ("I", "vu", ["a"])])
def test_columns_without_rows(kind):
    frame = frame_of(kind, [])
    with pytest.raises(ValueError, match="the frame: there is no row"):
        sotto.Recipe.fit(frame)
    assert frame.made == frame.released


@pytest.mark.parametrize("kind, said", [
    ("d:76,2,256", "decimals of other than 128 bits, which a cast to float64 makes readable"),
    ("d:9,2,32", "decimals of other than 128 bits"),
    ("d:18,2,64", "decimals of other than 128 bits"),
    ("e", "float16, which a cast to float32 makes readable"),
    ("ttu", "times of day"),
    ("tDu", "durations"),
    ("tiM", "durations"),
    ("z", "bytes"),
    ("Z", "bytes"),
    ("vz", "bytes"),
    ("w:16", "bytes"),
    ("+l", "lists, structs or other nested values"),
    ("+L", "lists, structs or other nested values"),
    ("+s", "lists, structs or other nested values"),
    ("+r", "lists, structs or other nested values"),
    ("tsx:", "another type"),
    ("vx", "another type"),
])
@pytest.mark.parametrize("form", [{}, {"cuts": [1], "skipped": 2, "outer": 1}])
def test_other_types_are_refused_by_name(kind, said, form):
    frame = ArrowFrame({"secret": (kind, [b"1", b"2"] if kind == "z" else [1, 2]), "y": ("i", [1, 2])}, **form)
    with pytest.raises(TypeError) as refused:
        sotto.Recipe.fit(frame)
    message = str(refused.value)
    assert message.startswith(f"column 'secret': {said}")
    assert message.endswith("where numbers, texts, dates or truth values are expected; cast it, or leave the column out "
                            "with drop")
    assert sotto.Recipe.fit(frame, drop="secret").features == ["y", "constant"]


@pytest.mark.parametrize("kind, values, row, kind_of_cell", [
    ("tdD", [0, 0, 2_932_897], 2, "a date outside of the years 1 to 9999"),
    ("tsn:", [0, 0, -(2**63)], None, None),  # 1677, the first year of nanoseconds
    ("tss:UTC", [0, -(2**62), 0], 1, "a date outside of the years 1 to 9999"),
    ("u", ["a", b"\xff\xfe", "b"], 1, "a text that is not in UTF-8"),
])
@pytest.mark.parametrize("form", [{}, {"cuts": [1], "skipped": 3, "outer": 4}])
def test_a_cell_is_refused_by_its_row_in_the_table(kind, values, row, kind_of_cell, form):
    frame = ArrowFrame({"x": (kind, values), "y": ("i", [1, 2, 3])}, **form)
    if row is None:
        assert cells_of(frame)[2].startswith("1677-09-21 00:12:43.145224192")
        return
    with pytest.raises(ValueError) as refused:
        sotto.Recipe.fit(frame)
    assert str(refused.value).startswith(f"row {row}, column 'x': {kind_of_cell}")
    assert frame.made == frame.released


def test_a_frame_is_read_again_and_again():
    frame = frame_of("vu", [LONG, "b", None, LONGER], cuts=[2])
    recipe = sotto.Recipe.fit(frame, one_hot="x")
    assert recipe.transform(frame).tobytes() == recipe.transform(frame_of("U", [LONG, "b", None, LONGER])).tobytes()
    assert frame.made == frame.released
