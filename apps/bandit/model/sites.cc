#include "apps/bandit/model/sites.h"

#include <stdexcept>

namespace sotto::apps::bandit {
namespace {

template <class Part>
Part& brought(Part* part, const char* otherwise) {
  if (part == nullptr) throw std::logic_error(otherwise);
  return *part;
}

}  // namespace

void Arms::pull(std::uint64_t, std::size_t) { throw std::logic_error("this role pulls no arm"); }
std::size_t Arms::logged_arm(std::uint64_t) { throw std::logic_error("this role has no log"); }
void Arms::logged_weight(std::uint64_t, std::span<std::uint64_t>, std::span<std::uint64_t>) {
  throw std::logic_error("this role has no log");
}
void Arms::evaluated(const OpenedSums&) { throw std::logic_error("this role has no log"); }

void Rewards::rewards(std::uint64_t first, std::span<std::uint64_t> out) {
  for (std::uint64_t& word : out) word = reward(first++);
}

Contexts& BanditSite::contexts() const { return brought(contexts_, "this role has no features"); }
Arms& BanditSite::arms() const { return brought(arms_, "this role pulls no arm"); }
Rewards& BanditSite::rewards() const { return brought(rewards_, "this role gets no reward"); }

void BanditSite::step_begins(std::uint64_t step) const {
  for (StepObserver* const observer : observers_) observer->step_begins(step);
}
void BanditSite::decided(std::uint64_t first, std::size_t steps) const {
  for (StepObserver* const observer : observers_) observer->decided(first, steps);
}
void BanditSite::step_done(std::uint64_t step) const {
  for (StepObserver* const observer : observers_) observer->step_done(step);
}

}  // namespace sotto::apps::bandit
