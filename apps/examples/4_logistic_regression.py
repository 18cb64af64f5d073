"""Example 4: logistic regression of two companies, in one process or over the network.

Without arguments this process plays all roles. With `--config config.toml` the process is one role of a run over TLS:

    sotto init --protocol program --parties 2 --out run         configs for two parties and the dealer
    sotto keys new, sotto keys trust, sotto doctor              as run/<role>/README.txt says
    python3 4_logistic_regression.py --config config.toml       at each role, in its folder
"""

import sys

import numpy as np
import sotto
from example import compared

PEOPLE, EPOCHS, START = 200, 20, np.full(4, 0.1)


@sotto.program(parties=2)
def fit(s, mine):
    x = s.input(mine, owner=0, shape=(PEOPLE, 4), bound=4)
    y = s.input(mine, owner=1, shape=(PEOPLE,), bound=1)
    w = s.constant(START)
    for _ in range(EPOCHS):
        p = sotto.sigmoid(x @ w)
        w = (w - (x.T @ (p - y)) * (2 / PEOPLE)).within(8)
    return s.open(w, name="weights")


x = np.random.default_rng(3).uniform(-1, 1, (PEOPLE, 4))  # a real party passes its own file, config.data
y = (x.sum(axis=1) > 0).astype(float)
if len(sys.argv) == 1:
    out = fit.simulate(x, y)
else:
    config = sotto.Config.from_arguments()
    out = fit.run(config, None if config.party is None else (x, y)[config.party])
w = START.copy()
for _ in range(EPOCHS):
    w -= 2 / PEOPLE * x.T @ (1 / (1 + np.exp(-(x @ w))) - y)
sys.exit(0 if out.value is None else compared(out, w, 1e-3))
