// intersect: several companies learn which of their own ids all of them have.
//
// Functionality   Of holders 0, ..., m - 1 with sets of ids each learns which of its own ids are in all sets, and for
//                 each of these a tag, the same at all holders.
// How             Diffie-Hellman in ristretto255 (include/sotto/protocol/group/ristretto.h). Holder i draws a secret
//                 key k_i. The tag of an id is H(id)^(k_0 ... k_{m-1}): each set travels once around the ring of
//                 holders, in an order that is secret of its owner, and every holder raises it. Of two holders each so
//                 has the other's tags too. Of three or more, whoever compared tags would see which of its own ids one
//                 other holder has. So a set travels under a blind of its owner, who takes it off at the end. Holder i
//                 then sends its tags T as T^(s_i) to holder 1, which raises all to u and sends them, sorted, to holder
//                 0. That one knows all s_i and not u: it compares the T^u and finds none of its own. What is common
//                 goes back to holder 1, which takes u off, and to all.
// Source          Meadows 1986 and Huberman, Franklin, Hogg 1999 for two; the comparison under two keys is our own.
// Rounds, bytes   1 for the sizes. Then sets travel in chunks of chunk_ids ids, C of the largest: C + m - 1 around the
//                 ring. With three holders or more 1 for the s_i, 2 C for the comparison, and 2 ceil(smallest set /
//                 chunk_ids) for what is common, filled up. 32 bytes an id and hop.
// Who sees what   All: the sizes of all sets, and the tags of the common ids. Everything else that a holder sees is
//                 H(id)^x with an x that it does not know, for each set in an order that says nothing: pseudorandom
//                 under DDH, H a random oracle. Holder 0 of three or more also learns how many ids each
//                 group of holders has in common, not which; with holder 1 it would learn which of their own.
// Errors          Holders follow the protocol. One that enters ids that it only guesses learns which of them all others
//                 have. ProtocolError where a holder sends what encodes no element, one tag for two ids, or one twice.
// Time            Of two holders 0.1 ms an id at each. Between rounds a holder computes on a chunk of each set at most,
//                 some tenths of a second. Memory: 32 bytes an id of each set at holders 0 and 1, of its own at the
//                 others.
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

// Ids of one set in a round: 256 KiB, some tenths of a second of arithmetic.
inline constexpr std::size_t chunk_ids = 8192;
// The largest set: its tags take a GiB at each holder of two.
inline constexpr std::uint64_t most_ids = std::uint64_t{1} << 25;

// An id that all holders have.
struct CommonId {
  std::size_t place;  // among the holder's own
  GroupElement tag;
};

// How far a holder is.
struct IntersectProgress {
  std::uint64_t done;  // ids that it has raised
  std::uint64_t all;
};
// Called by a holder as it goes on.
using OnIntersect = std::function<void(const IntersectProgress&)>;

// How many ids each holder has, told to all. 1 round. The holders are all nodes of a topology without a dealer, linked
// each with each.
[[nodiscard]] Task<std::vector<std::uint64_t>> tell_sizes(Party& party, std::uint64_t own);

// The common ids in the order of their tags. `sizes` of all holders; `ids` are distinct, at most most_ids, and none at
// a role that is no holder (std::invalid_argument).
[[nodiscard]] Task<std::vector<CommonId>> intersect(Party& party, std::vector<std::uint64_t> sizes,
                                                    std::vector<std::string> ids, OnIntersect on_progress = {});

}  // namespace sotto::protocols
