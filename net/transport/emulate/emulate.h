// Emulated links under a mesh:
//
//     config.wrap = emulate_links(conditions, seed);
//
// All roles of a run must do so, with conditions of their own choice: each decides over what it
// sends. Links that connect also decide when they are cut.
#pragma once

#include "sotto/net/mesh/mesh.h"
#include "sotto/net/transport/emulate/conditions.h"

namespace sotto::net {

// The links of one role draw from streams of `seed` that differ. The thread that sets up the mesh
// is from then on woken on time: the system's habit of waking up to 50 us late is switched off.
[[nodiscard]] MeshConfig::Wrap emulate_links(const LinkConditions& conditions, std::uint64_t seed);

}  // namespace sotto::net
