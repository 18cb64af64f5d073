#include "sotto/apps/bandit/live/roles/planner.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace sotto::apps {

ProgramPlanner::ProgramPlanner(std::vector<std::uint32_t> sizes, std::size_t ahead)
    : sizes_(std::move(sizes)), ahead_(ahead) {}

void ProgramPlanner::begin_epoch() {
  next_ = 1;
  planned_.clear();
}

std::size_t ProgramPlanner::planned(EntryKind kind) const {
  std::size_t events = 0;
  for (const ProgramShape& shape : planned_) events += shape.kind == kind ? shape.size : 0;
  return events;
}

std::uint32_t ProgramPlanner::size_for(std::size_t events) const {
  const auto found = std::lower_bound(sizes_.begin(), sizes_.end(), events);
  return found == sizes_.end() ? sizes_.back() : *found;
}

ProgramShape ProgramPlanner::next_shape(const PlannerNeeds& needs) const {
  const std::size_t learns = planned(EntryKind::learn);
  // What is due fits no program that is planned: batches are never cut.
  if (needs.due > 0 && learns < needs.first_due) return {EntryKind::learn, size_for(needs.due)};
  const std::size_t covered = planned(EntryKind::decide);
  const std::size_t open = needs.waiting > covered ? needs.waiting - covered : 0;
  return {EntryKind::decide, size_for(std::max(open, recent_))};
}

std::optional<PlanFrame> ProgramPlanner::extend(const PlannerNeeds& needs, OrderNumber settled) {
  PlanFrame plan;
  plan.first = next_ + planned_.size();
  plan.settled = settled;
  // A learn that is due gets a place of its own, so that decides that nobody needs do not keep it waiting.
  const bool learn_lacks = needs.due > 0 && planned(EntryKind::learn) < needs.first_due;
  while (planned_.size() < ahead_ + (learn_lacks ? 1 : 0)) {
    plan.shapes.push_back(next_shape(needs));
    planned_.push_back(plan.shapes.back());
  }
  if (plan.shapes.empty()) return std::nullopt;
  return plan;
}

// Of the decides before the next learn, the first that has room for all who wait, else the first.
std::size_t ProgramPlanner::best_decide(std::size_t from, std::size_t waiting) const {
  for (std::size_t i = from; i < planned_.size() && planned_[i].kind == EntryKind::decide; ++i) {
    if (planned_[i].size >= waiting) return i;
  }
  return from;
}

std::optional<TakenProgram> ProgramPlanner::take(const PlannerNeeds& needs) {
  std::size_t at = 0;
  while (at < planned_.size()) {
    const ProgramShape& shape = planned_[at];
    if (shape.kind == EntryKind::learn ? needs.due > 0 && shape.size >= needs.first_due : needs.decide) break;
    ++at;
  }
  if (at == planned_.size()) return std::nullopt;
  if (planned_[at].kind == EntryKind::decide) {
    at = best_decide(at, needs.waiting);
    recent_ = std::max<std::size_t>(1, (recent_ + needs.waiting) / 2);
  }
  TakenProgram taken;
  taken.skipped.reserve(at);
  for (std::size_t i = 0; i < at; ++i) taken.skipped.push_back(next_ + i);
  taken.program = next_ + at;
  taken.shape = planned_[at];
  planned_.erase(planned_.begin(), planned_.begin() + static_cast<std::ptrdiff_t>(at + 1));
  next_ = taken.program + 1;
  return taken;
}

std::size_t batch_limit(std::size_t largest, std::size_t arms, std::uint64_t decided) {
  if (largest <= 40 * arms) return largest;
  std::size_t size = std::min(largest, std::bit_floor(8 * arms));
  while (size < largest && 2 * size <= decided / 2) size *= 2;
  return std::min(size, largest);
}

}  // namespace sotto::apps
