"""Opens each role's page in a browser. The page must show the numbers of the role's API, and load nothing from
elsewhere.
"""

import datetime
import json
import math
import re

from browser import Browser
from running import SERVICE, RunningService, event
from support import main, needs

FEATURES = {"party_0": [0.25, -0.5], "party_1": [0.125, 0.375]}


def whole(value):
    """Returns a whole number in the form that the page uses."""
    return f"{value:,}"


def three_digits(value):
    """Returns a number in the form that the page uses for fractions: up to three digits, without zeros at the end."""
    if abs(value) >= 100:
        return whole(round(value))
    text = f"{value:.3g}"
    return f"{float(text):f}".rstrip("0").rstrip(".") if "e" in text else text


def in_bytes(value):
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if value < 1000 or unit == "TB":
            return f"{three_digits(value)} {unit}"
        value /= 1000


def date(ms):
    """Returns the end date of a certificate in the form that the page uses for dates that are not near."""
    return datetime.datetime.fromtimestamp(ms / 1000, datetime.timezone.utc).date().isoformat()


def in_time(seconds):
    if seconds == math.inf:
        return "more"
    return f"{three_digits(seconds * 1000)} ms" if seconds < 1 else f"{three_digits(seconds)} s"


class Metrics:
    """The samples of a Prometheus text: name, the labels except `le` in order, `le`, and value."""

    SAMPLE = re.compile(r'^([a-z_]+)(?:\{(.*)\})? (\S+)$', re.MULTILINE)
    LABEL = re.compile(r'([a-z_]+)="((?:[^"\\]|\\.)*)"')

    def __init__(self, text):
        self.samples = []
        for name, labels, value in self.SAMPLE.findall(text):
            labels = self.LABEL.findall(labels)
            bound = dict(labels).get("le")
            self.samples.append((name, tuple(value for key, value in labels if key != "le"), bound, float(value)))

    def times(self):
        """Returns the rows of the page's table: name, count, mean, and a bound that 99 of 100 measured times do not
        exceed.
        """
        shown = {"sotto_http_seconds": "request", "sotto_batch_seconds": "batch",
                 "sotto_store_sync_seconds": "sync of the store"}
        value = {(name, labels): value for name, labels, bound, value in self.samples if bound is None}
        rows = []
        for name, labels, _, count in self.samples:
            histogram = name.removesuffix("_count")
            if histogram == name or histogram not in shown or count == 0:
                continue
            buckets = [(math.inf if bound == "+Inf" else float(bound), below) for of, its, bound, below in self.samples
                       if of == histogram + "_bucket" and its == labels]
            bound = min(bound for bound, below in buckets if below >= 0.99 * count)
            mean = value[histogram + "_sum", labels] / count
            rows.append([" ".join((shown[histogram], *labels)), whole(int(count)), in_time(mean), in_time(bound)])
        return rows

    def shapes(self):
        found = sorted((labels[0], int(labels[1]), int(value)) for name, labels, _, value in self.samples
                       if name == "sotto_shapes_total")
        return [[kind, whole(size), whole(count)] for kind, size, count in found]


# The script keeps the answers of /metrics in the page, where a test can read them.
KEEPS_METRICS = """(() => {
  window.kept_metrics = [];
  const fetched = window.fetch;
  window.fetch = async (path, ...rest) => {
    const answer = await fetched(path, ...rest);
    if (path === "metrics") window.kept_metrics.push(await answer.clone().text());
    return answer;
  };
})()"""


class PageTest(RunningService):
    """A test whose `browser` shows the page of a role."""

    def browse(self):
        self.browser = Browser(self.folder / "profile")
        self.addCleanup(self.browser.close)
        self.browser.before_each_page(KEEPS_METRICS)

    def show(self, role):
        """Opens the role's page and waits for its first readings."""
        token = self.services.tokens[role]
        self.browser.open("about:blank")
        self.browser.open(f"http://{self.services.addresses[role]}/#token={token}")
        self.browser.wait_until("document.getElementById('state').textContent === 'ready'"
                                " && document.querySelectorAll('#sees li').length > 0"
                                " && document.getElementById('graph_note').textContent !== ''")
        self.assertEqual(self.browser.errors, [], role)
        return token


