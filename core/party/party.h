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
  Party(Rounds& rounds, Correlations& correlations) : rounds_(rounds), correlations_(correlations) {}
  Party(const Party&) = delete;
  Party& operator=(const Party&) = delete;

  [[nodiscard]] const Topology& topology() const noexcept { return rounds_.topology(); }
  [[nodiscard]] Rounds& rounds() noexcept { return rounds_; }
  [[nodiscard]] Correlations& correlations() noexcept { return correlations_; }

  // From here on the account goes to this phase of the ledger.
  void enter_phase(std::string_view name) { rounds_.ledger().enter(name); }

  // For primitives only.
  [[nodiscard]] bool holds_shares() const noexcept { return self() && topology().is_party(*self()); }
  [[nodiscard]] bool adds_constants() const noexcept { return holds_shares() && *self() == 0; }
  [[nodiscard]] bool deals() const noexcept { return correlations_.at_dealer(); }
  [[nodiscard]] bool is(NodeId node) const noexcept { return self() == node; }

 private:
  [[nodiscard]] std::optional<NodeId> self() const noexcept { return rounds_.self(); }

  Rounds& rounds_;
  Correlations& correlations_;
};

}  // namespace sotto
