#include "apps/bandit/model/batch_schedule.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace sotto::apps::bandit {

BatchSchedule::BatchSchedule(std::uint64_t events, std::size_t batch, std::uint64_t lag, std::uint64_t from)
    : events_(events), batch_(batch), lag_(lag), first_size_(batch), decided_(from), learned_(from) {
  if (from > events) throw std::invalid_argument("the run has no such event to start from");
}

BatchSchedule::BatchSchedule(const BanditParameters& p, std::uint64_t from)
    : BatchSchedule(p.steps - p.held_out.events, p.batch, p.reward_lag, from) {
  if (p.task != BanditTask::play) return;  // a run about a log needs no small first batches
  const bool warms_up = p.batch > 40 * p.arms || p.reward_lag > 40 * p.arms - p.batch;
  if (warms_up) first_size_ = std::min(p.batch, std::bit_floor(8 * p.arms));
}

BatchSchedule BatchSchedule::even(std::uint64_t events, std::size_t batch, std::uint64_t from) {
  return BatchSchedule(events, batch, 0, from);
}

std::size_t BatchSchedule::size_at(std::uint64_t first) const {
  std::size_t size = first_size_;
  while (size < batch_ && 2 * size <= first / 2) size *= 2;
  return static_cast<std::size_t>(std::min<std::uint64_t>(std::min(size, batch_), events_ - first));
}

BatchTurn BatchSchedule::next() {
  if (!pending_.empty()) {
    const EventRange oldest = pending_.front();
    const bool rewarded = lag_ <= decided_ - (oldest.first + oldest.count);
    if (rewarded || decided_ == events_) {
      pending_.pop_front();
      learned_ += oldest.count;
      return BatchTurn{true, oldest};
    }
  }
  const EventRange events{decided_, size_at(decided_)};
  decided_ += events.count;
  pending_.push_back(events);
  return BatchTurn{false, events};
}

}  // namespace sotto::apps::bandit
