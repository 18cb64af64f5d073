#include "apps/live/api/dashboard.h"

namespace sotto::apps::live {

const char* const dashboard_reading = R"js(
const kept = 120;       // points of the curve
const every = 1000;     // ms between two readings
// A link may bring the token, as #token=..., which no server is sent. It leaves the address at once.
let token = new URLSearchParams(location.hash.slice(1)).get("token") || "";
if (token) history.replaceState(null, "", location.pathname);
let turns = 0;
let stamp = 0;          // of the reading before
let before = null;      // its figures
const points = [];
const byId = (id) => document.getElementById(id);

async function ask(path) {
  const headers = token ? { Authorization: "Bearer " + token } : {};
  const answer = await fetch(path, { headers, cache: "no-store", credentials: "omit" });
  if (answer.status === 401) throw new Error("a token is needed");
  if (!answer.ok) throw new Error(path + " answers " + answer.status);
  return answer;
}
const json = async (path) => (await ask(path)).json();

// The histograms of a Prometheus text: name and labels without le -> {count, sum, buckets: [[bound, count]]}.
function histogramsOf(text) {
  const found = new Map();
  for (const line of text.split("\n")) {
    const parts = /^([a-z_]+)_(bucket|sum|count)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (!parts) continue;
    const labels = new Map();
    for (const label of (parts[3] || "").matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)) labels.set(label[1], label[2]);
    const bound = labels.get("le");
    labels.delete("le");
    const key = parts[1] + " " + [...labels.values()].join(" ");
    if (!found.has(key)) found.set(key, { name: parts[1], labels: [...labels.values()], count: 0, sum: 0, buckets: [] });
    const one = found.get(key);
    if (parts[2] === "bucket") one.buckets.push([bound === "+Inf" ? Infinity : Number(bound), Number(parts[4])]);
    if (parts[2] === "sum") one.sum = Number(parts[4]);
    if (parts[2] === "count") one.count = Number(parts[4]);
  }
  return [...found.values()].filter((one) => one.count > 0);
}

// How many batches of each kind and size were run.
const shapesOf = (text) =>
  [...text.matchAll(/^sotto_shapes_total\{kind="([a-z]+)",shape="(\d+)"\} (\S+)$/gm)].map((found) =>
    [found[1], Number(found[2]), Number(found[3])]).sort((a, b) => a[0].localeCompare(b[0]) || a[1] - b[1]);

// The bound that so large a part of the observations is at or below.
function quantile(histogram, part) {
  for (const [bound, count] of histogram.buckets) if (count >= part * histogram.count) return bound;
  return Infinity;
}

// What the curve shows: of the actor decisions a second, of a party features, of dealer and helper programs; of the
// rewarder the average of what was learned lately. Nothing where another process counts than before, or another store.
function pointOf(role, figures, seconds) {
  if (!before || seconds <= 0) return null;
  if (figures.since_ms !== before.since_ms || figures.process_since_ms !== before.process_since_ms) return null;
  const grown = (name) => figures[name] - before[name];
  if (role === "rewarder") return grown("learned") > 0 ? grown("reward_sum") / grown("learned") : null;
  const counted = {
    actor: () => grown("decided") + grown("baselines"),
    party: () => grown("features"),
    dealer: () => grown("programs_dealt"),
    helper: () => figures.prepared.programs - before.prepared.programs,
  }[role]();
  return counted < 0 ? null : counted / seconds;
}

// The stored course of the figures as points {x, y}. Of the rewarder: the average reward of each stretch of learned
// events, by the number of learned events. Of actor and party: how many a second in each stretch of time. A stretch is
// long enough for its average to mean something, and there are at most `stretches` of them.
const stretches = 60;
const fewest_rewards = 50;
function courseOf(role, kept_points) {
  const learns = role === "rewarder";
  const x = (point) => (learns ? point.learned : point.at_ms);
  const y = learns ? (point) => point.reward_sum
    : (point) => 1000 * (role === "actor" ? point.decided + point.baselines : point.features);
  const course = [];
  if (kept_points.length < 2) return course;
  const all = x(kept_points[kept_points.length - 1]) - x(kept_points[0]);
  const shortest = Math.max(all / stretches, learns ? fewest_rewards : 1);
  let from = kept_points[0];
  for (const point of kept_points) {
    if (x(point) < x(from) || y(point) < y(from) && !learns) from = point;  // a recovery took some back
    if (x(point) - x(from) < shortest * 0.999) continue;
    course.push({ x: x(point), y: (y(point) - y(from)) / (x(point) - x(from)) });
    from = point;
  }
  return course;
}

