// Whose copy of a run's state is old, where the roles have no checkpoint in common.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "sotto/net/mesh/handshake/resume_state.h"

namespace sotto::net {

// One line that names the nodes whose checkpoints do not go with the newest that there are, and what to do about it;
// nothing where the run may begin anew, since nobody has written a checkpoint or some died before they wrote the first.
// For nodes that have no checkpoint in common.
//
// The newest are those of the highest epoch, of these the ones that have come furthest, of these the ones that most
// nodes have.
[[nodiscard]] std::optional<std::string> old_copies(const Topology& topology,
                                                    const std::map<NodeId, ResumeState>& states);

}  // namespace sotto::net
