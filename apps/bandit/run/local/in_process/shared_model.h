// A private bandit in this process, which learns and decides on request.
//
// Errors are InputError. A call that throws leaves the model unchanged.
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
  // Called whenever a role begins a turn. An exception from this function ends the call. May be empty.
  using Tick = std::function<void()>;

  // `steps` in the settings is the largest number of rows that the model ever learns. The settings need max_norm.
  SharedModel(const BanditSettings& settings, const std::vector<std::size_t>& columns);

  // A model that continues an earlier one, one per party. `decided` and `greedy` are the counts of that model. If
  // the widths are those of the earlier model, the shares stay bit for bit. Throws InputError if the models are of two
  // runs, or do not fit the settings.
  SharedModel(const BanditSettings& settings, const std::vector<std::size_t>& columns,
              const std::vector<EarlierModel>& models, std::uint64_t decided, std::uint64_t greedy);
  void learn(std::span<const RowsView> parts, std::span<const std::int64_t> arms, std::span<const double> rewards,
             const Tick& tick = {});
  [[nodiscard]] std::vector<std::int64_t> decide(std::span<const RowsView> parts, bool explores, const Tick& tick = {});

  // Returns the model's estimate of each reward, rows x arms. This function combines the shares of all parties, which
  // no protocol does. No privacy bound covers the returned scores.
  [[nodiscard]] std::vector<double> exact_scores(std::span<const RowsView> parts) const;

  // The model in the form in which another run begins from it, one per party. The id is new in each call, so models of
  // two calls are never taken for one. Throws InputError if nothing was learned.
  [[nodiscard]] std::vector<EarlierModel> as_earlier() const;

  [[nodiscard]] std::uint64_t learned() const { return learned_; }
  [[nodiscard]] std::uint64_t decided() const { return decided_; }
  // The number of arms that were decided without any chance of exploration.
  [[nodiscard]] std::uint64_t greedy() const { return greedy_; }
  [[nodiscard]] const Cost& cost() const { return cost_; }
  [[nodiscard]] const BatchPlan& plan() const { return plan_; }

 private:
  using Models = std::vector<std::shared_ptr<const ModelWords>>;  // of each party

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
