"""A small decision service for tests, with three arms and two columns for each party."""

import time

from support import InFolder, Tree, example

COLUMNS = {"party_0": "name,low,high,default\nbasket,-0.5,0.5,0\nvisits,-0.5,0.5,0.125\n",
           "party_1": "name,low,high,default\nage,-0.5,0.5,0\nsaves,-0.5,0.5,0.25\n"}
SERVICE = {"arms": "red,green,blue", "baseline_arm": "blue", "reward_wait": "1s", "batch_sizes": "1,8",
           "decision_deadline": "1m", "cut_off": "20ms"}
WITHIN = 60.0


def event(number):
    return f"{number:032x}"


class RunningService(InFolder):
    """The service `services` runs during each test. `settings` is the [service] table of its config. `serve_words`
    are additional arguments of `sotto serve`.
    """

    serve_words = ()
    settings = SERVICE

    def setUp(self):
        super().setUp()
        services = example("services")
        self.services = services.Services(Tree.sotto, self.folder / "roles", self.settings, COLUMNS)
        self.services.serve_words = self.serve_words
        self.addCleanup(self.end)
        for role in self.services.names:
            self.services.start(role)
        self.services.wait_until_ready()

    def end(self):
        if self.services.processes:
            self.services.stop()

    def ask(self, role, method, path, body=None):
        return self.services.roles[role].ask(method, path, body, WITHIN)

    def told(self, role, path):
        status, answer = self.ask(role, "GET", path)
        self.assertEqual(status, 200, answer)
        return answer

    def decide(self, number, features, reward=None):
        """Sends the features, the call for a decision and the reward of one event, and returns the arm of the event."""
        for party, x in features.items():
            self.assertEqual(self.ask(party, "PUT", f"/v1/events/{event(number)}/features", {"schema": 1, "x": x})[0],
                             204)
        status, answer = self.ask("actor", "POST", "/v1/decisions", {"event": event(number)})
        self.assertEqual((status, answer["status"]), (200, "decided"))
        if reward is not None:
            body = {"value": reward, "reward_id": f"order-{number}"}
            self.assertEqual(self.ask("rewarder", "POST", f"/v1/events/{event(number)}/reward", body)[0], 204)
        return answer["arm"]

    def wait_until(self, holds, what):
        end = time.monotonic() + WITHIN
        while not holds():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.02)

    def wait_until_learned(self):
        """Waits until every role that counts learned events reports that every decided event is learned."""
        roles = ("actor", "party_0", "party_1", "rewarder")
        number = lambda: {self.told(role, "/v1/status")["number"] for role in roles}
        self.wait_until(lambda: all(self.told(role, "/v1/status")["pending"] == 0 for role in roles)
                        and len(number()) == 1, "all events are learned")
