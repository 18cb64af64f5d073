#include "sotto/core/wire/bit_pack.h"

#include <limits>
#include <stdexcept>

#include "sotto/core/ring/choose_table.h"
#include "sotto/core/wire/bit_pack_tables.h"

namespace sotto {

std::vector<const BitPacking*> available_bit_packings() {
  std::vector<const BitPacking*> tables = {&kernel::baseline_bit_packing};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) tables.push_back(&kernel::avx2_bit_packing);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("bmi2")) {
    tables.push_back(&kernel::avx512_bit_packing);
  }
#endif
  return tables;
}

const BitPacking& bit_packing() {
  static const BitPacking& chosen = table_up_to(kernels().name, available_bit_packings());
  return chosen;
}

std::size_t packed_bytes(std::size_t lanes, unsigned bits) {
  if (bits < 1 || bits > 64) throw std::invalid_argument("a packed lane has 1 to 64 bits");
  // Bit positions must fit as well, hence the eighth.
  if (lanes > std::numeric_limits<std::size_t>::max() / 8 / bits) {
    throw std::invalid_argument("too many lanes to pack");
  }
  return (lanes * bits + 7) / 8;
}

void pack(std::span<const std::uint64_t> lanes, unsigned bits, std::byte* out) {
  (void)packed_bytes(lanes.size(), bits);  // checks both
  bit_packing().pack(lanes.data(), lanes.size(), bits, reinterpret_cast<unsigned char*>(out));
}

void unpack(const std::byte* in, unsigned bits, std::span<std::uint64_t> lanes) {
  (void)packed_bytes(lanes.size(), bits);  // checks both
  bit_packing().unpack(reinterpret_cast<const unsigned char*>(in), bits, lanes.data(),
                       lanes.size());
}

void unpack_add(const std::byte* in, unsigned bits, std::span<std::uint64_t> lanes) {
  (void)packed_bytes(lanes.size(), bits);  // checks both
  bit_packing().unpack_add(reinterpret_cast<const unsigned char*>(in), bits, lanes.data(),
                           lanes.size());
}

}  // namespace sotto
