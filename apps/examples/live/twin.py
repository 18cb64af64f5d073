"""The plain-text twin of the service: the same algorithm on open data, with its own random numbers.

The twin learns an event `wait` seconds after its decision, with the clicks that have arrived by then.
"""

import random
from collections import deque


class Arm:
    """Stores A^-1 and A^-1 b, where A = I + sum of x x' and b = sum of r x, over the contexts x and rewards r."""

    def __init__(self, size):
        self.inverse = [[float(i == j) for j in range(size)] for i in range(size)]
        self.sums = [0.0] * size
        self.weights = [0.0] * size

    def learn(self, x, reward):
        along = [dot(row, x) for row in self.inverse]
        scale = 1 / (1 + dot(along, x))
        self.inverse = [[v - scale * a * b for v, b in zip(row, along)] for row, a in zip(self.inverse, along)]
        self.sums = [s + reward * v for s, v in zip(self.sums, x)]
        self.weights = [dot(row, self.sums) for row in self.inverse]


def dot(a, b):
    return sum(u * v for u, v in zip(a, b))


def best_arm(arms, x, draw):
    scores = [dot(arm.weights, x) for arm in arms]
    most = max(scores)
    return draw.choice([index for index, score in enumerate(scores) if score == most])


def play(shown, arms, epsilon, wait, seed):
    """`shown` is a list of (time, visitor), one for each event in the order of time."""
    draw = random.Random(f"twin {seed}")
    size = len(shown[0][1].context())
    models = [Arm(size) for _ in arms]
    waiting = deque()
    worth = 0.0
    for time, visitor in shown:
        while waiting and waiting[0][0] <= time:
            _, index, x, reward = waiting.popleft()
            models[index].learn(x, reward)
        x = visitor.context()
        index = draw.randrange(len(arms)) if draw.random() < epsilon else best_arm(models, x, draw)
        worth += visitor.worth(arms[index])
        heard = visitor.clicks(arms[index]) and visitor.delay < wait
        waiting.append((time + wait, index, x, 1.0 if heard else 0.0))
    return worth / len(shown)
