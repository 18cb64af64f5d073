// A service can begin from an earlier model: the model of another service, or of a run of `sotto bandit`.
//
// Every party brings its own shares of A, b, W and w, and nothing is opened. The shares move to the indices of the new
// shapes, and are multiplied by powers of two if the new scales are finer. If the new scales of A and b are coarser, A
// and b stay at the old scales until the service's first learn rounds them (batch/learn.h). The rounding changes each
// entry by less than one unit of the new scale; the mean change is zero. Arms of a service are matched by their names,
// and arms of a run by their indices.
//   an arm that is new        A = I, b = 0: party 0 has the ones, every other share is zero
//   a feature that is new     a row and a column of zeros in each A, with 1 on the diagonal, and a zero in each b;
//                             the same in W and w, because the inverse of such an A is such a W
//   an arm that is left out   is left out
// A new arm begins with the same values as every arm before its first event. The conversion needs only public facts:
// the parameters, the names of arms, the number of columns of each party, and the list of new columns (`added_features`
// in [service]).
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

// One party's shares of an earlier model, and the model's shapes. Everything except the shares is public.
struct ForeignModel {
  bool is_run = false;                 // true: from a run of `sotto bandit`; false: from a service
  std::vector<std::string> arm_names;  // names of the service's arms; empty for a run
  std::uint64_t arms = 0;
  std::uint64_t steps = 0;
  std::uint64_t batch = 1;  // the largest batch size
  bandit::StepUpdate update = bandit::StepUpdate::all_arms;
  std::uint64_t reward_lag = 0;  // the run's reward lag; 0 for a service
  std::uint32_t bits = 20;
  double max_norm = 1;
  bool binary_rewards = true;
  bool may_skip = false;
  bandit::ModelWords model;

  friend bool operator==(const ForeignModel&, const ForeignModel&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const ForeignModel& model);
// Returns nothing if the bytes are not an encoded ForeignModel.
[[nodiscard]] std::optional<ForeignModel> decode_foreign_model(std::span<const std::byte> bytes);

// The fraction bits of the earlier model, in which each party had the given number of columns.
[[nodiscard]] bandit::ModelBits model_bits(const ForeignModel& foreign, std::vector<std::size_t> columns);
// The fraction bits of A and b in the earlier model.
[[nodiscard]] bandit::SumBits sum_bits(const ForeignModel& foreign, std::size_t parties);

// Party `self`'s shares of this service's model, made from the earlier model. Throws DisagreementError if the shapes do
// not fit, or if a scale of W or w would become coarser. The error text is one line that says which setting to change.
[[nodiscard]] bandit::ModelWords converted(const ForeignModel& foreign, const bandit::BatchPlan& plan,
                                           const LiveSettings& settings, NodeId self);

// Reads the earlier model that a party brings to a new service. The model comes from the store of another service, or
// from a run of `sotto bandit` with checkpoints. `before` is the party's config of that service or run, and names the
// store.

// Returns the party's own shares as number 0, marked as imported. The shares are those after the last number or the
// last checkpoint, and have the id of that number or checkpoint. All parties must have stopped at one id; the parties
// compare their ids when the service begins. The earlier store is only read, never changed.
//
// Throws InputError in each of these cases:
// - `before` is not the config of a party with a store, or the store does not open
// - the earlier model has learned no event, or more events than the steps in `config`
// - the party's columns are not the earlier columns together with the added columns
// Throws ResourceError while the earlier role still runs.
[[nodiscard]] SnapshotRow read_model(const RoleSettings& before, const bandit::ReadRunModel& read_run,
                                     const LiveConfig& config);

// Makes a ForeignModel from a party's stored shares and the shapes in the party's config. The result has no shares if
// the model is empty.
[[nodiscard]] ForeignModel described_model(const LiveConfig& config, std::span<const std::byte> words);

// True if the role's rows show that the service has not opened an epoch, done a number or copied a model yet.
[[nodiscard]] bool is_untouched(const LiveRows& rows);

}  // namespace sotto::apps::live
