// From replicated bits to numbers in a ring of any width.
//
// Functionality   bits_as_shares   each bit b as additive shares in Z/2^width, of two parties: the third has zeros
//                 replicate        additive shares of those two parties as WordPieces
//                 bits_as_numbers  both, one after the other
// How             `lead` is one of the parties, `second` the one after it, `third` the one before it. Lead knows the
//                 bit v = b_lead ^ b_second of two pieces, second and third know the third piece s, and b = v ^ s = (1
//                 - 2 s) v + s. Lead splits v into v0 from key `lead`, which third has, and v1 = v - v0, which it sends
//                 to second: so second has (1 - 2 s) v1 + s, and third (1 - 2 s) v0. To replicate a1 + a2, two pieces
//                 come from keys and the third one is (a1 - y_second) + (a2 - y_lead), of which second and third tell
//                 each other their half. [conversions as in ABY3, CCS 2018, section 5; the one-message form is our own]
// Rounds, bytes   1 round: lead sends the sum of `width` bits a lane, packed into words of 8 bytes, to second. Then for
//                 replicate 1 round, second and third each send as much to each other.
// Who sees what   v1 is masked by F(K_lead), which second lacks; a1 - y_second by F(K_second), which third lacks;
//                 a2 - y_lead by F(K_lead), which second lacks. All are uniform to their receivers.
// Throws          std::invalid_argument where planes have other lanes, or there are not as many widths as bits.
#pragma once

#include <cstddef>

#include "protocols/preprocessing/replicated/pair_keys.h"
#include "protocols/preprocessing/replicated/replicated.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/masks.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

// `keys` outlives each task. One Additive a plane of `bits`.
[[nodiscard]] Task<PoolVector<Additive>> bits_as_shares(Party& party, PairKeys& keys, NodeId lead, NumberPieces bits,
                                                        RingWidths widths, Label label);
// Shares as bits_as_shares gives them, or sums of such; their words may exceed the ring.
[[nodiscard]] Task<PoolVector<WordPieces>> replicate(Party& party, PairKeys& keys, NodeId lead,
                                                     PoolVector<Additive> shares, std::size_t lanes, RingWidths widths,
                                                     Label label);
[[nodiscard]] Task<PoolVector<WordPieces>> bits_as_numbers(Party& party, PairKeys& keys, NodeId lead, NumberPieces bits,
                                                           RingWidths widths, Label label);

}  // namespace sotto::protocols
