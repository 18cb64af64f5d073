#!/usr/bin/env python3
"""Compares the time of a Python call with the time of the C++ function inside the call. Exit code 1 if the overhead is
above 5%.

    PYTHONPATH=build/release/apps/python /usr/bin/python3 bench/python_calls.py
"""

import statistics
import sys
import time

import numpy as np

import sotto

ROWS, CALLS, MOST = 4096, 7, 0.05


def measured(call, model):
    """Median seconds of the call, and of the C++ function inside the call."""
    whole, inner = [], []
    for _ in range(CALLS):
        begin = time.perf_counter()
        call()
        whole.append(time.perf_counter() - begin)
        inner.append(model().seconds)
    return statistics.median(whole), statistics.median(inner)


def main():
    rng = np.random.default_rng(1)
    joint = rng.normal(size=(ROWS, 20))
    joint /= np.linalg.norm(joint, axis=1, keepdims=True)
    layouts = {
        "columns of one matrix": (joint[:, :10], joint[:, 10:]),
        "Fortran order": (np.asfortranarray(joint[:, :10]), np.asfortranarray(joint[:, 10:])),
        "float32, converted": (joint[:, :10].astype("f4") * np.float32(0.999), joint[:, 10:].astype("f4") * np.float32(0.999)),
    }
    arms = rng.integers(0, 10, ROWS)
    rewards = rng.integers(0, 2, ROWS).astype(float)
    print(f"| {ROWS:,} rows, 2 parties, 20 features, 10 arms | call, ms | C++, ms | more |\n|---|---|---|---|")
    worst = 0.0
    for name, parts in layouts.items():
        bandit = sotto.EpsilonGreedy(10, 0.1, batch=1024)
        bandit.partial_fit(parts, arms, rewards)
        for what, call in (
            ("partial_fit", lambda: bandit.partial_fit(parts, arms, rewards)),
            ("predict", lambda: bandit.predict(parts)),
        ):
            whole, inner = measured(call, lambda: bandit._model)
            worst = max(worst, whole / inner - 1)
            print(f"| {what}, {name} | {1e3 * whole:.2f} | {1e3 * inner:.2f} | {100 * (whole / inner - 1):.2f}% |")
    return 0 if worst <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
