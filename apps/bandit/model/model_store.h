// The model of a run to the sites that keep it, and back: every compute party's own shares, under an id that all nodes
// are told.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/bandit/model/sites.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"

namespace sotto::apps::bandit {

// What a model consists of, in shares: matrices of all arms, and vectors.
struct KeptModel {
  std::vector<Arith> matrices;
  std::vector<Arith> vectors;
};

// Every compute party hands its shares to its site, ModelShares with the parts of each kind one after the other. Of
// them nothing is said but the id that they go by, a hash of the public words of two masked values of the model: 1
// round, of the phase that the caller has entered.
[[nodiscard]] Task<void> save_model(Party& party, BanditSite& site, std::uint64_t steps, KeptModel model,
                                    const Masked& first, const Masked& second);

// The shares that were kept after `steps` steps, in the shapes and scales of `like`. They must be masked afresh before
// anything is opened that depends on them (include/sotto/protocol/io/checkpoint_shares.h).
[[nodiscard]] KeptModel load_model(const Party& party, BanditSite& site, std::uint64_t steps, const KeptModel& like);

}  // namespace sotto::apps::bandit