async function read() {
  const now = performance.now();
  const [status, figures] = await Promise.all([json("v1/status"), json("v1/figures")]);
  const role = status.kind;
  const point = pointOf(role, figures, (now - stamp) / 1000);
  if (point !== null) points.push(point);
  while (points.length > kept) points.shift();
  before = figures;
  stamp = now;
  showStatus(status);
  showTiles(role, status, figures, point);
  showSince(role, figures);
  showCurve(role);
  showOwn(role, figures);
  if (turns % 10 === 0 && (role === "actor" || role === "party" || role === "rewarder")) {
    showCourse(role, await json("v1/history"));
  }
  if (turns % 5 === 0) {
    const [privacy, metrics] = await Promise.all([json("v1/privacy"), ask("metrics")]);
    showPrivacy(privacy);
    const text = await metrics.text();
    showTimes(histogramsOf(text), shapesOf(text));
  }
  ++turns;
}

async function turn() {
  try {
    await read();
    showTrouble("");
  } catch (error) {
    showTrouble(error.message);
  }
  setTimeout(turn, every);
}
)js";

// The page inserts text only as text nodes, never as markup.

const char* const dashboard_drawing = R"js(
const whole = (value) => Math.round(value).toLocaleString("en");
const rounded = (value) => (Math.abs(value) >= 100 ? whole(value) : Number(value.toPrecision(3)).toString());
const bytes = (value) => {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (value >= 1000 && unit + 1 < units.length) { value /= 1000; ++unit; }
  return rounded(value) + " " + units[unit];
};
const time = (seconds) => (seconds === Infinity ? "more" : seconds < 1 ? rounded(seconds * 1000) + " ms" : rounded(seconds) + " s");
const known = (value, show) => (value === null || value === undefined ? "-" : show(value));

function element(name, text, classes) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (classes) made.className = classes;
  return made;
}
function tiles(id, entries) {
  byId(id).replaceChildren(...entries.map(([label, value]) => {
    const tile = element("div");
    tile.append(element("dt", label), element("dd", value));
    return tile;
  }));
}
// A cell is a text, an element, or {number: text}.
const number = (text) => ({ number: text });
function row(cells, cell = "td") {
  const made = element("tr");
  for (const each of cells) {
    const isNumber = each.number !== undefined;
    const text = isNumber ? each.number : typeof each === "string" ? each : undefined;
    const place = element(cell, text, isNumber ? "number" : "");
    if (text === undefined) place.append(each);
    made.append(place);
  }
  return made;
}
function track(part) {
  const outer = element("div", undefined, "track");
  const inner = element("i");
  inner.style.width = Math.max(0, Math.min(1, part)) * 100 + "%";
  outer.append(inner);
  return outer;
}

function showTrouble(text) {
  byId("trouble").hidden = text === "";
  byId("trouble").textContent = text;
  byId("login").hidden = text !== "a token is needed";
  if (text) byId("state").textContent = "no reading";
}

function showStatus(status) {
  document.title = "sotto: " + status.role;
  byId("role").textContent = status.role;
  byId("state").textContent = status.state + (status.why ? ": " + status.why : "");
  byId("state").className = "note " + (status.state === "ready" ? "good" : "bad");
  byId("warnings").replaceChildren(...(status.warnings || []).map((text) => element("p", text, "banner")));
  byId("about").textContent = "version " + status.version + ", session " + status.session.slice(0, 8) + ", config " + status.config;
  byId("peers").replaceChildren(...status.peers.map((peer) => row([
    peer.role, element("span", peer.state, peer.state === "here" ? "good" : "bad"),
    number(known(peer.last_heard_s, (s) => rounded(s) + " s ago")), certificateEnd(peer), peer.trouble])));
  byId("certificate").textContent = "This role's certificate ends on " + certificateEnd(status);
  byId("certificate").hidden = !status.certificate_until_ms;
}

function certificateEnd(of) {
  return of.certificate_until_ms ? new Date(of.certificate_until_ms).toISOString().slice(0, 10) : "-";
}

