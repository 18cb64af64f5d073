"""Programs in Python: values compared with numpy, costs compared with the plan, and the operations that a secret
refuses.
"""

import numpy as np
import pytest

import sotto


def play(function, *data, parties=None, **options):
    """Runs the function as a program and returns its result. Rounds, bytes and dealt bytes must match the plan."""
    program = sotto.program(function, parties=parties or len(data), **options)
    plan, out = program.plan(*data), program.simulate(*data)
    assert (out.rounds, out.bytes, out.dealt) == (plan.rounds, plan.bytes, plan.dealt)
    assert out.opened == plan.opened
    return out


def of_one(compute, x, **options):
    """The result of `compute` on party 0's array."""

    def program(s, mine):
        return s.open(compute(s.input(mine, owner=0)), name="y")

    return play(program, x, np.zeros_like(x), **options)


@pytest.mark.parametrize("parties", [2, 3, 5])
def test_sums_of_all_parties(parties):
    data = [np.random.default_rng(p).uniform(-4, 4, (3, 2)) for p in range(parties)]

    def average(s, mine):
        parts = [s.input(mine, owner=p, bound=4) for p in range(s.parties)]
        return s.open(sum(parts[1:], parts[0]) / s.parties, name="average")

    out = play(average, *data)
    np.testing.assert_allclose(out.value, np.mean(data, axis=0), atol=1e-5)
    assert out.rounds == 2
    assert out.opened == [sotto.Opening("average", (3, 2), None, 20)]


RNG = np.random.default_rng(1)
X = RNG.uniform(-2, 2, (3, 4))
V = RNG.uniform(-2, 2, 4)
P = RNG.uniform(-1, 1, (3, 4))
ROW = RNG.uniform(-1, 1, 4)

LOCAL = {
    "negative": (lambda x: -x, X),
    "plus a number": (lambda x: x + 1.5, X),
    "a number minus": (lambda x: 1 - x, X),
    "numpy minus": (lambda x: P - x, X),
    "minus a row": (lambda x: x - ROW, X),
    "times a number": (lambda x: 0.3 * x, X),
    "times a matrix": (lambda x: P * x, X),
    "times a row": (lambda x: x * ROW, X),
    "over a number": (lambda x: x / 4, X),
    "over a matrix": (lambda x: x / (2 + P), X),
    "a vector over a matrix of numbers": (lambda x: x + P, V),
    "itself": (lambda x: x + x - 2 * x, X),
    "transposed": (lambda x: x.T, X),
    "a row": (lambda x: x[1], X),
    "the last row": (lambda x: x[-1], X),
    "rows": (lambda x: x[1:], X),
    "a column": (lambda x: x[:, 2], X),
    "columns": (lambda x: x[:, 1:3], X),
    "an entry": (lambda x: x[2, 3], X),
    "a part": (lambda x: x[1:3, :2], X),
    "of a vector": (lambda x: x[1:3], V),
    "no rows": (lambda x: x[3:], X),
    "reshaped": (lambda x: x.reshape(2, 6), X),
    "flat": (lambda x: x.reshape(-1), X),
    "summed": (lambda x: x.sum(), X),
    "summed down": (lambda x: x.sum(axis=0), X),
    "summed across": (lambda x: x.sum(axis=1), X),
    "mean": (lambda x: x.mean(axis=-1), X),
    "mean of a vector": (lambda x: x.mean(), V),
    "times public on the right": (lambda x: x @ P.T, X),
    "times public on the left": (lambda x: P.T @ x, X),
    "times a public vector": (lambda x: x @ ROW, X),
    "a public vector times": (lambda x: P[:, 0] @ x, X),
    "a vector times public": (lambda x: x @ P.T, V),
}


@pytest.mark.parametrize("name", LOCAL)
def test_what_takes_no_message(name):
    compute, x = LOCAL[name]
    out = of_one(compute, x)
    expected = compute(x)
    assert np.shape(out.value) == expected.shape
    np.testing.assert_allclose(out.value, expected, atol=2e-5)
    assert out.rounds == 2


