#include "sotto/bench/lab/measure/bandit_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>

#include "sotto/apps/bandit/plaintext.h"
#include "sotto/apps/bandit/private_bandit.h"
#include "sotto/apps/bandit/role/launcher.h"
#include "sotto/apps/kit/files/atomic_file.h"
#include "sotto/apps/kit/learn/instance.h"
#include "sotto/apps/kit/learn/mean.h"
#include "sotto/bench/lab/measure/samples.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t most_rows = 2000;  // beyond them the steps wrap round
constexpr std::uint64_t data_seed = 1;
constexpr std::uint64_t most_batches = 10;

// Dealt bytes of one step in the middle of a run.
std::uint64_t dealt_a_step(const BanditCase& c) {
  const Ledger ledger = plan_costs(even_plan(c.parties, c.features, c.arms, 2));
  std::uint64_t dealt = 0;
  for (const sotto::RoundCost& round : ledger.phases().front().rounds) dealt += round.cost.dealt;
  return dealt;
}

BanditCase with_steps_that_fit(BanditCase c) {
  const std::uint64_t fit = BanditTrial::most_dealt_bytes / std::max<std::uint64_t>(1, dealt_a_step(c));
  if (!c.streaming) c.steps = std::clamp<std::uint64_t>(fit, 1, c.steps);
  return c;
}

BanditOptions prepare(const BanditCase& c, const SyntheticData& data, const std::filesystem::path& folder) {
  BanditOptions options = write_data(data, c.parties, folder);
  options.run.steps = c.steps;
  options.run.deal_ahead = !c.streaming;
  return options;
}

const char* dealing(const BanditCase& c) { return c.streaming ? "streaming" : "ahead"; }

bool has(const BanditCase& c, std::size_t parties, std::size_t arms, bool streaming) {
  return c.features == 20 && c.parties == parties && c.arms == arms && c.streaming == streaming;
}

std::optional<double> most_times_the_floor(const BanditCase& c) {
  if (has(c, 2, 10, false)) return 2.0;
  if (has(c, 3, 10, false)) return 1.6;
  if (has(c, 8, 10, false)) return 1.3;
  return std::nullopt;
}

std::optional<double> most_times_ten_arms(const BanditCase& c) {
  if (has(c, 2, 40, false)) return 3;
  if (has(c, 2, 100, false)) return 10;
  return std::nullopt;
}

double step_us(const BanditMeasurement& m) { return median(m.figures.step_us); }

std::string name_of(const BanditCase& c) {
  return fmt::format("{}, {}, {}", counted(c.parties, "party"), counted(c.arms, "arm"),
                     c.streaming ? "streaming" : "dealt ahead");
}

std::string party_text(const SyntheticData& data, std::size_t begin, std::size_t columns) {
  std::string text;
  for (std::size_t c = 0; c < columns; ++c) text += fmt::format("{}x{}", c ? "," : "", begin + c);
  for (std::size_t row = 0; row < data.rows; ++row) {
    text += '\n';
    for (std::size_t c = 0; c < columns; ++c) {
      if (c > 0) text += ',';
      text += fmt::format("{}", data.context(row)[begin + c]);
    }
  }
  return text + "\n";
}

}  // namespace

BanditTrial::BanditTrial(const BanditCase& wanted)
    : case_(with_steps_that_fit(wanted)),
      data_(make_data(std::min(case_.steps, most_rows), case_.features, case_.arms, data_seed)),
      options_(prepare(case_, data_, folder_.path())),
      inputs_(read_local_inputs(options_)),
      frames_(step_frames(local_plan(local_run_config(options_, inputs_, 0), inputs_))) {}

void BanditTrial::measure(const std::atomic<bool>& interrupted) {
  figures_.floor_us.push_back(floor_us(Carrier::tcp, interrupted));
  measure_run(Carrier::tcp, interrupted);
  figures_.tls_floor_us.push_back(floor_us(Carrier::tls, interrupted));
  measure_run(Carrier::tls, interrupted);
  measure_twin();
}

double BanditTrial::floor_us(Carrier carrier, const std::atomic<bool>& interrupted) const {
  // A run's time a step is that of all its steps, so the floor's is the mean of all its batches.
  const std::uint64_t batches = std::min(case_.steps, most_batches);
  const std::vector<double> floor =
      replay_steps(frames_, Waiting::yielding, case_.steps / batches, batches, interrupted, carrier);
  return mean_and_sd(floor).mean;
}

