#include "sotto/bench/lab/measure/bandit_trial.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "sotto/apps/bandit/plaintext.h"
#include "sotto/apps/bandit/private_bandit.h"
#include "sotto/apps/bandit/role/launcher.h"

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
  options.steps = c.steps;
  options.deal_ahead = !c.streaming;
  return options;
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
  return std::accumulate(floor.begin(), floor.end(), 0.0) / static_cast<double>(floor.size());
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
                      case_.steps, case_.arms, case_.features, options_.epsilon, data_seed);
  const std::chrono::duration<double, std::micro> time = Clock::now() - start;
  figures_.twin_us.push_back(time.count() / static_cast<double>(case_.steps));
}

}  // namespace sotto::apps
