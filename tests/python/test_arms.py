"""Arms by name, logs with propensities, scores, and one matrix for all parties."""

import numpy as np
import pytest

import sotto

NAMES = ["mail", "sms", "call"]


def data(rows=300, seed=0):
    """Two parties' features, and each row's right arm, which depends on the features."""
    rng = np.random.default_rng(seed)
    right = rng.integers(0, 3, rows)
    x = 0.1 * rng.normal(size=(rows, 4))
    x[np.arange(rows), right] += 0.8
    x /= np.linalg.norm(x, axis=1).max()
    return [x[:, :2], x[:, 2:]], right


def learned(**arguments):
    parts, right = data()
    bandit = sotto.EpsilonGreedy(**{"arms": NAMES, "max_rows": 1000, **arguments})
    return bandit.partial_fit(parts, np.array(NAMES)[right], np.ones(300)), parts, right


def test_arms_have_names_in_all_calls():
    bandit, parts, right = learned()
    names = np.array(NAMES)[right]
    assert list(bandit.arms_) == list(bandit.classes_) == NAMES
    assert (bandit.predict(parts, explore=False) == names).mean() > 0.95
    assert set(bandit.predict(parts)) == set(NAMES)
    assert bandit.score(parts, names) > 0.95
    assert bandit.score(parts, lambda row, arm: float(arm == names[row])) == bandit.score(parts, names)
    numbers = sotto.EpsilonGreedy(3, max_rows=1000).partial_fit(parts, right, np.ones(300))
    assert (numbers.predict(parts, explore=False) == right).mean() > 0.95 and list(numbers.arms_) == [0, 1, 2]


@pytest.mark.parametrize("labels, expected", [
    (["b", "c", "a", "b"], ["a", "b", "c"]),
    ([30, 1, 7, 7], [1, 7, 30]),
    (np.array([2.0, 0.0, 2.0, 0.0]), [0, 2]),
    (np.array([True, False, True, True]), [0, 1]),
])
def test_arms_are_those_of_the_data(labels, expected):
    parts = [np.eye(4)[:, :2] / 2, np.eye(4)[:, 2:] / 2]
    bandit = sotto.EpsilonGreedy()
    with pytest.raises(ValueError, match="n_arms: the arms are not known yet"):
        bandit.predict(parts)
    with pytest.raises(AttributeError, match="arms_"):
        bandit.arms_
    assert bandit.privacy.eta is None and bandit.privacy.decided == 0
    bandit.partial_fit(parts, labels, [1, 0, 1, 0])
    assert list(bandit.arms_) == expected
    assert set(bandit.predict(parts)) <= set(expected)
    with pytest.raises(ValueError, match="arms: row 1 has none of the "):
        others = np.array([expected[0], "secret", expected[0], expected[0]], dtype=object)
        bandit.partial_fit(parts, others, [1, 0, 1, 0])
    bandit.reset()
    with pytest.raises(AttributeError):
        bandit.arms_


def test_simulations_play_arms_by_name():
    parts, right = data(rows=200)
    names = np.array(NAMES)[right]
    seen = set()

    def reward(row, arm):
        seen.add(arm)
        return float(arm == names[row])

    bandit = sotto.EpsilonGreedy(arms=NAMES, batch=32)
    forms = (reward, names, np.eye(3)[right])
    runs = [bandit.simulate(parts, given, random_state=1, plaintext=False) for given in forms]
    runs.append(sotto.EpsilonGreedy(3, batch=32).simulate(parts, right, random_state=1, plaintext=False))
    assert seen == set(NAMES)
    assert set(runs[0].arms) <= set(NAMES) and not runs[0].arms.flags.writeable
    for run in runs[1:3]:
        np.testing.assert_array_equal(run.arms, runs[0].arms)
    np.testing.assert_array_equal(np.array(NAMES)[runs[3].arms], runs[0].arms)
    found = sotto.EpsilonGreedy(batch=32).simulate(parts, names, plaintext=False)
    assert set(found.arms) <= set(NAMES)
    assert sotto.EpsilonGreedy(batch=32).simulate(parts, np.eye(3)[right], plaintext=False).arms.max() <= 2


class Table:
    """The part of a data frame that rewards need."""

    def __init__(self, matrix, columns):
        self.matrix, self.columns, self.iloc = np.asarray(matrix, dtype=float), columns, self

    def __getitem__(self, place):
        return Table(self.matrix[place], [self.columns[at] for at in place[1]])

    def __array__(self, dtype=None, copy=None):
        return self.matrix


def test_columns_of_rewards_are_matched_by_name():
    bandit, parts, right = learned()
    rewards = np.eye(3)[right]
    turned = Table(rewards[:, [2, 0, 1]], ["call", "mail", "sms"])
    assert bandit.score(parts, turned) == bandit.score(parts, rewards) > 0.9
    with pytest.raises(ValueError, match="reward: the names of its columns are not those of the arms"):
        bandit.score(parts, Table(rewards, ["call", "mail", "fax"]))


