#include "apps/bandit/run/sites/delayed_site.h"

#include <algorithm>
#include <ctime>
#include <stdexcept>
#include <utility>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit::run {
namespace {

using std::chrono::nanoseconds;

// This clock waits in short pieces, and so notices an interrupt.
class SteadyClock final : public DelayClock {
 public:
  explicit SteadyClock(const std::atomic<bool>& interrupted) : interrupted_(interrupted) {}

  nanoseconds now() override {
    std::timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
  }

  void wait_until(nanoseconds time) override {
    constexpr nanoseconds stretch = std::chrono::milliseconds(100);
    while (true) {
      if (interrupted_) throw Interrupted();
      const nanoseconds present = now();
      if (present >= time) return;
      const nanoseconds until = std::min(time, present + stretch);
      std::timespec end{};
      end.tv_sec = static_cast<std::time_t>(until.count() / 1'000'000'000);
      end.tv_nsec = static_cast<long>(until.count() % 1'000'000'000);
      ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nullptr);
    }
  }

 private:
  const std::atomic<bool>& interrupted_;
};

}  // namespace

std::unique_ptr<DelayClock> steady_delay_clock(const std::atomic<bool>& interrupted) {
  return std::make_unique<SteadyClock>(interrupted);
}

DelayedSite::DelayedSite(const BanditSite& site, Answers answers, AnswerDelay delay, Prg coins,
                         std::unique_ptr<DelayClock> clock, bool in_batches)
    : site_(site),
      answers_(answers),
      delay_(delay),
      coins_(std::move(coins)),
      clock_(std::move(clock)),
      in_batches_(in_batches) {
  if (!answers.pulls && !answers.rewards) {
    throw std::invalid_argument("only the actor and the rewarder answer");
  }
}

void DelayedSite::pull(std::uint64_t step, std::size_t arm) {
  ask();
  site_.arms().pull(step, arm);
  if (!answers_.rewards && !in_batches_) answer();  // in other cases reward() or decided() delays
}

void DelayedSite::decided(std::uint64_t, std::size_t) {
  if (!answers_.rewards) answer();
}

std::uint64_t DelayedSite::reward(std::uint64_t step) {
  ask();
  const std::uint64_t word = site_.rewards().reward(step);
  answer();
  return word;
}

void DelayedSite::rewards(std::uint64_t first, std::span<std::uint64_t> out) {
  ask();
  site_.rewards().rewards(first, out);
  answer();
}

void DelayedSite::ask() {
  if (!asked_) asked_ = clock_->now();
}

void DelayedSite::answer() {
  if (!asked_) return;
  const nanoseconds elapsed = clock_->now() - *asked_;
  clock_->wait_until(*asked_ + answer_after(delay_, elapsed, coins_));
  asked_.reset();
}

}  // namespace sotto::apps::bandit::run
