"""Each line of a role's log has a time and a level. A role writes only the requested levels, and no line shows
private data.
"""

import re
import signal

from running import RunningService, event
from support import main

# These strings of digits occur nowhere else, so the test can find them in a log.
FEATURES = {"party_0": [0.2718281, -0.3141592], "party_1": [0.1414213, 0.1732050]}
LINE = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (error|warning|info|debug) \S.*$")


class LogTest(RunningService):
    def logs(self):
        return {role: (self.services.folder / role / "log").read_text() for role in self.services.roles}

    def levels(self):
        """Returns the levels in the logs of all roles, after a check of the form of each line."""
        levels = set()
        for role, text in self.logs().items():
            for line in text.splitlines():
                self.assertRegex(line, LINE, role)
                levels.add(LINE.match(line)[1])
        return levels


class Debug(LogTest):
    serve_words = ("--log-level", "debug")

    def wrong_calls(self):
        """Each of these wrong calls has private data, which the log must not repeat."""
        bad = {"schema": 1, "x": [7351928.5, 0]}
        self.assertEqual(self.ask("party_0", "PUT", f"/v1/events/{event(9)}/features", bad)[0], 422)
        self.assertEqual(self.ask("party_0", "PUT", f"/v1/events/{event(9)}/features", {"x": ["7351928"]})[0], 400)
        self.assertEqual(self.ask("rewarder", "POST", f"/v1/events/{event(1)}/reward", {"value": 7351928})[0], 422)
        self.assertEqual(self.ask("actor", "POST", "/v1/decisions", {"own_arm": "arm-7351928"})[0], 400)
        self.assertEqual(self.ask("actor", "GET", "/v1/events/7351928")[0], 400)
        self.services.roles["actor"].token = "7351928" * 8
        self.assertEqual(self.ask("actor", "GET", "/v1/status")[0], 401)

    def test_nothing_private_is_in_it(self):
        for number in range(1, 4):
            self.decide(number, FEATURES, reward=1)
        self.wait_until_learned()
        self.services.kill("party_1")
        self.services.start("party_1")
        self.services.wait_until_ready()
        tokens = list(self.services.tokens.values())
        self.wrong_calls()
        self.services.stop()
        self.assertEqual(self.levels(), {"warning", "info", "debug"})
        private = ["7351928", "2718281", "3141592", "1414213", "1732050", "order-", "red", "green", "blue", "basket",
                   "visits", "saves", *(event(number) for number in (1, 2, 3, 9)), *tokens]
        for role, text in self.logs().items():
            self.assertIn("http: ", text, role)
            for word in private:
                self.assertNotRegex(text, rf"(?<![a-z]){word}(?![a-z])", role)
        self.assertIn("http: /v1/events/{event}/features answers 204 after ", self.logs()["party_0"])
        self.assertIn("http: /v1/decisions answers 200 after ", self.logs()["actor"])


class Info(LogTest):
    def test_says_what_happens_to_the_role_and_not_to_each_event(self):
        self.decide(1, FEATURES, reward=1)
        self.wait_until_learned()
        self.services.processes["actor"].send_signal(signal.SIGHUP)
        self.wait_until(lambda: "the token is read again" in self.logs()["actor"], "the token is read again")
        self.services.stop()
        self.assertLessEqual(self.levels(), {"warning", "info"})
        for role, text in self.logs().items():
            self.assertRegex(text, r"Z info .* answers at 127\.0\.0\.1:\d+\n", role)
            self.assertRegex(text, r"Z info .* is ready in epoch \d+\n", role)
            self.assertRegex(text, r"Z info .* ends after number \d+ \([0-9a-f]{8}\)\n$", role)
            self.assertNotIn("http: ", text)


class Errors(LogTest):
    serve_words = ("--log-level", "error")

    def test_leaves_the_rest_out(self):
        self.decide(1, FEATURES)
        self.services.kill("dealer")
        self.services.start("dealer")
        self.services.wait_until_ready()
        self.services.stop()
        for role, text in self.logs().items():
            self.assertEqual(text, "", role)


if __name__ == "__main__":
    main()