@needs("chromium")
class Pages(PageTest):
    def setUp(self):
        super().setUp()
        for number in range(1, 13):
            self.decide(number, FEATURES, reward=number % 2)
        self.decide(13, {"party_0": [0, 0]})
        self.assertEqual(self.ask("rewarder", "POST", f"/v1/events/{1:032x}/reward",
                                  {"value": 0, "reward_id": "order-1"})[0] // 100, 4)
        self.wait_until_learned()
        self.browse()

    def open(self, role):
        """Opens the role's page, waits for its first readings, and returns the answers of its interface."""
        token = self.show(role)
        place = lambda: [whole(self.told(role, "/v1/status")[name]) for name in ("epoch", "number")]
        shown = lambda: [self.browser.tiles("#tiles")[name] for name in ("Epoch", "Number")]
        self.wait_until(lambda: place() == shown(), "the page shows the epoch and the number")
        status, figures = self.told(role, "/v1/status"), self.told(role, "/v1/figures")
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
            self.assertEqual(tiles["In the model"], f"{whole(status['learned'])} of {whole(status['steps'])}")
            self.assertEqual(status["warnings"], [])
        about = f"version {status['version']}, session {status['session'][:8]}, config {status['config']}"
        self.assertEqual(self.browser.texts("#about"), [about])
        peers = [[peer["role"], peer["state"], date(peer["certificate_until_ms"]), peer["trouble"]]
                 for peer in status["peers"]]
        self.assertEqual([[row[0], row[1], *row[3:]] for row in self.browser.rows("#peers")], peers)
        own = date(status["certificate_until_ms"])
        self.assertEqual(self.browser.texts("#certificate"), [f"This role's certificate ends on {own}"])
        self.look_at_times(role)
        self.assertNotIn(token, self.browser.value("location.href"))
        return tiles, figures

    def look_at_times(self, role):
        """Checks that all times and batches on the page come from one answer of /metrics."""
        times, shapes = self.browser.rows("#times"), self.browser.rows("#shapes")
        answers = [Metrics(text) for text in self.browser.value("window.kept_metrics")]
        self.assertIn((times, shapes), [(answer.times(), answer.shapes()) for answer in answers], role)
        self.assertTrue(any(row[0].startswith("request ") for row in times), times)
        self.assertTrue(any(row[0] == "sync of the store" for row in times), times)

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
        self.assertTrue(any(row[0].startswith("batch decide") and int(row[1]) >= 13
                            for row in self.browser.rows("#times")))

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
        self.assertEqual(tiles["Epsilon"], three_digits(privacy["epsilon"]))
        self.assertEqual(tiles["Eta an action"], three_digits(privacy["eta_per_action"]["exact"]))
        self.assertEqual(tiles["Eta of all"], three_digits(privacy["eta_composed"]["optimal"]))
        self.assertNotIn("Windows shown", tiles, "mode apprentice was never in force")
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
        self.assertEqual([text for text in self.browser.errors if "ERR_" not in text], [])
        self.assertEqual(self.browser.tiles("#tiles")["Number"], whole(self.told(role, "/v1/status")["number"]))

    def test_figures_go_on_and_no_rate_is_negative(self):
        kept = {"actor": ("decided", "baselines", "rejected", "arms"), "party_0": ("features", "missing", "late"),
                "rewarder": ("learned", "reward_sum", "rewards")}
        for role, names in kept.items():
            with self.subTest(role):
                _, before = self.open(role)
                model = self.told(role, "/v1/status")["model_version"]
                self.services.kill(role)
                self.browser.wait_until("!document.getElementById('trouble').hidden")
                self.services.start(role)
                self.services.wait_until_ready()
                self.browser.wait_until("document.getElementById('trouble').hidden && before.process_since_ms > "
                                        f"{before['process_since_ms']}")
                self.browser.errors.clear()
                after = self.told(role, "/v1/figures")
                for name in ("since_ms", "decides", "learns", *names):
                    self.assertEqual(after[name], before[name], name)
                self.assertEqual(self.told(role, "/v1/status")["model_version"], model)
                self.assertGreater(model, 0)
                if role != "rewarder":
                    self.assertGreaterEqual(self.browser.value("Math.min(0, ...points)"), 0)
                since = self.browser.value(f"new Date({after['since_ms']}).toISOString().slice(0, 16).replace('T', ' ')")
                self.assertIn(f"counted since {since} UTC", self.browser.texts("#since")[0])

    def test_the_course_of_the_figures_comes_from_the_store(self):
        """The page shows a chart from stored figures at once, and each point averages over many events."""
        self.open("rewarder")
        points = self.told("rewarder", "/v1/history")["points"]
        course = lambda role, history: self.browser.value(f"courseOf('{role}', {json.dumps(history)})")
        self.assertEqual(course("rewarder", points), [], "13 rewards are too few for an average")
        learned = [{"at_ms": 10_000 * n, "learned": 10 * n, "reward_sum": 2 * n if n < 30 else 58 + 8 * (n - 29)}
                   for n in range(60)]
        shown = course("rewarder", learned)
        self.assertEqual([point["x"] for point in shown], [50 * n for n in range(1, 12)])
        self.assertEqual([round(point["y"], 3) for point in shown], [.2] * 5 + [.32] + [.8] * 5)
        self.browser.value(f"showCourse('rewarder', {{since_ms: 0, points: {json.dumps(learned[1:])}}})")
        self.assertEqual(self.browser.texts("#course_title"), ["Learning curve: average reward of learned events"])
        self.assertEqual(self.browser.texts("#course_note"), ["by 550 learned events, from 0 to 0.8; the latest is 0.8"])
        self.assertFalse(self.browser.value("document.getElementById('course').hidden"))
        decided = [{"at_ms": 10_000 * n, "decided": 100 * n, "baselines": 20 * n} for n in range(240)]
        rates = course("actor", decided)
        self.assertLessEqual(len(rates), 60)
        self.assertEqual({round(point["y"], 6) for point in rates}, {12})
        # After a recovery, the count of decided events falls. The chart must still show no negative rate.
        decided[100:] = [{**point, "decided": point["decided"] - 5000} for point in decided[100:]]
        self.assertGreater(min(point["y"] for point in course("actor", decided)), 0)

    def test_what_counts_less_than_before_is_no_rate(self):
        self.open("actor")
        rate = lambda counts: self.browser.value(
            "(() => { before = {since_ms: 1, process_since_ms: 1, decided: 650, baselines: 0};"
            f"return pointOf('actor', {{since_ms: 1, process_since_ms: 1, ...{json.dumps(counts)}}}, 1); }})()")
        self.assertIsNone(rate({"decided": 0, "baselines": 0}))
        self.assertIsNone(rate({"since_ms": 2, "decided": 660, "baselines": 0}))
        self.assertIsNone(rate({"process_since_ms": 2, "decided": 660, "baselines": 0}))
        self.assertEqual(rate({"decided": 660, "baselines": 3}), 13)


@needs("chromium")
class ApprenticePages(PageTest):
    """How often callers' arms agree with the model, on the actor's page before and after a window is full."""

    settings = {**SERVICE, "mode": "apprentice", "agreement_window": "1000", "batch_sizes": "1,64", "cut_off": "0ms"}

    def setUp(self):
        super().setUp()
        self.browse()

    def play(self, first, count):
        role = self.services.roles["actor"]
        connection = role.connection()
        lines = "".join(json.dumps({"event": event(number), "own_arm": "red"}) + "\n"
                        for number in range(first, first + count))
        connection.request("POST", "/v1/decisions:batch", lines,
                           {"Authorization": f"Bearer {role.token}", "Content-Type": "application/x-ndjson"})
        answer = connection.getresponse()
        told = [json.loads(line) for line in answer.read().splitlines()]
        connection.close()
        self.assertEqual((answer.status, len(told)), (200, count))
        self.assertEqual({one["arm"] for one in told}, {"red"})

    def look(self, role):
        """Compares the figures in the page's section on privacy with the answer of /v1/privacy."""
        self.show(role)
        agreement, tiles = self.told(role, "/v1/privacy")["agreement"], self.browser.tiles("#privacy")
        self.assertEqual(tiles["Compared in the window"], f"{whole(agreement['compared'])} of 1,000")
        self.assertEqual(tiles["Windows shown"], whole(agreement["shown"]))
        self.assertEqual(tiles["Epsilon of windows"], three_digits(agreement["epsilon_spent"]))
        return agreement, tiles

    def test_the_agreement_is_that_of_the_interface(self):
        self.play(1, 600)
        agreement, tiles = self.look("actor")
        self.assertEqual((agreement["compared"], agreement["shown"]), (600, 0))
        self.assertNotIn("Agreement, all", tiles)
        self.play(601, 600)
        self.play(1201, 1)
        agreement, tiles = self.look("actor")
        self.assertEqual(agreement["shown"], 1)
        self.assertEqual(agreement["compared"] + agreement["last"]["events"], 1201)
        for name, figure in {"Agreement, last window": "last", "Agreement, all": "all"}.items():
            part = agreement[figure]["agreed"] / agreement[figure]["events"]
            self.assertEqual(tiles[name], f"{100 * part:.1f}%")
        _, tiles = self.look("party_0")
        self.assertNotIn("Agreement, all", tiles, "the sums are the actor's")


@needs("chromium")
class LiftPages(PageTest):
    """The lift over the baseline arm, on the actor's page before and after a window is shown."""

    settings = {**SERVICE, "lift": "counted", "agreement_window": "1000", "agreement_epsilon": "10",
                "batch_sizes": "1,64", "cut_off": "0ms"}

    def setUp(self):
        super().setUp()
        self.browse()

    def play(self, first, count):
        role = self.services.roles["actor"]
        connection = role.connection()
        lines = "".join(json.dumps({"event": event(number)}) + "\n" for number in range(first, first + count))
        connection.request("POST", "/v1/decisions:batch", lines,
                           {"Authorization": f"Bearer {role.token}", "Content-Type": "application/x-ndjson"})
        answer = connection.getresponse()
        told = [json.loads(line) for line in answer.read().splitlines()]
        connection.close()
        self.assertEqual((answer.status, len(told)), (200, count))
        self.wait_until(lambda: self.told("actor", "/v1/status")["pending"] == 0, "all events are learned")

    def test_the_lift_is_that_of_the_interface(self):
        self.play(1, 600)
        self.show("actor")
        lift, tiles = self.told("actor", "/v1/privacy")["lift"], self.browser.tiles("#privacy")
        self.assertEqual((lift["counted"], lift["shown"], lift["all"]), (600, 0, None))
        self.assertEqual(tiles["Learned in the window of the lift"], "600 of 1,000")
        self.assertTrue(self.browser.value("document.getElementById('worth').hidden"))
        self.play(601, 600)
        self.play(1201, 1)
        self.show("actor")
        lift, tiles = self.told("actor", "/v1/privacy")["lift"], self.browser.tiles("#privacy")
        self.assertEqual((lift["baseline_arm"], lift["shown"]), ("blue", 1))
        # No event has a reward, so all arms earn 0.
        shown = "{lift:.4f} ({low:.4f} to {high:.4f})".format(**lift["all"])
        self.assertEqual(tiles["Lift over blue"], shown)
        self.assertEqual(tiles["Average reward"], f"{lift['all']['service']:.4f}")
        self.assertLessEqual(lift["all"]["low"], 0)
        sentence = self.browser.value("document.getElementById('worth').textContent")
        self.assertIn("than its baseline arm blue (95%: ", sentence)
        self.show("party_0")
        self.assertTrue(self.browser.value("document.getElementById('worth').hidden"), "the counts are the actor's")


if __name__ == "__main__":
    main()
