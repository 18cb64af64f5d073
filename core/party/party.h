// The role that a program runs as: the first argument of every protocol.
//
// Every role runs the same program. Only primitives (the functions that draw correlations or exchange messages) ask
// which role they are at; protocols composed of them do not, and a test greps for that.
#pragma once

#include <optional>
#include <string_view>

#include "sotto/core/party/correlations.h"
#include "sotto/core/party/rounds.h"
#include "sotto/core/party/topology.h"

namespace sotto {

class Party {
 public:
  // `self` is the node of a compute party, the actor or the rewarder; nothing for the dealer and the planner.
  Party(Role role, std::optional<NodeId> self, Rounds& rounds, Correlations& correlations)
      : role_(role), self_(self), rounds_(rounds), correlations_(correlations) {}
  Party(const Party&) = delete;
  Party& operator=(const Party&) = delete;

  [[nodiscard]] const Topology& topology() const noexcept { return rounds_.topology(); }
  [[nodiscard]] Rounds& rounds() noexcept { return rounds_; }
  [[nodiscard]] Correlations& correlations() noexcept { return correlations_; }

  // From here on the account goes to this phase of the ledger.
  void enter_phase(std::string_view name) { rounds_.ledger().enter(name); }

  // For primitives only.
  [[nodiscard]] bool holds_shares() const noexcept { return role_ == Role::party; }
  [[nodiscard]] bool adds_constants() const noexcept { return holds_shares() && *self_ == 0; }
  [[nodiscard]] bool deals() const noexcept { return role_ == Role::dealer; }
  [[nodiscard]] bool is(NodeId node) const noexcept { return self_ == node; }

 private:
  Role role_;
  std::optional<NodeId> self_;
  Rounds& rounds_;
  Correlations& correlations_;
};

}  // namespace sotto
