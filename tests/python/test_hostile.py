"""Tests of arguments that a caller can get wrong, and of unusual arguments that must be accepted."""

import numpy as np
import pytest

import sotto

ROWS = 12


def given():
    rng = np.random.default_rng(1)
    return [rng.uniform(-0.3, 0.3, (ROWS, 3)), rng.uniform(-0.3, 0.3, (ROWS, 2))]


def bandit(**settings):
    return sotto.EpsilonGreedy(3, **{"batch": 4, **settings})


def changed(part, row, column, value):
    matrices = given()
    matrices[part][row, column] = value
    return matrices


def objects(part, column):
    mixed = part.astype(object)
    mixed[3, column] = "text"
    return mixed


class Labels(list):
    """Behaves like an index of pandas: its values are numpy values, and equals() compares the whole index."""

    def equals(self, other):
        return list(self) == list(other)


class Frame:
    """The part of a DataFrame of pandas that the tests need, so that pandas need not be installed."""

    def __init__(self, values, name="a", index=None):
        self.values = values
        self.index = Labels(range(len(values)) if index is None else index)
        self.columns = [f"{name}{c}" for c in range(values.shape[1])]

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype=dtype)

    @property
    def iloc(self):
        parent = self

        class At:
            def __getitem__(self, key):
                column = parent.values[key]
                return column if column.dtype != object or any(isinstance(v, str) for v in column) else column.astype(float)

        return At()


class Series:
    def __init__(self, values, index):
        self.values = np.asarray(values)
        self.index = Labels(index)

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype=dtype)


def frames(b=lambda x: x, b_index=None, index=None):
    one, two = given()
    two = b(two)
    return [Frame(one, "a", index), Frame(two, "b", (b_index or index or range(ROWS))[: len(two)])]