function showTiles(role, status, figures, point) {
  const rate = known(point, rounded);
  const common = [["Mode", status.mode], ["Number", whole(status.number)], ["Epoch", whole(status.epoch)],
    ["Store", bytes(figures.store_bytes)]];
  const order = [["Model, number", whole(status.model_version)], ["Decided, not learned", whole(status.pending)],
    ["In the model", whole(status.learned) + known(status.steps, (steps) => " of " + whole(steps))]];
  const own = {
    actor: () => [["Decisions a second", rate], ["Decided", whole(figures.decided)], ["Baselines", whole(figures.baselines)],
      ["Rejected", whole(figures.rejected)], ["Waiting", whole(status.queue)], ["Padding", whole(figures.padding)], ...order],
    party: () => [["Features a second", rate], ["Features", whole(figures.features)], ["Missing", whole(figures.missing)],
      ["Late", whole(figures.late)], ["Dropped", whole(figures.dropped)], ["Waiting", whole(status.queue)], ...order],
    rewarder: () => [["Events learned", whole(figures.learned)],
      ["Average reward", figures.learned > 0 ? rounded(figures.reward_sum / figures.learned) : "-"],
      ["Clipped", whole(figures.clipped)], ...order],
    dealer: () => [["Programs dealt", whole(figures.programs_dealt)], ["Ahead", whole(figures.programs_ahead)],
      ["Skipped", whole(figures.programs_skipped)], ["Dealt", bytes(figures.dealt_bytes)]],
  }[role];
  const made = figures.prepared;
  const ahead = made ? [["Programs prepared", whole(made.programs)], ["Ahead", whole(made.ahead)],
    ["Skipped", whole(figures.programs_skipped)], ["Decides that waited", whole(made.waited)]] : [];
  tiles("tiles", [...(own ? own() : []), ...ahead, ...common]);
}

const at = (ms) => new Date(ms).toISOString().slice(0, 16).replace("T", " ") + " UTC";

// Since when the numbers count.
function showSince(role, figures) {
  const began = "since the process began, " + at(figures.process_since_ms);
  byId("since").textContent = role === "dealer" || role === "helper" ? "Counted " + began + "." :
    "Events, features, rewards and batches are counted since " + at(figures.since_ms) +
    ", also over restarts; programs and times " + began + ".";
}

// The whole life of the store.
function showCourse(role, history) {
  const begin = { at_ms: history.since_ms, decided: 0, baselines: 0, features: 0, missing: 0, learned: 0, reward_sum: 0 };
  const course = courseOf(role, [begin, ...history.points]);
  byId("course").hidden = course.length < 2;
  if (course.length < 2) return;
  byId("course_title").textContent = { actor: "Decisions a second, since the store began",
    party: "Features a second, since the store began", rewarder: "Learning curve: average reward of learned events" }[role];
  const values = course.map((point) => point.y);
  const low = Math.min(0, ...values);
  const high = Math.max(low + 1e-9, ...values);
  const [first, last] = [course[0].x, course[course.length - 1].x];
  byId("course_curve").setAttribute("points", course.map((point) =>
    (119 * (point.x - first) / (last - first)).toFixed(2) + "," + (57 - 54 * (point.y - low) / (high - low)).toFixed(2)).join(" "));
  const range = "from " + rounded(low) + " to " + rounded(high) + "; the latest is " + rounded(values[values.length - 1]);
  byId("course_note").textContent = role === "rewarder" ? "by " + whole(last) + " learned events, " + range
    : "from " + at(first) + " to " + at(last) + ", " + range;
}

function showCurve(role) {
  const titles = { actor: "Decisions a second", party: "Features a second", rewarder: "Average reward of what is learned",
    dealer: "Programs a second", helper: "Programs a second" };
  byId("graph_title").textContent = titles[role] || "";
  const low = Math.min(0, ...points);
  const high = Math.max(low + 1e-9, ...points);
  byId("curve").setAttribute("points", points.map((value, i) =>
    (kept - points.length + i) + "," + (57 - 54 * (value - low) / (high - low)).toFixed(2)).join(" "));
  byId("graph_note").textContent = points.length === 0 ? "nothing yet" :
    "the last " + points.length + " readings, from " + rounded(low) + " to " + rounded(high);
}

function showOwn(role, figures) {
  const views = {
    actor: () => {
      const all = figures.arms.reduce((sum, arm) => sum + arm.told, 0);
      return ["Arms returned", ["Arm", number("Times"), number("Share"), ""], figures.arms.map((arm) => {
        const share = all > 0 ? arm.told / all : 0;
        return [arm.arm, number(whole(arm.told)), number((100 * share).toFixed(1) + "%"), track(share)];
      })];
    },
    party: () => ["Own columns", ["Column", ...["Low", "Least", "Largest", "High"].map(number)], figures.columns.map((column) =>
      [column.name, ...[column.low, column.least, column.largest, column.high].map((value) => number(known(value, rounded)))])],
    rewarder: () => ["Rewards that came", ["Outcome", number("Count")],
      Object.entries(figures.rewards).map(([outcome, count]) => [outcome, number(whole(count))])],
  }[role];
  byId("own").hidden = !views;
  if (!views) return;
  const [title, head, rows] = views();
  byId("own_title").textContent = title;
  byId("own_head").replaceChildren(row(head, "th"));
  byId("own_rows").replaceChildren(...rows.map((cells) => row(cells)));
}

