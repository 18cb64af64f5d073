// Choices of nobody: coins, uniform arms and orders of arms, from randomness that three parties draw together.
//
// Functionality   coins          a bit an event that is 1 with probability threshold / 2^64, exactly
//                 uniform_arms   the one-hot of a uniform arm an event
//                 tie_orders     a uniform order of the arms an event: [key_i < key_j] for the pairs i < j
// How             coins: 64 uniform bits below the threshold. uniform_arms: candidates of bit_width(arms - 1) uniform
//                 bits; whether each is an arm is opened, and the first that are become one-hots. There are so many
//                 candidates that too few arms come with probability below 2^-64. tie_orders: keys of 20 uniform bits;
//                 of equal keys i is not before j, so the order is within A (A - 1) 2^-21 of uniform.
// Rounds, bytes   coins: below_ands(threshold, 64) ANDs. uniform_arms: for arm_candidates(events, arms) candidates
//                 below_ands(arms, bits) ANDs and an opening, then one_hot of the events; without them if arms is a
//                 power of two. tie_orders: 20 ANDs a pair, 20 rounds (circuits.h, circuits.h).
// Who sees what   Nobody knows a coin, an arm or an order. All see which candidates were no arms: that does not
//                 depend on the arms that are kept.
// Throws          std::invalid_argument without arms. ResourceError where candidates do not suffice.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocols/preprocessing/recorded/piece_protocols.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"

namespace sotto::protocols {

// `pieces` outlives each task.
[[nodiscard]] Task<BitPieces> coins(Party& party, PieceProtocols& pieces, std::size_t events, std::uint64_t threshold);
// A plane an arm.
[[nodiscard]] Task<NumberPieces> uniform_arms(Party& party, PieceProtocols& pieces, std::size_t events,
                                              std::size_t arms);
// A plane a pair: (0, 1), (0, 2) .. (1, 2) ..
[[nodiscard]] Task<NumberPieces> tie_orders(Party& party, PieceProtocols& pieces, std::size_t events, std::size_t arms);

// Candidates of uniform_arms, a multiple of 64.
[[nodiscard]] std::size_t arm_candidates(std::size_t events, std::size_t arms);

}  // namespace sotto::protocols
