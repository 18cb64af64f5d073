// Trace: what a program does, as its plan sees it. run() tells it to the other roles, so that none starts with another
// program.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/protocol/party/ledger.h"

namespace sotto::detail {

using Digest = std::array<std::byte, 32>;

class Trace {
 public:
  // Operations that are kept by their text; of all others the digest alone tells.
  static constexpr std::size_t most_told = 256;

  // The next one, in the order in which all roles take them; its number, from 1. `how` stands for all that it is made
  // of, of which `what` says some.
  std::size_t operation(std::string_view what, const Digest& how);

  // "product of 4x1 from #1, multiple by 0.5 (#2) [1f2e3d4c]", in order.
  [[nodiscard]] const std::vector<std::string>& operations() const noexcept { return operations_; }
  // Of all operations and of the ledger's phases, labels, rounds and bytes: 64 hex digits.
  [[nodiscard]] std::string digest(const Ledger& ledger) const;

 private:
  Digest all_{};
  std::size_t count_ = 0;
  std::vector<std::string> operations_;
};

}  // namespace sotto::detail
