"""Example 2: the average and the variance of the measurements of three hospitals, 100 numbers each."""

import sys

import numpy as np
import sotto
from example import compared


@sotto.program(parties=3)
def statistics(s, mine):
    x = sotto.concatenate([s.input(mine, owner=p, bound=200) for p in range(s.parties)])
    deviation = (x - x.mean()).within(64)  # sends no message
    variance = (deviation * deviation).mean()
    # The mean of the squares has more fraction bits than a square, so it fits a word only with a bound below 64^2.
    return s.open(sotto.stack([x.mean(), variance.within(1024)]), name="average and variance")


rng = np.random.default_rng(1)
data = [rng.uniform(100, 140, 100), rng.uniform(70, 130, 100), rng.uniform(130, 150, 100)]
out = statistics.simulate(*data)
x = np.concatenate(data)
sys.exit(compared(out, [x.mean(), x.var()], 0.1))
