"""The bandit, compared with the plain-text algorithm, and its costs, compared with the plan."""

import copy
import json
import math
import os
import pickle
import re
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import sotto


def ridge_arms(parts, arms, rewards, rows, n_arms):
    """Returns the best arm of each of `rows`, and how far its score is above the second best score.

    The scores come from ridge regression on `parts`, `arms` and `rewards`.
    """
    x = np.hstack(parts)
    weights = []
    for arm in range(n_arms):
        own = x[arms == arm]
        gram = np.eye(x.shape[1]) + own.T @ own
        weights.append(np.linalg.solve(gram, own.T @ rewards[arms == arm]))
    scores = np.hstack(rows) @ np.array(weights).T
    ordered = np.sort(scores, axis=1)
    return scores.argmax(axis=1), ordered[:, -1] - ordered[:, -2]


def lessons(parties, rows, n_arms, rng, real=False):
    columns = [2 + p for p in range(parties)]
    x = rng.normal(size=(rows, sum(columns)))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    arms = rng.integers(0, n_arms, rows)
    truth = rng.normal(size=(n_arms, x.shape[1]))
    gain = np.tanh((x * truth[arms]).sum(axis=1))
    rewards = gain if real else (gain > 0).astype(float)
    return np.split(x, np.cumsum(columns)[:-1], axis=1), arms, rewards


@pytest.mark.parametrize("parties", [2, 3, 5])
@pytest.mark.parametrize("real", [False, True])
def test_predicts_what_ridge_regression_does(parties, real):
    rng = np.random.default_rng(parties)
    parts, arms, rewards = lessons(parties, 300, 4, rng, real)
    bandit = sotto.EpsilonGreedy(4, 0.1, batch=50, rewards="real" if real else "binary")
    assert bandit.partial_fit(parts, arms, rewards) is bandit
    assert bandit.n_rows_learned_ == 300
    assert bandit.n_features_in_ == [part.shape[1] for part in parts]
    expected, margin = ridge_arms(parts, arms, rewards, parts, 4)
    clear = margin > 0.05
    assert clear.sum() > 150
    np.testing.assert_array_equal(bandit.predict(parts, explore=False)[clear], expected[clear])


@pytest.mark.parametrize("mode, parties", [("replicated", 3), ("ot", 2), ("helper", 2)])
def test_learns_and_decides_without_a_dealer(mode, parties):
    rng = np.random.default_rng(parties)
    parts, arms, rewards = lessons(parties, 160, 3, rng)
    bandit = sotto.EpsilonGreedy(3, 0.1, batch=80, preprocessing=mode)
    bandit.partial_fit(parts, arms, rewards)
    expected, margin = ridge_arms(parts, arms, rewards, parts, 3)
    clear = margin > 0.05
    assert clear.sum() > 80
    np.testing.assert_array_equal(bandit.predict(parts, explore=False)[clear], expected[clear])
    assert bandit.cost_["dealt"] == 0
    with_a_dealer = sotto.EpsilonGreedy(3, 0.1, batch=80).partial_fit(parts, arms, rewards)
    assert bandit.cost_["rounds"] > with_a_dealer.cost_["rounds"] + 2 * 60


@pytest.mark.parametrize("mode, parties", [("replicated", 3), ("ot", 2), ("helper", 2)])
@pytest.mark.parametrize("update, rounds", [("all-arms", 6), ("pulled-arm", 11)])
def test_plays_without_a_dealer_as_planned(mode, parties, update, rounds):
    rng = np.random.default_rng(3)
    parts, arms, _ = lessons(parties, 40, 3, rng)
    bandit = sotto.EpsilonGreedy(3, 0.1, batch=1, preprocessing=mode, update=update)
    plan = bandit.plan(parts)
    run = bandit.simulate(parts, arms)
    assert (run.rounds, run.bytes, run.dealt) == (plan.rounds, plan.bytes, 0)
    assert plan.phases["step"]["rounds"] == 1 + 40 * rounds
    assert plan.phases["preprocessing"]["rounds"] > 60
    assert json.loads(run.json())["preprocessing"] == mode


