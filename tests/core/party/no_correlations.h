// For parties that draw nothing.
#pragma once

#include "sotto/core/party/party.h"
#include "tests/framework.h"

namespace sotto {

struct NoCorrelations final : Correlations {
  explicit NoCorrelations(bool at_dealer = false) : at_dealer_(at_dealer) {}

  void add_uniform(Words&, std::size_t, unsigned) override {}
  Words uniform(std::size_t, unsigned, Group) override { return {}; }
  Words uniform_known_to(NodeId, std::size_t, unsigned) override { return {}; }
  bool at_dealer() const noexcept override { return at_dealer_; }
  Prg& coins() override { throw std::logic_error("no coins"); }
  Words distribute(Words, std::size_t, unsigned, Group) override { return {}; }

 private:
  bool at_dealer_;
};

}  // namespace sotto
