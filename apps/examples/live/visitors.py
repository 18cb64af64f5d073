"""Visitors of a shop: the facts that two companies know about each visitor, and the offers that the visitor would take.

The probability of a click is linear in the facts of both companies, so both together choose better than one.
"""

import random

ARMS = ("sale", "card", "bundle", "gift")
BASELINE = "gift"
REACH = 0.49  # columns are within [-REACH, REACH], so a vector of two columns has norm 0.7 or less
COLUMNS = {
    "party_0": ("one", "basket"),  # known to the shop
    "party_1": ("age", "trips"),  # known to its partner
}
# For each arm, the signs of the effects of `basket` and `age` on the probability of a click.
TASTES = {"sale": (1, 1), "card": (-1, -1), "bundle": (1, -1), "gift": (-1, 1)}
MIDDLE = 0.5
SLOPE = 0.5


class Visitor:
    """The same seed and number make the same visitor. The mean delay of a click is a third of `wait` seconds, and a click
    after `wait` seconds is too late."""

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
        """Probability of a click."""
        basket, age = TASTES[arm]
        return MIDDLE + SLOPE * (basket * self.features["party_0"][1] + age * self.features["party_1"][0])

    def clicks(self, arm):
        return self.luck < self.worth(arm)

    def best(self):
        return max(self.worth(arm) for arm in ARMS)

    def uniform(self):
        return sum(self.worth(arm) for arm in ARMS) / len(ARMS)


def columns_csv(party):
    """The columns of a party, as CSV text."""
    rows = [f"{name},{-REACH},{REACH},{REACH if name == 'one' else 0}" for name in COLUMNS[party]]
    return "\n".join(["name,low,high,default", *rows]) + "\n"