def test_refuses_makers_of_randomness_of_other_numbers_of_parties():
    rng = np.random.default_rng(3)
    parts, arms, rewards = lessons(2, 40, 3, rng)
    with pytest.raises(ValueError, match="preprocessing: 'dealer', 'replicated', 'ot' or 'helper', not 'nobody'"):
        sotto.EpsilonGreedy(3, preprocessing="nobody")
    with pytest.raises(ValueError, match="update: 'all-arms' or 'pulled-arm', not 1"):
        sotto.EpsilonGreedy(3, update=1)
    bandit = sotto.EpsilonGreedy(3, preprocessing="replicated")
    for call in (lambda: bandit.plan(parts), lambda: bandit.simulate(parts, arms), lambda: bandit.partial_fit(parts, arms, rewards)):
        with pytest.raises(ValueError, match='preprocessing: "replicated" needs three'):
            call()


def test_partial_fit_goes_on_from_what_was_learned():
    rng = np.random.default_rng(7)
    parts, arms, rewards = lessons(2, 240, 3, rng)
    bandit = sotto.EpsilonGreedy(3, batch=80)
    for first in range(0, 240, 60):
        rows = slice(first, first + 60)
        bandit.partial_fit([part[rows] for part in parts], arms[rows], rewards[rows])
    expected, margin = ridge_arms(parts, arms, rewards, parts, 3)
    clear = margin > 0.05
    np.testing.assert_array_equal(bandit.predict(parts, explore=False)[clear], expected[clear])
    bandit.reset()
    assert bandit.n_rows_learned_ == 0 and bandit.cost_["rounds"] == 0 and bandit.n_features_in_ is None


def in_two_threads(call):
    """Returns the results of two calls that begin at the same time in two threads."""
    at_once = threading.Barrier(2)
    results = []

    def run(number):
        at_once.wait()
        results.append(call(number))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 2
    return results


def test_two_threads_share_a_new_bandit():
    rng = np.random.default_rng(5)
    parts, arms, rewards = lessons(2, 400, 3, rng)
    halves = [slice(0, 200), slice(200, 400)]
    bandit = sotto.EpsilonGreedy(3, batch=50)
    in_two_threads(lambda n: bandit.partial_fit([part[halves[n]] for part in parts], arms[halves[n]], rewards[halves[n]]))
    assert bandit.n_rows_learned_ == 400
    expected, margin = ridge_arms(parts, arms, rewards, parts, 3)
    clear = margin > 0.05
    np.testing.assert_array_equal(bandit.predict(parts, explore=False)[clear], expected[clear])


def test_two_threads_share_one_account():
    rng = np.random.default_rng(5)
    parts, _, _ = lessons(2, 200, 3, rng)
    bandit = sotto.EpsilonGreedy(3, batch=50)
    in_two_threads(lambda n: bandit.predict(parts))
    alone = sotto.EpsilonGreedy(3, batch=50)
    alone.predict(parts)
    assert bandit.privacy.decided == 400
    assert bandit.cost_["rounds"] == 2 * alone.cost_["rounds"]


def test_a_constant_lets_arms_be_good_on_the_average():
    rng = np.random.default_rng(3)
    rows = 3000
    direction = rng.normal(size=(rows, 2))
    parts = [part for part in np.split(direction / np.linalg.norm(direction, axis=1, keepdims=True), 2, axis=1)]
    arms = rng.integers(0, 2, rows)
    rewards = (rng.random(rows) < np.where(arms == 1, 0.8, 0.2)).astype(float)
    right = {}
    for constant in (False, True):
        bandit = sotto.EpsilonGreedy(2, add_constant=constant, batch=500).partial_fit(parts, arms, rewards)
        right[constant] = np.mean(bandit.predict(parts, explore=False))
        assert bandit.n_features_in_ == [1, 1]
    assert right[True] > 0.99 and right[False] < 0.8


