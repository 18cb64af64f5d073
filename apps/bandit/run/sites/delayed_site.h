// Delays the answers of the actor and of the rewarder (apps/bandit/run/settings/answer_delay.h).
//
// A delayed site draws its delays from a Prg of its own. The seed of this Prg comes from the operating system, or from
// insecure_seed if the delays must be repeatable. Throws Interrupted if the flag is set while a role waits.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "apps/bandit/model/sites.h"
#include "apps/bandit/run/settings/answer_delay.h"
#include "sotto/protocol/random/prg.h"

namespace sotto::apps::bandit::run {

// A clock that tests can replace, so that tests do not have to wait.
class DelayClock {
 public:
  virtual ~DelayClock() = default;
  [[nodiscard]] virtual std::chrono::nanoseconds now() = 0;
  // Throws Interrupted within 100 ms if the run is interrupted.
  virtual void wait_until(std::chrono::nanoseconds time) = 0;
};
// The steady clock; `interrupted` must outlive the clock.
[[nodiscard]] std::unique_ptr<DelayClock> steady_delay_clock(const std::atomic<bool>& interrupted);

// The site of the actor, of the rewarder, or of a process that is both. This site delays the answers.
class DelayedSite final : public Arms, public Rewards, public StepObserver {
 public:
  // The roles of the process: actor, rewarder or both.
  struct Answers {
    bool pulls;
    bool rewards;
  };
  // `site` is the role's own site, whose parts must outlive this object. `in_batches` means that the program calls
  // decided() when a whole batch is decided; the role's own observers are called first.
  DelayedSite(const BanditSite& site, Answers answers, AnswerDelay delay, Prg coins, std::unique_ptr<DelayClock> clock,
              bool in_batches = false);
  void pull(std::uint64_t step, std::size_t arm) override;
  [[nodiscard]] std::size_t logged_arm(std::uint64_t step) override { return site_.arms().logged_arm(step); }
  std::size_t logged_cell(std::uint64_t step) override { return site_.arms().logged_cell(step); }
  void counts_shown(const OpenedCounts& counts) override { site_.arms().counts_shown(counts); }
  [[nodiscard]] CountQuestion count_question() override { return site_.arms().count_question(); }
  void question_answered(bool answer) override { site_.arms().question_answered(answer); }
  void decided(std::uint64_t first, std::size_t steps) override;
  std::uint64_t reward(std::uint64_t step) override;
  void rewards(std::uint64_t first, std::span<std::uint64_t> out) override;

 private:
  // Notes that the role has received a request, and has not answered it yet.
  void ask();
  void answer();

  BanditSite site_;
  Answers answers_;
  AnswerDelay delay_;
  Prg coins_;
  std::unique_ptr<DelayClock> clock_;
  bool in_batches_;
  std::optional<std::chrono::nanoseconds> asked_;
};

}  // namespace sotto::apps::bandit::run
