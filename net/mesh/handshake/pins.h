// Which certificate belongs to which role: the [trust] of the run's config, as the links use it.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "sotto/protocol/party/topology.h"

namespace sotto::net {

class Pins {
 public:
  // Fingerprints by role, "sha256:" and 64 hex digits. Of an empty map nothing is checked. `next` are accepted as well:
  // of roles that are about to change their key, or have.
  explicit Pins(std::map<NodeId, std::string> certificates, std::map<NodeId, std::string> next = {})
      : certificates_(std::move(certificates)), next_(std::move(next)) {}

  [[nodiscard]] bool any() const noexcept { return !certificates_.empty(); }
  // True if a link that has proved `fingerprint` may speak for `role`.
  [[nodiscard]] bool prove(NodeId role, const std::string& fingerprint) const {
    return !any() || has(certificates_, role, fingerprint) || has(next_, role, fingerprint);
  }
  // True if it may speak at all: for some role.
  [[nodiscard]] bool know(const std::string& fingerprint) const { return !any() || owner_of(fingerprint).has_value(); }
  [[nodiscard]] std::optional<NodeId> owner_of(const std::string& fingerprint) const {
    for (const auto* const pins : {&certificates_, &next_}) {
      for (const auto& [role, pin] : *pins) {
        if (has(*pins, role, fingerprint)) return role;
      }
    }
    return std::nullopt;
  }
  // "sha256:...", "sha256:... or sha256:...", or "no certificate".
  [[nodiscard]] std::string expected(NodeId role) const {
    const auto pin = certificates_.find(role);
    if (pin == certificates_.end()) return "no certificate";
    const auto next = next_.find(role);
    return next == next_.end() ? pin->second : pin->second + " or " + next->second;
  }

 private:
  static bool has(const std::map<NodeId, std::string>& pins, NodeId role, const std::string& fingerprint) {
    const auto pin = pins.find(role);
    return pin != pins.end() && !fingerprint.empty() && pin->second == fingerprint;
  }

  std::map<NodeId, std::string> certificates_;
  std::map<NodeId, std::string> next_;
};

}  // namespace sotto::net
