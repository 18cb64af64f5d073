"""Errors in cells: each message has the row, the column or the argument, the kind of the fault and a remedy, and never
the cell."""

import numpy as np
import pytest
from frames import ArrowFrame

import sotto

ROWS = 12
SECRET = 77003.25  # no message may have it


def features(row=None, cell=None, dtype=None):
    made = np.linspace(-0.3, 0.3, 2 * ROWS).reshape(ROWS, 2)
    made = made if dtype is None else made.astype(dtype)
    if row is not None:
        made[row, 1] = cell
    return made


def vector(row, cell, of=0.0, dtype=object):
    made = np.full(ROWS, of, dtype=dtype)
    made[row] = cell
    return made


def learn(X1=None, arms=None, rewards=None, propensities=None, names=(0, 1, 2)):
    bandit = sotto.EpsilonGreedy(3) if names == (0, 1, 2) else sotto.EpsilonGreedy(arms=names)
    played = np.zeros(ROWS, int) if arms is None else arms
    earned = np.zeros(ROWS) if rewards is None else rewards
    bandit.partial_fit([features(), features() if X1 is None else X1], played, earned, propensities)


def simulate(reward):
    sotto.EpsilonGreedy(3).simulate([features(), features()], reward, plaintext=False)


CASES = {
    "NaN": (lambda: learn(features(7, np.nan)), ["X[1]", "row 7", "column 1", "NaN or inf", "; fill it"]),
    "a text": (lambda: learn(features(7, f"{SECRET}", object)), ["X[1]", "column 1", "row 7", "(str)", "; correct it"]),
    "a list": (lambda: learn(features(3, [SECRET], object)), ["X[1]", "column 1", "row 3", "(list)", "; correct it"]),
    "a norm": (lambda: learn(features(5, SECRET)), ["X, row 5", "norm", "; raise max_norm"]),
    "an arm": (lambda: learn(arms=vector(4, 9, 0, int)), ["row 4", "no such arm", "n_arms"]),
    "a negative arm": (lambda: learn(arms=vector(4, -1, 0, int)), ["row 4", "no such arm", "n_arms"]),
    "an arm of another name": (lambda: learn(arms=vector(2, f"{SECRET}", "a"), names=["a", "b"]),
                               ["arms: row 2", "none of the 2 arms", "; correct it"]),
    "arms that are no names": (
        lambda: sotto.EpsilonGreedy().partial_fit([features(), features()], vector(6, SECRET, "a"), np.zeros(ROWS)),
        ["arms: row 6", "type float", "correct it"]),
    "a large reward": (lambda: learn(rewards=vector(8, SECRET, dtype=float)), ["row 8", "[-1, 1]", "; divide"]),
    "a real reward": (lambda: learn(rewards=vector(8, 0.77003, dtype=float)),
                      ["row 8", "neither 0 nor 1", '; give rewards="real"']),
    "a reward of a run": (lambda: simulate(lambda row, arm: SECRET if row == 9 else 0),
                          ["row 9", "[-1, 1]", "; divide"]),
    "a right arm": (lambda: simulate(vector(9, 77003, 0, int)), ["reward", "row 9", "0 to 2", "; correct it"]),
    "a propensity": (lambda: learn(propensities=vector(1, SECRET, 0.5, float)),
                     ["propensities: row 1", "above 0 and at most 1", "; give the probability"]),
    "a small propensity": (lambda: learn(propensities=vector(1, 0.0077003, 0.5, float)),
                           ["propensities: row 1", "below 0.01", "; leave such rows out"]),
    "a cell of a frame": (
        lambda: sotto.Recipe.fit(ArrowFrame({"age": ("u", ["1", "2", f"{SECRET}x", "4"]), "y": ("i", [1, 2, 3, 4])})),
        ["row 2", "column 'age'", "a text where a number is expected", ";"]),
    "a date of a frame": (
        lambda: sotto.Recipe.fit(ArrowFrame({"day": ("tdD", [1, 77_003_000]), "y": ("i", [1, 2])})),
        ["row 1", "column 'day'", "a date outside of the years 1 to 9999", "; make it missing"]),
    "a reward of a log": (
        lambda: sotto.EpsilonGreedy(3).evaluate([features(), features()], {
            "arm": np.zeros(ROWS, int), "reward": vector(3, f"{SECRET}"), "propensity": np.ones(ROWS)}),
        ["log, row 3", "column 'reward'", "type str", "; correct it"]),
    "a propensity of a log": (
        lambda: sotto.EpsilonGreedy(3).evaluate([features(), features()], {
            "arm": np.zeros(ROWS, int), "reward": np.zeros(ROWS), "propensity": vector(3, SECRET, 1.0, float)}),
        ["log, row 3", "column 'propensity'", "above 0 and at most 1", "; give the probability"]),
    "an id": (
        lambda: sotto.EpsilonGreedy(3).evaluate([features(), features()], {
            "arm": np.zeros(ROWS, int), "reward": np.zeros(ROWS), "propensity": np.ones(ROWS)},
            subjects=vector(3, SECRET, "a")),
        ["subjects, row 3", "type float", "; write the ids as texts"]),
}


@pytest.mark.parametrize("name", CASES)
def test_a_message_has_the_place_the_kind_and_a_remedy(name):
    call, parts = CASES[name]
    with pytest.raises(ValueError) as refused:
        call()
    message = str(refused.value)
    for part in parts:
        assert part in message
    assert "77003" not in message.replace(".", "").replace("_", "")
    assert "\n" not in message and "--" not in message and "/tmp" not in message
