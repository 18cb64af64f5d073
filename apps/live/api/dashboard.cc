#include "apps/live/api/dashboard.h"

#include <fmt/format.h>

namespace sotto::apps::live {
namespace {

constexpr const char* page_type = "text/html; charset=utf-8";
// No other page may show this page in a frame.
constexpr const char* page_policy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string whole_page() {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n"
      "<title>sotto</title>\n<style>{}</style>\n</head>\n<body>\n{}\n<script>\n\"use strict\";\n{}{}</script>\n"
      "</body>\n</html>\n",
      dashboard_style, dashboard_body, dashboard_reading, dashboard_drawing);
}

}  // namespace

const std::string& dashboard_page() {
  static const std::string page = whole_page();
  return page;
}

Route dashboard_route() {
  Route route;
  route.method = "GET";
  route.pattern = "/";
  route.answers = "text/html";
  route.open = true;
  route.handler = [](Request&&, const Responder& responder) {
    Answer answer = Answer::text(dashboard_page(), page_type);
    answer.headers.emplace_back("Content-Security-Policy", page_policy);
    answer.headers.emplace_back("Referrer-Policy", "no-referrer");
    responder.answer(std::move(answer));
  };
  return route;
}

const char* const dashboard_style = R"css(
:root {
  color-scheme: light dark;
  --page: #faf9f7; --card: #ffffff; --ink: #1d2126; --soft: #5b626b; --line: #e3e1dc; --fill: #1d5c9e;
  --track: #eeece7; --good: #2d6a4f; --danger: #a3221a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171b; --card: #1b1f24; --ink: #e7e5e0; --soft: #a0a7b0; --line: #2e343b; --fill: #5b97d6;
    --track: #272c33; --good: #7bc8a0; --danger: #ff9d94;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 32px 28px 56px; }
h1 { font-size: 26px; font-weight: 600; margin: 0; }
h2 { font-size: 17px; font-weight: 600; margin: 32px 0 8px; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 18px; margin-bottom: 18px; }
.note { color: var(--soft); font-size: 13.5px; margin: 0; }
.good { color: var(--good); }
.bad { color: var(--danger); }
.banner { border: 1.5px solid var(--danger); color: var(--danger); border-radius: 8px; padding: 10px 14px; margin: 0 0 16px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 1px; margin: 0; padding: 0;
  background: var(--line); border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }
.tiles div { background: var(--card); padding: 12px 14px; min-width: 0; }
.tiles dt { font-size: 13px; color: var(--soft); }
.tiles dd { margin: 0; font-size: 22px; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; background: var(--card); border: 1px solid var(--line); }
th, td { text-align: left; padding: 6px 12px; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 500; font-size: 13px; color: var(--soft); }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.track { height: 9px; min-width: 90px; background: var(--track); border-radius: 3px; margin-top: 6px; overflow: hidden; }
.track i { display: block; height: 100%; background: var(--fill); }
svg { width: 100%; height: 90px; background: var(--card); border: 1px solid var(--line); border-radius: 8px; display: block; }
polyline { fill: none; stroke: var(--fill); stroke-width: 1.6; vector-effect: non-scaling-stroke; }
form { display: flex; gap: 8px; margin: 0 0 16px; }
input, button { font: inherit; padding: 5px 10px; }
ul { margin: 4px 0 0; padding-left: 18px; }
.halves { display: grid; grid-template-columns: 1fr 1fr; gap: 0 28px; }
[hidden] { display: none; }
@media (max-width: 720px) { main { padding: 20px 14px; } .halves { grid-template-columns: 1fr; } }
)css";

const char* const dashboard_body = R"html(<main>
<header><h1 id="role">sotto</h1><p class="note" id="state" role="status">asking</p><p class="note" id="about"></p></header>
<p class="banner" id="trouble" hidden></p>
<div id="warnings" role="alert"></div>
<form id="login" hidden>
<label>Token <input id="token" type="password" autocomplete="off" spellcheck="false"></label><button>Show</button>
</form>
<p id="worth" hidden></p>
<section id="course" hidden><h2 id="course_title"></h2><svg viewBox="0 0 119 60" preserveAspectRatio="none" role="img"
aria-labelledby="course_title"><polyline id="course_curve" points=""></polyline></svg><p class="note" id="course_note"></p></section>
<section id="own" hidden><h2 id="own_title"></h2><table><thead id="own_head"></thead><tbody id="own_rows"></tbody></table></section>
<h2>For operators</h2>
<dl class="tiles" id="tiles"></dl>
<p class="note" id="since"></p>
<section><h2 id="graph_title"></h2><svg id="graph" viewBox="0 0 119 60" preserveAspectRatio="none" role="img"
aria-labelledby="graph_title"><polyline id="curve" points=""></polyline></svg><p class="note" id="graph_note"></p></section>
<section><h2>Links</h2><table><thead><tr><th>Role</th><th>State</th><th class="number">Last heard</th><th>Certificate ends</th>
<th>Last trouble</th></tr></thead><tbody id="peers"></tbody></table><p class="note" id="certificate" hidden></p></section>
<section><h2>Times</h2><table><thead><tr><th>What</th><th class="number">Count</th><th class="number">Mean</th>
<th class="number">99% at most</th></tr></thead><tbody id="times"></tbody></table></section>
<section id="batches" hidden><h2>Batches</h2><table><thead><tr><th>Kind</th><th class="number">Size</th>
<th class="number">Count</th></tr></thead><tbody id="shapes"></tbody></table></section>
<section><h2>Privacy</h2><dl class="tiles" id="privacy"></dl><div class="halves"><div><h2>This role sees</h2><ul id="sees"></ul></div>
<div><h2>It never sees</h2><ul id="never"></ul></div></div></section>
</main>)html";

}  // namespace sotto::apps::live
