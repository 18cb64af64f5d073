#include "apps/kit/report/run_page.h"

namespace sotto::apps {

// Colours as variables, one set a mode; the two series differ in hue, lightness and dash, for readers who see no hue.
const char* const page_style = R"css(
:root {
  color-scheme: light dark;
  --page: #faf9f7; --card: #ffffff; --ink: #1d2126; --soft: #5b626b; --line: #e3e1dc;
  --private: #1d5c9e; --plaintext: #b8651b; --fill: #1d5c9e; --track: #eeece7;
  --good: #2d6a4f; --danger: #a3221a; --danger-page: #fdeeec;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif;
  --serif: "Iowan Old Style", Charter, "Palatino Linotype", Palatino, "Liberation Serif", Georgia, serif;
  --mono: ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171b; --card: #1b1f24; --ink: #e7e5e0; --soft: #a0a7b0; --line: #2e343b;
    --private: #7ab4f0; --plaintext: #e6a55c; --fill: #5b97d6; --track: #272c33;
    --good: #7bc8a0; --danger: #ff9d94; --danger-page: #3a1c1a;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.55 var(--sans); }
main { max-width: 1020px; margin: 0 auto; padding: 48px 32px 64px; }
h1 { font: 400 40px/1.15 var(--serif); letter-spacing: -.01em; margin: 4px 0 12px; }
h2 { font: 400 25px/1.25 var(--serif); margin: 0 0 6px; }
h3 { font-size: 15px; font-weight: 600; margin: 24px 0 6px; }
p { margin: 0 0 12px; max-width: 46em; }
.eyebrow { font-size: 14.5px; letter-spacing: .03em; color: var(--soft); margin: 0; }
.verdict { font-size: 19px; line-height: 1.5; margin: 0 0 8px; max-width: 42em; }
.verdict.failed { color: var(--danger); }
.note { color: var(--soft); font-size: 14.5px; }
section { margin-top: 52px; }
strong { font-weight: 600; }
code, pre { font-family: var(--mono); font-size: .88em; }
code { overflow-wrap: anywhere; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 14px 16px; margin: 0;
  white-space: pre-wrap; overflow-wrap: anywhere; }
.alert { border: 2px solid var(--danger); background: var(--danger-page); color: var(--danger); border-radius: 8px;
  padding: 14px 18px; margin: 0 0 24px; }
.alert strong { display: block; font-size: 17px; letter-spacing: .02em; }
.alert p { margin: 2px 0 0; }

.tiles { display: grid; grid-template-columns: repeat(4, 1fr); gap: 1px; margin: 32px 0 0; padding: 0;
  background: var(--line); border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }
.tile { background: var(--card); padding: 16px 18px 15px; min-width: 0; display: flex; flex-direction: column; }
.tile dt { font-size: 13.5px; color: var(--soft); }
.tile dd { margin: 0; }
.tile .figure { font: 400 30px/1.25 var(--serif); font-variant-numeric: tabular-nums lining-nums; white-space: nowrap; }
.tile .sub { font-size: 13.5px; line-height: 1.4; color: var(--soft); }

figure { margin: 14px 0 0; background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 18px 18px 12px; }
figcaption { color: var(--soft); font-size: 14px; margin-top: 8px; max-width: 56em; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 26px; margin: 0 0 8px; padding: 0; list-style: none; font-size: 14.5px; }
.legend b { font-weight: 600; font-variant-numeric: tabular-nums; }
.legend svg { width: 28px; height: 10px; margin-right: 8px; vertical-align: 1px; }
.chart { width: 100%; height: auto; display: block; font: 13px var(--sans); }
.chart.narrow { display: none; }
.grid { stroke: var(--line); stroke-width: 1; }
.axis { stroke: var(--soft); stroke-width: 1; }
.baseline { stroke: var(--soft); stroke-width: 1.2; stroke-dasharray: 1.5 4; stroke-linecap: round; }
.tick, .label { fill: var(--soft); font-variant-numeric: tabular-nums; }
.series { fill: none; stroke-width: 2.4; stroke-linejoin: round; stroke-linecap: round; }
.series-private { stroke: var(--private); }
.series-plaintext { stroke: var(--plaintext); stroke-dasharray: 7 5; stroke-width: 2; }
.hit rect { fill: transparent; }
.hit g { visibility: hidden; pointer-events: none; }
.hit:hover g { visibility: visible; }
.hit text { fill: var(--ink); font-weight: 600; font-variant-numeric: tabular-nums; paint-order: stroke; stroke: var(--card); stroke-width: 5px; }
.dot-private { fill: var(--private); }
.dot-plaintext { fill: var(--plaintext); }
.band-private { fill: var(--private); opacity: .14; }
.band-plaintext { fill: var(--plaintext); opacity: .14; }

.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 15px; margin: 10px 0 0; }
th, td { text-align: left; vertical-align: top; padding: 8px 18px 8px 0; border-bottom: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 0; }
thead th { font-weight: 500; font-size: 13.5px; color: var(--soft); vertical-align: bottom; }
tbody th { font-weight: 500; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tfoot td, tfoot th { font-weight: 600; border-bottom: 0; }
.bar-cell { width: 30%; min-width: 110px; }
.bar { height: 10px; margin-top: 7px; background: var(--track); border-radius: 3px; overflow: hidden;
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.bar i { display: block; height: 100%; min-width: 2px; background: var(--fill); border-radius: 3px; }
.file { overflow-wrap: anywhere; }

.flow { display: grid; grid-template-columns: 1fr 44px 1.15fr 44px 1fr; align-items: center; margin: 18px 0 22px; }
.flow .stack { display: grid; gap: 10px; }
.box { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 11px 14px; font-size: 14px;
  line-height: 1.4; min-width: 0; overflow-wrap: anywhere; }
.box b { display: block; font-weight: 600; font-size: 15px; }
.box span { color: var(--soft); }
.box.core { border: 1.5px solid var(--private); border-radius: 0 0 8px 8px; text-align: center; padding: 18px 16px; }
.box.dealer { border: 1.5px dashed var(--soft); border-bottom: 0; border-radius: 8px 8px 0 0; text-align: center; }
.flow .joined { gap: 0; }
.arrow { text-align: center; color: var(--soft); font-size: 21px; line-height: 1.1; }
.arrow::before { content: attr(data-wide); }
.views ul { margin: 0; padding: 0; list-style: none; }
.views th { width: 24%; }
.views td { width: 38%; }
.sees, .blind { padding-left: 18px; position: relative; }
.sees::before { content: ""; position: absolute; left: 1px; top: .55em; width: 8px; height: 8px; border-radius: 50%;
  background: var(--ink); print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.blind { color: var(--soft); }
.blind::before { content: ""; position: absolute; left: 1px; top: .55em; width: 8px; height: 8px; border-radius: 50%;
  border: 1px solid var(--soft); }

.statement { border-left: 3px solid var(--private); padding: 2px 0 2px 20px; margin-top: 16px; }
.statement p:last-child { margin-bottom: 0; }
sup { line-height: 0; }
.together { white-space: nowrap; }
.formula { font: italic 20px/1.5 var(--serif); margin: 4px 0 12px; }
.parameters { display: grid; grid-template-columns: repeat(auto-fill, minmax(210px, 1fr)); gap: 0 36px; margin: 10px 0 0; }
.parameters div { display: flex; justify-content: space-between; gap: 12px; border-bottom: 1px solid var(--line); padding: 7px 0; }
.parameters dt { color: var(--soft); }
.parameters dd { margin: 0; font-variant-numeric: tabular-nums; text-align: right; overflow-wrap: anywhere; }
footer { margin-top: 56px; padding-top: 16px; border-top: 1px solid var(--line); color: var(--soft); font-size: 13.5px; }

@media screen and (max-width: 760px) {
  main { padding: 28px 18px 44px; }
  h1 { font-size: 31px; }
  .verdict { font-size: 17px; }
  section { margin-top: 40px; }
  .tiles { grid-template-columns: repeat(2, 1fr); }
  .tile { padding: 13px 14px 12px; }
  .tile .figure { font-size: 25px; }
  figure { padding: 14px 10px 10px; }
  .chart.wide { display: none; }
  .chart.narrow { display: block; }
  .flow { grid-template-columns: 1fr; }
  .arrow { padding: 4px 0; }
  .arrow::before { content: attr(data-narrow); }
  .views, .views tbody, .views tr, .views th, .views td { display: block; width: auto; border: 0; padding: 0; }
  .views thead { display: none; }
  .views tr { border-bottom: 1px solid var(--line); padding: 10px 0; }
  .views td { padding-top: 4px; }
  .optional { display: none; }
  th, td { padding-right: 12px; }
}
@media print {
  :root { color-scheme: light; --page: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #ccc;
    --private: #1d5c9e; --plaintext: #b8651b; --fill: #1d5c9e; --track: #eee; --danger: #a3221a; --danger-page: #fff; }
  body { font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  section { margin-top: 26pt; }
  figure, tr, .tiles, .flow, .statement, .parameters { break-inside: avoid; }
  .tiles { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  h2, h3 { break-after: avoid; }
}
)css";

}  // namespace sotto::apps
