"""Recipes of frames, compared with the files of `sotto prepare party`, and the reader of Arrow's C stream interface."""

import inspect
import os
import pickle
import re
import subprocess
import warnings
from decimal import Decimal

import numpy as np
import pytest
from frames import FITS, ArrowFrame, arrow_of, csv_of, mixed_columns, prepare

import sotto


@pytest.fixture(autouse=True)
def without_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def same_bits(left, right):
    return left.dtype == right.dtype and left.shape == right.shape and left.tobytes() == right.tobytes()


@pytest.mark.parametrize("flags, arguments", FITS)
def test_makes_the_files_of_the_command(tmp_path, flags, arguments):
    columns = mixed_columns()
    recipe_text, rows, labels = prepare(tmp_path, csv_of(columns), *flags.split())
    frame = arrow_of(columns, cuts=[1, 90, 90], skipped=3)
    recipe = sotto.Recipe.fit(frame, **arguments)
    recipe.save(tmp_path / "python.toml")
    assert (tmp_path / "python.toml").read_text() == recipe_text
    assert same_bits(recipe.transform(frame), rows)
    if labels is not None:
        assert recipe.arms == sorted(set(columns["offer"]))
        assert list(recipe.arms_of(frame)) == columns["offer"] == [recipe.arms[label] for label in labels]
    assert frame.released == frame.made > 0


def test_makes_later_rows_as_the_command_does(tmp_path):
    known, later = mixed_columns(), mixed_columns(rows=40, seed=1)
    later["plan"][3] = "platinum"
    prepare(tmp_path, csv_of(known), "--robust", "--id", "customer")
    (tmp_path / "out").rename(tmp_path / "known")
    _, rows, _ = prepare(tmp_path, csv_of(later), "--recipe", str(tmp_path / "known/recipe.toml"))
    recipe = sotto.Recipe.load(tmp_path / "known/recipe.toml")
    assert same_bits(recipe.transform(arrow_of(later)), rows)
    others = {name: later[name] for name in reversed(list(later))}
    assert same_bits(recipe.transform(arrow_of(others)), rows)
    assert same_bits(pickle.loads(pickle.dumps(recipe)).transform(arrow_of(later)), rows)


def test_a_saved_recipe_is_loaded_and_saved_as_it_is(tmp_path):
    recipe = sotto.Recipe.fit(arrow_of(mixed_columns()), id="customer", label="offer")
    recipe.save(tmp_path / "a.toml")
    again = sotto.Recipe.load(tmp_path / "a.toml")
    again.save(tmp_path / "b.toml")
    assert (tmp_path / "a.toml").read_bytes() == (tmp_path / "b.toml").read_bytes()
    assert (again.id, again.label, again.arms) == ("customer", "offer", ["call", "mail", "sms"])
    assert again.columns == ["income", "age", "debt", "plan", "postcode", "member"]
    assert again.features == recipe.features and again.norm == recipe.norm == pytest.approx(0.5**0.5)
    assert recipe.uses["since"].startswith("left out: it looks like a date") and again.uses == {}
    assert repr(again) == f"Recipe(columns=6, features={len(again.features)}, norm=0.7071)"


def column_of(kind, values, **arguments):
    """Returns the categories of a column with these values, one category for each value."""
    frame = ArrowFrame({"x": (kind, values) if isinstance(kind, str) else (kind[0], values, *kind[1:])}, skipped=2)
    recipe = sotto.Recipe.fit(frame, one_hot="x", constant=0, **arguments)
    names = [name.removeprefix("x=") for name in recipe.features]
    return [names[row.argmax()] for row in recipe.transform(frame)]


