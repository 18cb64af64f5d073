// Stretches: after how many steps or batches a run begins a new stretch of randomness that is made ahead
// (include/sotto/protocol/preprocessing/next_stretch.h); with a dealer none begins. It follows from run parameters
// alone, and is the same at every role.
#pragma once

#include <cstdint>

#include "apps/bandit/model/parameters.h"

namespace sotto::apps::bandit {

class Stretches {
 public:
  explicit Stretches(const BanditParameters& parameters);

  // What comes next. True where a new stretch begins with it: not with the first.
  [[nodiscard]] bool begins_with_step() { return begins_with(of_step_); }
  [[nodiscard]] bool begins_with_decisions(std::uint64_t events) { return begins_with(events * of_event_); }
  [[nodiscard]] bool begins_with_lessons() { return begins_with(of_lessons_); }

 private:
  [[nodiscard]] bool begins_with(std::uint64_t lanes);

  bool dealt_;
  // In lanes of material, roughly.
  std::uint64_t of_step_ = 0;
  std::uint64_t of_event_ = 0;
  std::uint64_t of_lessons_ = 0;
  std::uint64_t so_far_ = 0;
};

}  // namespace sotto::apps::bandit
