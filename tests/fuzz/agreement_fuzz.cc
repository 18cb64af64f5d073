// What a peer says before a run beside its hello: a probe, and a confirm as each kind of role sends it. What a decoder
// accepts encodes to the same bytes, and what is shown of it is printable.
#include <algorithm>

#include "sotto/net/mesh/handshake/confirm.h"
#include "sotto/net/mesh/handshake/probe.h"
#include "sotto/net/mesh/peers.h"
#include "tests/fuzz/target.h"

namespace sotto::net {
namespace {

bool same(const std::vector<std::byte>& again, std::span<const std::byte> input) {
  return std::equal(again.begin(), again.end(), input.begin(), input.end());
}

void decode_all(std::span<const std::byte> input) {
  if (const auto probe = decode_probe(input); probe && probe->version == wire_version) {
    fuzz::require(same(encode(*probe), input), "a probe that is accepted encodes to the same bytes");
  }
  for (const bool separate : {false, true}) {
    const Topology topology(2, separate);
    for (const NodeId sender : {NodeId{0}, topology.outside_node(), topology.further_node(), dealer_id}) {
      const auto confirm = decode_confirm(input, topology, sender);
      if (!confirm) continue;
      fuzz::require(input.size() <= longest_confirm(topology, sender), "none is longer");
      fuzz::require(same(encode(*confirm), input), "a confirm that is accepted encodes to the same bytes");
      Confirm mine;
      mine.announcements.resize(topology.parties());
      mine.resume_point.emplace();
      if (const auto what = difference(mine, *confirm, "party 1", "party 0", Resume().describe)) {
        fuzz::require(std::all_of(what->begin(), what->end(), [](char c) { return c >= ' ' && c <= '~'; }),
                      "a disagreement is printable");
      }
    }
  }
}

}  // namespace
}  // namespace sotto::net

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sotto::net::decode_all(sotto::fuzz::bytes(data, size));
  return 0;
}
