// Lanes of a few bits, one after the other without gaps, as they go over a link.
//
// Lane i takes the bits i*bits .. (i+1)*bits - 1 of the byte string, least significant first (bit j
// of the string is bit j mod 8 of byte j / 8). The last byte is filled up with zeros. `bits` is 1
// to 64. Errors: bits out of range, or a size that no memory holds, are std::invalid_argument. The
// caller checks a peer's bytes against packed_bytes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sotto {

// Bytes that `lanes` lanes take: ceil(lanes * bits / 8).
[[nodiscard]] std::size_t packed_bytes(std::size_t lanes, unsigned bits);

// Writes the low `bits` bits of each lane to exactly packed_bytes(lanes.size(), bits) bytes at
// `out`.
void pack(std::span<const std::uint64_t> lanes, unsigned bits, std::byte* out);

// Reads exactly packed_bytes(lanes.size(), bits) bytes at `in`: lanes[i] = lane i, below 2^bits.
void unpack(const std::byte* in, unsigned bits, std::span<std::uint64_t> lanes);

// lanes[i] = (lanes[i] + lane i) mod 2^bits: sums the parties' lanes without a buffer in
// between.
void unpack_add(const std::byte* in, unsigned bits, std::span<std::uint64_t> lanes);

}  // namespace sotto