FROM_THE_LEFT = {
    "array plus": lambda x: P + x,
    "array minus": lambda x: P - x,
    "array times": lambda x: P * x,
    "array @": lambda x: P.T @ x,
    "a numpy number times": lambda x: np.float64(0.5) * x,
    "a numpy number minus": lambda x: np.float32(1.5) - x,
    "numpy's own names": lambda x: np.add(x, np.multiply(P, np.subtract(x, 1))),
    "array over a number": lambda x: np.divide(x, 4),
    "array below": lambda x: P < x,
    "array at least": lambda x: P >= x,
}


@pytest.mark.parametrize("name", FROM_THE_LEFT)
def test_what_numpy_is_asked_first(name):
    compute = FROM_THE_LEFT[name]
    np.testing.assert_allclose(of_one(compute, X).value, compute(X), atol=2e-5)


PRODUCTS = {
    "entrywise": (lambda x, y: x * y, 3),
    "squared": (lambda x, y: x**2 - y**2, 3),
    "matrices": (lambda x, y: x @ y.T, 3),
    "a sum of all rows' products": (lambda x, y: sum(x[i] * y[i] for i in range(3)), 3),
    "a sum of products": (lambda x, y: x * y + 2 * (y * y) - x, 3),
    "half of a product": (lambda x, y: (x * y) * 0.5 - (x * x) / 4, 3),
    "a row times": (lambda x, y: x[0] * y, None),
    "a column times": (lambda x, y: x[:, :1] * y, None),
    "dots": (lambda x, y: x[0] @ y[1], 3),
    "matrix times vector": (lambda x, y: x @ y[1], None),
    "vector times matrix": (lambda x, y: x[:, 0] @ y, None),
    "three factors": (lambda x, y: x * y * x, None),
    "the sum of a product": (lambda x, y: (x * y).sum(axis=0), None),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products(name):
    compute, rounds = PRODUCTS[name]
    y = RNG.uniform(-2, 2, X.shape)

    def program(s, mine):
        return s.open(compute(s.input(mine, owner=0), s.input(mine, owner=1)), name="z")

    out = play(program, X, y)
    expected = compute(X, y)
    assert np.shape(out.value) == expected.shape
    np.testing.assert_allclose(out.value, expected, atol=1e-4)
    # A product that is opened directly is not rounded, which saves rounds.
    assert out.rounds <= 2 if rounds == 3 else out.rounds <= 6


def test_what_is_independent_shares_its_rounds():
    def one(s, mine):
        x = s.input(mine, owner=0)
        return s.open(((x * x) * x) * x, name="a")

    def many(s, mine):
        x, y = s.input(mine, owner=0), s.input(mine, owner=1)
        return [s.open(((z * z) * z) * z, name=str(i)) for i, z in enumerate((x, y, x + y, x - y))]

    assert play(many, V, V).rounds == play(one, V, V).rounds


def test_stacked_and_joined():
    def program(s, mine):
        x, y = s.input(mine, owner=0), s.input(mine, owner=1)
        return {
            "stack": s.open(sotto.stack([x, y]), name="stack"),
            "numbers": s.open(sotto.stack([x[0], y[1]]), name="numbers"),
            "below": s.open(sotto.concatenate([sotto.stack([x, y]), sotto.stack([y])]), name="below"),
            "beside": (s.open(sotto.concatenate([sotto.stack([x]), sotto.stack([y])], axis=1), name="beside"),),
            "long": s.open(sotto.concatenate([x, y]), name="long"),
        }

    y = V + 1
    value = play(program, V, y).value
    np.testing.assert_allclose(value["stack"], np.stack([V, y]), atol=1e-5)
    np.testing.assert_allclose(value["numbers"], [V[0], y[1]], atol=1e-5)
    np.testing.assert_allclose(value["below"], np.stack([V, y, y]), atol=1e-5)
    np.testing.assert_allclose(value["beside"][0], [np.concatenate([V, y])], atol=1e-5)
    np.testing.assert_allclose(value["long"], np.concatenate([V, y]), atol=1e-5)


def test_who_learns_what():
    def program(s, mine):
        x = s.input(mine, owner=0)
        return s.open(x, name="to one", to=1), s.open(x.sum(), name="to all")

    out = play(program, V, V)
    np.testing.assert_allclose(out.value[0], V, atol=1e-5)
    assert out.value[1] == pytest.approx(V.sum(), abs=1e-5)
    assert out.opened == [sotto.Opening("to one", (4,), 1, 20), sotto.Opening("to all", (), None, 20)]
    assert set(out.values) == {"to one", "to all"}


def test_linear_regression_of_two_companies():
    rng = np.random.default_rng(4)
    x = rng.uniform(-1, 1, (60, 3))
    y = x @ [0.5, -0.25, 1] + rng.normal(0, 0.1, 60)

    def fit(s, mine):
        features = s.input(mine, owner=0, shape=(60, 3), bound=1)
        target = s.input(mine, owner=1, shape=(60,), bound=2)
        w = s.zeros(3)
        for _ in range(10):
            w = (w - (features.T @ (features @ w - target)) * (1.0 / 60)).within(4)
        return s.open(w, name="w")

    w = np.zeros(3)
    for _ in range(10):
        w = w - x.T @ (x @ w - y) / 60
    np.testing.assert_allclose(play(fit, x, y).value, w, atol=1e-4)


@pytest.mark.parametrize(
    "act, expected",
    [
        (lambda x: bool(x), r"neither true nor false: sotto.where\(bit, x, y\) chooses in secret; s.open\("),
        (lambda x: 1 if x else 0, "sotto.where"),
        (lambda x: float(x), "no number to look at: compute with it as it is; s.open"),
        (lambda x: int(x), "s.open"),
        (lambda x: x == 1, "sotto.equal"),
        (lambda x: x != x, "sotto.equal"),
        (lambda x: print(x), r"cannot be printed: repr\(x\) has its shape; s.open"),
        (lambda x: f"{x}", "repr"),
        (lambda x: str(x), "repr"),
        (lambda x: np.asarray(x), "no array of numpy"),
        (lambda x: 1 in x, r"sotto.equal\(x, value\).max\(\)"),
        (lambda x: {x: 1}, "unhashable"),
        (lambda x: [1, 2, 3, 4][x[0]], "one-hot"),
        (lambda x: x[x[0]], "no index"),
        (lambda x: x / x, "sotto.divide"),
        (lambda x: 1 / x, "sotto.divide"),
        (lambda x: np.exp(x), r"numpy's exp is of public numbers: of secrets it is sotto.exp\(x, most=...\)"),
        (lambda x: np.maximum(x, V), "sotto.maximum"),
        (lambda x: np.maximum(V, x), "sotto.maximum"),
        (lambda x: np.abs(x), "sotto.abs"),
        (lambda x: np.sin(x), "numpy's sin is of public numbers: sotto has"),
        (lambda x: np.add.reduce(x), "numpy's add"),
        (lambda x: V.copy().__iadd__(x), r"its operator, into a new secret: x = x \+ y"),
        (lambda x: np.equal(V, x), "sotto.equal"),
        (lambda x: np.not_equal(V, x), "sotto.equal"),
        (lambda x: np.sum(x), r"x.sum\(axis\)"),
        (lambda x: np.concatenate([x, x]), "sotto.concatenate"),
        (lambda x: np.where(x < 0, x, 1), r"sotto.where\(bit, x, y\)"),
        (lambda x: np.dot(V, x), "x @ y"),
        (lambda x: np.sort(x), r"x.sort\(axis\)"),
        (lambda x: np.median(x), "numpy's median is of public numbers"),
    ],
)
def test_a_secret_stays_one(act, expected):
    def program(s, mine):
        act(s.input(mine, owner=0))

    with pytest.raises(TypeError, match=expected):
        sotto.program(program).simulate(V, V)


def of_numbers(act):
    """Returns the error of a program whose operations depend on each party's own number, 1.25 at party 0 and 2.25 at
    party 1.
    """

    def program(s, mine):
        return s.open(act(s.input(0.0, owner=0, shape=()) * np.ones((2, 2)), float(mine)), name="x")

    with pytest.raises(ValueError) as caught:
        sotto.program(program).simulate(1.25, 2.25)
    return str(caught.value)


def test_programs_that_differ_in_numbers_say_so():
    said = of_numbers(lambda x, own: x + np.array([[1, 1], [own, 1]]))
    assert "party 0 does add_public of the shape 2 x 2 and party 1 the same with other public numbers, first in row 1, column 0" in said
    said = of_numbers(lambda x, own: x * own)
    assert "party 0 does scale of the shape 2 x 2 and party 1 the same with another public number" in said
    assert "another public number, such as a bound or a factor" in of_numbers(lambda x, own: x.within(own))
    # The error must not show the numbers in which the parties' programs differ, because such numbers may be data.
    for said in (of_numbers(lambda x, own: x + own), of_numbers(lambda x, own: x * own)):
        assert "1.25" not in said and "2.25" not in said
    said = of_numbers(lambda x, own: x - (x + 1 if own == 1.25 else x))
    assert "party 0 does add_public of the shape 2 x 2" in said

    def opens_to(s, mine):
        return s.open(s.input(mine, owner=0), name="x", to=int(mine))

    with pytest.raises(ValueError, match="'x' for party 0 and party 1 'x' for party 1"):
        sotto.program(opens_to).simulate(0, 1)


def test_a_plan_needs_no_data_where_the_program_says_its_shapes():
    def program(shape):
        return sotto.program(lambda s, mine: s.open(s.input(mine, owner=1, shape=shape), name="x"))

    assert program((4,)).plan() == program((4,)).plan(V, V) == program(None).plan(V, V)
    with pytest.raises(ValueError, match=r"no data here to take a shape from: s.input\(mine, owner=1, shape=...\) says it"):
        program(None).plan()
    with pytest.raises(ValueError, match="party 1 brings nothing"):
        program((4,)).simulate(V, None)


def test_openings_say_what_a_large_bound_costs():
    def program(s, mine):
        x, y = (s.input(mine, owner=0, bound=bound) for bound in (16, 1e6))
        return [s.open(z, name=name) for name, z in (("x", x), ("y", y), ("x + y", x + y), ("whole", s.constant(3.0)))]

    x = np.array([0.3, -1 / 3])
    out = play(program, x, x)
    assert [opening.bits for opening in out.opened] == [20, 10, 10, 64]
    for opening, value, plain in zip(out.opened, out.value, (x, x, 2 * x, 3.0)):
        assert np.abs(value - plain).max() <= 2.0 ** -opening.bits


def test_what_was_opened_steers_nothing():
    def program(s, mine):
        x = s.open(s.input(mine, owner=0), name="x")
        return 1 if x else 0

    with pytest.raises(TypeError, match="'x' is known after the run alone"):
        sotto.program(program).simulate(V, V)


def run_of(function, *data, **options):
    return lambda: sotto.program(function, **options).simulate(*data)


def opens(compute):
    return lambda s, mine: s.open(compute(s, mine), name="x")


WRONG = {
    "another party's turn": (
        run_of(opens(lambda s, mine: s.input(mine, owner=0) * (2 if mine[0] > 0 else 3)), V, -V),
        r"not the same at all parties: at line \d+ of <lambda>, operation 1",
    ),
    "more at one party": (
        run_of(lambda s, mine: [s.open(s.input(mine, owner=0), name=str(i)) for i in range(len(mine))], V, V[:2]),
        "not the same at all parties",
    ),
    "another shape": (run_of(opens(lambda s, mine: s.input(mine, owner=0, shape=(2,))), V, V), r"expected the shape \(2,\)"),
    "not finite": (run_of(opens(lambda s, mine: s.input(mine, owner=0)), V * np.nan, V), "not finite"),
    "above the bound": (run_of(opens(lambda s, mine: s.input(mine, owner=0, bound=1)), V * 0 + 2, V), "larger than the bound, 1"),
    "nobody's": (run_of(opens(lambda s, mine: s.input(mine, owner=2)), V, V), "owner: a party of 0 to 1, not 2"),
    "three dimensions": (run_of(opens(lambda s, mine: s.input(mine, owner=0)), np.zeros((1, 1, 1)), V), "two dimensions"),
    "a mask": (run_of(opens(lambda s, mine: s.input(mine, owner=0)), np.ma.masked_less(V, 0), V), "input: a masked array"),
    "texts": (run_of(opens(lambda s, mine: s.input(mine, owner=0)), ["a"], ["b"]), "expected real numbers"),
    "a name twice": (
        run_of(lambda s, mine: [s.open(s.input(mine, owner=0), name="x") for _ in range(2)], V, V),
        "there is a 'x' already",
    ),
    "no name": (run_of(lambda s, mine: s.open(s.input(mine, owner=0), name=""), V, V), "every opening has a name"),
    "too few arguments": (run_of(opens(lambda s, mine: s.input(mine, owner=0)), V), "takes 2 arguments, one a party, not 1"),
    "shapes that do not fit": (run_of(opens(lambda s, mine: s.input(mine, owner=0) + np.ones(3)), V, V), "broadcast"),
    "matrices that do not fit": (run_of(opens(lambda s, mine: s.input(mine, owner=0) @ np.ones(3)), V, V), "matrix product"),
    "infinite": (run_of(opens(lambda s, mine: s.input(mine, owner=0) / 0), V, V), "not finite"),
    "too large for the ring": (
        run_of(opens(lambda s, mine: s.input(mine, owner=0, bound=1e15) * 1e9), V, V),
        r"line \d+ of <lambda>: ",
    ),
    "nine parties": (lambda: sotto.program(lambda s: None, parties=9), "parties: 2 to 8"),
    "too many bits": (lambda: sotto.program(lambda s: None, bits=25), "bits: 8 to 24"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_programs(name):
    call, expected = WRONG[name]
    with pytest.raises(ValueError, match=expected) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_other_mistakes_name_their_remedy():
    def forgets(s, mine):
        return {"x": [s.input(mine, owner=0)]}

    with pytest.raises(TypeError, match="returns a secret: open it"):
        sotto.program(forgets).simulate(V, V)
    with pytest.raises(TypeError, match="call forgets.simulate"):
        sotto.program(forgets)(V, V)
    kept = []
    sotto.program(lambda s, mine: kept.append(s.input(mine, owner=0))).simulate(V, V)
    with pytest.raises(RuntimeError, match="has returned"):
        kept[0] + 1
    with pytest.raises(ValueError, match="two runs"):
        sotto.program(lambda s, mine: s.input(mine, owner=0) + kept[0]).simulate(V, V)
    assert repr(kept[0]) == "<Secret of shape (4,)>"


def test_a_program_without_data_and_one_of_nothing():
    out = play(lambda s: s.open(s.constant([1.0, 2.0]) * 2, name="x"), parties=3)
    np.testing.assert_allclose(out.value, [2, 4], atol=1e-5)
    assert sotto.program(lambda s: 5).simulate().value == 5


def test_the_plan_knows_the_link():
    program = sotto.program(opens(lambda s, mine: s.input(mine, owner=0)))
    assert program.plan(V, V).seconds is None
    assert program.plan(V, V, link="20ms").seconds == pytest.approx(0.04)
    assert program.plan(V, V, link="20ms,1mbit").seconds > 0.04
