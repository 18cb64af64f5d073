// The role that a program runs as: the first argument of every protocol. Only primitives ask which role they run at; a
// test checks this.
#pragma once

#include <optional>
#include <string_view>

#include "sotto/protocol/party/preprocessing.h"
#include "sotto/protocol/party/rounds.h"
#include "sotto/protocol/party/topology.h"

namespace sotto {

class Party {
 public:
  Party(Rounds& rounds, Preprocessing& preprocessing) : rounds_(rounds), preprocessing_(preprocessing) {}
  Party(const Party&) = delete;
  Party& operator=(const Party&) = delete;

  [[nodiscard]] const Topology& topology() const noexcept { return rounds_.topology(); }
  [[nodiscard]] Rounds& rounds() noexcept { return rounds_; }
  [[nodiscard]] Preprocessing& preprocessing() noexcept { return preprocessing_; }
  [[nodiscard]] const Preprocessing& preprocessing() const noexcept { return preprocessing_; }

  void enter_phase(std::string_view name) { rounds_.ledger().enter(name); }

  [[nodiscard]] bool holds_shares() const noexcept { return self() && topology().is_party(*self()); }
  [[nodiscard]] bool adds_constants() const noexcept { return holds_shares() && *self() == 0; }
  [[nodiscard]] bool is(NodeId node) const noexcept { return self() == node; }

 private:
  [[nodiscard]] std::optional<NodeId> self() const noexcept { return rounds_.self(); }

  Rounds& rounds_;
  Preprocessing& preprocessing_;
};

}  // namespace sotto
