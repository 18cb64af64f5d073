// The correlations of a run without a dealer and without shares: there are none. Whatever asks for one is in the wrong
// program: std::logic_error.
#pragma once

#include "sotto/core/party/correlations.h"

namespace sotto::protocols {

class NoCorrelations final : public Correlations {
 public:
  [[nodiscard]] Words uniform(std::size_t, unsigned, Group) override { refuse(); }
  void add_uniform(Words&, std::size_t, unsigned) override { refuse(); }
  [[nodiscard]] Words uniform_known_to(NodeId, std::size_t, unsigned) override { refuse(); }

 private:
  [[noreturn]] static void refuse() { throw std::logic_error("nobody deals in this run"); }

  [[nodiscard]] bool at_dealer() const noexcept override { return false; }
  [[nodiscard]] Prg& coins() override { refuse(); }
  [[nodiscard]] Words distribute(Words, std::size_t, unsigned, Group) override { refuse(); }
  void add_dealt(Words&, std::size_t) override { refuse(); }
  void take_entries(const Tables&, std::span<std::uint64_t>, unsigned) override { refuse(); }
};

}  // namespace sotto::protocols