@pytest.mark.parametrize("constant", [True, 0.5])
def test_a_constant_is_a_column_of_the_plan(constant):
    rng = np.random.default_rng(3)
    parts, arms, _ = lessons(2, 40, 3, rng)
    bandit = sotto.EpsilonGreedy(3, batch=8, add_constant=constant)
    plan, run = bandit.plan(parts), bandit.simulate(parts, arms)
    assert (run.rounds, run.bytes, run.dealt) == (plan.rounds, plan.bytes, plan.dealt)
    assert plan == bandit.plan([part.shape[1] for part in parts], steps=40)
    assert plan.bytes == sotto.EpsilonGreedy(3, batch=8).plan([parts[0].shape[1] + 1, parts[1].shape[1]], steps=40).bytes
    same = [np.hstack([parts[0] * np.sqrt(1 - float(bandit.add_constant) ** 2), np.full((40, 1), bandit.add_constant)]),
            parts[1] * np.sqrt(1 - float(bandit.add_constant) ** 2)]
    by_hand = sotto.EpsilonGreedy(3, batch=8).simulate(same, arms, random_state=5)
    np.testing.assert_array_equal(bandit.simulate(parts, arms, random_state=5).arms, by_hand.arms)
    for wrong, said in ((1, "add_constant: True, or 0 to below 1, not 1"), (-0.1, "add_constant: 0 to 1, not -0.1"), ("yes", "add_constant: expected a number")):
        with pytest.raises(ValueError, match=said):
            sotto.EpsilonGreedy(3, add_constant=wrong)


def test_too_many_rows_name_max_rows():
    rng = np.random.default_rng(3)
    parts, arms, rewards = lessons(2, 40, 3, rng)
    bandit = sotto.EpsilonGreedy(3, batch=8, max_rows=60).partial_fit(parts, arms, rewards)
    with pytest.raises(ValueError, match=r"max_rows: the model is made for 60 rows that it learns, and would have 80; reset\(\)"):
        bandit.partial_fit(parts, arms, rewards)
    bandit.reset()
    bandit.set_params(max_rows=80).partial_fit(parts, arms, rewards).partial_fit(parts, arms, rewards)
    assert bandit.n_rows_learned_ == 80


def test_exploring_is_uniform_beside_the_best_arm():
    rows = [np.full((4000, 1), 0.5), np.full((4000, 1), 0.5)]
    bandit = sotto.EpsilonGreedy(4, 0.4, batch=1000)
    bandit.partial_fit([part[:200] for part in rows], np.full(200, 2), np.ones(200))
    counts = np.bincount(bandit.predict(rows), minlength=4) / 4000
    # The limit is eight standard deviations.
    assert abs(counts[2] - 0.7) < 0.06
    assert all(abs(counts[arm] - 0.1) < 0.04 for arm in (0, 1, 3))
    assert bandit.privacy.decided == 4000
    assert bandit.privacy.eta == pytest.approx(math.log(4 / 0.4 - 4 + 1), rel=1e-12)
    bandit.predict([part[:1] for part in rows], explore=False)
    assert bandit.privacy.eta is None and bandit.privacy.eta_run is None


def test_a_model_without_lessons_ties():
    rows = [np.full((3000, 1), 0.5), np.full((3000, 1), -0.5)]
    counts = np.bincount(sotto.EpsilonGreedy(3, 0.0, batch=1000).predict(rows), minlength=3)
    assert all(abs(count - 1000) < 8 * math.sqrt(3000 * 2 / 9) for count in counts)


@pytest.mark.parametrize("parties", [2, 3, 5])
@pytest.mark.parametrize("batch", [1, 32])
def test_a_run_costs_what_its_plan_says(parties, batch):
    *parts, y = sotto.datasets.digits(parties=parties)
    steps = 40 if batch == 1 else 200
    bandit = sotto.EpsilonGreedy(10, batch=batch)
    plan = bandit.plan(parts, steps=steps)
    run = bandit.simulate(parts, y, steps=steps)
    assert (run.rounds, run.bytes, run.dealt) == (plan.rounds, plan.bytes, plan.dealt)
    assert plan == bandit.plan([part.shape[1] for part in parts], steps=steps)
    assert sum(phase["rounds"] for phase in plan.phases.values()) == plan.rounds


def test_the_plan_knows_the_link():
    bandit = sotto.EpsilonGreedy(10, batch=256)
    fast, slow = (bandit.plan([10, 10], steps=1024, link=link) for link in ("1ms", "20ms,100mbit"))
    assert fast.seconds < slow.seconds
    assert slow.seconds >= 0.02 * 4 * 18
    assert bandit.plan([10, 10], steps=1024).seconds is None
    for link in ("fast", "1ms,2ms,3ms", "1ms,,"):
        with pytest.raises(ValueError, match="link"):
            bandit.plan([10, 10], steps=10, link=link)


