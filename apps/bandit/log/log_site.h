// What roles bring to a run about a log: the actor its log, a party the rows that the events are about, both in the order
// in which the run takes them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sotto/apps/bandit/evaluate/opened_sums.h"
#include "sotto/apps/bandit/log/event_log.h"
#include "sotto/apps/bandit/log/log_weights.h"
#include "sotto/apps/bandit/site.h"
#include "sotto/core/random/prg.h"
#include "sotto/core/random/seed.h"

namespace sotto::apps {

struct LogTurns {
  std::vector<std::uint64_t> rows;  // event t is this row of the log
  unsigned reward_bits = 0;
  unsigned weight_bits = 0;  // where the log is evaluated
  LogWeights weights{};      // of each event, there
};

// The actor, which has the log.
class LogSite final : public QuietSite {
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

// A party's site, asked for rows in the order of the turns.
class TurnedSite final : public ForwardingSite {
 public:
  TurnedSite(std::unique_ptr<BanditSite> site, std::vector<std::uint64_t> rows)
      : ForwardingSite(*site), site_(std::move(site)), rows_(std::move(rows)) {}
  void context(std::size_t party, std::uint64_t step, std::span<std::uint64_t> out) override {
    ForwardingSite::context(party, rows_[step], out);
  }

 private:
  std::unique_ptr<BanditSite> site_;
  std::vector<std::uint64_t> rows_;
};

}  // namespace sotto::apps
