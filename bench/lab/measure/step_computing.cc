#include "bench/lab/measure/step_computing.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <span>

#include "apps/bandit/model/program/private_bandit.h"
#include "apps/bandit/model/sites.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/simulate/simulate.h"

namespace sotto::apps::lab {

using namespace sotto::apps::bandit;
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t first_steps = 16;  // fill free lists and caches

// Of every role at once: each part is asked at its own role alone.
class DataSite final : public Contexts, public Arms, public Rewards, public StepObserver {
 public:
  DataSite(const BanditPlan& plan, const LabelledData& data) : plan_(plan), data_(data) {}

  void context(std::size_t party, std::uint64_t step, std::span<std::uint64_t> out) override {
    const auto& columns = plan_.parameters.columns;
    std::size_t first = 0;
    for (std::size_t earlier = 0; earlier < party; ++earlier) first += columns[earlier];
    const auto row = data_.context(static_cast<std::size_t>(step % data_.rows)).subspan(first, columns[party]);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = sotto::encode(row[i], plan_.context_bits);
  }
  void pull(std::uint64_t, std::size_t arm) override { arm_ = arm; }
  std::uint64_t reward(std::uint64_t step) override {
    const bool best = data_.labels[static_cast<std::size_t>(step % data_.rows)] == arm_;
    return best ? std::uint64_t{1} << plan_.reward_bits : 0;
  }
  void step_done(std::uint64_t) override { ++done_; }
  // At all roles together.
  [[nodiscard]] std::uint64_t done() const noexcept { return done_; }

 private:
  const BanditPlan& plan_;
  const LabelledData& data_;
  std::size_t arm_ = 0;
  std::uint64_t done_ = 0;
};

// Adds up what roles take from a step on.
class RoundClock {
 public:
  explicit RoundClock(const Topology& topology) : topology_(topology) {}

  void turn(std::optional<NodeId> role, std::uint64_t round, bool begins) {
    const Clock::time_point now = Clock::now();
    if (begins) {
      begin_ = now;
      return;
    }
    const double us = std::chrono::duration<double, std::micro>(now - begin_).count();
    if (round != round_) end_round(round);
    if (!role) {
      total_.dealer_us += us;
    } else if (topology_.is_party(*role)) {
      of_party_[*role] += us;
    } else {
      total_.actor_us += us;
    }
  }
  void restart() {
    of_party_.fill(0);
    total_ = {};
  }
  [[nodiscard]] StepComputing total() {
    end_round(round_);
    return total_;
  }

 private:
  void end_round(std::uint64_t next) {
    total_.parties_us += *std::max_element(of_party_.begin(), of_party_.end());
    of_party_.fill(0);
    round_ = next;
  }

  Topology topology_;
  Clock::time_point begin_;
  std::uint64_t round_ = 0;
  std::array<double, max_nodes> of_party_{};
  StepComputing total_;
};

}  // namespace

StepComputing measure_computing(BanditPlan plan, const LabelledData& data, std::uint64_t steps) {
  const Topology topology = plan.parameters.topology();
  plan.parameters.steps = first_steps + steps;  // the widths stay those of the whole run
  DataSite world(plan, data);
  BanditSite site(world);
  RoundClock clock(topology);
  bool counts = false;
  protocols::SimulationOptions options;
  options.watch = [&](std::optional<NodeId> role, std::uint64_t round, bool begins) {
    if (!counts && begins && world.done() >= first_steps * (topology.nodes() + 1)) {
      counts = true;
      clock.restart();
    }
    clock.turn(role, round, begins);
  };
  (void)protocols::simulate(
      topology, [&](Party& party) { return private_bandit(party, plan, site); }, std::move(options));
  StepComputing all = clock.total();
  const auto count = static_cast<double>(steps);
  return {all.parties_us / count, all.dealer_us / count, all.actor_us / count};
}

}  // namespace sotto::apps::lab
