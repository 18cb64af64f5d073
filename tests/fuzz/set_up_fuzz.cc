// The whole setting up of a role's links, with peers that say any bytes: it ends with a typed error, whose text is
// printable, or with a mesh.
//
// Input: a byte (bit 0: this role is the actor, else party 0 of 2), then for each peer in order two bytes of how much
// it says, and that.
#include <algorithm>
#include <memory>

#include "sotto/core/error/errors.h"
#include "sotto/net/mesh/mesh.h"
#include "sotto/net/mesh/peers.h"
#include "tests/fuzz/fed_stream.h"
#include "tests/fuzz/target.h"

namespace sotto::net {
namespace {

void set_up(std::span<const std::byte> input) {
  fuzz::Numbers numbers(input);
  const Topology topology(2);
  const NodeId self = (numbers.byte() & 1) != 0 ? topology.outside_node() : NodeId{0};
  MeshConfig config{topology, self, SessionId{}, "steps = 5\n", ""};
  if (topology.is_party(self)) config.announcement = "columns = 1";
  config.nonce = insecure_nonce(7, self);
  config.setup_deadline = std::chrono::milliseconds(20);
  for (const NodeId peer : peers_of(topology, self)) {
    const std::size_t length = numbers.byte() + 256 * numbers.byte();
    config.streams[peer] = std::make_unique<fuzz::FedStream>(numbers.take(length));
  }
  try {
    (void)set_up_mesh(std::move(config));
  } catch (const Error& error) {
    const std::string_view text = error.what();
    fuzz::require(!text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; }),
                  "an error is printable");
  }
}

}  // namespace
}  // namespace sotto::net

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sotto::net::set_up(sotto::fuzz::bytes(data, size));
  return 0;
}
