"""The live demo earns as much as the plain-text twin, even if every role is killed once, and ends in good order."""

import json
import random
import re
import signal
import subprocess
import sys
import unittest

from support import InFolder, Tree, example, main


class Demo(InFolder):
    def begin(self, *words):
        command = [sys.executable, str(Tree.source / "apps/examples/live/demo.py"), "--sotto", str(Tree.sotto), "--out",
                   str(self.folder / "out"), *words]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        return process

    def result(self):
        return json.loads((self.folder / "out" / "result.json").read_text())

    def logs(self):
        roles = self.folder / "out" / "roles"
        return {log.parent.name: log.read_text() for log in roles.glob("*/log")}

    def test_it_earns_as_its_twin_while_every_role_is_killed(self):
        demo = self.begin("--seconds", "25", "--rate", "80", "--kills")
        out, err = demo.communicate()
        self.assertEqual(demo.returncode, 0, out + err)
        result = self.result()
        self.assertEqual({kill["role"] for kill in result["kills"]}, set(self.logs()))
        self.assertEqual(result["left"], 0, "visitors who received nothing")
        self.assertEqual(result["shown"], result["visitors"])
        self.assertGreaterEqual(result["of_plaintext"], 0.95, result)
        # The comparison with the twin is fair: the twin has learned, and earns less than the best policy.
        best, uniform = result["best_average_reward"], result["uniform_average_reward"]
        self.assertGreater(result["plaintext_average_reward"], uniform + 0.5 * (best - uniform))
        self.assertLess(result["plaintext_average_reward"], best)
        for role, log in self.logs().items():
            self.assertEqual(log.count(" answers at "), 2, role)
            self.assertIn("ends after number", log, role)

    def test_without_a_dealer_it_earns_as_its_twin_as_well(self):
        demo = self.begin("--seconds", "20", "--rate", "40", "--kills", "--preprocessing", "ot")
        out, err = demo.communicate()
        self.assertEqual(demo.returncode, 0, out + err)
        result = self.result()
        self.assertEqual(set(self.logs()), {"party_0", "party_1", "actor", "rewarder"})
        self.assertEqual({kill["role"] for kill in result["kills"]}, set(self.logs()))
        self.assertEqual(result["left"], 0, "visitors who received nothing")
        self.assertEqual(result["shown"], result["visitors"])
        self.assertGreater(result["average_reward"], result["uniform_average_reward"])

    def test_ctrl_c_ends_it_in_good_order(self):
        demo = self.begin("--seconds", "3600", "--rate", "20")
        while "Visitors come" not in (line := demo.stdout.readline()):
            self.assertTrue(line, "the demo has ended")
        address, token = self.interface("actor")
        actor = example("calls").Role(address, token)
        while actor.ask("GET", "/v1/figures")[1]["decided"] < 20:
            self.assertIsNone(demo.poll())
        demo.send_signal(signal.SIGINT)
        out, err = demo.communicate()
        self.assertEqual(demo.returncode, 0, out + err)
        self.assertIn("Drained at number", out)
        self.assertGreaterEqual(self.result()["shown"], 20)
        self.assertEqual(self.result()["shown"], self.result()["visitors"])
        for role, log in self.logs().items():
            self.assertIn("ends after number", log, role)

    def interface(self, role):
        """Returns the address and the token of the role's interface, from the role's config and its file."""
        config = (self.folder / "out" / "roles" / role / "config.toml").read_text()
        address = re.search(r'^\[http\]\nlisten = "(.*)"$', config, re.MULTILINE)[1]
        return address, (self.folder / "out" / "roles" / role / "token").read_text().strip()

    def test_what_makes_no_sense_is_refused(self):
        for words in (("--seconds", "0"), ("--rate", "many"), ("--rate", "2000"), ("--preprocessing", "replicated")):
            demo = self.begin(*words)
            self.assertEqual(demo.wait(), 2)
            self.assertFalse((self.folder / "out").exists())
            self.assertIn("usage:", demo.stderr.read())


class World(unittest.TestCase):
    """Tests the twin and the simulated visitors, which the demo uses for its measurement."""

    def test_the_twin_regresses(self):
        twin, draw, size = example("twin"), random.Random(7), 4
        arm = twin.Arm(size)
        gram = [[float(i == j) for j in range(size)] for i in range(size)]
        sums = [0.0] * size
        for _ in range(300):
            x, reward = [draw.uniform(-1, 1) for _ in range(size)], draw.random()
            arm.learn(x, reward)
            gram = [[g + a * b for g, b in zip(row, x)] for row, a in zip(gram, x)]
            sums = [s + reward * v for s, v in zip(sums, x)]
        for row, total in zip(gram, sums):
            self.assertAlmostEqual(twin.dot(row, arm.weights), total, places=9)

    def test_the_twin_knows_nothing_before_its_time(self):
        """The twin learns from an event only after the wait for its reward.

        If all events come at once, the twin earns as much as random play.
        """
        twin, visitors = example("twin"), example("visitors")
        crowd = [visitors.Visitor(1, number, 2) for number in range(2000)]
        uniform = sum(visitor.uniform() for visitor in crowd) / len(crowd)
        deaf = [twin.play([(0.0, visitor) for visitor in crowd], visitors.ARMS, 0.1, 2, seed) for seed in range(5)]
        heard = twin.play([(0.01 * i, visitor) for i, visitor in enumerate(crowd)], visitors.ARMS, 0.1, 2, 1)
        self.assertAlmostEqual(sum(deaf) / len(deaf), uniform, delta=0.02)
        self.assertGreater(heard, uniform + 0.1)

    def test_visitors_are_the_same_each_time(self):
        visitors = example("visitors")
        for number in range(50):
            one, again = (visitors.Visitor(3, number, 2) for _ in range(2))
            self.assertEqual((one.context(), one.luck, one.delay), (again.context(), again.luck, again.delay))
            for arm in visitors.ARMS:
                self.assertTrue(0 <= one.worth(arm) <= 1)
                self.assertEqual(one.clicks(arm), one.luck < one.worth(arm))
            self.assertEqual(one.best(), max(one.worth(arm) for arm in visitors.ARMS))
            for part in one.features.values():
                self.assertLessEqual(sum(value * value for value in part) ** 0.5, 0.5 ** 0.5)
        self.assertNotEqual(visitors.Visitor(3, 1, 2).context(), visitors.Visitor(4, 1, 2).context())


if __name__ == "__main__":
    main()
