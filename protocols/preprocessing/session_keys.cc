#include "sotto/protocol/preprocessing/session_keys.h"

#include <fmt/format.h>

namespace sotto::protocols {

SessionKeys draw_session_keys(const Topology& topology, std::optional<std::uint64_t> insecure_number) {
  const Seed root = insecure_number ? Seed::insecure_from_number(*insecure_number) : Seed::from_os();
  SessionKeys keys{{}, root.derive("dealer coins")};
  for (std::size_t node = 0; node < topology.nodes(); ++node) {
    keys.nodes.push_back(root.derive(fmt::format("node {}", node)));
  }
  return keys;
}

std::string expansion_label(const std::string& session, std::uint32_t epoch) {
  return fmt::format("sotto expansion, session {}, epoch {}", session, epoch);
}

}  // namespace sotto::protocols