@pytest.mark.parametrize("kind, values, expected", [
    ("b", [True, False], ["true", "false"]),
    ("c", [-128, 127], ["-128", "127"]),
    ("C", [0, 255], ["0", "255"]),
    ("s", [-32768, 2], ["-32768", "2"]),
    ("S", [65535, 2], ["65535", "2"]),
    ("i", [-(2**31), 2], ["-2147483648", "2"]),
    ("I", [2**32 - 1, 2], ["4294967295", "2"]),
    ("l", [-(2**63), 2**63 - 1], ["-9.223372036854776e+18", "9223372036854775807"]),
    ("L", [2**64 - 1, 0], ["18446744073709551615", "0"]),
    ("f", [0.1, -2.0], ["0.1", "-2"]),
    ("g", [0.1, 1e10], ["0.1", "10000000000"]),
    ("g", [float("nan"), 1.5], ["x missing", "1.5"]),
    ("u", ["", "a"], ["x missing", "a"]),
    ("U", ["  a ", "b"], ["a", "b"]),
    ("vu", ["twelve bytes", "thirteen bytes"], ["twelve bytes", "thirteen bytes"]),
    ("vu", [None, "a text that is longer than its view"], ["x missing", "a text that is longer than its view"]),
    ("d:10,2", [-5, 1234567], ["-0.05", "12345.67"]),
    ("d:38,0", [10**30, None], ["1" + "0" * 30, "x missing"]),
    ("d:38,2,128", [7, 0], ["0.07", "0"]),
    ("tdD", [0, -719162], ["1970-01-01", "0001-01-01"]),
    ("tdm", [86_400_000, -1], ["1970-01-02", "1969-12-31"]),
    ("tss:", [0, 86_400], ["1970-01-01", "1970-01-02"]),
    ("tsm:", [0, -1], ["1970-01-01 00:00:00", "1969-12-31 23:59:59.999000"]),
    ("tsu:", [1, None], ["1970-01-01 00:00:00.000001", "x missing"]),
    ("tsn:Europe/Berlin", [1, 0], ["1970-01-01 00:00:00.000000001+00:00", "1970-01-01 00:00:00+00:00"]),
    (("c", "u", ["p", "q"]), [1, 0], ["q", "p"]),
    (("L", "g", [2.5, None]), [0, 1], ["2.5", "x missing"]),
    (("i", "vu", ["p"]), [0, None], ["p", "x missing"]),
])
def test_reads_the_types_of_arrow(kind, values, expected):
    assert column_of(kind, values) == expected


def test_a_column_of_nulls_is_left_out():
    recipe = sotto.Recipe.fit(ArrowFrame({"x": ("n", [None, None]), "y": ("i", [1, 2])}))
    assert recipe.features == ["y", "constant"] and recipe.uses["x"] == "left out: all values are missing (2 empty)"


@pytest.mark.parametrize("column, message", [
    (("e", [0, 0]), "column 'x': float16, which a cast to float32 makes readable, where numbers"),
    (("ttu", [0, 0]), "column 'x': times of day, where numbers"),
    (("tDs", [0, 0]), "column 'x': durations"),
    (("z", [b"", b""]), "column 'x': bytes"),
    (("+l", [0, 0]), "column 'x': lists, structs or other nested values"),
    (("d:40,2,256", [0, 0]), "column 'x': decimals of other than 128 bits, which a cast to float64 makes readable"),
    (("?", [0, 0]), "column 'x': another type"),
    (("", [0, 0]), "column 'x': another type"),
])
def test_refuses_other_types_by_column(column, message):
    columns = {"x": column, "y": ("i", [1, 2])}
    with pytest.raises(TypeError) as refused:
        sotto.Recipe.fit(ArrowFrame(columns))
    assert str(refused.value).startswith(message) and "drop" in str(refused.value)
    assert sotto.Recipe.fit(ArrowFrame(columns), drop="x").features == ["y", "constant"]


@pytest.mark.parametrize("hurt, message", [
    ("stream", "the frame: its Arrow stream failed: the disk is gone"),
    ("buffers", "column 'x': its Arrow array lacks a buffer"),
    ("rows", "column 'x': its Arrow array has fewer rows than its table"),
    ("children", "the frame: its Arrow stream has a batch with another number of columns than its schema"),
])
def test_refuses_streams_that_contradict_themselves(hurt, message):
    frame = ArrowFrame({"x": ("i", [1, 2])}, hurt=hurt)
    with pytest.raises(ValueError) as refused:
        sotto.Recipe.fit(frame)
    assert str(refused.value).startswith(message) and "\x1b" not in str(refused.value)
    assert frame.released == frame.made


