"""The bar of a simulation, on a terminal and elsewhere."""

import io

import numpy as np
import pytest

import sotto
from sotto._progress import Bar

X0, X1, Y = sotto.datasets.digits(parties=2)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_has_one_line_a_stage():
    terminal = Terminal()
    bar = Bar(30, terminal)
    for rewarded, read in [(0, 0), (0, 0), (15, 0), (30, 0), (30, 1), (30, 29), (30, 60)]:
        bar(rewarded, read)
    bar.close()
    bar.close()
    first, second, end = terminal.getvalue().split("\n")
    assert first.split("\r")[1:] == [
        f"private run [{'.' * 30}] 0%", f"private run [{'#' * 15}{'.' * 15}] 50%", f"private run [{'#' * 30}] 100%"]
    assert second.split("\r")[1:] == [f"plays in plain text: {read} rows read" for read in (1, 29, 60)] and end == ""


def test_a_shorter_line_covers_the_longer_one():
    terminal = Terminal()
    bar = Bar(100, terminal)
    bar(100, 0)
    bar(9, 0)
    lines = terminal.getvalue().split("\r")[1:]
    assert len(lines[0]) == len(lines[1])


def test_a_log_has_the_last_lines():
    log = io.StringIO()
    bar = Bar(30, log)
    for rewarded, read in [(15, 0), (30, 0), (30, 1), (30, 9000)]:
        bar(rewarded, read)
    bar.close()
    assert log.getvalue() == f"private run [{'#' * 30}] 100%\nplays in plain text: 9,000 rows read\n"


def test_a_simulation_shows_how_far_it_is(capsys):
    arguments = {"steps": 400, "random_state": 1}
    bandit = sotto.EpsilonGreedy(10)
    shown = bandit.simulate([X0, X1], Y, progress=True, **arguments)
    out, err = capsys.readouterr()
    first, second, _ = err.split("\n")
    assert out == "" and first.startswith("private run [####")
    assert int(second.split(": ")[1].split(" ")[0].replace(",", "")) >= 20 * 3 * 400  # 3 policies, 20 plays each
    silent = bandit.simulate([X0, X1], Y, **arguments)
    assert capsys.readouterr() == ("", "")
    np.testing.assert_array_equal(shown.arms, silent.arms)
    bandit.compare([X0, X1], Y, explorations=[0.1, 0.2], steps=400, plaintext=False, progress=True)
    assert capsys.readouterr().err.count("private run [") == 2
    with pytest.raises(ValueError, match="progress: expected True or False"):
        bandit.simulate([X0, X1], Y, progress="yes")


def test_the_line_ends_where_a_run_fails(capsys):
    def reward(row, arm):
        if row > 200:
            raise KeyError("the caller's own error")
        return 1.0

    with pytest.raises(KeyError, match="the caller's own error"):
        sotto.EpsilonGreedy(10).simulate([X0, X1], reward, steps=400, progress=True)
    assert capsys.readouterr().err.endswith("%\n")


def test_an_error_of_the_bar_ends_the_run(monkeypatch):
    def broken(self, rewarded, read):
        raise KeyError("no terminal")

    monkeypatch.setattr(Bar, "__call__", broken)
    with pytest.raises(KeyError, match="no terminal"):
        sotto.EpsilonGreedy(10).simulate([X0, X1], Y, steps=400, progress=True)
