"""Example 8: a protocol of your own, composed of others: a function of secrets that programs call as they call sotto's.
What lies below secrets, shares and masks, is C++ alone (docs/engine.md). What to write down with it, as the C++ example
does:

Private variance    party p's x_p -> n sum x_p^2 - (sum x_p)^2, that is n^2 times the variance.
Rounds              1, that of the openings: products are opened as they are. Of many groups as of one.
Who sees what       the result. Its entries are products, which are fresh, so nothing else is told.
Ranges              |x_p| <= 1000 and n <= 8, at 16 fraction bits: the result is below 2^26 at twice as many, which fits
                    a word. Nothing is rounded: it is exact.
"""

import sys

import numpy as np
import sotto
from example import compared


def spread(x):
    """Of each column of a secret matrix: a party's number a row."""
    total = x.sum(axis=0)
    return sum(row * row for row in x) * len(x) - total * total


@sotto.program(parties=4, bits=16)
def variances(s, mine):
    # Batched: all groups in one vector, an entry each, and so in the rounds of one.
    x = sotto.stack([s.input(mine, owner=p, shape=(2,), bound=1000) for p in range(s.parties)])
    return s.open(spread(x), name="variances"), s.open(spread(x[:2]), name="of the first two parties")


data = np.array([[12.5, -3], [9, 900.25], [14.25, 0.5], [11, -812]])
out = variances.simulate(*data)
assert out.rounds == 2  # of the inputs and the openings
sys.exit(compared(out, np.array([16 * data.var(axis=0), 4 * data[:2].var(axis=0)]), 0))
