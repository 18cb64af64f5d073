#include "apps/live/engine/live_programs.h"

#include <algorithm>

#include "sotto/protocol/simulate/simulate.h"

namespace sotto::apps::live {

Task<Unit> play_shape(Party& party, const bandit::BatchPlan& plan, ProgramShape shape) {
  if (shape.kind == EntryKind::learn) return learn_without_inputs(party, plan, shape.size, shape.from);
  return shape.secret ? agree_without_inputs(party, plan, shape.size) : decide_without_inputs(party, plan, shape.size);
}

std::size_t longest_learn_frame(const Topology& topology, const bandit::BatchPlan& plan, const ProgramShape& shape) {
  const Ledger ledger = protocols::plan(topology, [&](Party& party) { return play_shape(party, plan, shape); });
  const Cost total = ledger.total();
  return *std::max_element(total.sent.begin(), total.sent.end());
}

std::uint64_t rounds_of(const bandit::BatchPlan& plan, const ProgramShape& shape) {
  return shape.kind == EntryKind::learn ? bandit::BatchPlan::learn_rounds : plan.decide_rounds();
}

protocols::AllowedArms allowed_arms(const OrderEntry& entry, std::size_t arms) {
  if (entry.barred.empty()) return {};
  protocols::AllowedArms allowed(entry.shape.size * arms, 1);
  for (const BarredArm& barred : entry.barred) allowed.at(barred.place * arms + barred.arm) = 0;
  return allowed;
}

}  // namespace sotto::apps::live
