#include "protocols/preprocessing/recorded/bit_planes.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace sotto::protocols {
namespace {

using Block = std::array<std::uint64_t, 64>;

// Bit i of row k becomes bit k of row i. [Warren, Hacker's Delight, 7-3]
void transpose(Block& rows) {
  std::uint64_t low = 0x00000000ffffffffu;
  for (unsigned half = 32; half != 0; half >>= 1, low ^= low << half) {
    for (unsigned k = 0; k < 64; k = ((k | half) + 1) & ~half) {
      const std::uint64_t difference = ((rows[k] >> half) ^ rows[k | half]) & low;
      rows[k] ^= difference << half;
      rows[k | half] ^= difference;
    }
  }
}

Words shifted_lanes(const Words& plane, std::size_t first, std::size_t count) {
  if (plane.empty()) return {};
  Words result(plane_words(count));
  const std::size_t at = first / 64;
  const unsigned by = first % 64;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::uint64_t above = at + i + 1 < plane.size() ? plane[at + i + 1] : 0;
    result[i] = by == 0 ? plane[at + i] : plane[at + i] >> by | above << (64 - by);
  }
  return result;
}

void append_lanes(Words& to, std::size_t lanes, const Words& more, std::size_t count) {
  if (more.empty()) return;
  to.resize(plane_words(lanes + count));
  const std::size_t at = lanes / 64;
  const unsigned by = lanes % 64;
  if (by != 0) to[at] &= (std::uint64_t{1} << by) - 1;
  for (std::size_t i = 0; i < more.size(); ++i) {
    to[at + i] = by == 0 ? more[i] : to[at + i] | more[i] << by;
    if (by != 0 && at + i + 1 < to.size()) to[at + i + 1] = more[i] >> (64 - by);
  }
}

}  // namespace

void append_lanes(BitPieces& to, const BitPieces& more) {
  append_lanes(to.own, to.lanes, more.own, more.lanes);
  append_lanes(to.next, to.lanes, more.next, more.lanes);
  to.lanes += more.lanes;
}

BitPieces some_lanes(const BitPieces& plane, std::size_t first, std::size_t count) {
  return {count, shifted_lanes(plane.own, first, count), shifted_lanes(plane.next, first, count)};
}

Words planes_of(const Words& numbers, unsigned width) {
  const std::size_t words = plane_words(numbers.size());
  Words planes(words * width);
  for (std::size_t block = 0; block < words; ++block) {
    Block rows{};
    const std::size_t first = 64 * block;
    std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(first), std::min<std::size_t>(64, numbers.size() - first),
                rows.begin());
    transpose(rows);
    for (unsigned b = 0; b < width; ++b) planes[b * words + block] = rows[b];
  }
  return planes;
}

Words numbers_of(const Words& planes, std::size_t lanes, unsigned width) {
  if (planes.empty()) return {};
  const std::size_t words = plane_words(lanes);
  Words numbers(lanes);
  if (width == 1) {
    for (std::size_t i = 0; i < lanes; ++i) numbers[i] = planes[i / 64] >> (i % 64) & 1;
    return numbers;
  }
  for (std::size_t block = 0; block < words; ++block) {
    Block rows{};
    for (unsigned b = 0; b < width; ++b) rows[b] = planes[b * words + block];
    transpose(rows);
    const std::size_t first = 64 * block;
    std::copy_n(rows.begin(), std::min<std::size_t>(64, lanes - first),
                numbers.begin() + static_cast<std::ptrdiff_t>(first));
  }
  return numbers;
}

BitPieces joined(const NumberPieces& planes) {
  BitPieces all{0, {}, {}};
  for (const BitPieces& plane : planes) {
    all.lanes += 64 * plane_words(plane.lanes);
    all.own.insert(all.own.end(), plane.own.begin(), plane.own.end());
    all.next.insert(all.next.end(), plane.next.begin(), plane.next.end());
  }
  return all;
}

NumberPieces separated(const BitPieces& planes, std::size_t count, std::size_t lanes) {
  const std::size_t words = plane_words(lanes);
  NumberPieces result;
  result.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back({lanes, slice(planes.own, i * words, words), slice(planes.next, i * words, words)});
  }
  return result;
}

}  // namespace sotto::protocols