@pytest.mark.parametrize("hurt", ["capsule", "schema"])
def test_refuses_what_is_no_table(hurt):
    with pytest.raises(TypeError, match="the frame: "):
        sotto.Recipe.fit(ArrowFrame({"x": ("i", [1, 2])}, hurt=hurt))


@pytest.mark.parametrize("column, message", [
    (("c", [0, 5], "u", ["a", "b"]), "column 'x': its Arrow array has a category outside of its dictionary"),
    (("c", [0, -1], "u", ["a", "b"]), "column 'x': its Arrow array has a category outside of its dictionary"),
    (("L", [0, 2**64 - 1], "u", ["a", "b"]), "column 'x': its Arrow array has a category outside of its dictionary"),
    (("c", [0, 0], "u", []), "column 'x': its Arrow array has a category outside of its dictionary"),
    (("g", [0, 0], "u", ["a"]), "column 'x': its Arrow array has categories without whole numbers"),
    (("u", [b"\xff", b"a"]), "row 0, column 'x': a text that is not in UTF-8"),
    (("u", ["a", "b\nc"]),
     "row 1, column 'x': a text of several lines; make one line of it, or leave the column out with drop=['x']"),
    (("tss:", [0, 2**62]), "row 1, column 'x': a date outside of the years 1 to 9999"),
    (("tdD", [0, 2932897]), "row 1, column 'x': a date outside of the years 1 to 9999"),
])
def test_refuses_cells_by_row_and_column(column, message):
    with pytest.raises(ValueError) as refused:
        sotto.Recipe.fit(ArrowFrame({"x": column}, skipped=1))
    assert str(refused.value).startswith(message)


@pytest.mark.parametrize("columns, arguments, message", [
    ({"x": ("u", ["1", "secret"])}, {},
     "row 1, column 'x': a text where a number is expected (1 of 2 values); one_hot=['x'] makes"),
    ({"x": ("u", ["1", "12%"])}, {},
     "row 1, column 'x': a percentage where a number is expected (1 of 2 values); percent=['x'] reads"),
    ({"a b": ("u", ["1", "1,5"])}, {}, "row 1, column 'a b': a number with the other decimal mark where"),
    ({"it's": ("g", [1.0, float("inf")])}, {},
     'row 1, column \'it\'s\': a number that is infinite or larger in size than 1e30 where a number is expected '
     '(1 of 2 values); mend it, or leave the column out with drop=["it\'s"]'),
    ({"x": ("u", ["a", "b"])}, {"id": "y"}, "the frame: there is no column 'y' (id)"),
    ({"x": ("u", ["a", "a"]), "y": ("i", [1, 2])}, {"id": "x"}, "row 1, column 'x': the id of row 0 stands here again"),
    (
        {"x": ("u", ["a", "a"]), "z": ("u", ["b", "b"]), "y": ("i", [1, 2])},
        {"id": ["z", "x"]},
        "row 1, column 'z': the id of row 0 stands here again",
    ),
    ({"x": ("u", ["a", None]), "y": ("i", [1, 2])}, {"id": "x"}, "row 1, column 'x': no value where an id is expected"),
    ({"x": ("u", ["a", None]), "y": ("i", [1, 2])}, {"label": "x"},
     "row 1, column 'x': no value where a label is expected"),
    ({"x": ("g", [0.5, 1.0]), "y": ("i", [1, 2])}, {"label": "x"},
     "row 0, column 'x': the label is not a whole number"),
    ({"": ("i", [1, 2])}, {}, "the frame's column 0: its name is empty"),
    ({"a\tb": ("i", [1, 2])}, {}, "the frame's column 0: this column name has a control character"),
    ({"x": ("i", [1, 2]), " x": ("i", [1, 2])}, {}, "the frame's column 1: a second column of the name 'x'"),
    ({"x": ("i", [])}, {}, "the frame: there is no row, or no column"),
    ({}, {}, "the frame: there is no row, or no column"),
    ({"x": ("i", [1, 1])}, {}, "the frame: no column makes a feature"),
    ({"x": ("i", [1, 2])}, {"components": 2}, "components: 2 components asked for, the table makes 1 feature"),
    ({"x": ("i", [1, 2])}, {"parties": 9}, "parties: 2 to 8, not 9"),
    ({"x": ("i", [1, 2])}, {"share": 1.5}, "share: must be above 0 and at most max_norm, 1"),
    ({"x": ("i", [1, 2])}, {"max_norm": 0}, "max_norm: "),
    ({"x": ("i", [1, 2])}, {"robust": 1}, "robust: expected True or False, not int"),
    ({"x": ("i", [1, 2])}, {"categories": 0}, "categories: 1 to 16384, not 0"),
    ({"x": ("i", [1, 2])}, {"clip": float("nan")}, "clip: 0 to 1000000"),
])
def test_refuses_tables_and_arguments(columns, arguments, message):
    with pytest.raises(ValueError) as refused:
        sotto.Recipe.fit(ArrowFrame(columns), **arguments)
    assert str(refused.value).startswith(message)
    assert "secret" not in str(refused.value) and "--" not in str(refused.value)


