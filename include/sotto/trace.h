// Trace: the operations of a program, as its plan sees them. run() sends the trace to the other roles, so that no role
// starts with another program.
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
  // The first operations are kept as text. All others count only in the digest.
  static constexpr std::size_t most_told = 256;

  // Adds the next operation, in the order in which all roles perform them. Returns its number, from 1. `how` is a
  // digest of everything that the operation is made of; `what` is a part of that in words.
  std::size_t operation(std::string_view what, const Digest& how);

  // The operations in order, such as "product of 4x1 from #1, multiple by 0.5 (#2) [1f2e3d4c]".
  [[nodiscard]] const std::vector<std::string>& operations() const noexcept { return operations_; }
  // The digest of all operations and of the ledger's phases, labels, rounds and bytes: 64 hex digits.
  [[nodiscard]] std::string digest(const Ledger& ledger) const;

 private:
  Digest all_{};
  std::size_t count_ = 0;
  std::vector<std::string> operations_;
};

}  // namespace sotto::detail
