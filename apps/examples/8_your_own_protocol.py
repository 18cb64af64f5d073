"""Example 8: a protocol of your own that is composed of existing operations on secrets.

Private variance    party p's x_p -> n sum x_p^2 - (sum x_p)^2, that is n^2 times the variance.
Rounds              1, for the openings. Nothing is rounded, so the result is exact.
Views               All parties see the result. The shares of the result are fresh random numbers, so the parties see
                    nothing else.
Ranges              |x_p| <= 1000 and n <= 8, at 16 fraction bits. The result is below 2^26 at 32 fraction bits, which
                    fits a word.
"""

import sys

import numpy as np
import sotto
from example import compared


def spread(x):
    """The spread of each column of a secret matrix, which has one row per party."""
    total = x.sum(axis=0)
    return sum(row * row for row in x) * len(x) - total * total


@sotto.program(parties=4, bits=16)
def variances(s, mine):
    # The two measurements are the entries of one vector, so they need as many rounds as one measurement.
    x = sotto.stack([s.input(mine, owner=p, shape=(2,), bound=1000) for p in range(s.parties)])
    return s.open(spread(x), name="variances"), s.open(spread(x[:2]), name="of the first two parties")


data = np.array([[12.5, -3], [9, 900.25], [14.25, 0.5], [11, -812]])
out = variances.simulate(*data)
assert out.rounds == 2  # inputs, then openings
sys.exit(compared(out, np.array([16 * data.var(axis=0), 4 * data[:2].var(axis=0)]), 0))
