#!/usr/bin/env python3
"""Runs the first steps of the tutorial docs/start/bandit-in-python.md, up to the curve of a run.

usage: first_curve.py [PICTURE].

With PICTURE, which needs matplotlib, the curve is also drawn into this file. tests/python/test_start.py checks all
steps of the page, in the build. This script needs only the installed package, for machines that have nothing else.
"""
import re
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent.parent / "docs/start/bandit-in-python.md"
STEPS = ("Load the data", "See the cost", "Simulate", "Follow the learning")


def python_of(page):
    """Returns the Python of the steps: the first block of each."""
    blocks = []
    for step in STEPS:
        section = re.search(rf"^## \d+\. {step}\n(.*?)^## ", page, re.MULTILINE | re.DOTALL)[1]
        blocks.append(re.search(r"((?:^    .*\n|^\n)+)", section.replace("\n\n", "\n", 1), re.MULTILINE)[1])
    return "\n".join(re.sub("^    ", "", block, flags=re.MULTILINE) for block in blocks)


def main(arguments):
    names = {}
    exec(compile(python_of(PAGE.read_text()), str(PAGE), "exec"), names)
    run = names["run"]
    if not 0.7 < run.average_reward < 0.9:
        sys.exit(f"the run earned {run.average_reward}")
    if arguments:
        import matplotlib
        matplotlib.use("Agg")
        run.plot().figure.savefig(arguments[0])


if __name__ == "__main__":
    main(sys.argv[1:])
