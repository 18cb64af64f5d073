"""Example 7: k-means over the customers of two companies, each with its own rows. Only the final centres are opened.
Nobody learns to which centre a customer belongs."""

import sys

import numpy as np
import sotto
from example import compared

START, STEPS = np.array([[2.0, 2], [-2, 1], [0, -2]]), 4


@sotto.program(parties=2)
def centres(s, mine):
    x = sotto.concatenate([s.input(mine, owner=p, bound=4) for p in range(s.parties)])
    c = s.constant(START)
    for _ in range(STEPS):
        # The centre c nearest to x has the largest x . c - |c|^2 / 2.
        nearest = (x @ c.T - (c * c).sum(axis=1) / 2).argmax(axis=1)
        counts = nearest.sum(axis=0).reshape(3, 1)
        c = sotto.divide(nearest.T @ x, counts + 0.01, least=0.01).within(4)
    return s.open(c, name="centres")


rng = np.random.default_rng(6)
x = START[np.arange(120) % 3] + rng.uniform(-0.8, 0.8, (120, 2))
out = centres.simulate(x[:60], x[60:])
c = START
for _ in range(STEPS):
    nearest = np.eye(3)[((x[:, None] - c) ** 2).sum(axis=2).argmin(axis=1)]
    c = nearest.T @ x / (nearest.sum(axis=0)[:, None] + 0.01)
sys.exit(compared(out, c, 1e-3))
