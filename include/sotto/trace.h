// Trace: the operations of a program, as the plan of the program sees them. The function run() sends the trace to the
// other roles, so that no role starts with a different program.
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
  // The number of operations that are kept as text, counted from the first operation. Later operations only enter the
  // digest.
  static constexpr std::size_t most_told = 256;

  // Adds the next operation. All roles add their operations in the same order. Returns the number of the operation,
  // counted from 1. `how` is a digest of everything that the operation is made of; `what` describes a part of the
  // operation in words.
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
