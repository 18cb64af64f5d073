"""Each role's page in a browser: no errors, the numbers of its interface, nothing from elsewhere."""

from browser import Browser
from running import RunningService
from support import main, needs

FEATURES = {"party_0": [0.25, -0.5], "party_1": [0.125, 0.375]}


def whole(value):
    """As the page writes whole numbers."""
    return f"{value:,}"


def three_digits(value):
    """As the page writes others: up to three digits, without zeros at the end."""
    if abs(value) >= 100:
        return whole(round(value))
    text = f"{value:.3g}"
    return f"{float(text):f}".rstrip("0").rstrip(".") if "e" in text else text


def in_bytes(value):
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if value < 1000 or unit == "TB":
            return f"{three_digits(value)} {unit}"
        value /= 1000


@needs("chromium")
class Pages(RunningService):
    def setUp(self):
        super().setUp()
        for number in range(1, 13):
            self.decide(number, FEATURES, reward=number % 2)
        # Of what the other pages count: a row of defaults, a reward too late, a reward in conflict.
        self.decide(13, {"party_0": [0, 0]})
        self.assertEqual(self.ask("rewarder", "POST", f"/v1/events/{1:032x}/reward",
                                  {"value": 0, "reward_id": "order-1"})[0] // 100, 4)
        self.wait_until_learned()
        self.browser = Browser(self.folder / "profile")
        self.addCleanup(self.browser.close)

    def open(self, role):
        """The role's page once it shows its first readings, with the answers of its interface."""
        token = self.services.tokens[role]
        self.browser.open(f"http://{self.services.addresses[role]}/#token={token}")
        self.browser.wait_until("document.getElementById('state').textContent === 'ready'"
                                " && document.querySelectorAll('#sees li').length > 0"
                                " && document.getElementById('graph_note').textContent !== ''")
        status, figures = self.told(role, "/v1/status"), self.told(role, "/v1/figures")
        self.assertEqual(self.browser.errors, [], role)
        tiles = self.browser.tiles("#tiles")
        self.assertEqual(self.browser.value("document.title"), "sotto: " + status["role"])
        self.assertEqual(self.browser.texts("#role"), [status["role"]])
        self.assertEqual(tiles["Mode"], status["mode"])
        self.assertEqual(tiles["Number"], whole(status["number"]))
        self.assertEqual(tiles["Epoch"], whole(status["epoch"]))
        self.assertEqual(tiles["Store"], in_bytes(figures["store_bytes"]))
        if role != "dealer":
            self.assertEqual(tiles["Model, number"], whole(status["model_version"]))
            self.assertEqual(tiles["Decided, not learned"], "0")
        about = f"version {status['version']}, session {status['session'][:8]}, config {status['config']}"
        self.assertEqual(self.browser.texts("#about"), [about])
        peers = [[peer["role"], peer["state"], peer["trouble"]] for peer in status["peers"]]
        self.assertEqual([[row[0], row[1], row[3]] for row in self.browser.rows("#peers")], peers)
        # The token is in the page's memory, and not in its address.
        self.assertNotIn(token, self.browser.value("location.href"))
        return tiles, figures

    def test_each_shows_what_the_interface_says(self):
        for look in (self.look_at_actor, self.look_at_party, self.look_at_rewarder, self.look_at_dealer,
                     self.look_at_privacy):
            with self.subTest(look.__name__):
                look()

    def look_at_actor(self):
        tiles, figures = self.open("actor")
        for name, figure in {"Decided": "decided", "Baselines": "baselines", "Rejected": "rejected",
                             "Padding": "padding"}.items():
            self.assertEqual(tiles[name], whole(figures[figure]), name)
        self.assertEqual(figures["decided"], 13)
        arms = [[arm["arm"], whole(arm["told"]), f"{100 * arm['told'] / 13:.1f}%", ""] for arm in figures["arms"]]
        self.assertEqual(self.browser.rows("#own_rows"), arms)
        self.assertIn("Decisions a second", self.browser.texts("#graph_title"))
        self.assertTrue(any(row[0] == "decide" and int(row[2]) >= 13 for row in self.browser.rows("#shapes")))

    def look_at_party(self):
        tiles, figures = self.open("party_1")
        for name, figure in {"Features": "features", "Missing": "missing", "Late": "late",
                             "Dropped": "dropped"}.items():
            self.assertEqual(tiles[name], whole(figures[figure]), name)
        self.assertEqual((figures["features"], figures["missing"]), (12, 1))
        self.assertEqual(self.browser.rows("#own_rows"), [["age", "-0.5", "0.125", "0.125", "0.5"],
                                                          ["saves", "-0.5", "0.375", "0.375", "0.5"]])

    def look_at_rewarder(self):
        tiles, figures = self.open("rewarder")
        self.assertEqual((figures["learned"], figures["reward_sum"]), (13, 6))
        self.assertEqual(tiles["Events learned"], "13")
        self.assertEqual(tiles["Average reward"], three_digits(6 / 13))
        self.assertEqual(self.browser.rows("#own_rows"), [[name, whole(n)] for name, n in figures["rewards"].items()])
        self.assertEqual(figures["rewards"]["used"], 12)

    def look_at_dealer(self):
        tiles, figures = self.open("dealer")
        for name, figure in {"Programs dealt": "programs_dealt", "Ahead": "programs_ahead",
                             "Skipped": "programs_skipped"}.items():
            self.assertEqual(tiles[name], whole(figures[figure]), name)
        self.assertEqual(tiles["Dealt"], in_bytes(figures["dealt_bytes"]))
        self.assertGreaterEqual(figures["programs_dealt"], 14)

    def look_at_privacy(self):
        self.open("actor")
        privacy, tiles = self.told("actor", "/v1/privacy"), self.browser.tiles("#privacy")
        self.assertEqual(tiles["Decisions"], whole(privacy["decisions"]))
        self.assertEqual(tiles["Shown again"], whole(privacy["repeated"]))
        self.assertEqual(tiles["Epsilon"], three_digits(privacy["epsilon"]))
        self.assertEqual(tiles["Eta an action"], three_digits(privacy["eta_per_action"]["exact"]))
        self.assertEqual(tiles["Eta of all"], three_digits(privacy["eta_composed"]["optimal"]))
        self.assertEqual(self.browser.texts("#sees li"), privacy["views"]["sees"])
        self.assertEqual(self.browser.texts("#never li"), privacy["views"]["never"])

    def test_who_has_no_token_is_asked_for_it(self):
        role = "rewarder"
        self.browser.open(f"http://{self.services.addresses[role]}/")
        self.browser.wait_until("!document.getElementById('login').hidden")
        self.assertEqual(self.browser.texts("#trouble"), ["a token is needed"])
        self.browser.value(f"document.getElementById('token').value = '{self.services.tokens[role]}';"
                           "document.querySelector('#login button').click()")
        self.browser.wait_until("document.getElementById('state').textContent === 'ready'"
                                " && document.getElementById('login').hidden")

    def test_it_goes_on_when_its_role_does(self):
        role = "party_0"
        self.open(role)
        self.services.kill(role)
        self.browser.wait_until("!document.getElementById('trouble').hidden")
        self.services.start(role)
        self.services.wait_until_ready()
        self.browser.wait_until("document.getElementById('state').textContent === 'ready'"
                                " && document.getElementById('trouble').hidden")
        # What fails to load while nobody is there is in the console, and nothing else is.
        self.assertEqual([text for text in self.browser.errors if "ERR_" not in text], [])
        self.assertEqual(self.browser.tiles("#tiles")["Number"], whole(self.told(role, "/v1/status")["number"]))


if __name__ == "__main__":
    main()
