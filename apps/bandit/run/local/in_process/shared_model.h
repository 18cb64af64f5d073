// The model of a private bandit in this process, which learns and decides when it is asked: each compute party's own
// shares, from one program to the next (apps/bandit/model/batch/kept_programs.h).
//
// Rows go through in pieces of at most `batch`. Errors are InputError; after one the model is as it was before.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/batch/kept_programs.h"
#include "apps/bandit/run/local/in_process/simulated_run.h"
#include "apps/bandit/run/settings/settings.h"
#include "sotto/protocol/party/ledger.h"

namespace sotto::apps::bandit::run {

class SharedModel {
 public:
  // Called some times a round; ends the call where it throws. May be empty.
  using Tick = std::function<void()>;

  // Over parties of these columns. Used of the settings are arms, epsilon, bits, max_norm (which must be there),
  // binary_rewards, batch, preprocessing, and steps: the most rows that are ever learned. Without a dealer each piece
  // of rows makes its randomness first.
  SharedModel(const BanditSettings& settings, const std::vector<std::size_t>& columns);

  // An arm and a reward a row.
  void learn(std::span<const RowsView> parts, std::span<const std::int64_t> arms, std::span<const double> rewards,
             const Tick& tick = {});
  // The arm of each row, as the actor learns it: epsilon-greedy, or without `explores` the one that the model holds
  // best.
  [[nodiscard]] std::vector<std::int64_t> decide(std::span<const RowsView> parts, bool explores, const Tick& tick = {});

  [[nodiscard]] std::uint64_t learned() const { return learned_; }
  [[nodiscard]] std::uint64_t decided() const { return decided_; }
  // Of those arms, how many no exploring hides.
  [[nodiscard]] std::uint64_t greedy() const { return greedy_; }
  // Of all calls so far, measured on the frames.
  [[nodiscard]] const Cost& cost() const { return cost_; }
  [[nodiscard]] const BatchPlan& plan() const { return plan_; }

 private:
  using Models = std::vector<std::shared_ptr<const ModelWords>>;  // a party

  void check(std::span<const RowsView> parts) const;
  [[nodiscard]] Models learned_from(const Models& models, std::span<const RowsView> parts,
                                    std::span<const std::int64_t> arms, std::span<const double> rewards,
                                    std::size_t first, const Tick& tick);

  BatchPlan plan_;
  BatchPlan greedy_plan_;
  Models models_;
  std::uint64_t learned_ = 0;
  std::uint64_t decided_ = 0;
  std::uint64_t greedy_ = 0;
  Cost cost_;
};

}  // namespace sotto::apps::bandit::run
