#include "apps/bandit/run/result/link_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/batch/private_batches.h"
#include "apps/bandit/model/program/private_bandit.h"
#include "apps/bandit/model/sites.h"
#include "apps/bandit/model/step/step_plan.h"
#include "apps/bandit/run/settings/settings.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/preprocessing/dealt.h"
#include "sotto/protocol/wire/frame.h"

namespace sotto::apps::bandit::run {
namespace {

constexpr int steps_of_a_trial = 2000;

double in_seconds(std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); }

void compute(const Arithmetic& arithmetic, std::vector<double>& times) {
  if (arithmetic.seconds.empty()) return;
  std::vector<std::size_t> order(times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) { return times[one] < times[other]; });
  std::vector<double> free_at(std::max<std::size_t>(arithmetic.cores, 1), 0.0);
  for (const std::size_t node : order) {
    double& core = *std::min_element(free_at.begin(), free_at.end());
    times[node] = std::max(times[node], core) + arithmetic.seconds[node];
    core = times[node];
  }
}

double step_seconds(const StepFrames& frames, const net::LinkConditions& conditions, const Arithmetic& arithmetic) {
  const double delay = in_seconds(conditions.delay);
  const double jitter = in_seconds(conditions.jitter);
  std::mt19937_64 random(1);
  std::vector<double> now(frames.nodes, 0.0);
  std::vector<double> next = now;
  for (int step = 0; step < steps_of_a_trial; ++step) {
    for (std::size_t round = 0; round < frames.rounds.size(); ++round) {
      for (std::size_t to = 0; to < frames.nodes; ++to) {
        next[to] = now[to];
        for (std::size_t from = 0; from < frames.nodes; ++from) {
          const std::size_t bytes = frames.bytes(round, from, to);
          if (bytes == 0) continue;
          const double late = jitter > 0 ? jitter * static_cast<double>(random() >> 11) * 0x1p-53 : 0;
          next[to] = std::max(next[to], now[from] + delay + late + in_seconds(transfer_time(conditions, bytes)));
        }
      }
      compute(arithmetic, next);
      now.swap(next);
    }
  }
  return *std::max_element(now.begin(), now.end()) / (steps_of_a_trial * frames.steps);
}

std::vector<std::size_t> frames_of(std::span<const Slot> slots, const Topology& topology) {
  std::vector<std::size_t> bytes;
  for (NodeId from = 0; from < topology.nodes(); ++from) {
    for (NodeId to = 0; to < topology.nodes(); ++to) {
      std::size_t payload = 0;
      for (const Slot& slot : slots) payload += slot.payload_bytes(topology, from, to);
      bytes.push_back(payload == 0 ? 0 : FrameHeader::size + payload);
    }
  }
  return bytes;
}

double mean_batch(const BanditParameters& parameters) {
  std::uint64_t batches = 0;
  for (BatchSchedule order(parameters); !order.done();) batches += order.next().learns ? 1 : 0;
  return static_cast<double>(parameters.steps) / static_cast<double>(batches);
}

template <class Program>
std::vector<std::vector<std::size_t>> rounds_of(const Topology& topology, Program program) {
  Rounds rounds(topology, std::nullopt);
  protocols::Planned planned(rounds.ledger());
  Party party(rounds, planned);
  Task<BanditModel> task = program(party);
  task.start_on(rounds);
  std::vector<std::vector<std::size_t>> frames;
  while (rounds.gather()) {
    frames.push_back(frames_of(rounds.slots(), topology));
    rounds.scatter();
  }
  return frames;
}

BanditPlan short_run(BanditPlan plan, std::uint64_t steps, std::uint64_t refresh_every) {
  auto step = std::make_shared<StepPlan>(*plan.step);
  step->refresh_every = refresh_every;
  plan.step = step;
  plan.parameters.steps = steps;
  plan.parameters.reveal_model = false;
  return plan;
}

StepFrames single_step_frames(const BanditPlan& plan) {
  const BanditPlan three = short_run(plan, 3, 4);
  const Topology topology = plan.parameters.topology();
  BanditSite site;
  auto rounds = rounds_of(topology, [&](Party& party) { return private_bandit(party, three, site); });
  const auto each = static_cast<std::ptrdiff_t>(plan.step->rounds(plan.parameters));
  return StepFrames{topology.parties(), topology.nodes(), {rounds.end() - 2 * each, rounds.end() - each}, 1};
}

