// Shares that a party stores on its own disk, and reads in a later run.
//
// Views           A share goes from a party to itself, so no role sees anything new. All n stored shares together
//                 reveal the value: store them on n machines, encrypted.
// Uniform         Let s be a party's share of a mask. s is uniform in Z/2^64. The party's share of the masked value
//                 (Masked::shares) is -s, and party 0 also adds the public word. A public constant has mask zero, so
//                 its shares are not uniform.
// Masking again   mask(shares_from(...)) opens z_i + m_i for each party i, where z_i is the stored share. The mask m_i
//                 is uniform, comes from a seed of the new epoch, and is known only to party i and the dealer. So z_i +
//                 m_i is uniform, even if z_i depends on masks of the old epoch. For this reason mask() needs no dealt
//                 sharing of zero. `open` adds no mask, so the shares of shares_from may be passed to mask(), but never
//                 to open() or open_to().
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/bool.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/sharing/share_access.h"

namespace sotto::protocols {

// At a compute party, calls take(std::span<const std::uint64_t>) with the party's share.
template <class Take>
void pass_shares(const Party& party, const Arith& value, Take&& take) {
  if (party.holds_shares()) std::forward<Take>(take)(std::span<const std::uint64_t>(ShareAccess::words(value)));
}

// The same for XOR shares.
template <class Take>
void pass_shares(const Party& party, const Bool& value, Take&& take) {
  if (party.holds_shares()) std::forward<Take>(take)(std::span<const std::uint64_t>(ShareAccess::words(value)));
}

// At a compute party, calls `take` with the public words D of each value. The words are the same at all compute
// parties. So the parties can compare the words to check that all stored shares belong to the same values.
template <class Take, class... Values>
void pass_public_words(const Party& party, Take&& take, const Values&... values) {
  if (party.holds_shares()) std::forward<Take>(take)(std::span<const std::uint64_t>(ShareAccess::words(values))...);
}

// Makes a value in Z/2^64 from stored shares: at a compute party, fill(std::span<std::uint64_t>) writes the party's
// share.
template <class Fill>
[[nodiscard]] Arith shares_from(const Party& party, Shape shape, unsigned scale, Fill&& fill) {
  if (!party.holds_shares()) return Arith(shape, scale);
  Words words(shape.lanes());
  std::forward<Fill>(fill)(std::span<std::uint64_t>(words));
  return Arith(shape, scale, std::move(words));
}

}  // namespace sotto::protocols
