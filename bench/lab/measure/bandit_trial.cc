#include "bench/lab/measure/bandit_trial.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/program/private_bandit.h"
#include "apps/bandit/model/sites.h"
#include "apps/bandit/model/twin/plaintext.h"
#include "apps/bandit/run/local/launcher.h"
#include "apps/kit/learn/mean.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/simulate/simulate.h"

namespace sotto::apps::lab {

using namespace sotto::apps::bandit;
using namespace sotto::apps::bandit::run;
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t most_rows = 2000;
constexpr std::uint64_t data_seed = 1;
constexpr std::uint64_t most_batches = 10;
constexpr std::uint64_t computed_steps = 256;  // includes one refresh

std::uint64_t dealt_a_step(const BanditCase& c) {
  if (c.in_batches()) {
    const BanditPlan plan = even_plan(c.parties, c.features, c.arms, c.steps, c.batch, c.reward_lag);
    return plan_full_batches(plan).total().dealt / (2 * std::min<std::uint64_t>(c.batch, c.steps));
  }
  const Ledger ledger = plan_costs(even_plan(c.parties, c.features, c.arms, 2));
  std::uint64_t dealt = 0;
  for (const sotto::RoundCost& round : ledger.phases().front().rounds) dealt += round.cost.dealt;
  return dealt;
}

BanditCase with_steps_that_fit(BanditCase c) {
  c.steps = std::max<std::uint64_t>(c.steps, c.batch);
  const std::uint64_t fit = BanditTrial::most_dealt_bytes / std::max<std::uint64_t>(1, dealt_a_step(c));
  if (!c.streaming) c.steps = std::clamp<std::uint64_t>(fit, 1, c.steps);
  c.steps = std::max<std::uint64_t>(c.steps - c.steps % c.batch, c.batch);
  return c;
}

double largest(const std::vector<RoleReport>& reports, double RoleReport::*figure) {
  double most = 0;
  for (const RoleReport& report : reports) {
    if (report.role.starts_with("party")) most = std::max(most, report.*figure);
  }
  return most;
}

BanditOptions prepare(const BanditCase& c, const LabelledData& data, const std::filesystem::path& folder) {
  BanditOptions options = write_data(data, c.parties, folder);
  options.run.steps = c.steps;
  options.run.deal_ahead = !c.streaming;
  options.run.batch = c.batch;
  options.run.reward_lag = c.reward_lag;
  return options;
}

StepFrames decide_frames(StepFrames frames, const BanditPlan& plan) {
  frames.rounds.resize(plan.batches ? plan.batches->decide_rounds() : 0);
  return frames;
}

constexpr std::uint64_t first_steps = 16;

class DataSite final : public Contexts, public Arms, public Rewards, public StepObserver {
 public:
  DataSite(const BanditPlan& plan, const LabelledData& data) : plan_(plan), data_(data) {}

  void context(std::size_t party, std::uint64_t step, std::span<std::uint64_t> out) override {
    const auto& columns = plan_.parameters.columns;
    std::size_t first = 0;
    for (std::size_t earlier = 0; earlier < party; ++earlier) first += columns[earlier];
    const auto row = data_.context(static_cast<std::size_t>(step % data_.rows)).subspan(first, columns[party]);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = sotto::encode(row[i], plan_.context_bits);
  }
  void pull(std::uint64_t, std::size_t arm) override { arm_ = arm; }
  std::uint64_t reward(std::uint64_t step) override {
    const bool best = data_.labels[static_cast<std::size_t>(step % data_.rows)] == arm_;
    return best ? std::uint64_t{1} << plan_.reward_bits : 0;
  }
  void step_done(std::uint64_t) override { ++done_; }
  [[nodiscard]] std::uint64_t done() const noexcept { return done_; }

 private:
  const BanditPlan& plan_;
  const LabelledData& data_;
  std::size_t arm_ = 0;
  std::uint64_t done_ = 0;
};

class RoundClock {
 public:
  explicit RoundClock(const Topology& topology) : topology_(topology) {}

  void turn(std::optional<NodeId> role, std::uint64_t round, bool begins) {
    const Clock::time_point now = Clock::now();
    if (begins) {
      begin_ = now;
      return;
    }
    const double us = std::chrono::duration<double, std::micro>(now - begin_).count();
    if (round != round_) end_round(round);
    if (!role) {
      total_.dealer_us += us;
    } else if (topology_.is_party(*role)) {
      of_party_[*role] += us;
    } else {
      total_.actor_us += us;
    }
  }
  void restart() {
    of_party_.fill(0);
    total_ = {};
  }
  [[nodiscard]] StepComputing total() {
    end_round(round_);
    return total_;
  }

