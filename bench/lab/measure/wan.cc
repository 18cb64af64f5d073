#include "bench/lab/measure/wan.h"

#include <iterator>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/run/local/launcher.h"
#include "apps/kit/files/output_file.h"
#include "apps/prepare/data/environment.h"
#include "bench/lab/experiment.h"
#include "bench/lab/measure/bandit_trial.h"

namespace sotto::apps::lab {

using namespace sotto::apps::bandit::run;
using namespace sotto::apps::prepare;
namespace {

constexpr std::size_t rows = 50;

BanditOptions options_of(const WanSetting& setting, const std::filesystem::path& folder) {
  BanditOptions options = write_data(make_data(rows, setting.features, setting.arms, 1), setting.parties, folder);
  options.run.deal_ahead = true;
  options.run.link = setting.link;
  options.run.batch = setting.batch;
  return options;
}

std::uint64_t steps_within(double seconds, const WanSetting& setting, const StepFrames& frames) {
  constexpr double some_arithmetic = 1e-3;
  const auto batch = static_cast<double>(setting.batch);
  const double a_batch = batch * model_step(frames, setting.link).total() + some_arithmetic;
  const auto [least, most] = setting.batch > 1 ? std::pair(4.0, 100.0) : std::pair(10.0, 300.0);
  return setting.batch * static_cast<std::uint64_t>(std::clamp(seconds / a_batch, least, most));
}

double milliseconds(std::chrono::nanoseconds time) { return std::chrono::duration<double, std::milli>(time).count(); }

bool emulated(const WanPoint& point) { return point.setting.link.emulated(); }

using Value = double (*)(const WanSetting&);

struct Axis {
  const char* key;
  const char* label;
  const char* unit;  // as a legend shows it
  Value value;
};

const Axis delay_axis{"delay", "delay of a link, ms", "ms",
                      [](const WanSetting& s) { return milliseconds(s.link.delay); }};
const Axis party_axis{"parties", "parties", "parties",
                      [](const WanSetting& s) { return static_cast<double>(s.parties); }};
const Axis arm_axis{"arms", "arms", "arms", [](const WanSetting& s) { return static_cast<double>(s.arms); }};

const Axis batch_axis{"batch", "events of a batch", "events",
                      [](const WanSetting& s) { return static_cast<double>(s.batch); }};

std::vector<double> values(const std::vector<WanPoint>& points, const Axis& axis) {
  std::vector<double> all;
  all.reserve(points.size());
  for (const WanPoint& point : points) all.push_back(axis.value(point.setting));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

WanChart chart_of(const std::vector<WanPoint>& points, const Axis& x, const Axis& lines, const Axis& fixed) {
  const double at = values(points, fixed).front();
  LineChart chart;
  chart.title = fmt::format("Milliseconds a step by {}, {:g} {}", x.key, at, fixed.unit);
  chart.x_label = x.label;
  chart.y_label = "ms a step";
  std::size_t number = 0;
  for (const double line : values(points, lines)) {
    ChartSeries measured{fmt::format("s{}", number), fmt::format("{:g} {}", line, lines.unit), {}};
    ChartSeries model{fmt::format("m{}", number), "model", {}};
    ++number;
    for (const WanPoint& point : points) {
      if (lines.value(point.setting) != line || fixed.value(point.setting) != at) continue;
      const double where = x.value(point.setting);
      measured.points.push_back({where, 1e3 * point.model.measured, std::nullopt});
      model.points.push_back({where, 1e3 * point.model.total(), std::nullopt});
    }
    const auto by_x = [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; };
    std::sort(measured.points.begin(), measured.points.end(), by_x);
    std::sort(model.points.begin(), model.points.end(), by_x);
    chart.series.push_back(std::move(measured));
    chart.series.push_back(std::move(model));
  }
  return WanChart{x.key, std::move(chart)};
}

constexpr const char* line_style =
    R"(.series-s0, .series-m0 { stroke: #1d5c9e; } .series-s1, .series-m1 { stroke: #b8651b; }
.series-s2, .series-m2 { stroke: #2d6a4f; } .series-s3, .series-m3 { stroke: #8a3d8f; }
.series-s4, .series-m4 { stroke: #a3221a; } .series-s5, .series-m5 { stroke: #5b626b; }
.series { opacity: .85; }
[class*="series-m"] { stroke-dasharray: 3 5; stroke: #1d2126; stroke-width: 1.6; opacity: 1; }
)";

constexpr const char* alone_style =
    R"(svg { background: #ffffff; font: 13px system-ui, "Liberation Sans", Arial, sans-serif; }
.grid { stroke: #e3e1dc; } .axis { stroke: #5b626b; } .tick, .label { fill: #5b626b; }
.series { fill: none; stroke-width: 3; stroke-linejoin: round; stroke-linecap: round; }
)";

constexpr const char* page_style_of_lines =
    R"(.chart.plot { display: block; }
pre { white-space: pre; overflow-x: auto; }
@media (prefers-color-scheme: dark) { [class*="series-m"] { stroke: #e7e5e0; } }
)";

constexpr ChartSize size{760, 380};

std::string legend(const LineChart& chart) {
  std::string out;
  double y = 26;
  const auto entry = [&](const std::string& css_name, const std::string& name) {
    out += fmt::format(
        R"(<line class="series series-{}" x1="66" y1="{}" x2="92" y2="{}"/><text class="label" x="100" y="{}">{}</text>)",
        css_name, y, y, y + 4.5, escape_html(name));
    out += '\n';
    y += 20;
  };
  for (std::size_t i = 0; i < chart.series.size(); i += 2) {
    entry(chart.series[i].css_name, chart.series[i].name);
  }
  if (chart.series.size() > 1) entry(chart.series[1].css_name, "model");
  return out;
}

std::string with_legend(const WanChart& chart) {
  std::string svg = line_chart_svg(chart.chart, size, "plot");
  return svg.insert(svg.rfind("</svg>"), legend(chart.chart));
}

WanPoint measure_wan(const WanSetting& setting, std::size_t repeat, double seconds,
                     const std::atomic<bool>& interrupted) {
  const PrivateFolder folder;
  BanditOptions options = options_of(setting, folder.path());
  options.run.steps = setting.batch * (rows / setting.batch + 1);
  const LocalInputs inputs = read_local_inputs(options);
  const StepFrames frames = step_frames(local_plan(local_run_config(options, inputs, 0), inputs));
  options.run.steps = steps_within(seconds, setting, frames);
  std::vector<LinkModel> models;
  for (std::size_t i = 0; i < repeat; ++i) {
    const BanditSettings run = local_run_config(options, inputs, i);
    const LocalRun local{run, options.parties, options.environment};
    const LaunchOutcome outcome = launch_local_run(local, {}, interrupted);
    models.push_back(compare_with_model(run, local_plan(run, inputs), outcome.reports));
  }
  const auto middle = models.begin() + static_cast<std::ptrdiff_t>(models.size() / 2);
  std::nth_element(models.begin(), middle, models.end(),
                   [](const auto& one, const auto& other) { return one.measured < other.measured; });
  return WanPoint{
      setting, options.run.steps, frames.rounds.size(),
      static_cast<std::uint64_t>(std::llround(static_cast<double>(frames.sent_by_largest_party()) / frames.steps)),
      *middle};
}

void write_wan(const std::filesystem::path& folder, const Page& page, const std::vector<WanChart>& charts) {
  std::string markdown = to_markdown(page);
  for (const WanChart& chart : charts) {
    const std::string name = fmt::format("wan-{}.svg", chart.key);
    write_file(folder / name, wan_svg(chart));
    markdown += fmt::format("\n![{}]({})\n", chart.chart.title, name);
  }
  write_file(folder / "wan.html", wan_html(page, charts));
  write_file(folder / "wan.md", markdown);
}

struct WanBench {
  std::vector<std::string> delays{"0ms", "1ms", "5ms", "20ms"};
  std::string jitter = "0ms";
  std::string rate = "100mbit";
  std::vector<std::size_t> parties{2, 3, 5};
  std::vector<std::size_t> arms{10, 40, 100};
  std::vector<std::size_t> batches{1};
  std::size_t features = 20;
  std::size_t repeat = 3;
  double seconds = 1;
  LabOutput output;
};

std::vector<WanSetting> settings(const WanBench& arguments) {
  net::LinkConditions link;
  link.jitter = net::parse_delay(arguments.jitter, "--jitter");
  if (arguments.rate != "none") link.bits_per_second = net::parse_rate(arguments.rate, "--rate");
  std::vector<WanSetting> all;
  for (const std::string& delay : arguments.delays) {
    link.delay = net::parse_delay(delay, "--delays");
    for (const std::size_t parties : arguments.parties) {
      (void)even_columns(parties, arguments.features);
      for (const std::size_t arms : arguments.arms) {
        for (const std::size_t batch : arguments.batches) {
          all.push_back(WanSetting{parties, arguments.features, arms, link, batch});
        }
      }
    }
  }
  return all;
}

void measure_over_wan(const WanBench& arguments) {
  catch_interrupts();
  const std::vector<WanSetting> all = settings(arguments);
  check_out_folder(arguments.output.out, {"wan.md", "wan.html"}, arguments.output.overwrite);
  if (!arguments.output.out.empty()) make_run_directory(arguments.output.out);
  Page page{"wan",
            "The private bandit over a wide area",
            fmt::format("Every role a process on one machine, TLS on emulated links (rate {}, jitter {}), {}, "
                        "correlations dealt ahead. Time a step as measured, in the middle one of {}, and as a model "
                        "has it that knows rounds, frames and the roles' own times.",
                        arguments.rate, arguments.jitter, counted(arguments.features, "feature"),
                        counted(arguments.repeat, "run")),
            take_provenance(),
            {}};
  std::vector<WanPoint> points;
  for (const WanSetting& setting : all) {
    show_progress(fmt::format("{} of {}: {}, {}, {}, batches of {}", points.size() + 1, all.size(),
                              net::describe(setting.link), counted(setting.parties, "party"),
                              counted(setting.arms, "arm"), setting.batch));
    points.push_back(measure_wan(setting, arguments.repeat, arguments.seconds, interrupted()));
  }
  page.tables.push_back(wan_table(points));
  if (!arguments.output.out.empty()) write_wan(arguments.output.out, page, wan_charts(points));
  show(page, {arguments.output.json, {}, false});
}

}  // namespace

FigureTable wan_table(const std::vector<WanPoint>& points) {
  FigureTable table("wan", "A step of the bandit over emulated links",
                    "delay_ms: delay, ms; parties; arms; batch; steps; rounds; sent_bytes: sent by a party, B; "
                    "measured_ms: measured, ms; model_ms: model, ms; error_percent: error, %; "
                    "events_per_second: steps/s; model_per_second: by the model; delays_ms: delays, ms; "
                    "transfer_ms: bytes / rate, ms; jitter_ms: jitter, ms; arithmetic_ms: arithmetic, ms");
  for (const WanPoint& point : points) {
    const LinkModel& m = point.model;
    std::optional<double> error;
    if (emulated(point)) error = m.error_percent();
    table.add({milliseconds(point.setting.link.delay), point.setting.parties, point.setting.arms, point.setting.batch,
               point.steps, point.rounds, point.bytes, 1e3 * m.measured, 1e3 * m.total(), error, 1 / m.measured,
               1 / m.total(), 1e3 * m.delay, 1e3 * m.transfer, 1e3 * m.jitter, 1e3 * m.arithmetic});
  }
  table.note(
      "Model: along the path that decides, rounds x delay + bytes of the largest frame of each round / rate + mean "
      "jitter + what the roles were busy themselves. What is missing in it is the system's own time for messages and "
      "wake-ups.");
  table.note(
      "In batches a step is an event, and its time its share of the batch's, which is decided and learned: the rounds "
      "are those of a batch, all else is of an event.");
  table.note("The links are emulated: these are no measurements of a network.");
  return table;
}

std::vector<WanChart> wan_charts(const std::vector<WanPoint>& all) {
  const double batch = values(all, batch_axis).front();
  std::vector<WanPoint> points;
  std::copy_if(all.begin(), all.end(), std::back_inserter(points),
               [&](const WanPoint& point) { return batch_axis.value(point.setting) == batch; });
  std::vector<WanChart> charts;
  const auto add = [&](const Axis& x, const Axis& lines, const Axis& fixed) {
    if (values(points, x).size() > 1) charts.push_back(chart_of(points, x, lines, fixed));
  };
  add(delay_axis, party_axis, arm_axis);
  add(party_axis, delay_axis, arm_axis);
  add(arm_axis, delay_axis, party_axis);
  return charts;
}

std::string wan_svg(const WanChart& chart) {
  std::string svg = with_legend(chart);
  const std::string style = element("style", "", std::string(alone_style) + line_style + ".hit { display: none; }\n");
  svg.insert(svg.find('>') + 1, style);
  return svg.insert(svg.find("<svg") + 4, R"( xmlns="http://www.w3.org/2000/svg")");
}

std::string wan_html(const Page& figures, const std::vector<WanChart>& charts) {
  ReportPage page;
  page.title = "the bandit over a wide area";
  page.style = std::string(line_style) + page_style_of_lines;
  page.eyebrow = "sotto-lab bench wan";
  page.heading = escape_html(figures.title);
  page.about = escape_html(figures.about);
  for (const WanChart& chart : charts) {
    page.sections.push_back({escape_html(chart.chart.title), element("figure", "", with_legend(chart))});
  }
  for (const FigureTable& table : figures.tables) {
    page.sections.push_back({"Figures", element("pre", "", escape_html(table.to_text()))});
  }
  page.sections.push_back({"Where they come from", element("pre", "", escape_html(to_text(figures.provenance)))});
  return to_html(page);
}

void add_bench_wan(Command& bench) {
  Command* command = bench.add_subcommand("wan", "Run the bandit on emulated links, next to a model of its time");
  const auto arguments = std::make_shared<WanBench>();
  command->add_option("--delays", arguments->delays, "One-way delays of a link")
      ->separated_by(',')
      ->type_name("TIME")
      ->shows_default();
  command->add_option("--jitter", arguments->jitter, "Further delay, uniform from 0 to this")
      ->type_name("TIME")
      ->shows_default();
  command->add_option("--rate", arguments->rate, "Rate of each direction of a link, or none")
      ->type_name("RATE")
      ->shows_default();
  add_parties(*command, arguments->parties)->shows_default();
  command->add_option("--arms", arguments->arms, "Arms; several in turn", whole(2, max_arms))->separated_by(',');
  command
      ->add_option("--batch", arguments->batches, "Events that are decided, and learned, at once; several in turn",
                   whole(1, largest_event_batch(1)))
      ->separated_by(',')
      ->shows_default();
  add_features(*command, arguments->features);
  command->add_option("--seconds", arguments->seconds,
                      "About how long each run lasts, 10 to 300 steps or 4 to 100 batches", real(0.01, 600.0));
  command->add_option("--repeat", arguments->repeat, "Runs of each setting; the middle one counts", whole(1, 1000));
  add_output_options(*command, arguments->output, "Folder for wan.md, wan.html and their plots, wan-*.svg", "DIR");
  command->footer(
      "Examples:\n"
      "  sotto-lab bench wan --out bench/results\n"
      "  sotto-lab bench wan --delays 20ms --parties 2 --arms 10 --batch 1,64,256\n"
      "  sotto-lab bench wan --delays 20ms --parties 2 --arms 10,40 --rate 1gbit --jitter 2ms --json");
  command->callback([arguments] { measure_over_wan(*arguments); });
}

}  // namespace sotto::apps::lab
