"""Recipes of pandas frames, compared with those of `sotto prepare party` for a CSV of the frame."""

import datetime
import io
import warnings
from decimal import Decimal

import numpy as np
import pytest
from frames import FITS, arrow_of, csv_of, mixed_columns, prepare

import sotto

pandas = pytest.importorskip("pandas")


@pytest.fixture(autouse=True)
def without_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def plain(columns):
    return pandas.DataFrame(columns)


def nullable(columns):
    return pandas.DataFrame(columns).convert_dtypes()


def categories(columns):
    names = ("plan", "age", "member", "offer", "postcode")
    return pandas.DataFrame(columns).astype({name: "category" for name in names})


def times(columns):
    frame = pandas.DataFrame(columns)
    frame["since"] = pandas.to_datetime(frame["since"])
    return frame


def read_back(columns):
    file = io.StringIO(csv_of(columns))
    return pandas.read_csv(file, dtype={"postcode": str}, parse_dates=["since"], float_precision="round_trip")


@pytest.mark.parametrize("flags, arguments", FITS)
def test_makes_the_files_of_the_command(tmp_path, flags, arguments):
    columns = mixed_columns()
    recipe_text, rows, labels = prepare(tmp_path, csv_of(columns), *flags.split())
    for form in (plain, nullable, categories, times, read_back):
        frame = form(columns)
        recipe = sotto.Recipe.fit(frame, **arguments)
        recipe.save(tmp_path / "python.toml")
        assert (tmp_path / "python.toml").read_text() == recipe_text, form.__name__
        made = recipe.transform(frame)
        assert list(made.columns) == recipe.features
        assert made.to_numpy().tobytes() == rows.tobytes(), form.__name__
        if labels is not None:
            np.testing.assert_array_equal(recipe.arms_of(frame), np.array(recipe.arms)[labels])


def test_makes_the_files_of_a_csv_of_pandas(tmp_path):
    rng = np.random.default_rng(3)
    frame = pandas.DataFrame({
        "small": rng.normal(size=50).astype("float32"),
        "tiny": rng.normal(size=50).astype("float16"),
        "gaps": pandas.array(rng.normal(size=50), dtype="Float64"),
        "halves": pandas.array(rng.normal(size=50), dtype="Float32"),
        "bytes": rng.integers(0, 255, 50).astype("uint8"),
        "words": rng.choice(["NA", "None", "x"], 50),
        "exact": [Decimal(int(x)) / 7 for x in rng.integers(0, 100, 50)],
        "sparse": pandas.arrays.SparseArray(rng.integers(0, 2, 50)),
        3: rng.normal(size=50),
    })
    frame.loc[3:9, "gaps"] = pandas.NA
    frame.loc[2, "exact"] = Decimal("nan")
    recipe_text, rows, _ = prepare(tmp_path, frame.to_csv(index=False), "--not-missing", "words=None")
    recipe = sotto.Recipe.fit(frame, not_missing="words=None")
    recipe.save(tmp_path / "python.toml")
    assert (tmp_path / "python.toml").read_text() == recipe_text
    assert recipe.transform(frame).to_numpy().tobytes() == rows.tobytes()


def test_a_frame_of_arrow_has_the_same_rows():
    columns = mixed_columns()
    recipe = sotto.Recipe.fit(plain(columns), robust=True)
    assert recipe.transform(plain(columns)).to_numpy().tobytes() == recipe.transform(arrow_of(columns)).tobytes()


def test_times_with_a_zone_are_in_utc():
    texts = ["2026-01-01 00:30:00+01:00", "2026-01-02 00:30:00+01:00"]
    for cells in (pandas.to_datetime(texts), [datetime.datetime.fromisoformat(text) for text in texts]):
        recipe = sotto.Recipe.fit(pandas.DataFrame({"t": pandas.Series(cells).astype(object)}), one_hot="t")
        assert recipe.features[:2] == ["t=2025-12-31 23:30:00+00:00", "t=2026-01-01 23:30:00+00:00"]


def test_ids_become_the_index_and_rows_of_other_cases_are_refused():
    columns = mixed_columns(rows=60)
    first = plain({name: columns[name] for name in ("customer", "income")})
    second = plain({name: columns[name] for name in ("customer", "age")})
    parts = [sotto.Recipe.fit(frame, id="customer").transform(frame) for frame in (first, second)]
    assert list(parts[0].index) == columns["customer"]
    bandit = sotto.EpsilonGreedy(2)
    arms = np.zeros(60, dtype=int)
    bandit.partial_fit(parts, arms, np.ones(60))
    with pytest.raises(ValueError, match="index"):
        bandit.partial_fit([parts[0], parts[1][::-1]], arms, np.ones(60))
    spaced = first.rename(columns={"customer": " customer", "income": "income "})
    again = sotto.Recipe.fit(first, id="customer").transform(spaced)
    pandas.testing.assert_frame_equal(again, parts[0], check_names=False)
    unnamed = first.set_index(np.arange(60) + 7).drop(columns="customer")
    assert list(sotto.Recipe.fit(unnamed).transform(unnamed).index) == list(range(7, 67))


