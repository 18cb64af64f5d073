"""Visitors of a shop: the facts that two companies know about each visitor, the offers that the visitor would take, and
the delay of the click.

A visitor takes an offer with a probability that is linear in the facts of both companies, so the two companies together
choose better than either company without the other. This module does not communicate with the service.
"""

import random

ARMS = ("sale", "card", "bundle", "gift")
BASELINE = "gift"
REACH = 0.49  # columns are within [-REACH, REACH], so a vector of two columns has norm 0.7 or less
COLUMNS = {
    "party_0": ("one", "basket"),  # Columns of the shop; the first column is constant.
    "party_1": ("age", "trips"),  # Columns of the shop's data partner.
}
# For each arm: how the probability that a visitor takes the arm changes with the shop's `basket` and with the partner's
# `age`.
TASTES = {"sale": (1, 1), "card": (-1, -1), "bundle": (1, -1), "gift": (-1, 1)}
MIDDLE = 0.5
SLOPE = 0.5


class Visitor:
    """The visitor with the given number. The same seed and number always give the same visitor. A click comes after
    about a third of `wait` seconds on average. A click that comes after more than `wait` seconds is too late to be
    learned."""

    def __init__(self, seed, number, wait):
        draw = random.Random(f"{seed} {number}")
        self.features = {
            party: [REACH if name == "one" else draw.uniform(-REACH, REACH) for name in names]
            for party, names in COLUMNS.items()
        }
        self.luck = draw.random()
        self.delay = draw.expovariate(3 / wait)

    def context(self):
        return self.features["party_0"] + self.features["party_1"]

    def worth(self, arm):
        """Probability that the visitor takes this offer."""
        basket, age = TASTES[arm]
        return MIDDLE + SLOPE * (basket * self.features["party_0"][1] + age * self.features["party_1"][0])

    def clicks(self, arm):
        return self.luck < self.worth(arm)

    def best(self):
        return max(self.worth(arm) for arm in ARMS)

    def uniform(self):
        return sum(self.worth(arm) for arm in ARMS) / len(ARMS)


def columns_csv(party):
    """The text of a party's file of columns, which the key `columns` in [features] of the party's config names."""
    rows = [f"{name},{-REACH},{REACH},{REACH if name == 'one' else 0}" for name in COLUMNS[party]]
    return "\n".join(["name,low,high,default", *rows]) + "\n"
