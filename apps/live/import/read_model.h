// The model that a party brings to a service that begins: out of the store of another service, or of a run of `sotto
// bandit` with checkpoints, as the party's config of that names it.
#pragma once

#include <span>

#include "apps/bandit/model/run_model.h"
#include "apps/live/config/live_config.h"
#include "apps/live/import/foreign_model.h"
#include "apps/live/roles/snapshots.h"
#include "apps/live/rows/live_rows.h"

namespace sotto::apps::live {

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
