// The model of a private bandit in this process, which learns and decides on request. Between programs the model
// consists of each compute party's own shares (apps/bandit/model/batch/kept_programs.h).
//
// Rows are processed in pieces of at most `batch`. Errors are InputError; a call that throws leaves the model
// unchanged.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/batch/kept_programs.h"
#include "apps/bandit/run/local/in_process/simulated_run.h"
#include "apps/bandit/run/role/earlier_model.h"
#include "apps/bandit/run/settings/settings.h"
#include "sotto/protocol/party/ledger.h"

namespace sotto::apps::bandit::run {

class SharedModel {
 public:
  // Called several times per round. If the tick throws, the call ends. May be empty.
  using Tick = std::function<void()>;

  // A model over parties with these columns. The settings that the model uses are arms, epsilon, bits, max_norm
  // (required), binary_rewards, batch, preprocessing, and steps, which is the most rows that the model ever learns.
  // Without a dealer, the roles make the randomness for each piece of rows before the piece.
  SharedModel(const BanditSettings& settings, const std::vector<std::size_t>& columns);

  // A model that continues an earlier one, one per party. `decided` and `greedy` are the counts of that model. If
  // the widths are those of the earlier model, the shares stay bit for bit. Throws InputError if the models are of two
  // runs, or do not fit the settings.
  SharedModel(const BanditSettings& settings, const std::vector<std::size_t>& columns,
              const std::vector<EarlierModel>& models, std::uint64_t decided, std::uint64_t greedy);

  // Learns from rows, each with one arm and one reward.
  void learn(std::span<const RowsView> parts, std::span<const std::int64_t> arms, std::span<const double> rewards,
             const Tick& tick = {});
  // The arm of each row, as the actor learns it. The arm is chosen epsilon-greedily if `explores`, otherwise it is the
  // best arm by the model.
  [[nodiscard]] std::vector<std::int64_t> decide(std::span<const RowsView> parts, bool explores, const Tick& tick = {});

  // The score of each arm in each row, rows x arms: the model's estimate of the arm's reward. No protocol opens scores.
  // This function puts the shares of all parties together, which only a process that has all of them can do, and
  // nothing bounds what scores reveal.
  [[nodiscard]] std::vector<double> exact_scores(std::span<const RowsView> parts) const;

  // The model in the form in which another run begins from it, one per party. The id is new in each call, so models of
  // two calls are never taken for one. Throws InputError if nothing was learned.
  [[nodiscard]] std::vector<EarlierModel> as_earlier() const;

  [[nodiscard]] std::uint64_t learned() const { return learned_; }
  [[nodiscard]] std::uint64_t decided() const { return decided_; }
  // The number of arms that were decided without any chance of exploration.
  [[nodiscard]] std::uint64_t greedy() const { return greedy_; }
  // The cost of all calls so far, measured on the frames.
  [[nodiscard]] const Cost& cost() const { return cost_; }
  [[nodiscard]] const BatchPlan& plan() const { return plan_; }

 private:
  using Models = std::vector<std::shared_ptr<const ModelWords>>;  // one per party

  void check(std::span<const RowsView> parts) const;
  [[nodiscard]] std::vector<double> opened_weights() const;
  [[nodiscard]] Models learned_from(const Models& models, std::span<const RowsView> parts,
                                    std::span<const std::int64_t> arms, std::span<const double> rewards,
                                    std::size_t first, SumBits from, const Tick& tick);

  BatchPlan plan_;
  BatchPlan greedy_plan_;
  Models models_;
  SumBits from_{};           // the bits of A and b until the first learn, if they have more than the plan says
  double reward_scale_ = 1;  // of the earlier model from which this one began
  std::uint64_t learned_ = 0;
  std::uint64_t decided_ = 0;
  std::uint64_t greedy_ = 0;
  Cost cost_;
};

}  // namespace sotto::apps::bandit::run