void BanditTrial::measure_run(Carrier carrier, const std::atomic<bool>& interrupted) {
  BanditSettings run = local_run_config(options_, inputs_, 0);
  run.insecure_plaintext = carrier == Carrier::tcp;
  LocalRun local;
  local.run = run;
  local.data = options_.parties;
  local.environment = options_.environment;
  const LaunchOutcome outcome = launch_local_run(local, {}, interrupted);
  const BanditResult result = assemble_result(options_, inputs_, run, outcome.reports, outcome.loop_seconds);
  const auto steps = static_cast<double>(case_.steps);
  const double seconds = case_.streaming ? outcome.loop_seconds : result.online_seconds.value_or(0);
  const double step_us = 1e6 * seconds / steps;
  if (carrier == Carrier::tls) {
    figures_.tls_step_us.push_back(step_us);
    return;
  }
  figures_.step_us.push_back(step_us);
  figures_.dealer_cpu_us.push_back(1e6 * result.dealer_seconds.value_or(0) / steps);
  figures_.rounds = result.rounds_per_step.value_or(0);
  figures_.sent_bytes = static_cast<std::uint64_t>(result.bytes_per_step.value_or(0));
  figures_.dealt_bytes = static_cast<std::uint64_t>(result.dealt_bytes_per_step.value_or(0));
  for (const RoleReport& role : outcome.reports) {
    figures_.memory_bytes = std::max(figures_.memory_bytes, role.peak_memory_bytes);
  }
}

void BanditTrial::measure_twin() {
  const auto row = [&](std::uint64_t step) { return static_cast<std::size_t>(step % data_.rows); };
  const Clock::time_point start = Clock::now();
  (void)run_plaintext([&](std::uint64_t step) { return data_.context(row(step)); },
                      [&](std::uint64_t step, std::size_t arm) { return data_.labels[row(step)] == arm ? 1.0 : 0.0; },
                      BatchSchedule::even(case_.steps), case_.arms, case_.features, options_.run.epsilon, data_seed);
  const std::chrono::duration<double, std::micro> time = Clock::now() - start;
  figures_.twin_us.push_back(time.count() / static_cast<double>(case_.steps));
}

FigureTable bandit_time_table(const std::vector<BanditMeasurement>& measurements) {
  FigureTable table("times", "Time of a bandit step",
                    "parties; features; arms; dealing: dealt; steps; step_us: step, us; step_least_us: least, us; "
                    "floor_us: floor, us; floor_least_us: least, us; times_the_floor: times the floor; "
                    "twin_us: plain text, us");
  for (const BanditMeasurement& m : measurements) {
    const BanditCase& c = m.configuration;
    const BanditFigures& f = m.figures;
    table.add({c.parties, c.features, c.arms, dealing(c), c.steps, step_us(m), least(f.step_us), median(f.floor_us),
               least(f.floor_us), step_us(m) / median(f.floor_us), median(f.twin_us)});
  }
  table.note(
      "Step: dealt ahead, the steps alone; streaming, all roles together, the dealer included. Floor: the same "
      "messages between the same processes without arithmetic, measured in turn with the runs. Links are plain TCP on "
      "loopback. Medians over the repetitions.");
  return table;
}

FigureTable bandit_tls_table(const std::vector<BanditMeasurement>& measurements) {
  FigureTable table(
      "tls", "The step over TLS",
      "parties; arms; dealing: dealt; rounds; plain_step_us: step, plain, us; tls_step_us: step, TLS, us; "
      "times_plain: times plain; plain_rounds_per_second: rounds/s, plain; "
      "tls_rounds_per_second: rounds/s, TLS; plain_floor_us: floor, plain, us; tls_floor_us: floor, TLS, us");
  for (const BanditMeasurement& m : measurements) {
    const BanditCase& c = m.configuration;
    const BanditFigures& f = m.figures;
    const double plain = step_us(m);
    const double tls = median(f.tls_step_us);
    const auto rate = [&](double us) { return std::round(1e6 * f.rounds / us); };
    table.add({c.parties, c.arms, dealing(c), f.rounds, plain, tls, tls / plain, rate(plain), rate(tls),
               median(f.floor_us), median(f.tls_floor_us)});
  }
  table.note(
      "TLS 1.3 with AES-128-GCM on every link, as runs have it by default, and the same over plain TCP "
      "(insecure_plaintext), measured in turn. Medians over the repetitions.");
  return table;
}

