// Which certificate belongs to which role: the [trust] of the run's config, as the links use it.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "sotto/core/party/topology.h"

namespace sotto::net {

class Pins {
 public:
  // Fingerprints by role, "sha256:" and 64 hex digits. Of an empty map nothing is checked.
  explicit Pins(std::map<NodeId, std::string> certificates) : certificates_(std::move(certificates)) {}

  [[nodiscard]] bool any() const noexcept { return !certificates_.empty(); }
  // True if a link that has proved `fingerprint` may speak for `role`.
  [[nodiscard]] bool prove(NodeId role, const std::string& fingerprint) const {
    if (!any()) return true;
    const auto pin = certificates_.find(role);
    return pin != certificates_.end() && !fingerprint.empty() && pin->second == fingerprint;
  }
  // True if it may speak at all: for some role.
  [[nodiscard]] bool know(const std::string& fingerprint) const { return !any() || owner_of(fingerprint).has_value(); }
  [[nodiscard]] std::optional<NodeId> owner_of(const std::string& fingerprint) const {
    for (const auto& [role, pin] : certificates_) {
      if (!fingerprint.empty() && pin == fingerprint) return role;
    }
    return std::nullopt;
  }
  // "sha256:...", or "no certificate".
  [[nodiscard]] std::string expected(NodeId role) const {
    const auto pin = certificates_.find(role);
    return pin == certificates_.end() ? "no certificate" : pin->second;
  }

 private:
  std::map<NodeId, std::string> certificates_;
};

}  // namespace sotto::net