 private:
  void end_round(std::uint64_t next) {
    total_.parties_us += *std::max_element(of_party_.begin(), of_party_.end());
    of_party_.fill(0);
    round_ = next;
  }

  Topology topology_;
  Clock::time_point begin_;
  std::uint64_t round_ = 0;
  std::array<double, max_nodes> of_party_{};
  StepComputing total_;
};

}  // namespace

BanditTrial::BanditTrial(const BanditCase& wanted)
    : case_(with_steps_that_fit(wanted)),
      data_(make_data(std::min(case_.steps, most_rows), case_.features, case_.arms, data_seed)),
      options_(prepare(case_, data_, folder_.path())),
      inputs_(read_local_inputs(options_)),
      plan_(local_plan(local_run_config(options_, inputs_, 0), inputs_)),
      frames_(step_frames(plan_)),
      decide_frames_(decide_frames(frames_, plan_)) {}

void BanditTrial::measure(const std::atomic<bool>& interrupted) {
  measure_link(Carrier::tcp, figures_.tcp, interrupted);
  if (!case_.in_batches()) figures_.computing_us.push_back(measure_computing(plan_, data_, computed_steps).parties_us);
  measure_link(Carrier::tls, figures_.tls, interrupted);
  measure_twin();
}

void BanditTrial::measure_link(Carrier carrier, LinkFigures& figures, const std::atomic<bool>& interrupted) {
  measure_floor(frames_, carrier, figures.floor_us, interrupted);
  measure_floor(decide_frames_, carrier, figures.decide_floor_us, interrupted);
  measure_run(carrier, figures, interrupted);
}

void BanditTrial::measure_floor(const StepFrames& frames, Carrier carrier, std::vector<double>& samples,
                                const std::atomic<bool>& interrupted) const {
  if (frames.rounds.empty()) return;
  const auto passes = static_cast<std::uint64_t>(std::max(1.0, static_cast<double>(case_.steps) / frames.steps));
  const std::uint64_t batches = std::min(passes, most_batches);
  const std::vector<double> floor =
      replay_steps(frames, Waiting::yielding, passes / batches, batches, interrupted, carrier);
  samples.push_back(mean_and_sd(floor).mean / frames.steps);
}

void BanditTrial::measure_run(Carrier carrier, LinkFigures& figures, const std::atomic<bool>& interrupted) {
  BanditSettings run = local_run_config(options_, inputs_, 0);
  run.insecure_plaintext = carrier == Carrier::tcp;
  const LaunchOutcome outcome = launch_local_run({run, options_.parties, options_.environment}, {}, interrupted);
  const BanditResult result = assemble_result(options_, inputs_, run, outcome.reports, outcome.loop_seconds);
  const auto steps = static_cast<double>(case_.steps);
  const double seconds = case_.streaming ? outcome.loop_seconds : result.online_seconds.value_or(0);
  figures.step_us.push_back(1e6 * seconds / steps);
  if (plan_.batches) {
    const double deciding = largest(outcome.reports, &RoleReport::decide_seconds);
    figures.decide_us.push_back(1e6 * deciding / steps);
  }
  if (carrier == Carrier::tls) return;
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
                      BatchSchedule(plan_.parameters), case_.arms, case_.features, options_.run.epsilon, data_seed);
  const std::chrono::duration<double, std::micro> time = Clock::now() - start;
  figures_.twin_us.push_back(time.count() / static_cast<double>(case_.steps));
}

StepComputing measure_computing(BanditPlan plan, const LabelledData& data, std::uint64_t steps) {
  const Topology topology = plan.parameters.topology();
  plan.parameters.steps = first_steps + steps;  // the bit widths remain those of the whole run
  DataSite world(plan, data);
  BanditSite site(world);
  RoundClock clock(topology);
  bool counts = false;
  protocols::SimulationOptions options;
  options.watch = [&](std::optional<NodeId> role, std::uint64_t round, bool begins) {
    if (!counts && begins && world.done() >= first_steps * (topology.nodes() + 1)) {
      counts = true;
      clock.restart();
    }
    clock.turn(role, round, begins);
  };
  (void)protocols::simulate(
      topology, [&](Party& party) { return private_bandit(party, plan, site); }, std::move(options));
  StepComputing all = clock.total();
  const auto count = static_cast<double>(steps);
  return {all.parties_us / count, all.dealer_us / count, all.actor_us / count};
}

}  // namespace sotto::apps::lab