FigureTable bandit_cost_table(const std::vector<BanditMeasurement>& measurements) {
  FigureTable table("costs", "Cost of a bandit step",
                    "parties; arms; dealing: dealt; rounds; sent_bytes: sent by a party, B; "
                    "dealt_bytes: dealt, B; dealer_cpu_us: dealer's CPU, us; memory_mb: memory of a role, MB");
  for (const BanditMeasurement& m : measurements) {
    const BanditCase& c = m.configuration;
    const BanditFigures& f = m.figures;
    table.add({c.parties, c.arms, dealing(c), f.rounds, f.sent_bytes, f.dealt_bytes, median(f.dealer_cpu_us),
               static_cast<double>(f.memory_bytes) / 1e6});
  }
  table.note(
      "Sent by the largest party to all others, headers included; dealt to the last party. Memory: resident, of the "
      "largest role at its worst moment, everything that was dealt ahead included.");
  return table;
}

FigureTable bandit_target_table(const std::vector<BanditMeasurement>& measurements) {
  Targets targets;
  std::optional<double> ten_arms_us;
  for (const BanditMeasurement& m : measurements) {
    if (has(m.configuration, 2, 10, false)) ten_arms_us = step_us(m);
  }
  for (const BanditMeasurement& m : measurements) {
    const BanditCase& c = m.configuration;
    if (const std::optional<double> most = most_times_the_floor(c)) {
      targets.add(name_of(c), "times the floor", step_us(m) / median(m.figures.floor_us), *most);
    }
    if (has(c, 2, 10, false)) {
      targets.add(name_of(c), "sent by a party, KB", static_cast<double>(m.figures.sent_bytes) / 1e3, 30);
      targets.add(name_of(c), "dealt, KB", static_cast<double>(m.figures.dealt_bytes) / 1e3, 80);
      targets.add(name_of(c), "dealer's CPU, us", median(m.figures.dealer_cpu_us), 100);
    }
    const std::optional<double> most = most_times_ten_arms(c);
    if (most && ten_arms_us) {
      targets.add(name_of(c), "times the step of 10 arms", step_us(m) / *ten_arms_us, *most);
    }
    if (has(c, 2, 10, true)) targets.add(name_of(c), "all roles together, us", step_us(m), 200);
  }
  return targets.take();
}

SyntheticData make_data(std::size_t rows, std::size_t features, std::size_t arms, std::uint64_t seed) {
  SyntheticData data{rows, features, arms, std::vector<double>(rows * features), {}};
  std::vector<double> centres(arms * features);
  LinearInstance({features, arms, 0, seed}).contexts(1, 0, centres);
  const LinearInstance people({features, 1, 0, seed});
  for (std::size_t row = 0; row < rows; ++row) {
    const auto context = std::span(data.contexts).subspan(row * features, features);
    people.contexts(0, row, context);
    std::vector<double> scores;
    for (auto centre = centres.cbegin(); centre != centres.cend(); centre += static_cast<std::ptrdiff_t>(features)) {
      scores.push_back(std::inner_product(context.begin(), context.end(), centre, 0.0));
    }
    const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
    data.labels.push_back(static_cast<std::uint32_t>(best));
  }
  return data;
}

BanditOptions write_data(const SyntheticData& data, std::size_t parties, const std::filesystem::path& folder) {
  BanditOptions options;
  options.run.max_norm = 1;
  options.run.arms = data.arms;
  std::size_t begin = 0;
  for (const std::size_t columns : even_columns(parties, data.features)) {
    options.parties.push_back(folder / fmt::format("party_{}.csv", options.parties.size()));
    write_file(options.parties.back(), party_text(data, begin, columns));
    begin += columns;
  }
  std::string labels = "label\n";
  for (const std::uint32_t label : data.labels) labels += fmt::format("{}\n", label);
  options.environment = folder / "environment.csv";
  write_file(options.environment, labels);
  return options;
}

}  // namespace sotto::apps
