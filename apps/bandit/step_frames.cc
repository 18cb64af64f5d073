#include "sotto/apps/bandit/step_frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sotto/apps/bandit/batch/private_batches.h"
#include "sotto/apps/bandit/private_bandit.h"
#include "sotto/apps/bandit/settings.h"
#include "sotto/apps/bandit/site.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/text/count.h"
#include "sotto/core/wire/frame.h"
#include "sotto/protocols/preprocessing/planned.h"

namespace sotto::apps {
namespace {

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

// The mean size of a run's batches.
double mean_batch(const BanditParameters& parameters) {
  std::uint64_t batches = 0;
  for (BatchSchedule order(parameters); !order.done();) batches += order.next().learns ? 1 : 0;
  return static_cast<double>(parameters.steps) / static_cast<double>(batches);
}

// Two steps, or two batches of that size: with the widths of the whole run.
Task<BanditModel> play_twice(Party& party, BanditPlan& plan, double batch, BanditSite& site) {
  plan.parameters.reveal_model = false;
  if (!plan.batches) {
    plan.parameters.steps = 2;
    return private_bandit(party, plan, site);
  }
  auto batches = std::make_shared<BatchPlan>(*plan.batches);
  batches->parameters.reveal_model = false;
  plan.batches = batches;
  const auto size = static_cast<std::size_t>(std::lround(batch));
  return private_batches(party, *plan.batches, BatchSchedule::even(2 * size, size), site);
}

}  // namespace

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

StepFrames step_frames(const BanditPlan& plan) {
  BanditPlan two_steps = plan;
  const double steps = plan.batches ? mean_batch(plan.parameters) : 1;
  const Topology topology = plan.parameters.topology();
  Rounds rounds(topology, std::nullopt);
  protocols::Planned planned(rounds.ledger());
  Party party(rounds, planned);
  QuietSite site;
  Task<BanditModel> program = play_twice(party, two_steps, steps, site);
  program.start_on(rounds);
  StepFrames frames{topology.parties(), topology.nodes(), {}, steps};
  while (rounds.gather()) {
    frames.rounds.push_back(frames_of(rounds.slots(), topology));
    rounds.scatter();
  }
  frames.rounds.erase(frames.rounds.begin(),
                      frames.rounds.begin() + static_cast<std::ptrdiff_t>(frames.rounds.size() / 2));
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

}  // namespace sotto::apps
