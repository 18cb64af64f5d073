// intersect: several companies learn which of their own ids all companies have.
//
// Functionality   Holders 0, ..., m - 1 have sets of ids. Each holder learns which of its own ids are in all sets, and
//                 a tag for each of these ids, the same at all holders.
// How             Diffie-Hellman in ristretto255 (include/sotto/protocol/group/ristretto.h). Holder i draws a secret
//                 key k_i, and the tag of an id is H(id)^(k_0 ... k_{m-1}). Each set travels once around the ring of
//                 holders, in an order that only its owner knows, and every holder i raises the elements to k_i. With
//                 two holders, each holder also gets the tags of the other holder's set. With three or more holders, a
//                 holder that compared tags would see which of its own ids one other holder has. So each set travels
//                 under a blind, a random exponent of the set's owner, who removes the blind at the end. Then holder 0
//                 compares the tags of all holders, under two further random exponents: each holder i draws s_i, and
//                 holder 1 also draws u. Holder i sends its tags T as T^(s_i) to holder 1, which raises all elements to
//                 u and sends them, sorted, to holder 0. Holder 0 knows all s_i but not u. So holder 0 can compare the
//                 values T^u of all holders, but cannot recognise its own tags. Holder 1 gets the common values back,
//                 removes u, and sends the tags to all holders.
// Source          Meadows 1986 and Huberman, Franklin, Hogg 1999 for two holders; the comparison under two keys is our
//                 own.
// Rounds, bytes   1 round for the sizes. If the largest set has C chunks of chunk_ids ids, the ring takes C + m - 1
//                 rounds. With three or more holders, the s_i take 1 round, and the comparison takes 2 C rounds. Let S
//                 be the size of the smallest set. The common tags are padded to S tags, and take 2 ceil(S / chunk_ids)
//                 rounds. Each id takes 32 bytes per hop.
// Views           All holders see the sizes of all sets, and the tags of the common ids. Everything else that a holder
//                 sees is H(id)^x for an unknown x, which is pseudorandom under DDH if H is a random oracle. The order
//                 of each set reveals nothing. With three or more holders, holder 0 also learns how many ids each group
//                 of holders has in common. If holders 0 and 1 collude, they also learn which of their own ids each
//                 group has in common.
// Errors          Holders are assumed to follow the protocol. A holder that enters guessed ids learns which of these
//                 ids all other holders have. Throws ProtocolError if a holder sends bytes that encode no element,
//                 equal tags for two different ids, or a list of common tags in which a tag occurs twice.
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

// The number of ids of one set in one round: 256 KiB of elements, and some tenths of a second of computation.
inline constexpr std::size_t chunk_ids = 8192;
// The most ids that a set may have. With two holders, the tags of such a set take one GiB at each holder.
inline constexpr std::uint64_t most_ids = std::uint64_t{1} << 25;

struct CommonId {
  std::size_t place;
  GroupElement tag;
};

struct IntersectProgress {
  std::uint64_t done;
  std::uint64_t all;
};
// Reports the progress of a holder.
using OnIntersect = std::function<void(const IntersectProgress&)>;

// The number of ids of each holder, which all holders learn. 1 round. The holders are all nodes of a topology without a
// dealer, and each pair of holders has a link.
[[nodiscard]] Task<std::vector<std::uint64_t>> announce_sizes(Party& party, std::uint64_t own);

// The common ids, in the order of their tags. `sizes` is the result of announce_sizes(). Throws std::invalid_argument
// if two ids are equal, if there are more than most_ids ids, or if a role that is not a holder passes ids.
[[nodiscard]] Task<std::vector<CommonId>> intersect(Party& party, std::vector<std::uint64_t> sizes,
                                                    std::vector<std::string> ids, OnIntersect on_progress = {});

}  // namespace sotto::protocols