StepFrames batch_frames(const BanditPlan& plan) {
  BatchPlan batches = *plan.batches;
  batches.parameters.reveal_model = false;
  const double steps = mean_batch(plan.parameters);
  const auto size = static_cast<std::size_t>(std::lround(steps));
  const Topology topology = plan.parameters.topology();
  BanditSite site;
  auto rounds = rounds_of(topology, [&](Party& party) {
    return private_batches(party, batches, BatchSchedule::even(2 * size, size), site);
  });
  const auto half = static_cast<std::ptrdiff_t>(rounds.size() / 2);
  return StepFrames{topology.parties(), topology.nodes(), {rounds.begin() + half, rounds.end()}, steps};
}

}  // namespace

LinkModel& LinkModel::operator+=(const LinkModel& other) {
  delay += other.delay;
  transfer += other.transfer;
  jitter += other.jitter;
  arithmetic += other.arithmetic;
  return *this;
}

LinkModel model_step(const StepFrames& frames, const net::LinkConditions& conditions, const Arithmetic& arithmetic) {
  net::LinkConditions parts{conditions.delay, {}, 0};
  LinkModel model;
  model.delay = step_seconds(frames, parts, {});
  parts.bits_per_second = conditions.bits_per_second;
  const double with_rate = step_seconds(frames, parts, {});
  parts.jitter = conditions.jitter;
  const double with_jitter = step_seconds(frames, parts, {});
  model.transfer = with_rate - model.delay;
  model.jitter = with_jitter - with_rate;
  model.arithmetic = step_seconds(frames, parts, arithmetic) - with_jitter;
  return model;
}

LinkModel model_run(const BanditPlan& plan, const net::LinkConditions& conditions, const Arithmetic& arithmetic) {
  LinkModel model = model_step(step_frames(plan), conditions, arithmetic);
  const StepFrames refresh = refresh_frames(plan);
  if (!refresh.rounds.empty()) model += model_step(refresh, conditions, arithmetic);
  return model;
}

std::uint64_t StepFrames::sent(std::size_t round, std::size_t from) const {
  std::uint64_t sum = 0;
  for (std::size_t to = 0; to < nodes; ++to) sum += bytes(round, from, to);
  return sum;
}

std::uint64_t StepFrames::sent(std::size_t from) const {
  std::uint64_t sum = 0;
  for (std::size_t round = 0; round < rounds.size(); ++round) sum += sent(round, from);
  return sum;
}

std::uint64_t StepFrames::sent_by_largest_party() const {
  std::uint64_t largest = 0;
  for (std::size_t party = 0; party < parties; ++party) largest = std::max(largest, sent(party));
  return largest;
}

StepFrames step_frames(const BanditPlan& plan) { return plan.batches ? batch_frames(plan) : single_step_frames(plan); }

StepFrames refresh_frames(const BanditPlan& plan) {
  const Topology topology = plan.parameters.topology();
  StepFrames frames{topology.parties(), topology.nodes(), {}, 1};
  if (plan.batches || plan.parameters.steps < plan.step->refresh_every) return frames;
  frames.steps = static_cast<double>(plan.step->refresh_every);
  const BanditPlan one = short_run(plan, 1, 1);
  BanditSite site;
  auto rounds = rounds_of(topology, [&](Party& party) { return private_bandit(party, one, site); });
  frames.rounds.assign(rounds.end() - plan.step->refresh_rounds(), rounds.end());
  return frames;
}

std::vector<std::size_t> even_columns(std::size_t parties, std::size_t features) {
  if (parties < 2 || parties > max_parties) {
    throw InputError("--parties", fmt::format("a run has 2 to {} parties, not {}", max_parties, parties));
  }
  if (features < parties) {
    throw InputError("--features", fmt::format("{} for {}, each of which has one at least",
                                               counted(features, "feature"), counted(parties, "party")));
  }
  std::vector<std::size_t> columns;
  for (std::size_t party = 0; party < parties; ++party) {
    columns.push_back(features / parties + (party < features % parties ? 1 : 0));
  }
  return columns;
}

BanditPlan even_plan(std::size_t parties, std::size_t features, std::size_t arms, std::uint64_t steps,
                     std::size_t batch, std::uint64_t reward_lag) {
  BanditSettings run;
  run.parties = parties;
  run.arms = arms;
  run.steps = steps;
  run.max_norm = 1;
  run.batch = batch;
  run.reward_lag = reward_lag;
  return plan_bandit(bandit_parameters(run, even_columns(parties, features), {}));
}

}  // namespace sotto::apps::bandit::run
