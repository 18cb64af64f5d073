"""The worth of a run, its picture, its card, and the tables of notebooks."""

import json
import subprocess
import sys

import numpy as np
import pytest

import sotto

X0, X1, Y = sotto.datasets.digits(parties=2)


@pytest.fixture(scope="module")
def run():
    return sotto.EpsilonGreedy(10, max_norm=1).simulate([X0, X1], Y, steps=400, random_state=3)


def test_worth_is_that_of_the_figures(run):
    figures = json.loads(run.json())
    worth = run.worth
    assert worth.sentence == figures["worth"]["sentence"] and worth.sentence.endswith(".")
    assert [lift.over for lift in worth.lifts] == ["uniform play", "party 0 by itself", "party 1 by itself"]
    assert worth.lifts[0].lift == pytest.approx(run.average_reward - run.uniform) and worth.lifts[0].half_width is None
    for lift, part in zip(worth.lifts[1:], figures["compare_parts"]):
        assert lift.earns == part["average_reward"] and lift.lift == pytest.approx(run.average_reward - lift.earns)
    best = max(figures["compare_parts"][:-1], key=lambda part: part["average_reward"])
    assert worth.joining.best_part == best["name"]
    assert worth.joining.lift == pytest.approx(figures["compare_parts"][-1]["average_reward"] - best["average_reward"])
    assert worth.joining.shown == (worth.joining.lift > worth.joining.half_width)


def test_the_sentence_comes_first(run):
    first, second = repr(run).split("\n")
    assert first == run.worth.sentence and second.startswith("Run(steps=400, average_reward=0.")
    assert str(run) == repr(run)


def test_a_run_without_known_rewards_says_so():
    alone = sotto.EpsilonGreedy(2).simulate([X0[:20], X1[:20]], lambda row, arm: float(arm), plaintext=False)
    assert alone.worth.lifts == () and alone.worth.joining is None
    assert "nothing to compare" in alone.worth.sentence
    assert "uniform" not in alone._repr_html_() and "plain text" not in alone.card().split("## Privacy")[0]


def test_the_card_has_the_figures_of_the_run(run):
    card = run.card()
    titles = [line for line in card.splitlines() if line.startswith("#")]
    assert titles == ["# A private bandit of 2 parties", "## Data", "## Value", "## Privacy", "## Who could know what",
                      "## Costs"]
    assert run.worth.sentence in card
    assert "> INSECURE: random_state makes the run repeatable" in card
    assert "one process had the data of all parties" in card
    assert "| party 0 | 10 |" in card and "| party 1 | 10 |" in card and "norm over all parties is at most 1" in card
    assert f"| the private run | {run.average_reward:.4f} | one run |" in card
    assert f"| uniform play | {run.uniform:.4f} | exact |" in card
    assert f"eta = {run.privacy.eta:.4g}" in card and "so it promises nothing" in card
    assert "party 0 with party 1" in card and "never sees" in card
    assert f"{run.rounds:,} rounds" in card and f"{run.bytes:,} bytes" in card
    for table in (block for block in card.split("\n\n") if block.startswith("|")):
        assert len({line.count("|") for line in table.split("\n")}) == 1


def test_cards_say_who_draws_the_randomness():
    cards = {mode: sotto.EpsilonGreedy(2, preprocessing=mode).simulate([X0[:8], X1[:8]], np.ones((8, 2))).card()
             for mode in ("dealer", "ot")}
    assert "| dealer |" in cards["dealer"] and "INSECURE" not in cards["dealer"]
    assert "| dealer |" not in cards["ot"] and "dealer with" not in cards["ot"]


def test_marks_in_cells_of_the_card_are_text():
    from sotto._card import _table

    assert _table(["a"], [["x|y <b>*z*</b>\n[l](u) `c` \\"]]) == (
        "| a |\n| --- |\n| x\\|y \\<b\\>\\*z\\*\\</b\\> \\[l\\](u) \\`c\\` \\\\ |")


def test_notebooks_show_tables(run):
    plan = sotto.EpsilonGreedy(10).plan([10, 10], steps=1000, link="20ms")
    for thing, figures in [
        (run, [f"{run.average_reward:.4f}", f"{run.bytes:,}", "INSECURE", "promises nothing"]),
        (plan, [f"{plan.rounds:,}", f"{plan.bytes:,}", "decide", "learn", "20ms"]),
        (run.privacy, [f"{run.privacy.eta:.4g}", "eta of all 400 arms"]),
        (sotto.Privacy(None, None, 0, 3), ["unbounded"]),
        (sotto.Privacy(0.1, 0.2, 0, 3), ["0.1"]),
    ]:
        html = thing._repr_html_()
        assert all(figure in html for figure in figures)
        assert "<script" not in html and "http" not in html and len(html) < 10_000
    assert "promises nothing" not in sotto.Privacy(0.1, 0.2, 0, 3)._repr_html_()
    hostile = sotto.Plan(1, 1, 1, 1.0, 1, "<script>&", {"<img>": {"rounds": 1, "bytes": 1, "dealt": 1, "passes": 1}})
    assert "&lt;script&gt;&amp;" in hostile._repr_html_() and "&lt;img&gt;" in hostile._repr_html_()


def test_the_picture(run):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = run.plot()
    lines = {line.get_label(): line for line in axes.get_lines()}
    assert set(lines) == {"private", "party 0 by itself", "party 1 by itself", "uniform"}
    np.testing.assert_allclose(lines["private"].get_ydata(), run.curve.average_reward)
    assert set(lines["uniform"].get_ydata()) == {run.uniform}
    (band,) = axes.collections
    assert band.get_label() == "plain text, 2 sd of 20 plays"
    low, high = band.get_paths()[0].vertices[:, 1].min(), band.get_paths()[0].vertices[:, 1].max()
    assert 0 <= low < run.plaintext < high <= 1
    assert run.plot(axes) is axes
    alone = sotto.EpsilonGreedy(2).simulate([X0[:20], X1[:20]], lambda row, arm: float(arm), plaintext=False).plot()
    assert [line.get_label() for line in alone.get_lines()] == ["private"] and not alone.collections
    matplotlib.pyplot.close("all")


def test_a_picture_needs_matplotlib(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="plot: matplotlib is not installed"):
        run.plot()


def test_other_libraries_are_imported_only_when_needed():
    code = "import sys, sotto; print([name for name in ('matplotlib', 'pandas', 'sklearn') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
