// The inputs of each role of a simulated run (apps/bandit/model/sites.h).
//
// Rows come in the order of the file, except the rows of a log. After the last row comes the first row again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "apps/bandit/model/evaluate/private_evaluation.h"
#include "apps/bandit/model/sites.h"
#include "apps/bandit/run/log/event_log.h"
#include "apps/bandit/run/log/log_cells.h"
#include "apps/bandit/run/log/log_weights.h"
#include "apps/kit/deploy/announcement.h"
#include "apps/kit/dp/samplers.h"
#include "apps/kit/files/table.h"
#include "apps/kit/report/reward_curve.h"
#include "apps/prepare/data/environment.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::apps::bandit::run {

class PartySite final : public Contexts {
 public:
  PartySite(const Table& table, unsigned fraction_bits, std::vector<std::uint64_t> turns = {});
  void context(std::size_t party, std::uint64_t step, std::span<std::uint64_t> out) override;

 private:
  std::size_t rows_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> turns_;
};

class OwnNoise final : public CountNoise {
 public:
  // If `privacy` is empty, the role adds no noise. This object calls `before` before it draws noise. Throws
  // std::invalid_argument for the same reasons as count_noise_scale().
  OwnNoise(const std::optional<CountPrivacy>& privacy, Coins coins, std::function<void()> before = {},
           bool by_best = false);
  void draw_coins(std::span<std::uint64_t> out) override;
  void draw_noise(std::span<std::uint64_t> out) override;
  // Adds noise with this standard deviation to the learned sums. Call add_to_learning() before the run.
  void add_to_learning(double deviation) { learning_deviation_ = deviation; }
  void draw_gram_noise(std::size_t features, unsigned bits, std::span<std::uint64_t> out) override;
  void draw_target_noise(unsigned bits, std::span<std::uint64_t> out) override;

 private:
  [[nodiscard]] std::uint64_t gaussian(double variance, unsigned bits);

  std::optional<Ratio> scale_;
  Coins coins_;
  std::function<void()> before_;
  double learning_deviation_ = 0;
};

// The party's shares of best arms, by row. Event t is row turns[t].
class KeptBestSite final : public BestShares {
 public:
  KeptBestSite(std::vector<std::uint8_t> shares, std::vector<std::uint64_t> turns)
      : shares_(std::move(shares)), turns_(std::move(turns)) {}
  [[nodiscard]] bool best_share(std::uint64_t step) override { return shares_.at(turns_.at(step)) != 0; }

 private:
  std::vector<std::uint8_t> shares_;
  std::vector<std::uint64_t> turns_;
};

class ArmLink {
 public:
  virtual ~ArmLink() = default;
  virtual void send(std::uint64_t step, std::size_t arm) = 0;
  virtual std::size_t receive(std::uint64_t step) = 0;
};

// The number of pulls of each arm. A resumed run counts only the steps after its checkpoint.
using ArmCounts = std::vector<std::uint64_t>;

class ActorSite final : public Arms {
 public:
  ActorSite(ArmLink& link, std::size_t arms) : link_(link), pulls_(arms) {}
  void pull(std::uint64_t step, std::size_t arm) override {
    ++pulls_.at(arm);
    link_.send(step, arm);
  }
  [[nodiscard]] const ArmCounts& pulls() const noexcept { return pulls_; }

 private:
  ArmLink& link_;
  ArmCounts pulls_;
};

class RewardSource {
 public:
  RewardSource() = default;
  RewardSource(const RewardSource&) = delete;
  RewardSource& operator=(const RewardSource&) = delete;
  virtual ~RewardSource() = default;

  [[nodiscard]] virtual std::size_t arms() const = 0;
  // Called in step order, before reward().
  virtual void pulled(std::uint64_t /*step*/, std::size_t /*arm*/) {}
  // Called in the order of steps. The reward is in [-1, 1].
  [[nodiscard]] virtual double reward(std::uint64_t step, std::size_t arm) = 0;
};

[[nodiscard]] std::unique_ptr<RewardSource> rewards_of(prepare::Environment environment);

// If `link` is null, this process is both actor and rewarder.
class EnvironmentSite final : public Arms, public Rewards, public StepObserver {
 public:
  // `link` and `on_step` may be empty.
  EnvironmentSite(std::unique_ptr<RewardSource> rewards, std::uint64_t steps, unsigned reward_bits,
                  const Seed& rounding, ArmLink* link, bool record, std::function<void(const RewardCurve&)> on_step);
  void pull(std::uint64_t step, std::size_t arm) override;
  void decided(std::uint64_t first, std::size_t steps) override;
  std::uint64_t reward(std::uint64_t step) override;
  void step_done(std::uint64_t step) override;

  // Called in a resumed run, with the state at the checkpoint. Throws InputError if arms are to be recorded and some
  // are missing, and std::invalid_argument if the curve does not belong to this run.
  void proceed(RewardCurve::State curve, std::vector<std::uint32_t> arms);

  [[nodiscard]] const RewardCurve& curve() const noexcept { return curve_; }
  [[nodiscard]] const std::vector<std::uint32_t>& arms() const noexcept { return arms_; }
  [[nodiscard]] const ArmCounts& pulls() const noexcept { return pulls_; }

 private:
  void take(std::uint64_t step, std::size_t arm);

  std::unique_ptr<RewardSource> rewards_;
  unsigned reward_bits_;
  Prg rounding_;
  ArmLink* link_;
  bool record_;
  std::function<void(const RewardCurve&)> on_step_;
  RewardCurve curve_;
  std::deque<std::size_t> pulled_;  // pulled arms of steps without a reward yet
  std::vector<std::uint32_t> arms_;
  ArmCounts pulls_;
};

struct LogTurns {
  std::vector<std::uint64_t> rows;  // row of the log of each event
  unsigned reward_bits = 0;
  std::uint64_t learned = 0;  // number of learned events, which come first in the run
  LogWeights weights{};
  LogCells cells{};
  CountQuestion question{};
};

class LogSite final : public Arms, public Rewards, public StepObserver {
 public:
  LogSite(EventLog log, LogTurns turns, const Seed& rounding, std::function<void(const RewardCurve&)> on_step);
  std::size_t logged_arm(std::uint64_t step) override;
  std::uint64_t reward(std::uint64_t step) override;
  std::size_t logged_cell(std::uint64_t step) override;
  void counts_shown(const OpenedCounts& counts) override { counts_ = counts; }
  [[nodiscard]] CountQuestion count_question() override { return turns_.question; }
  void question_answered(bool answer) override { answer_ = answer; }
  void step_done(std::uint64_t step) override;

  [[nodiscard]] const EventLog& log() const noexcept { return log_; }
  [[nodiscard]] const LogTurns& turns() const noexcept { return turns_; }
  // The rewards of this curve are divided by the scale.
  [[nodiscard]] const RewardCurve& curve() const noexcept { return curve_; }
  [[nodiscard]] const std::optional<OpenedCounts>& counts() const noexcept { return counts_; }
  [[nodiscard]] std::optional<bool> answer() const noexcept { return answer_; }

 private:
  [[nodiscard]] double reward_of(std::uint64_t step) const { return log_.reward(turns_.rows[step]); }
  EventLog log_;
  LogTurns turns_;
  Prg rounding_;
  std::function<void(const RewardCurve&)> on_step_;
  RewardCurve curve_;
  std::optional<OpenedCounts> counts_;
  std::optional<bool> answer_;
};

}  // namespace sotto::apps::bandit::run
