"""The tutorial docs/start/bandit-in-python.md: its Python blocks run in order and print what the page shows.

A block that starts with "$ " is for a shell, and this test does not run it. A block after the line "It prints:" is the
output of the previous block. All other blocks are Python.

Whole numbers and words must be the same as on the page. Numbers with a decimal point may differ by 0.05, or by 5%.
"""

import os
import re
from pathlib import Path

import pytest

PAGE = Path(os.environ.get("SOTTO_SOURCE", Path(__file__).parents[2])) / "docs/start/bandit-in-python.md"
INDENT = " " * 4
OUTPUT = "It prints:"
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def blocks_of(page):
    """[(number of its first line, text, the last line of prose before it)] of all blocks."""
    found, prose, within = [], "", False
    for number, line in enumerate(page.split("\n"), 1):
        if line.startswith(INDENT) and within:
            found[-1][1].append(line[len(INDENT):])
        elif line.startswith(INDENT):
            found.append((number, [line[len(INDENT):]], prose))
            within = True
        elif line:
            prose, within = line, False
        elif within:
            found[-1][1].append("")
    return [(number, "\n".join(lines).strip("\n") + "\n", before) for number, lines, before in found]


def steps_of(page):
    """[(number of its first line, Python, the output that the page shows)]."""
    steps = []
    for number, text, before in blocks_of(page):
        if before == OUTPUT:
            assert steps and not steps[-1][2], f"line {number}: an output without Python before it"
            steps[-1] = (*steps[-1][:2], text)
        elif not text.startswith("$ "):
            steps.append((number, text, ""))
    return steps


def is_near(shown, printed):
    if "." not in shown:
        return shown == printed
    return float(printed) == pytest.approx(float(shown), rel=0.05, abs=0.05)


def same(shown, printed):
    """Returns whether the words are the same and the numbers are close. Blanks are ignored, because numpy aligns
    numbers.
    """
    if NUMBER.sub("#", shown).split() != NUMBER.sub("#", printed).split():
        return False
    return all(map(is_near, NUMBER.findall(shown), NUMBER.findall(printed)))


def test_the_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    steps = steps_of(PAGE.read_text())
    assert len(steps) >= 7 and sum(bool(shown) for _, _, shown in steps) >= 6
    namespace = {"__name__": "__main__"}
    for number, code, shown in steps:
        # Makes the line numbers in a traceback equal to the line numbers of the page.
        exec(compile("\n" * (number - 1) + code, str(PAGE), "exec"), namespace)
        printed = capsys.readouterr().out
        assert same(shown, printed), f"{PAGE.name}:{number} shows\n{shown}and prints\n{printed}"
    # Checks the order of the lifts, because the tolerance would hide a wrong order.
    uniform, first, second = (lift.lift for lift in namespace["run"].worth.lifts)
    assert uniform > second > first > 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.html", "run.json"]


PAGE_OF_TWO_BLOCKS = """Begin:

    $ python3

    x = 2

    print(x / 3)

It prints:

    0.67

Then:

    print(x)
"""


def test_blocks_are_found():
    assert steps_of(PAGE_OF_TWO_BLOCKS.replace("$ python3\n", "$ python3\n\nEnter:\n")) == [
        (7, "x = 2\n\nprint(x / 3)\n", "0.67\n"), (17, "print(x)\n", "")]


@pytest.mark.parametrize("shown, printed, expected", [
    ("1530 rounds, 0.79", "1530 rounds, 0.81", True),
    ("1530 rounds, 0.79", "1531 rounds, 0.79", False),
    ("0.79 private", "0.70 private", False),
    ("0.79 private", "0.79 open", False),
    ("eta=2.408e+04 (vacuous)", "eta=2.5e+04 (vacuous)", True),
    ("eta=2.408e+04 (vacuous)", "eta=2.408e+04", False),
    ("[0.18 0.6]", "[0.2  0.61]", True),
    ("", "0.79", False),
    ("0.79", "", False),
])
def test_figures_are_compared(shown, printed, expected):
    assert same(shown, printed) is expected
