#include "core/transfer/transfer_kernels.h"

#include <cstring>
#include <string_view>

#include "core/ring/kernels.h"
#include "sotto/protocol/random/expansion.h"

namespace sotto {
namespace kernel {
namespace {

namespace plain_transfer {

using Word = TransferKernels::Word;
using Byte = TransferKernels::Byte;
using Vector = Word;

constexpr std::size_t width = 1;

Vector load(const Word* from) { return *from; }
void store(Word* to, Vector word) { *to = word; }
void store_rows(Byte* to, Vector low, Vector high) {
  const Word row[2] = {low, high};
  std::memcpy(to, row, sizeof(row));
}

#include "core/transfer/bit_matrix.inc"

}  // namespace plain_transfer
}  // namespace

const TransferKernels baseline_transfer_kernels = {"baseline", nullptr, plain_transfer::add, plain_transfer::join,
                                                   plain_transfer::transpose};

}  // namespace kernel

std::vector<const TransferKernels*> available_transfer_kernels() {
  std::vector<const TransferKernels*> tables = {&kernel::baseline_transfer_kernels};
#if defined(__x86_64__)
  for (const Expansion* table : available_expansions()) {
    const std::string_view name = table->name;
    if (name == "avx2") tables.push_back(&kernel::avx2_transfer_kernels);
    if (name == "avx512") tables.push_back(&kernel::avx512_transfer_kernels);
  }
#endif
  return tables;
}

const TransferKernels& transfer_kernels() {
  static const TransferKernels& chosen = table_up_to(kernels().companion, available_transfer_kernels());
  return chosen;
}

}  // namespace sotto
