#include "sotto/apps/robin/lanes/lane_kernels.h"

#include <cmath>
#include <cstring>

#include "sotto/core/ring/choose_table.h"

namespace sotto::apps {
namespace {

// The table of any CPU.

using Vector = double;
using Mask = bool;
constexpr std::size_t width = 1;

double from_bits(std::uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}
std::uint64_t bits_of(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}
constexpr std::uint64_t bits_of_one = 0x3FF0000000000000;
constexpr std::uint64_t mantissa_bits = 0x000FFFFFFFFFFFFF;

Vector load(const double* p) { return *p; }
void store(double* p, Vector v) { *p = v; }
Vector all(double value) { return value; }
Vector root(Vector v) { return std::sqrt(v); }
Vector absolute(Vector v) { return std::abs(v); }
Mask above(Vector a, Vector b) { return a > b; }
Vector select(Mask mask, Vector yes, Vector no) { return mask ? yes : no; }
// [0, 1), multiples of 2^-52, from the upper bits.
Vector uniform(const std::uint64_t* words) { return from_bits(*words >> 12 | bits_of_one) - 1.0; }
// Of numbers above 0 that are not denormal.
Vector exponent(Vector v) { return static_cast<double>(bits_of(v) >> 52) - 1023.0; }
Vector mantissa(Vector v) { return from_bits((bits_of(v) & mantissa_bits) | bits_of_one); }
Mask has_bit(const std::uint64_t* words, unsigned bit) { return (*words >> bit & 1) != 0; }
// By bit 1: 1, or -1.
Vector half_turn(const std::uint64_t* words) { return from_bits(bits_of_one | (*words & 2) << 62); }

#include "sotto/apps/robin/lanes/lane_kernels.inc"

}  // namespace

const LaneKernels baseline_lane_kernels = {"baseline", normals, normalize, products, greedy};

std::vector<const LaneKernels*> available_lane_kernels() {
  std::vector<const LaneKernels*> tables = {&baseline_lane_kernels};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) tables.push_back(&avx2_lane_kernels);
  if (__builtin_cpu_supports("avx512f")) tables.push_back(&avx512_lane_kernels);
#endif
  return tables;
}

const LaneKernels& lane_kernels() {
  static const LaneKernels& chosen = table_up_to(kernels().name, available_lane_kernels());
  return chosen;
}

}  // namespace sotto::apps
