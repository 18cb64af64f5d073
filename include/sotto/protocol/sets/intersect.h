// intersect: several companies learn which of their own ids all of them have.
//
// Functionality   Holders 0, ..., m - 1 have sets of ids. Each holder learns which of its own ids are in all sets, and
//                 a tag for each of these ids, the same at all holders.
// How             Diffie-Hellman in ristretto255 (include/sotto/protocol/group/ristretto.h). Holder i draws a secret
//                 key k_i. The tag of an id is H(id)^(k_0 ... k_{m-1}). Each set travels once around the ring of
//                 holders, in an order that only its owner knows, and every holder raises it. So with two holders, each
//                 holder also gets the tags of the other holder.
//                 With three or more, a holder that compared tags would see which of its own ids one other holder has.
//                 So a set travels under a blind of its owner, which the owner takes off at the end. Holder i then
//                 sends its tags T as T^(s_i) to holder 1, which raises all to u and sends them, sorted, to holder 0.
//                 Holder 0 knows all s_i and not u. It compares the T^u and finds none of its own. The common T^u go
//                 back to holder 1, which takes u off, and then to all.
// Source          Meadows 1986 and Huberman, Franklin, Hogg 1999 for two; the comparison under two keys is our own.
// Rounds, bytes   1 for the sizes. Then sets travel in chunks of chunk_ids ids. If the largest set has C chunks, this
//                 takes C + m - 1 around the ring. With three holders or more: 1 for the s_i, 2 C for the comparison,
//                 and 2 ceil(smallest set / chunk_ids) for the common tags, filled up. 32 bytes an id and hop.
// Views           All holders see the sizes of all sets, and the tags of the common ids. Everything else that a holder
//                 sees is H(id)^x with an x that the holder does not know. The order of each set reveals nothing. That
//                 is pseudorandom under DDH, H a random oracle. Holder 0 of three or more also learns how many ids each
//                 group of holders has in common, but not which. Together with holder 1, holder 0 would learn which of
//                 their own ids these are.
// Errors          Holders follow the protocol. A holder that enters ids that it only guesses learns which of these ids
//                 all others have. ProtocolError where a holder sends bytes that encode no element, one tag for two
//                 ids, or one tag twice.
// Time            With two holders 0.1 ms an id at each holder. Between rounds a holder computes on at most one chunk
//                 of each set, some tenths of a second. Memory: 32 bytes an id, of each set at holders 0 and 1, and of
//                 the holder's own set at all others.
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

// The ids of one set in a round: 256 KiB, some tenths of a second of arithmetic.
inline constexpr std::size_t chunk_ids = 8192;
// The largest set: its tags take a GiB at each of two holders.
inline constexpr std::uint64_t most_ids = std::uint64_t{1} << 25;

// An id that all holders have.
struct CommonId {
  std::size_t place;  // index among the holder's own ids
  GroupElement tag;
};

// The progress of a holder.
struct IntersectProgress {
  std::uint64_t done;  // number of ids that the holder has raised
  std::uint64_t all;
};
// Called by a holder as it progresses.
using OnIntersect = std::function<void(const IntersectProgress&)>;

// The number of ids of each holder, which all holders learn. 1 round. The holders are all nodes of a topology without a
// dealer, and each two of them have a link.
[[nodiscard]] Task<std::vector<std::uint64_t>> tell_sizes(Party& party, std::uint64_t own);

// The common ids in the order of their tags. `sizes` has the number of ids of each holder. `ids` are distinct, at most
// most_ids, and none at a role that is no holder (std::invalid_argument).
[[nodiscard]] Task<std::vector<CommonId>> intersect(Party& party, std::vector<std::uint64_t> sizes,
                                                    std::vector<std::string> ids, OnIntersect on_progress = {});

}  // namespace sotto::protocols
