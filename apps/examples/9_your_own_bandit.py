"""Example 9: a bandit of your own. Two companies each have two features of every visitor, who sees one of three offers.
The bandit explores only in the first batches."""

import sys

import numpy as np
import sotto

BATCHES, BATCH = 12, 32

rng = np.random.default_rng(7)
x = rng.uniform(-0.5, 0.5, (BATCHES * BATCH, 4))
likes = np.clip(x @ rng.uniform(-2, 2, (4, 3)), -1, 1)  # visitors by offers
bandit = sotto.EpsilonGreedy(3, 0.0, batch=BATCH, rewards="real", max_rows=len(x))
earned = []
for first in range(0, len(x), BATCH):
    rows = slice(first, first + BATCH)
    parts = [x[rows, :2], x[rows, 2:]]
    arms = rng.integers(0, 3, BATCH) if first < 3 * BATCH else bandit.predict(parts)
    rewards = likes[rows][np.arange(BATCH), arms]
    bandit.partial_fit(parts, arms, rewards)
    earned.append(rewards.mean())
cost, late = bandit.cost_, np.mean(earned[3:])
print(f"average reward {late:.3f} after exploring; {likes.mean():.3f} at random, {likes.max(axis=1).mean():.3f} at best")
print(f"{cost['rounds']} rounds, {cost['bytes']:,} bytes sent, {cost['dealt']:,} bytes dealt")
sys.exit(0 if late > (likes.mean() + likes.max(axis=1).mean()) / 2 else 1)