function showTimes(histograms, shapes) {
  const names = { sotto_http_seconds: "request", sotto_batch_seconds: "batch", sotto_store_sync_seconds: "sync of the store" };
  byId("times").replaceChildren(...histograms.filter((one) => names[one.name]).map((one) => row([
    [names[one.name], ...one.labels].join(" "),
    ...[whole(one.count), time(one.sum / one.count), time(quantile(one, 0.99))].map(number)])));
  byId("batches").hidden = shapes.length === 0;
  byId("shapes").replaceChildren(...shapes.map(([kind, size, count]) => row([kind, number(whole(size)), number(whole(count))])));
}

// Of mode apprentice, once it was in force.
function agreementTiles(agreement) {
  if (!agreement) return [];
  const weak = agreement.warning ? [["Weak epsilon of a window", rounded(agreement.epsilon)]] : [];
  if (agreement.compared + agreement.shown === 0) return weak;
  const tiles = [...weak, ["Compared in the window", whole(agreement.compared) + " of " + whole(agreement.window)],
    ["Windows shown", whole(agreement.shown)], ["Epsilon of windows", rounded(agreement.epsilon_spent)]];
  const part = (sum) => (sum.events > 0 ? (100 * sum.agreed / sum.events).toFixed(1) + "%" : "-");
  if (agreement.all) tiles.push(["Agreement, last window", part(agreement.last)], ["Agreement, all", part(agreement.all)]);
  return tiles;
}

// The first sentence of the actor's page.
function showWorth(lift) {
  const all = lift && lift.all;
  byId("worth").hidden = !all;
  if (!all) return;
  const reward = (value) => Math.abs(value).toFixed(4);
  const signed = (value) => (value < 0 ? "-" : "") + reward(value);
  const between = " (95%: " + signed(all.low) + " to " + signed(all.high) + ")";
  const events = ", of about " + whole(all.events) + " learned events.";
  const clear = all.low > 0 || all.high < 0;
  byId("worth").textContent = clear
    ? "The service earned " + reward(all.lift) + (all.lift > 0 ? " more" : " less") + " an event than its baseline arm " +
      lift.baseline_arm + between + events
    : "Nothing shows yet that the service earns more or less than its baseline arm " + lift.baseline_arm + between + events;
}

// What the service earned over its baseline arm, once a window was shown.
function liftTiles(lift) {
  if (!lift || lift.counted + lift.shown === 0) return [];
  const tiles = [["Learned in the window of the lift", whole(lift.counted) + " of " + whole(lift.window)],
    ["Windows of the lift shown", whole(lift.shown)], ["Epsilon of the lift", rounded(lift.epsilon_spent)]];
  const reward = (value) => value.toFixed(4);
  const shown = (one) => (one ? reward(one.lift) + " (" + reward(one.low) + " to " + reward(one.high) + ")" : "too few events");
  if (lift.shown > 0 && lift.all) {
    tiles.unshift(["Lift over " + lift.baseline_arm, shown(lift.all)], ["Average reward", reward(lift.all.service)],
      ["Average reward of " + lift.baseline_arm, reward(lift.all.baseline)], ["Lift, last window", shown(lift.last)]);
  }
  return tiles;
}

// What a party gave away of subjects, once one was counted.
function subjectTiles(subjects) {
  if (!subjects || subjects.most_ever === 0) return [];
  return [["Most events of a subject today", whole(subjects.most_today) + " of " + whole(subjects.limit_per_day)],
    ["Most ever", whole(subjects.most_ever)], ["Subjects at their limit", whole(subjects.at_limit)],
    ["Events beyond a limit", whole(subjects.default_rows)], ["Bits of a subject, at most", rounded(subjects.bits_most)]];
}

function showPrivacy(privacy) {
  const composed = privacy.eta_composed || {};
  tiles("privacy", [["Decisions", known(privacy.decisions, whole)],
    ["Epsilon", rounded(privacy.epsilon)], ["Eta an action", known(privacy.eta_per_action.exact, rounded)],
    ["Eta of all", known(composed.optimal, rounded)], ["Delta", known(composed.delta, (delta) => delta.toExponential())],
    ...agreementTiles(privacy.agreement), ...liftTiles(privacy.lift), ...subjectTiles(privacy.subjects)]);
  showWorth(privacy.lift);
  byId("sees").replaceChildren(...privacy.views.sees.map((text) => element("li", text)));
  byId("never").replaceChildren(...privacy.views.never.map((text) => element("li", text)));
}

byId("login").addEventListener("submit", (event) => {
  event.preventDefault();
  token = byId("token").value.trim();
  byId("token").value = "";
  turns = 0;
});
turn();
)js";

}  // namespace sotto::apps::live
