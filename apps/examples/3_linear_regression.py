"""Example 3: linear regression of two companies. One company has five columns of each customer, the other has three
columns and the target. Both companies learn the weights."""

import sys

import numpy as np
import sotto
from example import compared

CUSTOMERS, STEPS, RATE = 400, 30, 1.2


@sotto.program(parties=2)
def fit(s, mine):
    left = s.input(mine, owner=0, shape=(CUSTOMERS, 5), bound=4)
    right = s.input(mine, owner=1, shape=(CUSTOMERS, 4), bound=8)
    x, y = sotto.concatenate([left, right[:, :3]], axis=1), right[:, 3]
    # One round computes x'x and x'y. Each step of gradient descent then needs only this matrix and this vector.
    gram, target = ((x.T @ x) / CUSTOMERS).within(2), ((x.T @ y) / CUSTOMERS).within(8)
    w = s.zeros(8)
    for _ in range(STEPS):
        gradient = (gram @ w - target).within(8)
        w = (w - RATE * gradient).within(4)
    return s.open(w, name="weights")


rng = np.random.default_rng(2)
x = rng.uniform(-1, 1, (CUSTOMERS, 8))
y = x @ rng.uniform(-1, 1, 8) + rng.uniform(-0.1, 0.1, CUSTOMERS)
out = fit.simulate(x[:, :5], np.column_stack([x[:, 5:], y]))
w = np.zeros(8)
for _ in range(STEPS):
    w -= RATE / CUSTOMERS * x.T @ (x @ w - y)
sys.exit(compared(out, w, 1e-3))
