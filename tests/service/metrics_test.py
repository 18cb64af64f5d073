"""promtool must accept the metrics of each role, and no metric may name an arm, event, subject or column."""

import re
import subprocess

from running import RunningService, event
from support import InFolder, Tree, main, needs

FEATURES = {"party_0": [0.25, -0.5], "party_1": [0.125, 0.375]}


class Metrics(RunningService):
    def setUp(self):
        super().setUp()
        for number in range(1, 6):
            self.decide(number, FEATURES, reward=1)
        self.wait_until_learned()

    def text(self, role):
        status, body = self.services.roles[role].once("GET", "/metrics")
        self.assertEqual(status, 200)
        return body.decode()

    @needs("promtool")
    def test_promtool_accepts_them(self):
        for role in self.services.roles:
            done = subprocess.run(["promtool", "check", "metrics"], input=self.text(role), capture_output=True,
                                  text=True, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), role)

    def test_nothing_private_is_in_them(self):
        private = ["red", "green", "blue", "basket", "visits", "age", "saves", event(1), "order-1"]
        for role in self.services.roles:
            labels = " ".join(re.findall(r"\{(.*?)\} ", self.text(role)))
            self.assertIn("=", labels)
            for word in private:
                self.assertNotRegex(labels, rf"\b{word}\b", role)

    def test_they_count_what_was_done(self):
        actor, rewarder, party = self.text("actor"), self.text("rewarder"), self.text("party_0")
        self.assertIn('sotto_events_total{outcome="decided"} 5\n', actor)
        self.assertIn('sotto_rewards_total{outcome="used"} 5\n', rewarder)
        self.assertIn('sotto_features_total{outcome="stored"} 5\n', party)
        for text in (actor, rewarder, party):
            self.assertIn("sotto_ready 1\n", text)
            self.assertEqual(len(re.findall(r'^sotto_peer_up\{peer=".*"\} 1$', text, re.MULTILINE)), text.count("sotto_peer_up{"))

    def test_all_roles_name_one_config(self):
        revisions = {self.services.roles[role].ask("GET", "/v1/status")[1]["config"] for role in self.services.roles}
        self.assertEqual(len(revisions), 1)
        self.assertRegex(revisions.pop(), r"^[0-9a-f]{8}$")


class Alerts(InFolder):
    """Compares the alert rules with the table of docs/guides/live-operation.md."""

    rules = "apps/deploy/prometheus/alerts.yml"

    def text(self):
        return (Tree.source / self.rules).read_text()

    @needs("promtool")
    def test_promtool_accepts_and_tests_them(self):
        (self.folder / "alerts-under-test.yml").write_text(self.text())
        (self.folder / "alerts.yml").write_text((Tree.source / "tests/service/alerts.yml").read_text())
        for command in (["check", "rules", "alerts-under-test.yml"], ["test", "rules", "alerts.yml"]):
            done = subprocess.run(["promtool", *command], cwd=self.folder, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_each_is_tested_and_stands_in_the_table(self):
        names = re.findall(r"- alert: (\w+)", self.text())
        self.assertGreaterEqual(len(names), 10)
        page = (Tree.source / "docs/guides/live-operation.md").read_text()
        tested = (Tree.source / "tests/service/alerts.yml").read_text()
        for name in names:
            self.assertIn(f"`{name}`", page)
            self.assertIn(f'alertname="{name}"', tested)

    def test_they_ask_for_metrics_that_there_are(self):
        sources = "".join(file.read_text() for folder in ("apps/live/api", "apps/kit/metrics")
                          for file in (Tree.source / folder).glob("*.cc"))
        for name in set(re.findall(r"\bsotto_[a-z_]+", self.text())):
            self.assertIn(f'"{name.removesuffix("_bucket")}"', sources)


if __name__ == "__main__":
    main()
