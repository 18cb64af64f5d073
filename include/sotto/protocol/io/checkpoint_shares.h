// Shares that leave the computation and come back: for the state that a party keeps on its own disk.
//
// Functionality   hand_shares_over: a compute party's own share, to its own code. shares_from: the same share again, in
//                 a later run of the program. hand_public_words_over: the openings of masked values, by which compute
//                 parties can tell whether their shares belong together. No other role takes part.
// Rounds, bytes   none.
// Views           Nobody sees anything: a share goes from a party to itself. n-1 parties keep only shares that they
//                 held anyway. All n shares together are the value, so they belong on n machines, encrypted.
// Uniform         The share of a value that was masked (Masked::shares) is the share of its mask, which is uniform in
//                 Z/2^64 at every party. At party 0 it is the masked value minus that share. A public constant, masked
//                 by zero, has no such shares: it need not be kept.
// Masking again   mask(shares_from(...)) opens z_i + m_i of each party i. m_i is fresh from a seed of the new epoch,
//                 uniform, and known only to party i and the dealer. So each opened word is uniform by itself, whatever
//                 z_i is a function of, masks of the old epoch included. Therefore no dealt sharing of zero is added
//                 first. `open` adds one, since its shares have no mask to hide behind. Shares that come back must
//                 never be opened in another way.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/sharing/share_access.h"

namespace sotto::protocols {

// Calls take(std::span<const std::uint64_t>) with a compute party's share, and nothing elsewhere.
template <class Take>
void hand_shares_over(const Party& party, const Arith& value, Take&& take) {
  if (party.holds_shares()) std::forward<Take>(take)(std::span<const std::uint64_t>(ShareAccess::words(value)));
}

// Calls take with a span of the public words D of each value, the same at all compute parties, and nothing elsewhere.
template <class Take, class... Values>
void hand_public_words_over(const Party& party, Take&& take, const Values&... values) {
  if (party.holds_shares()) std::forward<Take>(take)(std::span<const std::uint64_t>(ShareAccess::words(values))...);
}

// A value in Z/2^64. fill(std::span<std::uint64_t>) writes this party's share of the value. fill runs at compute
// parties only.
template <class Fill>
[[nodiscard]] Arith shares_from(const Party& party, Shape shape, unsigned scale, Fill&& fill) {
  if (!party.holds_shares()) return Arith(shape, scale);
  Words words(shape.lanes());
  std::forward<Fill>(fill)(std::span<std::uint64_t>(words));
  return Arith(shape, scale, std::move(words));
}

}  // namespace sotto::protocols
