// intersect: several companies learn which of their own ids all companies have.
//
// Functionality   Holders 0, ..., m - 1 have sets of ids. Each holder learns which of its own ids are in all sets, and
//                 a tag for each id in all sets. The tag of an id is the same at all holders.
// How             Diffie-Hellman in ristretto255 (include/sotto/protocol/group/ristretto.h). Holder i draws a secret
//                 key k_i. The tag of an id is H(id)^(k_0 ... k_{m-1}). Each set travels once around the ring of
//                 holders, and its elements are in an order that only the set's owner knows. Every holder i raises the
//                 elements of the set to its own key k_i. With two holders, each holder also gets the tags of the other
//                 holder's set.
//                 With three or more holders, a holder that compared tags would see which of its own ids one other
//                 holder has. So a set travels under a blind of its owner, and the owner removes the blind at the end.
//                 After that, holder i sends its tags T as T^(s_i) to holder 1. Holder 1 raises all of these elements
//                 to the exponent u, and sends the results, sorted, to holder 0. Holder 0 knows all s_i but not u.
//                 Holder 0 compares the values T^u, among which it cannot find its own tags. The common values T^u go
//                 back to holder 1, which removes the exponent u and sends the tags to all holders.
// Source          Meadows 1986 and Huberman, Franklin, Hogg 1999 for two holders; the comparison under two keys is our
//                 own.
// Rounds, bytes   1 round for the sizes. The sets travel in chunks of chunk_ids ids: if the largest set has C chunks,
//                 the way around the ring takes C + m - 1 rounds. Three or more holders need more rounds: 1 for the
//                 s_i, 2 C for the comparison, and 2 ceil(smallest set / chunk_ids) for the common tags. The common
//                 tags are padded to the size of the smallest set. Each id takes 32 bytes per hop.
// Views           All holders see the sizes of all sets, and the tags of the common ids. Everything else that a holder
//                 sees is H(id)^x with an x that the holder does not know. H(id)^x with an unknown x is pseudorandom
//                 under DDH, if H is a random oracle. The order of each set reveals nothing. With three or more
//                 holders, holder 0 also learns how many ids each group of holders has in common, but not which ids. If
//                 holders 0 and 1 collude, they also learn which of their own ids each group has in common.
// Errors          Holders are assumed to follow the protocol. A holder that enters guessed ids learns which of these
//                 ids all other holders have. Throws ProtocolError if a holder sends bytes that encode no element, one
//                 tag for two ids, or one tag twice.
// Time            With two holders, each holder takes 0.1 ms per id. Between rounds a holder computes on at most one
//                 chunk of each set, for some tenths of a second. Holders 0 and 1 need 32 bytes of memory for each id
//                 of each set. All other holders need 32 bytes of memory for each id of their own set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/group/ristretto.h"
#include "sotto/protocol/party/party.h"

namespace sotto::protocols {

// The number of ids of one set in a round. A chunk of chunk_ids ids has 256 KiB, and takes some tenths of a second of
// arithmetic.
inline constexpr std::size_t chunk_ids = 8192;
// The number of ids in the largest set that is allowed. The tags of such a set take one GiB at each of two holders.
inline constexpr std::uint64_t most_ids = std::uint64_t{1} << 25;

// An id that all holders have.
struct CommonId {
  std::size_t place;  // index among the holder's own ids
  GroupElement tag;
};

// The progress of a holder.
struct IntersectProgress {
  std::uint64_t done;  // number of ids that the holder has raised to an exponent
  std::uint64_t all;
};
// A function that a holder calls while it works, to report its progress.
using OnIntersect = std::function<void(const IntersectProgress&)>;

// The number of ids of each holder, which all holders learn. 1 round. The holders are all nodes of a topology without a
// dealer, and every two nodes have a link.
[[nodiscard]] Task<std::vector<std::uint64_t>> announce_sizes(Party& party, std::uint64_t own);

// The common ids in the order of their tags. `sizes` has the number of ids of each holder. `ids` must be distinct, at
// most most_ids, and none at a role that is not a holder (std::invalid_argument).
[[nodiscard]] Task<std::vector<CommonId>> intersect(Party& party, std::vector<std::uint64_t> sizes,
                                                    std::vector<std::string> ids, OnIntersect on_progress = {});

}  // namespace sotto::protocols