@pytest.mark.parametrize("cells, error, message", [
    ([1, "secret", 2.5], ValueError,
     "row 1, column 'x': a text where a number is expected (1 of 3 values); one_hot=['x'] makes"),
    ([None, 10**40, 1.5], ValueError, "row 1, column 'x': a number that is infinite or larger in size than 1e30"),
    (["1.5", 10**5000, 2], ValueError, "row 1, column 'x': a number that is infinite or larger in size than 1e30"),
    ([1.0, float("inf"), 2.0], ValueError, "row 1, column 'x': a number that is infinite or larger in size than 1e30"),
    ([1, Decimal("-Infinity"), 2], ValueError, "row 1, column 'x': a number that is infinite or larger"),
    (["a", "\ud800", "b"], ValueError, "row 1, column 'x': the text has a character that is not of Unicode"),
    (["a", "b", "b\rc"], ValueError, "row 2, column 'x': a text of several lines"),
    ([1, [2], 3], TypeError, "row 1, column 'x': a value of the type list, where a number"),
    ([b"secret", "a", "b"], TypeError, "row 0, column 'x': a value of the type bytes"),
    ([1 + 2j, 2, 3], TypeError, "row 0, column 'x': a value of the type complex"),
    ([1, {"secret": 1}, 3], TypeError, "row 1, column 'x': a value of the type dict"),
    ([datetime.time(1), None, None], TypeError, "row 0, column 'x': a value of the type time"),
    ([datetime.timedelta(1), None, None], TypeError, "row 0, column 'x': a value of the type Timedelta"),
    ([np.timedelta64(1, "Y"), 2, None], TypeError, "row 0, column 'x': a value of the type timedelta64"),
])
def test_refuses_cells_by_row_and_column(cells, error, message):
    frame = pandas.DataFrame({"x": cells, "y": [1, 2, 3]})
    with pytest.raises(error) as refused:
        sotto.Recipe.fit(frame)
    assert str(refused.value).startswith(message)
    assert "secret" not in str(refused.value) and "x" in str(refused.value)
    assert sotto.Recipe.fit(frame, drop="x").features == ["y", "constant"]
    assert sotto.Recipe.fit(frame[["y"]]).transform(frame).shape == (3, 2)
    with pytest.raises(error, match="x"):
        sotto.Recipe.fit(frame[["y"]].assign(x=[1, 2, 3])).transform(frame)


def test_cells_that_a_recipe_ignores_may_be_anything():
    frame = pandas.DataFrame({"x": [1, 2], "y": ["2026-01-01", "2026-01-02"]})
    recipe = sotto.Recipe.fit(frame)
    pandas.testing.assert_frame_equal(recipe.transform(frame.assign(y=[[1], {}])), recipe.transform(frame))


@pytest.mark.parametrize("columns, error, message", [
    ([("a", 1), ("b", 2)], TypeError, "the frame's column 0: its name is of the type tuple"),
    (["a", None], TypeError, "the frame's column 1: its name is of the type NoneType"),
    (["a", "a"], ValueError, "the frame's column 1: a second column of the name 'a'"),
    (["a", "\ud800"], ValueError, "the frame's column 1: its name has a character that is not of Unicode"),
    (["a", " "], ValueError, "the frame's column 1: its name is empty"),
])
def test_refuses_names(columns, error, message):
    frame = pandas.DataFrame([[1, 2], [3, 4]])
    frame.columns = pandas.Index(columns, tupleize_cols=False)
    with pytest.raises(error) as refused:
        sotto.Recipe.fit(frame)
    assert str(refused.value).startswith(message)


def test_an_index_is_no_column():
    frame = pandas.DataFrame({"x": [1, 2]}, index=pandas.Index(["a", "b"], name="customer"))
    with pytest.raises(ValueError, match="id: 'customer' is the frame's index; frame.reset_index"):
        sotto.Recipe.fit(frame, id="customer")
    assert sotto.Recipe.fit(frame.reset_index(), id="customer").id == "customer"


def test_refuses_parts_of_frames():
    for part in (pandas.Series([1, 2]), pandas.Index([1]), pandas.DataFrame):
        with pytest.raises(TypeError, match="frame: expected a pandas.DataFrame"):
            sotto.Recipe.fit(part)
    for empty in (pandas.DataFrame(), pandas.DataFrame({"x": []}), pandas.DataFrame(index=[1, 2])):
        with pytest.raises(ValueError, match="the frame: there is no row, or no column"):
            sotto.Recipe.fit(empty)