WRONG = {
    "NaN": (lambda: changed(1, 7, 1, np.nan), r"X\[1\], row 7, column 1: not a finite number"),
    "infinity": (lambda: changed(0, 2, 0, -np.inf), r"X\[0\], row 2, column 0: not a finite number"),
    "too long a row": (lambda: changed(0, 5, 1, 1.5), r"X, row 5: its norm over all parties is above 1; raise max_norm \(at most 8\), or divide all of X by"),
    "one party": (lambda: given()[:1], r"2 to 8 parties, 1 given"),
    "nine parties": (lambda: given()[:1] * 9, r"2 to 8 parties, 9 given"),
    "one matrix": (lambda: np.hstack(given()), r"one matrix of all features"),
    "a vector": (lambda: [given()[0], np.zeros(ROWS)], r"X\[1\]: expected a matrix"),
    "three dimensions": (lambda: [given()[0], np.zeros((ROWS, 2, 2))], r"X\[1\]: expected a matrix"),
    "other rows": (lambda: [given()[0], given()[1][:-1]], r"X\[1\]: 11 rows, but X\[0\] has 12"),
    "no rows": (lambda: [part[:0] for part in given()], r"no rows"),
    "no columns": (lambda: [given()[0], np.zeros((ROWS, 0))], r"X\[1\]: no columns"),
    "complex": (lambda: [given()[0], given()[1] + 0j], r"X\[1\]: expected real numbers, not complex128"),
    "texts": (lambda: [given()[0], np.full((ROWS, 2), "a")], r"X\[1\], column 0: expected real numbers"),
    "a text in a list": (lambda: [given()[0], [[1.0, "a"]] * ROWS], r"X\[1\], column 1: expected real numbers, not object"),
    "intervals of time": (lambda: [given()[0], np.full((ROWS, 2), np.timedelta64(1, "s"))], r"X\[1\], column 0: expected real numbers"),
    "a whole number that no float holds": (lambda: [given()[0], [[1.0, 10**400]] * ROWS], r"X\[1\], column 1: expected real numbers, not object"),
    "one object": (lambda: [given()[0], objects(given()[1], 0)], r"X\[1\], column 0: expected real numbers, not object"),
    "one frame": (lambda: Frame(given()[0]), r"X: expected a list of frames, one a party"),
    "other rows of a frame": (lambda: frames(b=lambda x: x[:-1]), r"X\[1\]: 11 rows, but X\[0\] has 12"),
    "another index": (lambda: frames(b_index=[*range(1, ROWS), 0]), r"X\[1\]: its index is not that of X\[0\], first in row 0; give X\[1\].loc\[X\[0\].index\]"),
    "an index of texts": (lambda: frames(b_index=[*range(3), *"abcdefghi"]), r"X\[1\]: its index is not that of X\[0\], first in row 3"),
    "an index beside none": (lambda: [Frame(given()[0], index=[*range(1, ROWS + 1)]), given()[1]], r"X\[1\]: it has no index, and that of X\[0\] is not 0, 1, 2"),
    "texts in a frame": (lambda: frames(b=lambda x: objects(x, 1)), r"X\[1\], column 'b1': expected real numbers, not object, first in row 3 \(str\); correct it, or .astype\(float\)"),
    "NaN in a frame": (lambda: frames(b=lambda x: np.where(np.arange(24).reshape(x.shape) == 9, np.nan, x)), r"X\[1\], column 'b1', row 4: not a finite number"),
    "a mask": (lambda: [given()[0], np.ma.masked_less(given()[1], 0)], r"X\[1\]: a masked array; fill its gaps first"),
    "ragged": (lambda: [given()[0], [[1.0], [1.0, 2.0]]], r""),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("call", ["simulate", "partial_fit", "predict"])
def test_wrong_features(name, call):
    make, expected = WRONG[name]
    calls = {
        "simulate": lambda parts: bandit().simulate(parts, np.zeros((ROWS, 3))),
        "partial_fit": lambda parts: bandit().partial_fit(parts, np.zeros(ROWS, int), np.zeros(ROWS)),
        "predict": lambda parts: bandit().predict(parts),
    }
    with pytest.raises(ValueError, match=expected) as caught:
        calls[call](make())
    assert "\n" not in str(caught.value).strip() or name == "ragged"


def test_frames_go_by_their_index():
    index = [7, 3, *range(20, 30)]
    arms, rewards = np.arange(ROWS) % 3, np.ones(ROWS)
    model = bandit().partial_fit(frames(index=index), Series(arms, index), Series(rewards, index))
    assert model.n_rows_learned_ == ROWS
    assert len(model.predict(frames(index=index))) == ROWS
    model.partial_fit(frames(index=index), arms, rewards)
    other = [3, 7, *range(20, 30)]
    for name, arguments in (("arms", (Series(arms, other), rewards)), ("rewards", (arms, Series(rewards, other)))):
        with pytest.raises(ValueError, match=rf"{name}: its index is not that of X\[0\], first in row 0"):
            model.partial_fit(frames(index=index), *arguments)
    with pytest.raises(ValueError, match=r"reward: its index is not that of X\[0\], first in row 0"):
        bandit().simulate(frames(index=index), Series(arms, other))
    with pytest.raises(ValueError, match="arms: its index is not 0, 1, 2 and so on, first in row 0"):
        model.partial_fit(given(), Series(arms, other), rewards)
    assert model.n_rows_learned_ == 2 * ROWS


def test_columns_of_frames_stay_in_their_order():
    model = bandit().partial_fit(frames(), np.zeros(ROWS, int), np.zeros(ROWS))
    swapped = frames()
    swapped[0].columns[0], swapped[0].columns[2] = "a2", "a0"
    with pytest.raises(ValueError, match=r"X\[0\], column 'a2': the model has 'a0' in its place"):
        model.predict(swapped)
    assert len(model.predict(given())) == ROWS
    by_arrays = bandit().partial_fit(given(), np.zeros(ROWS, int), np.zeros(ROWS))
    by_arrays.predict(frames())
    with pytest.raises(ValueError, match=r"X\[0\], column 'a2': the model has 'a0' in its place"):
        by_arrays.predict(swapped)


def test_objects_that_are_numbers_are_taken():
    mixed = given()[1].astype(object)
    expected = bandit().simulate(given(), np.arange(ROWS) % 3, random_state=3)
    for second in (Frame(mixed, "b"), mixed):
        first = Frame(given()[0]) if isinstance(second, Frame) else given()[0]
        same = bandit().simulate([first, second], np.arange(ROWS) % 3, random_state=3)
        np.testing.assert_array_equal(same.arms, expected.arms)


def test_a_program_refuses_an_index_that_would_be_lost():
    def program(s, mine):
        return s.open(s.input(mine, owner=0).sum(), name="sum")

    plain = Series(np.ones(3), range(3))
    assert sotto.program(program).simulate(plain, plain).value == 3
    with pytest.raises(ValueError, match="input: its index is not 0, 1, 2 and so on, first in row 0"):
        sotto.program(program).simulate(Series(np.ones(3), [2, 1, 0]), plain)


def as_record(part):
    """The columns of a packed record: neither aligned nor contiguous."""
    record = np.zeros(part.shape[0], dtype=[("flag", "i1"), ("x", "f8", part.shape[1])])
    record["x"] = part
    return record["x"]


def frozen(part):
    part.flags.writeable = False
    return part


EQUAL = {
    "Fortran order": np.asfortranarray,
    "every second row": lambda part: np.repeat(part, 2, axis=0)[::2],
    "backwards twice": lambda part: np.ascontiguousarray(part[::-1, ::-1])[::-1, ::-1],
    "transposed": lambda part: np.ascontiguousarray(part.T).T,
    "read-only": frozen,
    "not aligned": as_record,
    "other byte order": lambda part: part.astype(">f8"),
    "lists": lambda part: part.tolist(),
    "a subclass": lambda part: part.view(np.matrix),
}


@pytest.mark.parametrize("name", EQUAL)
def test_any_order_of_memory_is_the_same(name):
    reward = np.eye(3)[np.arange(ROWS) % 3]
    expected = bandit().simulate(given(), reward, random_state=3)
    same = bandit().simulate([EQUAL[name](part) for part in given()], reward, random_state=3)
    np.testing.assert_array_equal(same.arms, expected.arms)
    assert same.plaintext == expected.plaintext


def test_rows_all_alike_without_memory_of_their_own():
    parts = [np.broadcast_to(np.array([0.1, 0.2, 0.3]), (ROWS, 3)), np.broadcast_to(0.1, (ROWS, 2))]
    assert len(bandit().predict(parts)) == ROWS


@pytest.mark.parametrize("kind", ["f4", "f2", "i1", "u8", "?"])
def test_other_numbers_are_converted(kind):
    parts = [np.zeros((ROWS, 3), kind), np.zeros((ROWS, 2), kind)]
    parts[0][:, 0] = 1
    assert len(bandit().predict(parts)) == ROWS


def test_what_was_given_is_not_changed():
    parts = given()
    copies = [part.copy() for part in parts]
    bandit().simulate(parts, np.zeros((ROWS, 3)))
    for part, copy in zip(parts, copies):
        np.testing.assert_array_equal(part, copy)


LESSONS = {
    "an arm too many": ([0] * 11 + [3], [0] * ROWS, r"row 11: there is no such arm; arms are 0 to 2"),
    "a negative arm": ([-1] + [0] * 11, [0] * ROWS, r"row 0: there is no such arm"),
    "arms of another length": ([0] * 11, [0] * ROWS, r"arms: expected one a row, 12 of them"),
    "arms that are no numbers": (["a"] * ROWS, [0] * ROWS, r"arms: expected whole numbers"),
    "fractions of arms": ([0.5] * ROWS, [0] * ROWS, r"arms: expected whole numbers, not float64"),
    "masked arms": (np.ma.masked_equal([0] * ROWS, 0), [0] * ROWS, r"arms: a masked array"),
    "masked rewards": ([0] * ROWS, np.ma.masked_equal([0] * ROWS, 0), r"rewards: a masked array"),
    "a huge arm": (np.full(ROWS, 2**64 - 1, np.uint64), [0] * ROWS, r"arms: a number is too large"),
    "rewards of another length": ([0] * ROWS, [0] * 13, r"rewards: expected one a row"),
    "rewards of two dimensions": ([0] * ROWS, np.zeros((ROWS, 1)), r"rewards: expected one a row"),
    "a reward that is no number": ([0] * ROWS, [np.nan] + [0] * 11, r"row 0: the reward is not a number in \[-1, 1\]"),
    "a reward above 1": ([0] * ROWS, [0] * 11 + [1.01], r"row 11: the reward is not a number"),
    "a reward between 0 and 1": ([0] * ROWS, [0.5] + [0] * 11, r"row 0: the reward is neither 0 nor 1"),
}


@pytest.mark.parametrize("name", LESSONS)
def test_wrong_lessons(name):
    arms, rewards, expected = LESSONS[name]
    learner = bandit()
    learner.partial_fit(given(), [1] * ROWS, [1] * ROWS)
    with pytest.raises(ValueError, match=expected):
        learner.partial_fit(given(), arms, rewards)
    assert learner.n_rows_learned_ == ROWS


def test_a_model_keeps_its_columns():
    learner = bandit().partial_fit(given(), [1] * ROWS, [1] * ROWS)
    with pytest.raises(ValueError, match=r"X\[1\] has 3 columns, but the model has 2 of it"):
        learner.predict([given()[0], given()[0]])
    with pytest.raises(ValueError, match="X is of 3 parties, but the model of 2"):
        learner.predict([part[:, :1] for part in (given()[0], given()[0], given()[1])])


def test_a_model_learns_no_more_than_it_is_made_for():
    learner = bandit(max_rows=20).partial_fit(given(), [1] * ROWS, [1] * ROWS)
    with pytest.raises(ValueError, match="made for 20 rows that it learns, and would have 24"):
        learner.partial_fit(given(), [1] * ROWS, [1] * ROWS)
    assert learner.n_rows_learned_ == ROWS


@pytest.mark.parametrize(
    "reward, expected",
    [
        (np.zeros((ROWS, 2)), r"reward: expected the shape \(12, 3\), not \(12, 2\)"),
        (np.zeros(ROWS), r"reward: a vector has the right arm of each row as whole numbers, such as y.astype\(int\), not float64"),
        (np.ma.masked_equal(np.zeros((ROWS, 3)), 1), r"reward: a masked array"),
        (np.full(ROWS, 3), r"reward: right arms are 0 to 2"),
        (np.zeros((ROWS, 3, 1)), r"reward: expected a matrix"),
        (np.full((ROWS, 3), 0.5), r"a reward is neither 0 nor 1"),
        (np.full((ROWS, 3), np.nan), r"a reward is not a number in \[-1, 1\]"),
        (lambda row, arm: None, r"reward: expected a number in \[-1, 1\] of row 0, but the function returned NoneType"),
        (lambda row, arm: "1", r"the function returned str"),
        (lambda row, arm: 2.0, r"row 0: a reward is not a number in \[-1, 1\]"),
        (lambda row, arm: float("nan"), r"row 0: a reward is not a number in \[-1, 1\]"),
    ],
)
def test_wrong_rewards_of_a_run(reward, expected):
    with pytest.raises(ValueError, match=expected):
        bandit().simulate(given(), reward)


@pytest.mark.parametrize(
    "settings, expected",
    [
        ({"n_arms": 0}, r"n_arms: 1 to 1024, not 0"),
        ({"n_arms": 2.0}, r"n_arms: expected a whole number, not float"),
        ({"n_arms": True}, r"n_arms: expected a whole number, not bool"),
        ({"epsilon": -0.1}, r"epsilon: 0 to 1, not -0.1"),
        ({"epsilon": float("nan")}, r"epsilon: 0 to 1, not nan"),
        ({"epsilon": "0.1"}, r"epsilon: expected a number, not str"),
        ({"max_norm": 8.5}, r"max_norm: 0 to 8, not 8.5"),
        ({"max_norm": 0}, r"max_norm: above 0 and at most 8, not 0"),
        ({"batch": 0}, r"batch: 1 to"),
        ({"batch": 100_000}, r"batch: with max_norm=1 a batch has 1 to 19\d\d rows, not 100000; give a smaller one, or scale"),
        ({"rewards": "integer"}, r'rewards: "binary" or "real", not \'integer\''),
    ],
)
def test_wrong_settings(settings, expected):
    with pytest.raises(ValueError, match=expected):
        sotto.EpsilonGreedy(**{"n_arms": 3, **settings})


def test_a_plan_takes_steps_or_rows():
    with pytest.raises(ValueError, match="steps: required"):
        sotto.EpsilonGreedy(3).plan([2, 2])


@pytest.mark.parametrize("max_norm", [0.5, 1.0, 3.0, 8.0])
def test_the_largest_batch_is_that_of_the_plan(max_norm):
    with pytest.raises(ValueError, match="a batch has 1 to") as caught:
        sotto.EpsilonGreedy(3, max_norm=max_norm, batch=1_000_000)
    most = int(str(caught.value).partition("1 to ")[2].partition(" ")[0])
    assert sotto.EpsilonGreedy(3, max_norm=max_norm, batch=most).plan([2, 2], steps=10).rounds > 0
    with pytest.raises(ValueError):
        sotto.EpsilonGreedy(3, max_norm=max_norm, batch=most + 1)


@pytest.mark.parametrize("parties, components", [(1, 20), (9, 20), (3, 2), (2, 65)])
def test_wrong_digits(parties, components):
    with pytest.raises(ValueError):
        sotto.datasets.digits(parties, components)
