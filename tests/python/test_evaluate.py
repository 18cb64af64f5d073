"""The private evaluation of a log in this process: the numbers of `sotto evaluate`, and its accounts."""

import json
import os
import subprocess

import numpy as np
import pytest
from frames import ArrowFrame

import sotto

X0, X1, Y = sotto.datasets.digits(parties=2)
ROWS = np.arange(3600) % len(Y)
A0, A1, RIGHT = X0[ROWS], X1[ROWS], Y[ROWS]
PLAYED = np.random.default_rng(3).integers(10, size=len(ROWS))
REWARDS = (PLAYED == RIGHT).astype(float)
LOG = {"arm": PLAYED, "reward": REWARDS, "propensity": np.full(len(ROWS), 0.1)}
SEGMENTS = np.where(RIGHT < 5, 'lo, "x"', "hi")


def run(*arguments, **options):
    program = os.environ.get("SOTTO_PROGRAM")
    if not program:
        pytest.skip("SOTTO_PROGRAM does not name the program sotto")
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False, **options)


def command(folder, log, *flags):
    """The result of `sotto evaluate` on the same rows and log."""
    for name, part in (("a.csv", A0), ("b.csv", A1)):
        head = ",".join(f"x{column}" for column in range(part.shape[1]))
        np.savetxt(folder / name, part, delimiter=",", header=head, comments="", fmt="%r")
    cells = {name: [str(cell).replace('"', '""') for cell in column] for name, column in log.items()}
    lines = [",".join(cells), *(",".join(f'"{cell}"' for cell in row) for row in zip(*cells.values()))]
    (folder / "log.csv").write_text("\n".join(lines) + "\n")
    files = ["--party", "a.csv", "--party", "b.csv", "--log", "log.csv", "--max-norm", "1", "--batch", "64"]
    done = run("evaluate", *files, "--json", *flags, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("arguments", [
    {},
    {"held_out": 0.7, "split": "mixed", "account_epsilon": 3.0},
    {"segment": "country", "account_epsilon": 5.0},
    {"learning_epsilon": 2.0, "learning_delta": 1e-5, "account_rows_per_subject": 2, "account_epsilon": 2.0},
    {"answers": "bit", "full_support": True},
    {"propensities": "frequencies", "cells": 8, "account_epsilon": 3.0},
    {"clip_weights": True, "least_propensity": 0.2, "clip_rewards": True, "reward_scale": 2.0},
])
def test_the_numbers_are_those_of_the_command(tmp_path, arguments):
    log = {**LOG, "country": SEGMENTS}
    flags = []
    for name, value in arguments.items():
        flags += ["--" + name.replace("_", "-")] + ([] if value is True else [value])
    theirs = command(tmp_path, log, *flags, "--insecure-seed", 11)
    ours = sotto.EpsilonGreedy(10).evaluate([A0, A1], log, random_state=11, **arguments)
    assert json.loads(ours.json())["evaluation"] == theirs["evaluation"]
    assert json.loads(ours.json())["plaintext_evaluation"] == theirs["plaintext_evaluation"]
    shown = {(row.policy, row.segment): row for row in ours}
    for policy in theirs["evaluation"]["policies"]:
        row = shown[policy["policy"], None]
        assert (row.value, row.support) == (policy.get("value", {}).get("value"), policy["support"])
        assert row.effective_events == policy["effective_events"]
    assert ours.answer == theirs["evaluation"].get("answer", {}).get("model_beats_log")


@pytest.fixture(scope="module")
def evaluation():
    return sotto.EpsilonGreedy(10).evaluate([A0, A1], LOG, exact=True, random_state=1)


def test_exact_values_are_those_of_the_twin(evaluation):
    X, half = np.hstack([A0, A1]), len(ROWS) // 2
    weights = np.empty((10, X.shape[1]))
    for arm in range(10):
        mine = X[:half][PLAYED[:half] == arm]
        weights[arm] = np.linalg.inv(np.eye(20) + mine.T @ mine) @ mine.T @ REWARDS[:half][PLAYED[:half] == arm]
    scores, played, rewards = X[half:] @ weights.T, PLAYED[half:], REWARDS[half:]
    picked = scores.argmax(axis=1)
    agree = 10 * (picked == played)
    model = evaluation[0]
    assert model.exact_ips == pytest.approx((agree * rewards).mean())
    assert model.exact_snips == pytest.approx((agree * rewards).sum() / agree.sum())
    rows = np.arange(half)
    corrected = scores[rows, picked] + agree * (rewards - scores[rows, played])
    assert model.exact_dr == pytest.approx(corrected.mean())
    centre = rewards.mean()
    twin = json.loads(evaluation.json())["plaintext_evaluation"]["policies"][0]["value"]["value"]
    assert centre + (agree * (rewards - centre)).mean() == pytest.approx(twin)
    assert model.low < model.exact_dr < model.high


def test_the_rows_of_an_evaluation(evaluation):
    assert [row.policy for row in evaluation] == ["model", *(f"arm {arm}" for arm in range(10)), "log"]
    model, log = evaluation[0], evaluation[-1]
    assert (evaluation.learned, evaluation.evaluated, evaluation.answer) == (1800, 1800, None)
    assert log.value == pytest.approx(REWARDS[1800:].mean()) and log.lift is None
    assert model.lift == pytest.approx(model.value - log.value)
    assert model.low < model.value <= model.high and model.least < model.most
    assert (model.epsilon, model.epsilon_spent, model.epsilon_left) == (0.5, None, None)
    assert {row.epsilon for row in evaluation[1:]} == {0.0} and evaluation.charges == ()
    assert log.exact_ips is None and abs(model.mean_weight - 1) < 4 * model.mean_weight_error
    assert evaluation.noise_half_width > 0


def test_an_evaluation_is_shown(evaluation, tmp_path):
    html = evaluation._repr_html_()
    assert html.count("<tr>") == 13 and "INSECURE: insecure-seed" in html and "exact_dr" in html
    assert "No account counts this evaluation." in html and evaluation.verdict in html
    assert "<th" in html and "segment" not in html
    assert repr(evaluation).split("\n")[1].startswith("model: 0.")
    evaluation.report(tmp_path / "log.html")
    assert json.loads((tmp_path / "log.json").read_text())["evaluation"]["evaluated"] == 1800
    assert "all figures of this page are in log.json" in (tmp_path / "log.html").read_text()
    with pytest.raises(ValueError, match="the page is HTML"):
        evaluation.report(tmp_path / "log.json")


def test_an_evaluation_is_a_frame(evaluation):
    pandas = pytest.importorskip("pandas")
    frame = evaluation.frame()
    assert list(frame["policy"]) == [row.policy for row in evaluation] and "segment" not in frame
    assert [name for name in frame if "exact" in name] == ["exact_ips", "exact_snips", "exact_dr"]
    assert list(pandas.DataFrame(evaluation).columns) == list(sotto.PolicyValue._fields)


def test_the_picture(evaluation):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = evaluation.plot()
    assert [label.get_text() for label in axes.get_yticklabels()] == [row.policy for row in evaluation]
    assert evaluation.plot(axes) is axes
    matplotlib.pyplot.close("all")


def test_segments_are_rows_after_the_whole_log():
    log = {**LOG, "country": SEGMENTS}
    made = sotto.EpsilonGreedy(10).evaluate([A0, A1], log, segment="country", account_epsilon=8.0, exact=True)
    assert [row.segment for row in made] == [None] * 12 + ["hi"] * 12 + ['lo, "x"'] * 12
    assert made[12].exact_dr is None and made[0].exact_dr is not None
    assert "&quot;x&quot;" in made._repr_html_() and "Weak: epsilon 8" in made._repr_html_()


def learned(**arguments):
    return sotto.EpsilonGreedy(10, **arguments).partial_fit([X0[1000:], X1[1000:]], Y[1000:], np.ones(797))


@pytest.mark.parametrize("arguments", [{}, {"add_constant": True, "batch": 1}, {"rewards": "real", "max_rows": 797}])
def test_a_learned_model_is_evaluated_on_the_whole_log(arguments):
    bandit = learned(**arguments)
    before = (bandit.n_rows_learned_, bandit.cost_, bandit.privacy)
    made = bandit.evaluate([A0, A1], LOG, random_state=2)
    assert (bandit.n_rows_learned_, bandit.cost_, bandit.privacy) == before
    assert (made.learned, made.evaluated) == (0, len(ROWS))
    agree = 10 * (bandit.predict([A0, A1], explore=False) == PLAYED)
    exact = REWARDS.mean() + (agree * (REWARDS - REWARDS.mean())).mean()
    assert made[0].low < exact < made[0].high and made[0].exact_ips is None


def test_a_bandit_without_a_model_stays_without_one():
    bandit = sotto.EpsilonGreedy()
    assert bandit.evaluate([A0, A1], LOG)[0].value > 0.7
    with pytest.raises(AttributeError):
        bandit.classes_


def test_arms_are_shown_by_name():
    names = [f"offer {arm}" for arm in range(10)]
    log = {**LOG, "arm": np.array(names)[PLAYED]}
    made = sotto.EpsilonGreedy(arms=names).evaluate([A0, A1], log, random_state=1)
    assert made[3].policy == "arm offer 2"
    numbered = sotto.EpsilonGreedy(10).evaluate([A0, A1], LOG, random_state=1)
    assert [row[1:] for row in made] == [row[1:] for row in numbered]


def test_a_pandas_log_is_matched_by_index():
    pandas = pytest.importorskip("pandas")
    ids = [f"k{row}" for row in range(len(ROWS))]
    X = [pandas.DataFrame(part, index=ids) for part in (A0, A1)]
    log = pandas.DataFrame(LOG, index=ids)
    made = sotto.EpsilonGreedy(10).evaluate(X, log, random_state=1)
    assert list(made) == list(sotto.EpsilonGreedy(10).evaluate([A0, A1], LOG, random_state=1))
    with pytest.raises(ValueError, match="log: its index is not that of X.0., first in row 0; give log.loc"):
        sotto.EpsilonGreedy(10).evaluate(X, log.iloc[::-1])


def test_an_arrow_log():
    log = ArrowFrame({"arm": ("s", PLAYED.tolist()), "reward": ("g", REWARDS.tolist()),
                      "propensity": ("g", [0.1] * len(ROWS)), "other": ("u", ["?"] * len(ROWS))}, cuts=[7])
    made = sotto.EpsilonGreedy(10).evaluate([A0, A1], log, random_state=1)
    assert list(made) == list(sotto.EpsilonGreedy(10).evaluate([A0, A1], LOG, random_state=1))
    log.columns["reward"] = ("g", [None, *REWARDS.tolist()[1:]])
    with pytest.raises(ValueError, match="log, row 0, column 'reward': NaN or inf"):
        sotto.EpsilonGreedy(10).evaluate([A0, A1], log)


@pytest.fixture
def accounts(tmp_path):
    files = [tmp_path / f"account_{party}" for party in range(2)]
    for file in files:
        assert run("account", "begin", file).returncode == 0
    return files


def spent(account, person):
    return run("account", "show", account, "--id", person).stdout


def test_charges_are_in_the_file_of_the_account(accounts):
    people = [f"p{row}" for row in range(len(ROWS))]
    bandit = learned()
    for number in (1, 2):
        made = bandit.evaluate([A0, A1], LOG, accounts=accounts, account_budget=1.2, subjects=people)
        assert [charge.party for charge in made.charges] == [0, 1]
        charge = made.charges[0]
        assert (charge.epsilon, charge.subjects, charge.most_spent) == (0.5, len(people), 0.5 * number)
        assert charge.left == pytest.approx(1.2 - 0.5 * number)
        assert (made[0].epsilon_spent, made[0].epsilon_left) == (charge.most_spent, charge.left)
        assert "left" in made._repr_html_() and "No account" not in made._repr_html_()
    for account in accounts:
        assert "spent 1\n" in spent(account, "p3599") and "spent 0\n" in spent(account, "p3600")
    beyond = r"more than the budget of 1.2: evaluate without them \(rows 0 to 3599\), or raise account_budget$"
    with pytest.raises(ValueError, match=beyond):
        bandit.evaluate([A0, A1], LOG, accounts=accounts, account_budget=1.2, subjects=people)
    assert "spent 1\n" in spent(accounts[0], "p0")


def test_a_refusal_of_one_account_charges_nobody(accounts):
    people = [f"p{row}" for row in range(len(ROWS))]
    bandit = learned()
    bandit.evaluate([A0, A1], LOG, accounts=[None, accounts[1]], account_budget=0.5, subjects=people)
    with pytest.raises(ValueError, match="account_1: 3600 rows of the data are about whom"):
        bandit.evaluate([A0, A1], LOG, accounts=accounts, account_budget=0.5, subjects=people)
    assert "spent 0\n" in spent(accounts[0], "p0")


def test_a_person_of_several_rows_is_charged_once(accounts):
    people = [f"p{row // 2}" for row in range(len(ROWS))]
    made = learned().evaluate([A0, A1], LOG, accounts=[accounts[0], None], subjects=[people, None], account_epsilon=2.0)
    assert made.charges[0].subjects == 1800 and len(made.charges) == 1
    noise = json.loads(made.json())["evaluation"]["noise"]
    assert [part["rows_per_subject"] for part in noise] == [2, 1]
    assert "spent 2\n" in spent(accounts[0], "p7")


def test_the_index_of_a_frame_has_the_ids(accounts):
    pandas = pytest.importorskip("pandas")
    ids = [f"k{row}" for row in range(len(ROWS))]
    X = [pandas.DataFrame(part, index=ids) for part in (A0, A1)]
    learned().evaluate(X, pandas.DataFrame(LOG, index=ids), accounts=accounts)
    assert "spent 0.5\n" in spent(accounts[0], "k0")


def test_what_covers_learned_rows_must_be_said(accounts):
    fresh = sotto.EpsilonGreedy(10)
    with pytest.raises(ValueError, match="accounts: the model learns from rows of the log.*uncovered_learning=True"):
        fresh.evaluate([A0, A1], LOG, accounts=accounts)
    made = fresh.evaluate([A0, A1], LOG, accounts=accounts, learning_epsilon=1.0)
    assert made.charges[0].learning_epsilon == 1 and made.charges[0].subjects == len(Y)  # rows that are the same
    made = fresh.evaluate([A0, A1], LOG, accounts=accounts, uncovered_learning=True)
    assert made.charges[0].learning_epsilon == 0 and made.charges[0].most_spent == 2
    with pytest.raises(ValueError, match="exact: exact values are of a simulation, and no account counts it"):
        fresh.evaluate([A0, A1], LOG, accounts=accounts, uncovered_learning=True, exact=True)


def test_refuses_accounts(accounts, tmp_path):
    bandit = learned()
    copy = tmp_path / "copy"
    copy.write_bytes(accounts[0].read_bytes())
    copy.chmod(0o600)
    for given, message in [
        ([accounts[0], accounts[0]], "two parties have one account"),
        ([accounts[0], copy], "party 0 and party 1 have the same account"),
        (accounts[:1], "expected one a party, 2 of them, not 1"),
        (str(accounts[0]), "expected a list"),
        ([tmp_path / "none", None], "there is no account: `sotto account begin"),
    ]:
        with pytest.raises(ValueError, match=message):
            bandit.evaluate([A0, A1], LOG, accounts=given)
    assert "most spent 0" in run("account", "show", accounts[0]).stdout


def without(row, name, cell):
    column = LOG[name].astype(object)
    column[row] = cell
    return {**LOG, name: column}


@pytest.mark.parametrize("log, arguments, error, message", [
    (7, {}, TypeError, "log: expected a pandas.DataFrame, a dict of columns, or an object"),
    ({"reward": REWARDS}, {}, ValueError, "log: there is no column 'arm': a log has"),
    ({"arm": PLAYED, "reward": REWARDS}, {}, ValueError, "log: the log has no column 'propensity'.*propensities freq"),
    ({**LOG, "arm": PLAYED[1:]}, {}, ValueError, "log: 3599 rows, but X has 3600"),
    ({**LOG, "reward": REWARDS[1:]}, {}, ValueError, "log.'reward'.: expected one a row"),
    (without(4, "reward", "7secret"), {}, ValueError, "log, row 4, column 'reward': a value of the type str"),
    (without(4, "reward", None), {}, ValueError, "log, row 4, column 'reward': a missing value where a number"),
    (without(4, "reward", float("inf")), {}, ValueError, "log, row 4, column 'reward': NaN or inf"),
    (without(4, "propensity", 1.5), {}, ValueError, "log, row 4, column 'propensity': a number not above 0"),
    (without(2004, "propensity", 0.001), {}, ValueError, "log, row 2004: a propensity below 0.01: lower least_"),
    (without(4, "arm", None), {}, ValueError, "log, row 4, column 'arm': a missing value where an arm"),
    (without(4, "arm", "secret"), {}, ValueError, "log.'arm'.: expected whole numbers"),
    (without(4, "arm", 17), {}, ValueError, "log, row 4: column 'arm': a larger number"),
    ({**LOG, "propensity": np.full(3600, 0.05)}, {}, ValueError, "20 arms to choose from, and 10 were played"),
    (LOG, {"held_out": 0.1}, ValueError, "held_out: 360 events of the log are evaluated.*hold out more"),
    (LOG, {"held_out": 1}, ValueError, "held_out: the whole log is held out, and there is no model"),
    (LOG, {"held_out": "many"}, ValueError, "held_out: 'many' is not a finite number"),
    (LOG, {"split": "first"}, ValueError, "split: 'first' is none of last, mixed"),
    (LOG, {"cells": 65}, ValueError, "cells: '65' is not a whole number from 0 to 64"),
    (LOG, {"account_epsilon": 1e-4}, ValueError, "account_epsilon: '0.0001' is not a number from 0.001"),
    (LOG, {"account_epsilon": 0.05}, ValueError, r"are needed \(held_out, or a longer log\), or a larger account_"),
    (LOG, {"exact": 1}, ValueError, "exact: expected True or False, not int"),
    (LOG, {"segment": "country"}, ValueError, "log: there is no column 'country'"),
    (LOG, {"segment": "arm"}, ValueError, "segment: 'arm' has a meaning of its own"),
    ({**LOG, "s": ["", *"x" * 3599]}, {"segment": "s"}, ValueError, "log, row 0, column 's': a missing value"),
    ({**LOG, "s": ["a\nb", *"x" * 3599]}, {"segment": "s"}, ValueError, "column 's': a text with a control character"),
    (LOG, {"subjects": ["a"]}, ValueError, "subjects: expected one id a row, 3600 of them"),
    (LOG, {"subjects": [1.5, *range(3599)]}, ValueError, "subjects, row 0: a value of the type float where an id"),
    (LOG, {"subjects": ["a\nb", *range(3599)]}, ValueError, "subjects, row 0: an id is a text of 1 to 1024 bytes"),
    (LOG, {"random_state": -1}, ValueError, "random_state: 0 to"),
])
def test_refuses(log, arguments, error, message):
    with pytest.raises(error, match=message) as caught:
        sotto.EpsilonGreedy(10).evaluate([A0, A1], log, **arguments)
    assert "secret" not in str(caught.value) and "/tmp" not in str(caught.value)


def test_an_evaluation_needs_a_dealer():
    with pytest.raises(ValueError, match='needs a "dealer", and this bandit has .replicated'):
        sotto.EpsilonGreedy(10, preprocessing="replicated").evaluate([A0[:, :5], A0[:, 5:], A1], LOG)


def test_a_slice_of_one_matrix_is_each_partys():
    joint = sotto.EpsilonGreedy(10, split=2).evaluate(np.hstack([A0, A1]), LOG, random_state=1)
    assert list(joint) == list(sotto.EpsilonGreedy(10).evaluate([A0, A1], LOG, random_state=1))


def test_refuses_what_a_model_cannot_have():
    bandit = learned()
    with pytest.raises(ValueError, match="exact: .*the model is in shares; reset"):
        bandit.evaluate([A0, A1], LOG, exact=True)
    with pytest.raises(ValueError, match=r"reward_scale: the model has learned rewards in \[-1, 1\]"):
        bandit.evaluate([A0, A1], LOG, reward_scale=2)
    with pytest.raises(ValueError, match="log, row .*: column 'reward': a larger number where a reward of at most 1"):
        bandit.evaluate([A0, A1], {**LOG, "reward": 5 * REWARDS})
    with pytest.raises(ValueError, match=r"X\[0\] has 9 columns, but the model has 10"):
        bandit.evaluate([A0[:, 1:], A1], LOG)
    with pytest.raises(ValueError, match="X, row 0: its norm over all parties is above 1"):
        bandit.evaluate([9 * A0, A1], LOG)


def test_doubts_about_the_log_are_warnings():
    log = {**LOG, "reward": np.where(np.arange(3600) == 2500, 1000.0, REWARDS)}
    with pytest.warns(UserWarning, match="log: column 'reward', row 2500: a number far.*take clip_rewards"):
        made = sotto.EpsilonGreedy(10).evaluate([A0, A1], log, account_epsilon=3.0)
    assert len(made.warnings) == 1 and "far larger" in made._repr_html_()


def test_nothing_is_left_behind(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = sorted(os.listdir("/proc/self/fd"))
    sotto.EpsilonGreedy(10).evaluate([A0, A1], LOG)
    with pytest.raises(ValueError):
        sotto.EpsilonGreedy(10).evaluate([A0, A1], LOG, held_out=0.01)
    assert sorted(os.listdir("/proc/self/fd")) == before and list(tmp_path.iterdir()) == []
