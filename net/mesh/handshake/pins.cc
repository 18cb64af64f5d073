#include "sotto/net/mesh/handshake/pins.h"

#include <algorithm>

namespace sotto::net {

bool Pins::prove(NodeId role, const std::string& fingerprint) const {
  if (!any()) return true;
  const auto pin = certificates_.find(role);
  return pin != certificates_.end() && !fingerprint.empty() && pin->second == fingerprint;
}

bool Pins::know(const std::string& fingerprint) const { return !any() || owner_of(fingerprint).has_value(); }

std::optional<NodeId> Pins::owner_of(const std::string& fingerprint) const {
  if (fingerprint.empty()) return std::nullopt;
  const auto found = std::find_if(certificates_.begin(), certificates_.end(),
                                  [&](const auto& entry) { return entry.second == fingerprint; });
  if (found == certificates_.end()) return std::nullopt;
  return found->first;
}

std::string Pins::expected(NodeId role) const {
  const auto pin = certificates_.find(role);
  return pin == certificates_.end() ? "no certificate" : pin->second;
}

}  // namespace sotto::net
