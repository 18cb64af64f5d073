"""Example 1: who is the richest? Three people learn which of them is the richest, and nothing else."""

import sys

import sotto
from example import compared


@sotto.program(parties=3)
def who_is_richest(s, mine):
    wealth = sotto.stack([s.input(mine, owner=p, bound=1e6) for p in range(s.parties)])
    return s.open(wealth.argmax(), name="who is richest")


out = who_is_richest.simulate(72_000, 91_500, 64_250)  # plays all roles in this process
sys.exit(compared(out, [0, 1, 0], 0))