@pytest.mark.parametrize("arguments, message", [
    ({"arms": "mail"}, "arms: expected a list of names, not str"),
    ({"arms": 3}, "arms: expected a list of names, not int"),
    ({"arms": []}, "arms: 1 to 1024 names, not 0"),
    ({"arms": range(1025)}, "arms: 1 to 1024 names, not 1025"),
    ({"arms": ["a", "a"]}, "arms: a name comes twice"),
    ({"arms": ["a", None]}, "arms: names are texts or whole numbers"),
    ({"arms": ["a", 1.5]}, "arms: names are texts or whole numbers"),
    ({"arms": ["a", "b"], "n_arms": 3}, "n_arms: 2 arms are named, not 3"),
    ({"split": 1}, "split: 2 to 8, not 1"),
    ({"split": [3]}, "split: 2 to 8 parties, not 1"),
    ({"split": [3, 0]}, "split: 1 to 1048576, not 0"),
    ({"split": "2"}, "split: expected a whole number, not str"),
    ({"exact_scores": "yes"}, "exact_scores: True, False, or a list"),
])
def test_refuses_arguments(arguments, message):
    with pytest.raises(ValueError) as refused:
        sotto.EpsilonGreedy(**arguments)
    assert str(refused.value).startswith(message)


@pytest.mark.parametrize("arms, message", [
    (["a", 1, "a", "a"], "arms: some arms are texts and some numbers"),
    ([0.5, 1, 1, 1], "arms: row 0 has a value of the type float; arms are texts or whole numbers"),
    ([[0], [1], [1], [1]], "arms: expected one a row, not the shape"),
    (["a", "b"], "arms: expected one a row, 4 of them"),
])
def test_refuses_arms_of_data(arms, message):
    bandit = sotto.EpsilonGreedy()
    with pytest.raises(ValueError) as refused:
        bandit.partial_fit([np.eye(4)[:, :2] / 2, np.eye(4)[:, 2:] / 2], np.array(arms, dtype=object), [1, 0, 1, 0])
    assert str(refused.value).startswith(message)
    assert bandit.n_rows_learned_ == 0


def log(policy, rows=4000, seed=5):
    """Rows whose arms were drawn with the probabilities that `policy` gives for the right arm: (X, arms, rewards,
    propensities).
    """
    parts, right = data(rows, seed)
    rng = np.random.default_rng(seed)
    chances = np.full((rows, 3), (1 - policy) / 2)
    chances[np.arange(rows), right] = policy
    arms = (rng.random((rows, 1)) > chances.cumsum(axis=1)).sum(axis=1)
    rewards = (rng.random(rows) < np.where(arms == right, 0.8, 0.3)).astype(float)
    return parts, np.array(NAMES)[arms], rewards, chances[np.arange(rows), arms]


@pytest.mark.parametrize("policy", [1 / 3, 0.1, 0.8])
def test_a_log_tells_the_value_of_the_model(policy):
    bandit, *_ = learned()
    parts, arms, rewards, propensities = log(policy)
    value = bandit.score(parts, arms=arms, rewards=rewards, propensities=propensities)
    assert value == pytest.approx(0.8, abs=2 * value.half_width) and 0 < value.half_width < 0.1
    assert value.mean_weight == pytest.approx(1, abs=0.2)
    assert repr(value) == f"{value:.4f} +- {value.half_width:.4f}"
    picked = bandit.predict(parts, explore=False)
    weights = (picked == arms) / propensities
    assert value == pytest.approx(rewards.mean() + (weights * (rewards - rewards.mean())).mean())


def test_logs_that_cannot_tell_are_refused():
    bandit, *_ = learned()
    parts, arms, rewards, propensities = log(1 / 3)

    def with_seventh(value):
        return {"propensities": np.where(np.arange(4000) == 7, value, propensities)}

    def score(**changed):
        return bandit.score(parts, **{"arms": arms, "rewards": rewards, "propensities": propensities, **changed})

    for changed, message in [
        ({"propensities": propensities / 4},
         "propensities: the mean of 1 / propensity is 12, and 3 is the most with 3"),
        ({"propensities": np.full(4000, 0.9)},
         "propensities: the mean weight of the model's arms is 0.3.*not all played"),
        ({"propensities": propensities[1:]}, "propensities: expected one a row, 4000 of them"),
        (with_seventh(0), "propensities: row 7 has none above 0 and at most 1"),
        (with_seventh(np.nan), "propensities: row 7 has none above 0"),
        (with_seventh(1.01), "propensities: row 7 has none above 0"),
        (with_seventh(0.001), "propensities: row 7 has one below 0.01"),
        ({"propensities": None}, "score: arms need rewards and propensities"),
        ({"rewards": rewards[1:]}, "rewards: expected one a row"),
        ({"arms": None}, "score: give y, or arms"),
    ]:
        with pytest.raises(ValueError, match=message):
            score(**changed)


