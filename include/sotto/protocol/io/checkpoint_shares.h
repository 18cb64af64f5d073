// Functions for shares that leave the computation and come back later: a party stores its state on its own disk.
//
// Functionality   At a compute party, the function pass_shares gives the party's own share to the party's code. The
//                 function shares_from takes such a share back, in a later run of the program. The function
//                 pass_public_words gives the openings of masked values, from which compute parties can tell whether
//                 their shares belong together. Only compute parties take part.
// Rounds, bytes   none.
// Views           No role sees anything new: a share goes from a party to itself. The stored shares of n-1 parties are
//                 only shares that these parties had before. All n shares together reveal the value, so store the n
//                 shares on n machines, encrypted.
// Uniform         A party's share of a masked value (Masked::shares) is the negative of its share of the mask, which is
//                 uniform in Z/2^64 at every party. Party 0 also adds the public word of the masked value. A public
//                 constant is masked by zero, so its shares are not uniform; a public constant need not be stored.
// Masking again   mask(shares_from(...)) opens the word z_i + m_i of each party i, where z_i is the stored share. The
//                 mask m_i is fresh from a seed of the new epoch, uniform, and known only to party i and the dealer.
//                 Each opened word z_i + m_i is uniform by itself, even if z_i is a function of masks of the old epoch.
//                 Therefore mask() adds no dealt sharing of zero first. `open` does add a dealt sharing of zero, since
//                 it opens shares that have no mask. Shares from shares_from must never be opened in any other way than
//                 by mask().
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/sharing/share_access.h"

namespace sotto::protocols {

// At a compute party, calls take(std::span<const std::uint64_t>) with the party's share. Does nothing at any other
// role.
template <class Take>
void pass_shares(const Party& party, const Arith& value, Take&& take) {
  if (party.holds_shares()) std::forward<Take>(take)(std::span<const std::uint64_t>(ShareAccess::words(value)));
}

// At a compute party, calls `take` with one span for each value: the public words D, which are the same at all compute
// parties. Does nothing at any other role.
template <class Take, class... Values>
void pass_public_words(const Party& party, Take&& take, const Values&... values) {
  if (party.holds_shares()) std::forward<Take>(take)(std::span<const std::uint64_t>(ShareAccess::words(values))...);
}

// Returns a value in Z/2^64. The function fill(std::span<std::uint64_t>) writes this party's share of the value, and
// runs at compute parties only.
template <class Fill>
[[nodiscard]] Arith shares_from(const Party& party, Shape shape, unsigned scale, Fill&& fill) {
  if (!party.holds_shares()) return Arith(shape, scale);
  Words words(shape.lanes());
  std::forward<Fill>(fill)(std::span<std::uint64_t>(words));
  return Arith(shape, scale, std::move(words));
}

}  // namespace sotto::protocols
