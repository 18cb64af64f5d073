#include "apps/live/roles/planner.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace sotto::apps::live {
namespace {

bool is_decide(const ProgramShape& shape, bool secret) {
  return shape.kind == EntryKind::decide && shape.secret == secret;
}

}  // namespace

ProgramPlanner::ProgramPlanner(std::vector<std::uint32_t> sizes, std::size_t ahead, bool has_dealer)
    : sizes_(std::move(sizes)), ahead_(ahead), has_dealer_(has_dealer) {}

void ProgramPlanner::begin_epoch() {
  next_ = 1;
  planned_.clear();
}

template <class Is>
ProgramPlanner::Planned ProgramPlanner::planned(Is is) const {
  Planned all;
  for (const auto& [program, shape] : planned_) {
    if (!is(shape)) continue;
    ++all.programs;
    all.events += shape.size;
  }
  return all;
}

std::size_t ProgramPlanner::decides(bool secret) const {
  return planned([&](const ProgramShape& shape) { return is_decide(shape, secret); }).programs;
}

std::uint32_t ProgramPlanner::size_for(std::size_t events) const {
  const auto found = std::lower_bound(sizes_.begin(), sizes_.end(), events);
  return found == sizes_.end() ? sizes_.back() : *found;
}

// A planned learn that is too small for the first due batch is ignored, because a batch is never split.
std::optional<ProgramShape> ProgramPlanner::next_learn(const PlannerNeeds& needs) const {
  const Planned learns = planned(
      [&](const ProgramShape& shape) { return shape.kind == EntryKind::learn && shape.size >= needs.first_due; });
  if (needs.hold_learns || needs.due <= learns.events || learns.programs >= ahead_) return std::nullopt;
  if (needs.from.any() && (needs.concurrent || learns.programs > 0)) return std::nullopt;
  return ProgramShape{EntryKind::learn, size_for(std::max(needs.due - learns.events, needs.first_due)), false,
                      needs.from};
}

bool ProgramPlanner::has_room(const PlannerNeeds& needs) const {
  const std::uint32_t for_all = size_for(needs.waiting);
  return std::any_of(planned_.begin(), planned_.end(), [&](const Numbered& one) {
    return is_decide(one.shape, needs.secret) && one.shape.size >= for_all;
  });
}

std::optional<ProgramShape> ProgramPlanner::next_decide(const PlannerNeeds& needs) const {
  const Planned decides = planned([&](const ProgramShape& shape) { return is_decide(shape, needs.secret); });
  if (!has_room(needs)) return ProgramShape{EntryKind::decide, size_for(needs.waiting), needs.secret};
  if (decides.programs >= ahead_) return std::nullopt;
  const std::size_t open = needs.waiting > decides.events ? needs.waiting - decides.events : 0;
  return ProgramShape{EntryKind::decide, size_for(std::max(open, recent_)), needs.secret};
}

std::optional<PlanFrame> ProgramPlanner::extend(const PlannerNeeds& needs, OrderNumber settled) {
  const bool has_enough = 2 * decides(needs.secret) > ahead_ && has_room(needs);
  if (!has_dealer_ && has_enough && !next_learn(needs)) return std::nullopt;
  PlanFrame plan;
  plan.first = next_;
  plan.settled = settled;
  while (plan.shapes.size() < most_planned) {
    const std::optional<ProgramShape> learn = next_learn(needs);
    const std::optional<ProgramShape> decide = next_decide(needs);
    if (!learn && !decide) break;
    const bool learns = learn && (!decide || planned_.empty() || planned_.back().shape.kind == EntryKind::decide);
    plan.shapes.push_back(learns ? *learn : *decide);
    planned_.push_back({next_++, plan.shapes.back()});
  }
  if (plan.shapes.empty()) return std::nullopt;
  return plan;
}

// Returns the first planned decide that is large enough for all waiting events. If none is large enough, returns
// `from`. With a dealer, the search ends at the first program of another kind, because programs then run in the planned
// order.
std::size_t ProgramPlanner::best_decide(std::size_t from, const PlannerNeeds& needs) const {
  for (std::size_t i = from; i < planned_.size(); ++i) {
    const bool is_one = is_decide(planned_[i].shape, needs.secret);
    if (is_one && planned_[i].shape.size >= needs.waiting) return i;
    if (!is_one && has_dealer_) break;
  }
  return from;
}

std::optional<TakenProgram> ProgramPlanner::take(const PlannerNeeds& needs) {
  std::size_t at = 0;
  while (at < planned_.size()) {
    const ProgramShape& shape = planned_[at].shape;
    const bool waits = !has_dealer_ && needs.concurrent;
    const bool fits = shape.size >= needs.first_due && shape.from == needs.from;
    const bool learns = shape.kind == EntryKind::learn && needs.due > 0 && fits && !waits;
    if (learns && needs.deals_learn && !needs.decide) return std::nullopt;
    if (learns || (needs.decide && is_decide(shape, needs.secret))) break;
    ++at;
  }
  if (at == planned_.size()) return std::nullopt;
  const EntryKind kind = planned_[at].shape.kind;
  if (needs.concurrent && kind == EntryKind::learn) return std::nullopt;
  if (kind == EntryKind::decide) {
    at = best_decide(at, needs);
    recent_ = std::max<std::size_t>(1, (recent_ + needs.waiting) / 2);
  }
  TakenProgram taken;
  taken.program = planned_[at].program;
  taken.shape = planned_[at].shape;
  taken.skipped.reserve(at);
  std::erase_if(planned_, [&](const Numbered& one) {
    if (one.program == taken.program) return true;
    const bool skipped = one.program < taken.program && (has_dealer_ || one.shape.kind == kind);
    if (skipped) taken.skipped.push_back(one.program);
    return skipped;
  });
  return taken;
}

std::size_t batch_limit(std::size_t largest, std::size_t arms, std::uint64_t decided) {
  if (largest <= 40 * arms) return largest;
  std::size_t size = std::min(largest, std::bit_floor(8 * arms));
  while (size < largest && 2 * size <= decided / 2) size *= 2;
  return std::min(size, largest);
}

}  // namespace sotto::apps::live