def test_a_run_learns_the_digits(tmp_path):
    X0, X1, y = sotto.datasets.digits(parties=2)
    bandit = sotto.EpsilonGreedy(n_arms=10, epsilon=0.1, max_norm=1.0, batch=64)
    run = bandit.simulate([X0, X1], reward=lambda row, arm: float(arm == y[row]), steps=3594)
    # Single runs of this length reach .78 with a deviation of .03; uniform play reaches .1.
    assert run.average_reward > 0.6 and run.plaintext > 0.6
    assert len(run.arms) == len(run.rewards) == 3594
    np.testing.assert_array_equal(run.rewards, run.arms == np.tile(y, 2))
    assert run.average_reward == pytest.approx(run.rewards.mean(), rel=1e-12)
    assert run.curve.step[-1] == 3594 and run.curve.average_reward[-1] == pytest.approx(run.average_reward)
    assert run.privacy.eta == pytest.approx(math.log(10 / 0.1 - 10 + 1), rel=1e-12)
    assert run.privacy.eta_run > run.privacy.eta and run.privacy.decided == 3594
    run.report(tmp_path / "run.html")
    page = (tmp_path / "run.html").read_text()
    assert page.startswith("<!doctype html>") and "simulate(X, reward, steps=3594)" in page
    named = re.search(r"all figures of this page are in ([^<]+)", page)[1]
    assert named == "run.json" and json.loads((tmp_path / named).read_text())["steps"] == 3594
    run.report(tmp_path / "trial.html")
    assert "are in trial.json<" in (tmp_path / "trial.html").read_text() and (tmp_path / "trial.json").is_file()
    with pytest.raises(ValueError, match="report: the page is HTML"):
        run.report(tmp_path / "run.json")
    assert json.loads(run.json())["steps"] == 3594
    assert bandit.n_rows_learned_ == 0
    with pytest.raises(ValueError):
        run.arms[0] = 1
    with pytest.raises(FileNotFoundError, match="no such folder .* make it first: .*nowhere"):
        run.report(tmp_path / "nowhere" / "run.html")


def test_rewards_as_array_labels_and_function_are_the_same():
    X0, X1, y = sotto.datasets.digits(parties=2)
    rows = slice(0, 150)
    bandit = sotto.EpsilonGreedy(10, batch=16)
    matrix = np.eye(10)[y[rows]]
    runs = [
        bandit.simulate([X0[rows], X1[rows]], reward, random_state=5)
        for reward in (y[rows], matrix, np.asfortranarray(matrix), lambda row, arm: matrix[row, arm])
    ]
    for run in runs[1:]:
        np.testing.assert_array_equal(run.arms, runs[0].arms)
        assert run.plaintext == runs[0].plaintext
    assert runs[0].uniform == pytest.approx(0.1) and runs[0].best == 1
    assert runs[3].uniform is None
    other = bandit.simulate([X0[rows], X1[rows]], y[rows], random_state=6)
    assert not np.array_equal(other.arms, runs[0].arms)


def test_real_rewards():
    rng = np.random.default_rng(3)
    parts, _, _ = lessons(2, 400, 3, rng)
    reward = rng.uniform(-1, 1, (400, 3))
    run = sotto.EpsilonGreedy(3, batch=50, rewards="real").simulate(parts, reward)
    np.testing.assert_array_equal(run.rewards, reward[np.arange(400), run.arms])


def test_what_the_function_raises_comes_out():
    X0, X1, _ = sotto.datasets.digits(parties=2)

    def reward(row, arm):
        if row == 20:
            raise LookupError("no such row")
        return 1.0

    bandit = sotto.EpsilonGreedy(10, batch=8)
    with pytest.raises(LookupError, match="no such row"):
        bandit.simulate([X0, X1], reward)
    with pytest.raises(TypeError):
        bandit.simulate([X0, X1], lambda row: 1.0)
    assert bandit.simulate([X0[:20], X1[:20]], reward).average_reward == 1


def test_other_threads_run_meanwhile():
    X0, X1, y = sotto.datasets.digits(parties=2)
    started, done = threading.Event(), threading.Event()

    def play():
        started.set()
        sotto.EpsilonGreedy(10, batch=64).simulate([X0, X1], y, steps=2000)
        done.set()

    thread = threading.Thread(target=play)
    thread.start()
    started.wait()
    passes = 0
    while not done.is_set():
        passes += 1
    thread.join()
    # If the run held the interpreter's lock all the time, this loop would pass only a few times.
    assert passes > 1000


