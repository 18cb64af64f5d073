// The inputs of each role of a simulated run (apps/bandit/model/sites.h): a party's features, and the rewards of arms
// from the environment.
//
// Rows are used in file order and wrap around, except the rows of a log, which have an order of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
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

// The site of a compute party: its rows, encoded at `fraction_bits`.
class PartySite final : public Contexts {
 public:
  // If there are `turns`, context t is row turns[t].
  PartySite(const Table& table, unsigned fraction_bits, std::vector<std::uint64_t> turns = {});
  void context(std::size_t party, std::uint64_t step, std::span<std::uint64_t> out) override;

 private:
  std::size_t rows_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> turns_;
};

// The noise that a compute party or an owner adds if a log is evaluated. The role draws the noise from its own random
// coins.
class OwnNoise final : public CountNoise {
 public:
  // A party that brings no features has no `privacy`, and adds no noise. `before` is called before the noise is drawn,
  // and may be empty; after this call the account takes no charge back. Throws std::invalid_argument as laplace_scale
  // does.
  OwnNoise(const std::optional<CountPrivacy>& privacy, Coins coins, std::function<void()> before = {});
  void draw_coins(std::span<std::uint64_t> out) override;
  void draw_noise(std::span<std::uint64_t> out) override;
  // Adds noise of the given deviation to learning; 0: no noise. Call add_to_learning() before the run.
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

// The link that passes the actor's arm to the simulated environment, in this process or in the process of the rewarder.
class ArmLink {
 public:
  virtual ~ArmLink() = default;
  virtual void send(std::uint64_t step, std::size_t arm) = 0;
  virtual std::size_t receive(std::uint64_t step) = 0;
};

// How often the actor has pulled each arm, by arm. Only pulls since the start of the role are included, so a resumed
// run includes only the steps after its checkpoint.
using ArmCounts = std::vector<std::uint64_t>;

// The actor of a run whose rewarder is another process.
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

// The source of rewards: a file, or a world, which is a simulator (world_site.h).
class RewardSource {
 public:
  RewardSource() = default;
  RewardSource(const RewardSource&) = delete;
  RewardSource& operator=(const RewardSource&) = delete;
  virtual ~RewardSource() = default;

  [[nodiscard]] virtual std::size_t arms() const = 0;
  // Called in the order of steps, for each step before its reward is requested.
  virtual void pulled(std::uint64_t /*step*/, std::size_t /*arm*/) {}
  // Called in the order of steps; the reward is in [-1, 1].
  [[nodiscard]] virtual double reward(std::uint64_t step, std::size_t arm) = 0;
};

// The rewards in the rows of the file, which wrap around.
[[nodiscard]] std::unique_ptr<RewardSource> rewards_of(prepare::Environment environment);

// The site of the rewarder, which has the rewards of arms. Without a link, the rewarder is also the actor.
class EnvironmentSite final : public Arms, public Rewards, public StepObserver {
 public:
  // `link` may be null. `on_step` is called after each step with the curve so far; it may be empty. With `record`, the
  // site remembers all pulled arms.
  EnvironmentSite(std::unique_ptr<RewardSource> rewards, std::uint64_t steps, unsigned reward_bits,
                  const Seed& rounding, ArmLink* link, bool record, std::function<void(const RewardCurve&)> on_step);
  void pull(std::uint64_t step, std::size_t arm) override;
  void decided(std::uint64_t first, std::size_t steps) override;
  std::uint64_t reward(std::uint64_t step) override;
  void step_done(std::uint64_t step) override;

  // Called before the first step of a resumed run, with the rewards and the pulled arms of the earlier steps. Throws
  // InputError if arms are to be recorded and some are missing, and std::invalid_argument if the curve is not of this
  // run.
  void proceed(RewardCurve::State curve, std::vector<std::uint32_t> arms);

  [[nodiscard]] const RewardCurve& curve() const noexcept { return curve_; }
  [[nodiscard]] const std::vector<std::uint32_t>& arms() const noexcept { return arms_; }
  // At a rewarder that is not the actor, all these numbers are 0.
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
  std::deque<std::size_t> pulled_;  // arms whose rewards are not known yet
  std::vector<std::uint32_t> arms_;
  ArmCounts pulls_;
};

// The actor's inputs for a run about a log, in the order in which the run uses its events.

struct LogTurns {
  std::vector<std::uint64_t> rows;  // event t is this row of the log
  unsigned reward_bits = 0;
  std::uint64_t learned = 0;  // number of learned events, which are the first events of the run
  // The following members are only for a log that is evaluated.
  LogWeights weights{};  // weight of each event
  LogCells cells{};      // cells of the evaluated events
  CountQuestion question{};
};

// The site of the actor, which has the log.
class LogSite final : public Arms, public Rewards, public StepObserver {
 public:
  // `on_step` is called after each event with the curve of the log's rewards so far; it may be empty.
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
  // The log's rewards, divided by its scale.
  [[nodiscard]] const RewardCurve& curve() const noexcept { return curve_; }
  // The counts or the answer, after they were opened; empty before.
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