@pytest.mark.parametrize("frame", [None, [[1, 2]], {"x": [1, 2]}, np.ones((2, 2)), ArrowFrame, "table.csv"])
def test_refuses_other_objects(frame):
    with pytest.raises(TypeError, match="frame: expected a pandas.DataFrame, or an object that has __arrow_c_stream__"):
        sotto.Recipe.fit(frame)


@pytest.mark.parametrize("arguments", [{"id": 3}, {"label": ["x"]}, {"drop": [3]}, {"missing": [Decimal(-1)]}])
def test_names_are_texts(arguments):
    with pytest.raises(TypeError, match=f"{next(iter(arguments))}: expected "):
        sotto.Recipe.fit(ArrowFrame({"x": ("i", [1, 2])}), **arguments)


def test_labels_that_are_numbers_of_arms_stay_numbers():
    frame = ArrowFrame({"x": ("i", [1, 2, 3]), "y": ("g", [1.0, 0.0, 2.0])})
    recipe = sotto.Recipe.fit(frame, label="y")
    assert recipe.arms == [] and recipe.arms_of(frame).tolist() == [1, 0, 2]
    others = ArrowFrame({"x": ("i", [1, 2, 3]), "y": ("i", [30, 10, 20])})
    recipe = sotto.Recipe.fit(others, label="y")
    assert recipe.arms == ["10", "20", "30"] and recipe.arms_of(others).tolist() == ["30", "10", "20"]


def test_from_frames_to_decisions():
    rng = np.random.default_rng(4)
    age, income = rng.integers(18, 90, 400), rng.normal(3000, 900, 400)
    offers = np.where(age < 40, "sms", np.where(income > 3000, "call", "mail")).tolist()
    shop = ArrowFrame({"age": ("i", age.tolist()), "offer": ("u", offers)})
    bank = ArrowFrame({"income": ("g", income.tolist())})
    recipes = [sotto.Recipe.fit(shop, label="offer"), sotto.Recipe.fit(bank)]
    parts = [recipe.transform(frame) for recipe, frame in zip(recipes, (shop, bank))]
    right = recipes[0].arms_of(shop)
    bandit = sotto.EpsilonGreedy(arms=recipes[0].arms, max_rows=1000).fit(parts, right)
    assert bandit.score(parts, right) > 0.7
    assert set(bandit.predict(parts)) <= {"call", "mail", "sms"}
    run = bandit.simulate(parts, right, random_state=0, plaintext=False)
    assert set(run.arms) <= {"call", "mail", "sms"} and run.average_reward > 0.5