ENDLESS = """
import sys, sotto
X0, X1, y = sotto.datasets.digits(parties=2)
def reward(row, arm):
    if row == 0:
        print("playing", flush=True)
    return 1.0
bandit = sotto.EpsilonGreedy(10, batch=64)
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", bandit.n_rows_learned_)
    bandit.partial_fit([X0[:64], X1[:64]], y[:64], [1.0] * 64)
    print("goes on", bandit.n_rows_learned_)
"""


@pytest.mark.parametrize(
    "call",
    [
        "bandit.simulate([X0, X1], reward, steps=10**8)",
        "print('playing', flush=True); [bandit.predict([X0, X1]) for _ in range(10**8)]",
    ],
)
def test_ctrl_c_ends_it(call):
    steps = ENDLESS.format(call=call.replace("10**8)", "200_000)", 1) if "simulate" in call else call)
    with subprocess.Popen([sys.executable, "-c", steps], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "playing\n"
        os.kill(process.pid, signal.SIGINT)
        said, _ = process.communicate(timeout=120)
    assert "interrupted 0\ngoes on 64\n" in said
    assert process.returncode == 0


def test_what_it_shows():
    bandit = sotto.EpsilonGreedy(3, 0.2, max_norm=2)
    assert repr(bandit) == (
        "EpsilonGreedy(n_arms=3, epsilon=0.2, max_norm=2.0, batch=64, rewards='binary', reward_lag=0, "
        "max_rows=1000000, preprocessing='dealer', update='all-arms', add_constant=0.0)"
    )
    assert sotto.EpsilonGreedy(**bandit.get_params()).get_params() == bandit.get_params()
    X0, X1, y = sotto.datasets.digits(parties=2)
    run = bandit.simulate([X0[:9], X1[:9]], np.zeros((9, 3)))
    assert repr(run).startswith(f"{run.worth.sentence}\nRun(steps=9, average_reward=0.0000")


def test_arguments_stay_until_they_are_set():
    X0, X1, y = sotto.datasets.digits(parties=2)
    bandit = sotto.EpsilonGreedy(10, 0.2, max_norm=2)
    with pytest.raises(AttributeError, match=r"epsilon stays as it is: set_params\(epsilon=...\)"):
        bandit.epsilon = 0.3
    assert bandit.set_params(epsilon=0.3, batch=32) is bandit
    assert (bandit.epsilon, bandit.batch, bandit.max_norm) == (0.3, 32, 2)
    with pytest.raises(ValueError, match="epsilon: 0 to 1, not 2"):
        bandit.set_params(batch=16, epsilon=2)
    with pytest.raises(ValueError, match="there is no arm; there are n_arms, "):
        bandit.set_params(arm=3)
    assert (bandit.epsilon, bandit.batch) == (0.3, 32)
    bandit.partial_fit([X0[:32], X1[:32]], y[:32], [1] * 32)
    with pytest.raises(RuntimeError, match="reset"):
        bandit.set_params(epsilon=0.4)
    bandit.reset()
    assert bandit.set_params(epsilon=0.4).epsilon == 0.4


def test_a_model_stays_in_its_process():
    X0, X1, y = sotto.datasets.digits(parties=2)
    bandit = sotto.EpsilonGreedy(10, batch=32)
    for same in (pickle.loads(pickle.dumps(bandit)), copy.copy(bandit), copy.deepcopy(bandit)):
        assert same is not bandit and same.get_params() == bandit.get_params()
    bandit.partial_fit([X0[:32], X1[:32]], y[:32], [1] * 32)
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="is not pickled or copied, since its shares stay"):
            attempt(bandit)


def test_privacy_says_where_it_promises_nothing():
    short, long = sotto.Privacy(1.5, 9.75, 1e-6, 8), sotto.Privacy(4.5, 8103.2, 1e-6, 1797)
    none = sotto.Privacy(None, None, 0.0, 3)
    assert (short.vacuous, long.vacuous, none.vacuous) == (False, True, True)
    assert repr(short) == "Privacy(eta=1.5, eta_run=9.75, delta=1e-06, decided=8)"
    assert repr(long) == "Privacy(eta=4.5, eta_run=8103 (vacuous), delta=1e-06, decided=1797)"
    assert repr(none) == "Privacy(eta=unbounded, eta_run=unbounded, delta=0, decided=3)"
