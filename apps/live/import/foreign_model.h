// The model of another service, or of a run of `sotto bandit`, as a service begins from it.
//
// Every party brings its own shares of A, b, W and w, in which nothing is opened: they are put where they belong in the
// new shapes, times powers of two where the new scales are finer. A and b at finer scales than the new ones stay at
// those: the service's first learn rounds them (batch/learn.h), each entry by less than one unit of the new scale, and
// by none in the mean. Arms go by their names, those of a run by their places.
//   an arm that is new        A = I, b = 0: party 0 has the ones, every other share is zero
//   a feature that is new     a row and a column of zeros in each A, with 1 on the diagonal, and a zero in each b;
//                             W and w alike, as the inverse of such an A is such a W
//   an arm that is left out   is left out
// A new arm is an arm like any other before its first event. What all that needs is public: the parameters, the names
// of arms, how many columns each party has, and which of them are new (`added_features` in [service]).
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

// One party's shares, and what they are shares of. All but the shares is public.
struct ForeignModel {
  bool is_run = false;                 // of `sotto bandit`: else of a service
  std::vector<std::string> arm_names;  // of a service
  std::uint64_t arms = 0;
  std::uint64_t steps = 0;
  std::uint64_t batch = 1;  // the largest
  bandit::StepUpdate update = bandit::StepUpdate::all_arms;
  std::uint64_t reward_lag = 0;  // of a run
  std::uint32_t bits = 20;
  double max_norm = 1;
  bool binary_rewards = true;
  bool may_skip = false;
  bandit::ModelWords model;

  friend bool operator==(const ForeignModel&, const ForeignModel&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const ForeignModel& model);
// Nothing if the bytes are none.
[[nodiscard]] std::optional<ForeignModel> decode_foreign_model(std::span<const std::byte> bytes);

// The bits that it has there, with so many columns of each party.
[[nodiscard]] bandit::ModelBits model_bits(const ForeignModel& foreign, std::vector<std::size_t> columns);
// Of these, those of A and b.
[[nodiscard]] bandit::SumBits sum_bits(const ForeignModel& foreign, std::size_t parties);

// This service's model, as party `self` keeps it. Throws DisagreementError, in a line that says what to change, where
// the shapes do not fit or a scale of W or w would become coarser.
[[nodiscard]] bandit::ModelWords converted(const ForeignModel& foreign, const bandit::BatchPlan& plan,
                                           const LiveSettings& settings, NodeId self);

// The model that a party brings to a service that begins: out of the store of another service, or of a run of `sotto
// bandit` with checkpoints, as the party's config of that names it.

// The party's own shares after the last number, or the last checkpoint, under its id: all parties must have stopped
// there, which they compare as the service begins. Number 0, imported. Reads the earlier store and changes nothing in
// it.
//
// Throws InputError where `before` is not of a party with a store, the store does not open, nothing was learned, more
// was learned than `config` has steps, or the party's columns are not those of before and the added ones; ResourceError
// while the earlier role still runs.
[[nodiscard]] SnapshotRow read_model(const RoleSettings& before, const bandit::ReadRunModel& read_run,
                                     const LiveConfig& config);

// A party's shares as its store has them, none for a model that is empty, with what they are shares of.
[[nodiscard]] ForeignModel described_model(const LiveConfig& config, std::span<const std::byte> words);

// Whether a role's rows are those of a service that has not done anything.
[[nodiscard]] bool is_untouched(const LiveRows& rows);

}  // namespace sotto::apps::live