def test_later_tables_must_fit_the_recipe():
    recipe = sotto.Recipe.fit(ArrowFrame({"x": ("i", [1, 2]), "y": ("u", ["a", "b"])}), label="y")
    with pytest.raises(ValueError, match="the frame: there is no column 'x', which the recipe needs; is it a recipe"):
        recipe.transform(ArrowFrame({"X": ("i", [1, 2])}))
    with pytest.raises(ValueError, match="row 1, column 'x': a text where a number is expected"):
        recipe.transform(ArrowFrame({"x": ("u", ["1", "secret"])}))
    with pytest.raises(ValueError, match="row 1, column 'y': a label that the recipe does not know"):
        recipe.arms_of(ArrowFrame({"x": ("i", [1, 2]), "y": ("u", ["a", "secret"])}))
    with pytest.raises(ValueError, match="the frame lacks the column of labels"):
        recipe.arms_of(ArrowFrame({"x": ("i", [1, 2])}))
    with pytest.warns(UserWarning, match="column 'z': the recipe does not know it"):
        recipe.transform(ArrowFrame({"x": ("i", [1, 2]), "z": ("i", [1, 2])}))


def test_columns_that_a_recipe_does_not_need_may_be_of_any_type():
    recipe = sotto.Recipe.fit(ArrowFrame({"x": ("i", [1, 2]), "day": ("tdD", [1, 2])}))
    frame = ArrowFrame({"x": ("i", [1, 2]), "day": ("z", [b"a", b"b"]), "other": ("+l", [0, 0])}, cuts=[1])
    assert recipe.transform(frame).shape == (2, 2)


def test_arguments_are_the_flags_of_the_command():
    program = os.environ.get("SOTTO_PROGRAM")
    if not program:
        pytest.skip("SOTTO_PROGRAM does not name the program sotto")
    page = subprocess.run([program, "prepare", "party", "--help"], capture_output=True, text=True, check=True).stdout
    flags = {flag.replace("-", "_") for flag in re.findall(r"--([a-z][a-z-]+)", page)}
    of_files = {"help", "help_all", "table", "recipe", "out", "overwrite", "sort", "no_header", "json", "version"}
    of_files |= {"events", "absent_missing"}
    renamed = {"no_normalise": "normalise"}
    expected = {renamed.get(flag, flag) for flag in flags - of_files}
    assert set(inspect.signature(sotto.Recipe.fit).parameters) - {"frame"} == expected
    assert len(expected) >= 15


def test_files_that_are_no_recipes(tmp_path):
    with pytest.raises(FileNotFoundError):
        sotto.Recipe.load(tmp_path / "none.toml")
    with pytest.raises(FileNotFoundError):
        sotto.Recipe.fit(ArrowFrame({"x": ("i", [1, 2])})).save(tmp_path / "none/recipe.toml")
    texts = {b"[recipe]\nversion = 3\n": "bad.toml", b"\xff": "bad.toml: not in UTF-8", b"x" * (2**22 + 1): "longer"}
    for text, message in texts.items():
        (tmp_path / "bad.toml").write_bytes(text)
        with pytest.raises(ValueError, match=message):
            sotto.Recipe.load(tmp_path / "bad.toml")
    with pytest.raises(TypeError, match="Recipe.fit"):
        sotto.Recipe()


def test_doubts_are_warnings_in_the_words_of_python():
    frame = ArrowFrame({"day": ("tdD", [1, 2]), "reward": ("i", [1, 2])})
    with pytest.warns(UserWarning) as told:
        sotto.Recipe.fit(frame)
    texts = [str(warning.message) for warning in told]
    assert any("leave it out with drop=['day']" in text for text in texts)
    assert any("(label='reward' takes it out as the best arm, drop=['reward'] leaves it out)" in text for text in texts)
    assert {warning.filename for warning in told} == {__file__}
