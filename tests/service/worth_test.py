"""Compares the figures of docs/worth-of-joining.svg with runs on the tables that the picture describes."""

import csv
import json
import re
import shutil
import subprocess
import unittest

from support import InFolder, Tree, main

RUNS = 3
TOLERANCE = 0.03  # for a mean of RUNS runs; equals five standard errors of the joint run


def rows_of(path, separator):
    with open(path, newline="") as file:
        return {row["customer_id"].upper(): row for row in csv.DictReader(file, delimiter=separator)}


def write_rows(path, rows, ids, separator):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[ids[0]]), delimiter=separator)
        writer.writeheader()
        writer.writerows({**rows[one], "customer_id": one} for one in ids)


@unittest.skipIf(shutil.which("awk") is None, "awk is not installed")
class WorthOfJoining(InFolder):
    def figures(self):
        """Returns {label: figure} of the picture."""
        picture = (Tree.source / "docs/worth-of-joining.svg").read_text()
        found = re.findall(r'text-anchor="end">([^<]+)</text>.*?class="value"[^>]*>([0-9.]+)</text>', picture, re.S)
        return {name: float(value) for name, value in found}

    def sotto(self, *words):
        return subprocess.run([Tree.sotto, *words], cwd=self.folder, capture_output=True, text=True, check=True).stdout

    def test_is_that_of_the_picture(self):
        subprocess.run([Tree.source / "apps/examples/make-tables", self.folder], check=True)
        shop, bank = rows_of(self.folder / "shop.csv", ","), rows_of(self.folder / "bank.csv", ";")
        ids = sorted(shop.keys() & bank.keys())
        self.assertEqual(len(ids), 3000)
        write_rows(self.folder / "shop_common.csv", shop, ids, ",")
        write_rows(self.folder / "bank_common.csv", bank, ids, ";")
        self.sotto("prepare", "party", "shop_common.csv", "--id", "customer_id", "--robust", "--out", "shop")
        self.sotto("prepare", "party", "bank_common.csv", "--id", "customer_id", "--decimal-comma", "--label", "best_offer",
                   "--out", "bank")
        means = dict.fromkeys(("random offers", "the shop by itself", "the bank by itself", "both together, by sotto"), 0)
        for seed in range(1, RUNS + 1):
            run = json.loads(self.sotto("bandit", "--party", "shop/rows.csv", "--party", "bank/rows.csv", "--environment",
                                        "bank/environment.csv", "--max-norm", "1", "--batch", "16", "--compare-parts",
                                        "--insecure-seed", str(seed), "--json"))
            parts = [part["average_reward"] for part in run["compare_parts"]]
            for name, reward in zip(means, (run["uniform_average_reward"], *parts[:2], run["average_reward"])):
                means[name] += reward / RUNS
        figures = self.figures()
        self.assertEqual(figures.keys(), means.keys())
        for name, mean in means.items():
            self.assertAlmostEqual(figures[name], mean, delta=TOLERANCE, msg=name)


if __name__ == "__main__":
    main()
