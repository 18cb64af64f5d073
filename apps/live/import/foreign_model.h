// The model of another service, or of a run of `sotto bandit`, from which a service begins.
//
// Every party brings its own shares of A, b, W and w, and nothing is opened. The shares are put in their places in the
// new shapes, times powers of two where the new scales are finer. If A and b have finer scales than the new ones, they
// keep their scales until the service's first learn rounds them (batch/learn.h). The rounding moves each entry by less
// than one unit of the new scale, and by nothing in the mean. Arms are matched by their names, arms of a run by their
// places.
//   an arm that is new        A = I, b = 0: party 0 has the ones, every other share is zero
//   a feature that is new     a row and a column of zeros in each A, with 1 on the diagonal, and a zero in each b;
//                             the same in W and w, because the inverse of such an A is such a W
//   an arm that is left out   is left out
// A new arm is the same as any arm before its first event. The conversion needs only public facts: the parameters, the
// names of arms, the number of columns of each party, and which of them are new (`added_features` in [service]).
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

// One party's shares, and the shapes that they belong to. Everything except the shares is public.
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
// Nothing if the bytes are not such a model.
[[nodiscard]] std::optional<ForeignModel> decode_foreign_model(std::span<const std::byte> bytes);

// The bits of the earlier model, if each party has the given number of columns.
[[nodiscard]] bandit::ModelBits model_bits(const ForeignModel& foreign, std::vector<std::size_t> columns);
// The bits of A and b in the earlier model.
[[nodiscard]] bandit::SumBits sum_bits(const ForeignModel& foreign, std::size_t parties);

// This service's model, as party `self` keeps it. Throws DisagreementError if the shapes do not fit, or if a scale of W
// or w would become coarser. The error is one line that says what to change.
[[nodiscard]] bandit::ModelWords converted(const ForeignModel& foreign, const bandit::BatchPlan& plan,
                                           const LiveSettings& settings, NodeId self);

// The model that a party brings to a service that begins. The model comes from the store of another service, or from a
// run of `sotto bandit` with checkpoints. The party's config of that service or run names the store.

// Returns the party's own shares as number 0, marked as imported. They are the shares after the last number or the last
// checkpoint, and have its id. All parties must have stopped at this id, which they compare when the service begins.
// Reads the earlier store and changes nothing in it.
//
// Throws InputError in each of these cases:
// - `before` is not the config of a party with a store, or the store does not open
// - nothing was learned, or more events were learned than `config` has steps
// - the party's columns are not its earlier columns and the added ones
// Throws ResourceError while the earlier role still runs.
[[nodiscard]] SnapshotRow read_model(const RoleSettings& before, const bandit::ReadRunModel& read_run,
                                     const LiveConfig& config);

// A party's shares as its store has them, with the shapes that they belong to. There are no shares if the model is
// empty.
[[nodiscard]] ForeignModel described_model(const LiveConfig& config, std::span<const std::byte> words);

// Whether a role's rows are those of a service that has not done anything yet.
[[nodiscard]] bool is_untouched(const LiveRows& rows);

}  // namespace sotto::apps::live
