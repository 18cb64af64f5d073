// What the actor brings to a run about a log, in the order in which the run takes its events.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "apps/bandit/model/evaluate/opened_sums.h"
#include "apps/bandit/model/sites.h"
#include "apps/bandit/run/log/event_log.h"
#include "apps/bandit/run/log/log_weights.h"
#include "apps/kit/report/reward_curve.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::apps::bandit::run {

struct LogTurns {
  std::vector<std::uint64_t> rows;  // event t is this row of the log
  unsigned reward_bits = 0;
  unsigned weight_bits = 0;  // where the log is evaluated
  LogWeights weights{};      // of each event, there
};

// The actor, which has the log.
class LogSite final : public Arms, public Rewards, public StepObserver {
 public:
  // `on_step` is called after each event with the curve of what the log earned so far; it may be empty.
  LogSite(EventLog log, LogTurns turns, const Seed& rounding, std::function<void(const RewardCurve&)> on_step);
  std::size_t logged_arm(std::uint64_t step) override;
  std::uint64_t reward(std::uint64_t step) override;
  void logged_weight(std::uint64_t step, std::span<std::uint64_t> weights, std::span<std::uint64_t> gains) override;
  void evaluated(const OpenedSums& sums) override { sums_ = sums; }
  void step_done(std::uint64_t step) override;

  [[nodiscard]] const EventLog& log() const noexcept { return log_; }
  [[nodiscard]] const LogTurns& turns() const noexcept { return turns_; }
  // In units of the log divided by its scale.
  [[nodiscard]] const RewardCurve& curve() const noexcept { return curve_; }
  // Once they were opened.
  [[nodiscard]] const std::optional<OpenedSums>& sums() const noexcept { return sums_; }

 private:
  [[nodiscard]] double reward_of(std::uint64_t step) const { return log_.reward(turns_.rows[step]); }
  [[nodiscard]] std::uint64_t rounded(double value, unsigned bits);

  EventLog log_;
  LogTurns turns_;
  Prg rounding_;
  std::function<void(const RewardCurve&)> on_step_;
  RewardCurve curve_;
  std::optional<OpenedSums> sums_;
};

}  // namespace sotto::apps::bandit::run
