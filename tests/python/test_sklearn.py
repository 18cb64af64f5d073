"""Tests of EpsilonGreedy with the tools of scikit-learn and with `split`."""

import numpy as np
import pytest

import sotto

checks = pytest.importorskip("sklearn.utils.estimator_checks")
selection = pytest.importorskip("sklearn.model_selection")
pipeline = pytest.importorskip("sklearn.pipeline")
preprocessing = pytest.importorskip("sklearn.preprocessing")
exceptions = pytest.importorskip("sklearn.exceptions")

# Checks of check_estimator that a bandit of several parties cannot pass, each with its reason.
IMPOSSIBLE = {
    "check_complex_data": "its matrix has one column, and each of two parties has at least one",
    "check_dtype_object": "a cell that is no number is a ValueError that names the party's column, not a TypeError",
    "check_estimators_pickle": "a model is shares of several parties, which stay in their process",
    "check_estimators_partial_fit_n_features": "partial_fit takes rewards of played arms, which the check has not",
    "check_fit_score_takes_y": "partial_fit takes rewards of played arms, which the check has not",
    "check_classifiers_regression_target": "arms that are fractions are refused, in words of arms and not of labels",
    "check_supervised_y_2d": "a matrix is one of rewards, so a matrix of one column is not taken for arms",
}


class Shortened(sotto.EpsilonGreedy):
    """The bandit, but all rows are first divided by one number, because rows of the checks may exceed max_norm."""

    def _parts_of(self, X):
        try:
            numbers = np.asarray(X, dtype=float)
        except (TypeError, ValueError):
            return super()._parts_of(X)
        if numbers.ndim != 2 or not numbers.size or not np.isfinite(numbers).all():
            return super()._parts_of(X)
        longest = np.sqrt((numbers**2).sum(axis=1).max())
        return super()._parts_of(numbers / max(longest, 1e-9) * 0.99 * self.max_norm)


def bandit(**changed):
    """Returns a bandit without exploration, because many checks predict twice and compare."""
    return Shortened(**{"split": 2, "epsilon": 0, "batch": 16, "max_norm": 2, "max_rows": 5000, **changed})


ALL_CHECKS = [(estimator, check) for estimator, check in checks.check_estimator(bandit(), generate_only=True)]


def name_of(parameter):
    return parameter.func.__name__ if hasattr(parameter, "func") else "bandit"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator, check", ALL_CHECKS, ids=name_of)
def test_check_estimator(estimator, check):
    if check.func.__name__ in IMPOSSIBLE:
        with pytest.raises(Exception):  # noqa: B017 - a check that passes must leave the list
            check(estimator)
    else:
        check(estimator)


def test_the_list_names_checks_that_exist():
    assert set(IMPOSSIBLE) <= {check.func.__name__ for _, check in ALL_CHECKS}
    assert len(ALL_CHECKS) - len(IMPOSSIBLE) >= 30


def digits():
    X0, X1, y = sotto.datasets.digits(parties=2)
    return np.hstack([X0, X1])[:600], np.array([f"digit {label}" for label in y[:600]])


def test_cross_validation_and_grids():
    X, y = digits()
    learner = sotto.EpsilonGreedy(split=[10, 10], max_rows=2000, batch=200)
    scores = selection.cross_val_score(learner, X, y, cv=3)
    assert len(scores) == 3 and scores.min() > 0.6
    grid = selection.GridSearchCV(learner, {"add_constant": [False, 0.2]}, cv=2).fit(X, y)
    assert grid.best_score_ > 0.6 and set(grid.predict(X[:50])) <= set(y)
    assert grid.best_estimator_.n_features_in_ == 20


def test_a_pipeline():
    X, y = digits()
    whole = pipeline.make_pipeline(preprocessing.Normalizer(), sotto.EpsilonGreedy(split=4, max_rows=2000, epsilon=0))
    assert whole.fit(3 * X, y).score(X, y) > 0.7
    with pytest.raises(exceptions.NotFittedError):
        sotto.EpsilonGreedy(split=2).predict(X)
