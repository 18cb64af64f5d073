"""Opens the report pages of runs in a browser. The pages must show the figures of run.json, and no errors."""

import json
import re
import subprocess

from browser import Browser
from support import InFolder, Tree, main, needs

# For each unit of a figure, the factor to the base unit.
UNITS = {"": 1, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
FIGURE = re.compile(r"^(-?[0-9,]+(?:\.(\d+))?(?:e[-+]\d+)?) ?([A-Za-z]*)$")

BANDIT = {
    "Average reward": lambda run: run["average_reward"],
    "Plain-text twin": lambda run: run["plaintext_average_reward"],
    "Privacy of one arm, η": lambda run: run["eta_per_action"]["exact"],
    "Privacy of the run, η": lambda run: run["eta_composed"]["optimal"],
    "Time STEP": lambda run: run["seconds_per_step"],
    "Rounds STEP": lambda run: run["rounds_per_step"],
    "Sent STEP": lambda run: run["bytes_per_step"],
    "Dealt STEP": lambda run: run["dealt_bytes_per_step"],
}
ROBIN = {
    "Regret a client": lambda run: run["regret_per_client"],
    "Local twin": lambda run: run["regret_local"],
    "Non-private twin": lambda run: run["regret_nonprivate"],
    "Epsilon spent": lambda run: run["eps_spent"],
    "Releases": lambda run: len(run["releases"]),
    "Chance of misfire": lambda run: run["misfire"],
    "Clipped": lambda run: sum(run["clipped"].values()),
    "Whole run": lambda run: run["wall_seconds"],
}
O3M = {
    "Average reward": lambda run: run["average_reward"],
    "Regret": lambda run: run["cumulative_regret"],
    "From the central twin": lambda run: "same arms" if run["arms_equal"] else "other arms",
    "Features": lambda run: run["dimension"],
    "Time a step": lambda run: run["seconds_per_step"],
    "With masking": lambda run: run["end_to_end_seconds_per_step"],
    "Received a step": lambda run: run["bytes_per_step"],
    "Whole run": lambda run: run["wall_seconds"],
}


def rounded_as(figure, value):
    """Returns whether the figure equals the value, rounded to the figure's last digit."""
    if isinstance(value, str):
        return figure == value
    found = FIGURE.match(figure)
    if not found or found[3] not in UNITS:
        return False
    shown = float(found[1].replace(",", ""))
    digits = found[1].split("e")[1] if "e" in found[1] else "0"
    last = 10.0 ** (int(digits) - len(found[2] or ""))
    return abs(shown - value / UNITS[found[3]]) <= 0.5001 * last


@needs("chromium")
class Reports(InFolder):
    def play(self, program, *words):
        """Opens the run's page in the browser, and returns the run's numbers."""
        done = subprocess.run([program, *words, "--out", "out"], cwd=self.folder, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        browser = Browser(self.folder / "profile")
        self.addCleanup(browser.close)
        browser.open((self.folder / "out" / "report.html").as_uri())
        self.assertEqual(browser.errors, [])
        return json.loads((self.folder / "out" / "run.json").read_text()), browser

    def prepare(self, *words):
        subprocess.run([Tree.sotto, "prepare", *words, "--out", "data"], cwd=self.folder, check=True,
                       capture_output=True)

    def expect_tiles(self, browser, run, expected):
        tiles = browser.tiles("dl.tiles", "dd.figure")
        self.assertEqual(list(tiles), list(expected))
        for name, value in expected.items():
            self.assertTrue(rounded_as(tiles[name], value(run)), f"{name}: {tiles[name]} is not {value(run)}")

    def expect_legend(self, browser, heading, curves):
        """Checks that the legend of the section's first chart has the last value of each curve."""
        shown = browser.value(
            "[...[...document.querySelectorAll('section')].find("
            f"  (section) => section.querySelector('h2').textContent == {json.dumps(heading)})"
            "  .querySelector('ul.legend').querySelectorAll('b')].map((e) => e.textContent)")
        self.assertEqual(len(shown), len(curves))
        for text, curve in zip(shown, curves):
            self.assertAlmostEqual(float(text), curve[-1]["average_reward"], delta=5e-4)

    def tables(self, browser):
        """Returns {heading: tables of its section}. A table is a pair: the rows of its body and the rows of its
        foot.
        """
        return browser.value(
            "Object.fromEntries([...document.querySelectorAll('section')].map((section) => {"
            "  const rows = (part) => [...part.rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim()));"
            "  return [section.querySelector('h2').textContent, [...section.querySelectorAll('table')].map("
            "    (table) => [rows(table.tBodies[0]), table.tFoot ? rows(table.tFoot) : []])]; }))")

    def expect_row(self, row, expected):
        """Compares a row with the expected values: texts unchanged, numbers as figures, None as an empty cell."""
        self.assertEqual(len(row), len(expected), row)
        for cell, value in zip(row, expected):
            self.assertTrue(cell == "" if value is None else rounded_as(cell, value), f"{row}: {cell} is not {value}")

    def expect_costs(self, tables, run):
        (body, foot), = tables["Where the time went"]
        self.assertEqual(len(body), len(run["phases"]))
        figures = ("seconds", "rounds", "bytes", "dealt_bytes")
        for row, phase in zip(body, run["phases"]):
            self.expect_row(row, [phase["name"], None, *(phase[name] for name in figures)])
        total = [sum(phase[name] for phase in run["phases"]) for name in figures]
        self.expect_row(foot[0], ["all", None, *total])

    def expect_rounds(self, tables, run):
        of = f"A batch of {run['batch']} events" if run["batch"] > 1 else "One step"
        (body, _), = tables[f"{of}, round by round"]
        self.assertEqual(len(body), len(run["step_rounds"]))
        for row, step in zip(body, run["step_rounds"]):
            name = f"{step['phase']} {step['round']}" if step.get("phase") else str(step["round"])
            timed = [step["seconds"]] if "seconds" in step else []
            self.expect_row(row, [name, " · ".join(step["labels"]), None, step["bytes"], *timed])

    def expect_knowledge(self, tables, run):
        (body, _), = tables["The knowledge of colluding roles"]
        groups = lambda source: ", or ".join(" with ".join(group) for group in source["read_by"])
        self.assertEqual(body, [[source["source"], source["drawn_by"], groups(source), source["what"]]
                                for source in run["randomness"]])

    def expect_parameters(self, browser, tables, run):
        shown = browser.tiles("dl.parameters")
        of = "events" if run["batch"] > 1 else "steps"
        expected = {of: run["steps"], "parties": run["parties"], "features": run["features"], "arms": run["arms"],
                    "epsilon": run["epsilon"], "fraction bits": run["fraction_bits"],
                    "of W−1": run["inverse_fraction_bits"], "of rewards": run["reward_bits"],
                    "comparison bits": run["comparison_bits"], "repeats": run["repeats"]}
        if run["batch"] > 1:
            expected.update({"events at once": run["batch"], "of weights": run["batches"]["weight_bits"],
                             "rewards late by": f"{run['reward_lag']} events"})
        for name, value in expected.items():
            self.assertTrue(rounded_as(shown[name], value), f"{name}: {shown[name]} is not {value}")
        self.assertEqual(shown["norm bound"], f"{run['max_norm']:g}, seen to hold")
        (body, _), = tables["Parameters"]
        for row, source in zip(body, run["inputs"]):
            self.expect_row(row, [source["name"], source["file"], source["features"], source["max_norm"]])
        self.assertEqual(body[len(run["inputs"]):], [["environment", run["environment"], "", ""]])

    def expect_worth(self, browser, tables, run):
        """Checks the first sentence, and a line for each policy."""
        verdict, = browser.texts("p.verdict")
        self.assertTrue(verdict.startswith(run["worth"]["sentence"].replace("+-", "±")), verdict)
        (body, _), = tables["The worth of joining"]
        expected = [run["uniform_average_reward"], *(part["average_reward"] for part in run["compare_parts"]),
                    run["average_reward"], run["best_average_reward"]]
        self.assertEqual(len(body), len(expected))
        for row, reward in zip(body, expected):
            self.assertTrue(rounded_as(row[2], reward), f"{row} is not {reward}")

    def play_bandit(self, *words):
        self.prepare("digits")
        run, browser = self.play(Tree.sotto, "bandit", "--party", "data/party_0.csv", "--party", "data/party_1.csv",
                                 "--environment", "data/environment.csv", "--max-norm", "1", "--joint-norm-holds",
                                 *words)
        of = "an event" if run["batch"] > 1 else "a step"
        self.expect_tiles(browser, run, {name.replace("STEP", of): value for name, value in BANDIT.items()})
        companies = run["compare_parts"][:-1]
        self.expect_legend(browser, "Rewards", [run["reward_curve"], run["plaintext_curve"],
                                                *(part["reward_curve"] for part in companies)])
        tables = self.tables(browser)
        self.expect_costs(tables, run)
        self.expect_rounds(tables, run)
        self.expect_knowledge(tables, run)
        self.expect_parameters(browser, tables, run)
        self.expect_worth(browser, tables, run)
        return run, browser

    def test_bandit(self):
        run, browser = self.play_bandit("--steps", "300", "--compare-plaintext")
        twin = run["compare_plaintext"]
        self.assertIn(f"{100 * twin['agreement']:.2f}%", browser.texts("section > p strong"))

    def test_bandit_in_batches(self):
        self.play_bandit("--steps", "600", "--batch", "64", "--reward-lag", "30")

    def test_robin(self):
        run, browser = self.play(Tree.sotto, "robin", "--clients", "20", "--horizon", "200", "--eps", "200")
        self.expect_tiles(browser, run, ROBIN)

    def test_o3m(self):
        self.prepare("o3m", "--steps", "300", "--split", "4,4,4")
        run, browser = self.play(Tree.sotto, "o3m", "--ap", "data/active.csv", "--passive", "data/passive_1.csv",
                                 "--passive", "data/passive_2.csv", "--environment", "data/environment.csv",
                                 "--algorithm", "ucb", "--acknowledge-leakage", "--compare-central")
        self.expect_tiles(browser, run, O3M)
        self.expect_legend(browser, "Rewards", [run["reward_curve"]])

    def test_p2b(self):
        if Tree.lab is None or not Tree.lab.exists():
            self.skipTest("sotto-lab is not built")
        run, browser = self.play(Tree.lab, "simulate", "synthetic", "--users", "200,400", "--dim", "4", "--codes", "16",
                                 "--repeats", "2", "--seed", "3")
        tiles = browser.tiles("dl.tiles", "dd.figure")
        self.assertTrue(rounded_as(tiles["epsilon"], run["epsilon"]), tiles)
        numbers = [value for point in run["points"] for value in leaves(point)]
        for name, figure in tiles.items():
            if name not in ("epsilon", "time"):
                self.assertTrue(any(rounded_as(figure, value) for value in numbers), f"{name}: {figure}")


def leaves(value):
    """Returns all numbers that an object contains."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [leaf for each in value for leaf in leaves(each)]
    return [value] if isinstance(value, (int, float)) and not isinstance(value, bool) else []


if __name__ == "__main__":
    main()
