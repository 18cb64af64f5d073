// A service can begin from an earlier model: the model of another service, or of a run of `sotto bandit`.
//
// Every party converts its own shares of A, b, W and w, and the parties open nothing. The shares move to the indices of
// the new shapes, and are multiplied by powers of two if the new scales are finer. If the new scales of A and b are
// coarser, A and b stay at the old scales until the service's first learn rounds them (batch/learn.h). The rounding
// changes each entry by less than one unit of the new scale; the mean change is zero. The arms of an earlier service
// are matched by their names. The arms of an earlier run have no names, so they are matched by their indices.
// - A new arm has A = I and b = 0. The share of party 0 is I, and the share of every other party is zero.
// - A new feature adds a row and a column to each A, with a 1 on the diagonal and zeros elsewhere. W gets the same row
//   and column, because the inverse of the larger A has them too. b and w get a zero.
// - An arm that the new service does not have is dropped.
//
// The conversion needs only public facts: the parameters, the names of arms, the number of columns of each party, and
// the list of new columns (`added_features` in [service]).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/learned_model.h"
#include "apps/live/config/live_config.h"
#include "apps/live/engine/live_programs.h"
#include "apps/live/roles/order_book.h"
#include "apps/live/rows/live_rows.h"
#include "apps/live/settings/live_settings.h"

namespace sotto::apps::live {

// Everything except the shares is public.
struct ForeignModel {
  bool is_run = false;
  std::vector<std::string> arm_names;
  std::uint64_t arms = 0;
  std::uint64_t steps = 0;
  std::uint64_t batch = 1;
  bandit::StepUpdate update = bandit::StepUpdate::all_arms;
  std::uint64_t reward_lag = 0;
  std::uint32_t bits = 20;
  double max_norm = 1;
  bool binary_rewards = true;
  bool may_skip = false;
  bandit::ModelWords model;

  friend bool operator==(const ForeignModel&, const ForeignModel&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const ForeignModel& model);
[[nodiscard]] std::optional<ForeignModel> decode_foreign_model(std::span<const std::byte> bytes);

[[nodiscard]] bandit::ModelBits model_bits(const ForeignModel& foreign, std::vector<std::size_t> columns);
[[nodiscard]] bandit::SumBits sum_bits(const ForeignModel& foreign, std::size_t parties);

// Party `self`'s shares of this service's model. Throws DisagreementError if the shapes do not fit, or if a scale of W
// or w would become coarser. The error text is one line that says which setting to change.
[[nodiscard]] bandit::ModelWords converted(const ForeignModel& foreign, const bandit::BatchPlan& plan,
                                           const LiveSettings& settings, NodeId self);

// Returns the party's own shares of the earlier model, as a copy with number 0 that is marked as imported. The shares
// are from the last entry of the earlier service, or from the last checkpoint of the earlier run. The shares of all
// parties must have the same checkpoint id; the parties compare their ids when the service begins. The earlier store is
// only read, never changed.
//
// Throws InputError in each of these cases:
// - `before` is not the config of a party with a store, or the store does not open
// - the earlier model has learned no event, or more events than the steps in `config`
// - the party's columns are not the earlier columns together with the added columns
// Throws ResourceError while the earlier role still runs.
[[nodiscard]] SnapshotRow read_model(const RoleSettings& before, const bandit::ReadRunModel& read_run,
                                     const LiveConfig& config);

// The result has no shares if the model is empty.
[[nodiscard]] ForeignModel described_model(const LiveConfig& config, std::span<const std::byte> words);

[[nodiscard]] bool is_untouched(const LiveRows& rows);

}  // namespace sotto::apps::live
