// The part of the page's script that asks the role, and takes its answers apart.
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

}  // namespace sotto::apps::live
