// Delays the answers of the actor and of the rewarder (apps/bandit/run/settings/answer_delay.h).
//
// Throws Interrupted if the flag is set while a role waits.
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

class DelayClock {
 public:
  virtual ~DelayClock() = default;
  [[nodiscard]] virtual std::chrono::nanoseconds now() = 0;
  // Throws Interrupted at most 100 ms after the flag is set.
  virtual void wait_until(std::chrono::nanoseconds time) = 0;
};
[[nodiscard]] std::unique_ptr<DelayClock> steady_delay_clock(const std::atomic<bool>& interrupted);

class DelayedSite final : public Arms, public Rewards, public StepObserver {
 public:
  struct Answers {
    bool pulls;
    bool rewards;
  };
  // The parts of `site` must outlive this object.
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
