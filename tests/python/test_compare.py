"""Tests compare(), which plays a bandit with several values of epsilon: each result must equal a separate run."""

import sys

import numpy as np
import pytest

import sotto

X0, X1, Y = sotto.datasets.digits(parties=2)
EXPLORATIONS = [0.0, 0.03, 0.3]


@pytest.fixture(scope="module")
def comparison():
    bandit = sotto.EpsilonGreedy(10, 0.1)
    result = bandit.compare([X0, X1], Y, explorations=EXPLORATIONS, steps=300, random_state=2)
    assert bandit.epsilon == 0.1 and bandit.n_rows_learned_ == 0
    return result


def test_each_exploration_is_a_run_of_its_own(comparison):
    assert [run.epsilon for run in comparison] == EXPLORATIONS
    for run in comparison:
        alone = sotto.EpsilonGreedy(10, run.epsilon).simulate([X0, X1], Y, steps=300, random_state=2)
        assert run.average_reward == alone.average_reward and run.plaintext == alone.plaintext
        assert (run.eta, run.eta_run) == (alone.privacy.eta, alone.privacy.eta_run)
        assert run.plaintext_sd > 0
    assert comparison[0].eta is None and comparison[1].eta > comparison[2].eta > 0
    assert comparison[1].plaintext > comparison[2].plaintext


def test_the_default_explorations():
    result = sotto.EpsilonGreedy(2).compare([X0[:20], X1[:20]], lambda row, arm: float(arm), plaintext=False)
    assert [run.epsilon for run in result] == [0.01, 0.03, 0.1]
    assert {(run.plaintext, run.plaintext_sd) for run in result} == {(None, None)}


@pytest.mark.parametrize("explorations, message", [
    ([], "explorations: expected at least one"),
    ([0.1, 1.5], "explorations: 0 to 1, not 1.5"),
    ([float("nan")], "explorations: 0 to 1, not nan"),
    (["0.1"], "explorations: expected a number, not str"),
])
def test_refuses_explorations(explorations, message):
    with pytest.raises(ValueError, match=message):
        sotto.EpsilonGreedy(10).compare([X0, X1], Y, explorations=explorations)


def test_a_comparison_is_shown(comparison):
    lines = repr(comparison).split("\n")
    assert len(lines) == 3 and lines[0].startswith("Compared(epsilon=0.0, average_reward=")
    html = comparison._repr_html_()
    assert html.count("<tr>") == 4 and "unbounded" in html and "plaintext_sd" in html
    assert repr(sotto.Comparison()) == "Comparison([])"


def test_a_comparison_is_a_frame(comparison):
    pandas = pytest.importorskip("pandas")
    frame = comparison.frame()
    assert list(frame.columns) == list(sotto.Compared._fields) and list(frame["epsilon"]) == EXPLORATIONS
    pandas.testing.assert_frame_equal(frame, pandas.DataFrame(comparison))


def test_a_comparison_needs_pandas_only_for_its_frame(comparison, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="frame: pandas is not installed"):
        comparison.frame()


def test_the_picture(comparison):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = comparison.plot()
    points = next(line for line in axes.get_lines() if line.get_label() == "private")
    np.testing.assert_allclose(points.get_xdata(), [run.eta for run in comparison[1:]])
    np.testing.assert_allclose(points.get_ydata(), [run.average_reward for run in comparison[1:]])
    assert [text.get_text() for text in axes.texts] == ["0.03", "0.3"]
    assert comparison.plot(axes) is axes
    matplotlib.pyplot.close("all")