def test_propensities_are_checked_and_change_no_model():
    parts, arms, rewards, propensities = log(0.8, rows=400)
    with_them, without = (sotto.EpsilonGreedy(arms=NAMES, max_rows=1000, exact_scores=True) for _ in range(2))
    with_them.partial_fit(parts, arms, rewards, propensities=propensities)
    without.partial_fit(parts, arms, rewards)
    np.testing.assert_allclose(with_them.predict_scores(parts), without.predict_scores(parts), atol=0.02)
    with pytest.raises(ValueError, match="propensities: the mean of 1 / propensity"):
        with_them.partial_fit(parts, arms, rewards, propensities=np.full(400, 0.1))
    assert with_them.n_rows_learned_ == 400


def test_scores_are_those_of_ridge_regression_and_are_stamped():
    parts, arms, rewards, _ = log(1 / 3, rows=500)
    bandit = sotto.EpsilonGreedy(arms=NAMES, max_rows=1000, exact_scores=[True, True])
    bandit.partial_fit(parts, arms, rewards)
    assert not np.isnan(bandit.privacy.eta) and bandit.privacy.eta_run == 0
    scores = bandit.predict_scores(parts)
    x = np.hstack(parts)
    for number, name in enumerate(NAMES):
        own = x[arms == name]
        weights = np.linalg.solve(np.eye(4) + own.T @ own, own.T @ rewards[arms == name])
        np.testing.assert_allclose(np.asarray(scores)[:, number], x @ weights, atol=0.02)
    assert repr(scores) == "Scores(500 x 3, INSECURE: nothing bounds what they reveal)"
    assert scores.secure is False and scores.eta is None and list(scores.arms) == NAMES
    assert bandit.privacy.eta is None and bandit.privacy.eta_run is None and bandit.privacy.decided == 500


@pytest.mark.parametrize("mode, parties", [("replicated", 3), ("ot", 2), ("helper", 2)])
def test_scores_without_a_dealer(mode, parties):
    (first, second), right = data(rows=60)
    parts = [first, second] if parties == 2 else [first, second[:, :1], second[:, 1:]]
    scores = [sotto.EpsilonGreedy(3, max_rows=100, exact_scores=True, preprocessing=way)
              .partial_fit(parts, right, np.ones(60)).predict_scores(parts).values for way in (mode, "dealer")]
    np.testing.assert_allclose(*scores, atol=0.05)


@pytest.mark.parametrize("answer, message", [
    (False, "exact_scores: party 0 has not agreed. Scores reveal features of all parties"),
    ([True, False], "exact_scores: party 1 has not agreed"),
    ([True], "exact_scores: 2 parties, and the answers of 1"),
])
def test_scores_take_the_consent_of_each_party(answer, message):
    bandit, parts, _ = learned(exact_scores=answer)
    with pytest.raises(ValueError) as refused:
        bandit.predict_scores(parts)
    assert str(refused.value).startswith(message)
    assert bandit.privacy.eta is not None


def test_one_matrix_for_all_parties():
    parts, right = data()
    whole = np.hstack(parts)
    apart = sotto.EpsilonGreedy(3, max_rows=1000).fit(parts, right)
    for split in (2, [2, 2], (1, 1, 2), 3):
        bandit = sotto.EpsilonGreedy(3, max_rows=1000, split=split)
        assert bandit.plan(whole).rounds == apart.plan(parts).rounds
        with pytest.raises(AttributeError):
            bandit.n_features_in_
        bandit.fit(whole, right)
        assert bandit.n_features_in_ == 4
        assert (bandit.predict(whole, explore=False) == apart.predict(parts, explore=False)).mean() > 0.97
        assert bandit.fit(whole[:100], right[:100]).n_rows_learned_ == 100
    for wrong, message in [
        (whole[0], "X: expected one matrix, since split=2, not 1 dimensions"),
        (whole[:, :1], r"X: 1 feature\(s\) \(shape=\(300, 1\)\) while a minimum of 2 is required"),
    ]:
        with pytest.raises(ValueError, match=message):
            sotto.EpsilonGreedy(3, split=2).fit(wrong, right)
    with pytest.raises(ValueError, match=r"X: 4 feature\(s\), and split=\[2, 3\] has 5"):
        sotto.EpsilonGreedy(3, split=[2, 3]).fit(whole, right)


def test_new_arguments_are_kept_and_shown():
    bandit = sotto.EpsilonGreedy(arms=("a", "b"), split=[1, 2], exact_scores=True)
    assert repr(bandit).endswith("add_constant=0.0, arms=('a', 'b'), split=[1, 2], exact_scores=True)")
    again = sotto.EpsilonGreedy(**bandit.get_params())
    assert again.get_params() == bandit.get_params()
    assert list(bandit.set_params(arms=["x", "y", "z"]).arms_) == ["x", "y", "z"]
    assert set(vars(bandit)) == set(bandit.get_params())
