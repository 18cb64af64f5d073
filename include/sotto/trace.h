// Trace: the operations of a program. run() compares the traces of all roles, so that no role starts with a different
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
  // The number of operations that are kept as text; later operations only enter the digest.
  static constexpr std::size_t most_told = 256;

  // Adds the next operation and returns its number, counted from 1. `what` describes the operation, and `how` is a
  // digest of the whole operation.
  std::size_t operation(std::string_view what, const Digest& how);

  // Texts such as "product of 4x1 from #1, multiple by 0.5 (#2) [1f2e3d4c]".
  [[nodiscard]] const std::vector<std::string>& operations() const noexcept { return operations_; }
  // The digest of all operations and of the ledger, in 64 hex digits.
  [[nodiscard]] std::string digest(const Ledger& ledger) const;

 private:
  Digest all_{};
  std::size_t count_ = 0;
  std::vector<std::string> operations_;
};

}  // namespace sotto::detail
