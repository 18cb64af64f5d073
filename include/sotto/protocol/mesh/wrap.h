// What is put around the links of a mesh (MeshConfig::wrap): encryption, emulated distance.
#pragma once

#include "sotto/protocol/mesh/mesh.h"
#include "sotto/protocol/transport/emulate/conditions.h"
#include "sotto/protocol/transport/tls/identity.h"

namespace sotto::net {

// All roles of a run must emulate, with conditions of their own choice: each decides over what it sends. Links that
// connect also decide when they are cut. The links of one role draw from streams of `seed` that differ. The thread that
// sets up the mesh is from then on woken on time: the system's habit of waking up to 50 us late is switched off.
[[nodiscard]] MeshConfig::Wrap emulate_links(const LinkConditions& conditions, std::uint64_t seed);

// `certificates` has the fingerprint of every role of the run, and `next` a second one of those that may show another;
// `under` is put around each stream first: an emulated link, of which this one then is a user. Throws as TlsContext
// does, and InputError where two roles share a certificate, or where a role that this one connects to has none.
[[nodiscard]] MeshConfig::Wrap encrypt_links(const Identity& self, const std::map<NodeId, std::string>& certificates,
                                             MeshConfig::Wrap under = {},
                                             const std::map<NodeId, std::string>& next = {});

}  // namespace sotto::net
