"""Example 6: a second-price auction. The highest bidder wins each item and pays the second highest bid; bids stay
secret."""

import sys

import numpy as np
import sotto
from example import compared


@sotto.program(parties=3)
def auction(s, mine):
    bids = sotto.stack([s.input(mine, owner=p, bound=1000) for p in range(s.parties)]).T  # one item per row
    result = sotto.concatenate([bids.argmax(axis=1), sotto.top_k(bids, 2)[:, 1:]], axis=1)
    return s.open(result, name="winners and prices")


bids = np.random.default_rng(5).permutation(999)[:12].reshape(3, 4)
out = auction.simulate(*bids)
plain = np.hstack([np.eye(3)[bids.argmax(axis=0)], np.sort(bids, axis=0)[1:2].T])
sys.exit(compared(out, plain, 0))
