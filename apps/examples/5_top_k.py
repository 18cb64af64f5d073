"""Example 5: the five largest sales of two shops together. Nobody learns whose sales these were."""

import sys

import numpy as np
import sotto
from example import compared


@sotto.program(parties=2)
def largest_five(s, mine):
    both = sotto.concatenate([s.input(mine, owner=p, bound=1e4) for p in range(s.parties)])
    return s.open(sotto.top_k(both, 5), name="the five largest")


x, y = np.random.default_rng(4).integers(0, 9000, (2, 12))
out = largest_five.simulate(x, y)
sys.exit(compared(out, -np.sort(-np.concatenate([x, y]))[:5], 0))
