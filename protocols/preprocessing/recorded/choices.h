// Choices that no role knows: coins, uniform arms and orders of arms, from randomness that three parties draw together.
//
// Functionality   coins          for each event, a bit that is 1 with probability threshold / 2^64, exactly
//                 uniform_arms   for each event, the one-hot of a uniform arm
//                 tie_orders     for each event, a uniform order of the arms: [key_i < key_j] for the pairs i < j
// How             coins: 64 uniform bits are compared with the threshold. uniform_arms: candidates have bit_width(arms
//                 - 1) uniform bits. All parties learn which candidates are arms, and the first of these arms become
//                 one-hots. There are so many candidates that the probability of too few arms is below 2^-64.
//                 tie_orders: keys have 20 uniform bits. If the keys of i < j are equal, i does not come before j, so
//                 the order of A arms is within A (A - 1) 2^-21 of uniform.
// Rounds, bytes   coins: below_ands(threshold, 64) ANDs. uniform_arms: below_ands(arms, bits) ANDs and an opening for
//                 each of arm_candidates(events, arms) candidates, then one_hot for the events. If `arms` is a power of
//                 two, uniform_arms takes only one_hot for the events. tie_orders: 20 ANDs a pair, 20 rounds
//                 (circuits.h).
// Views           Nobody knows a coin, an arm or an order. All parties see which candidates were no arms, which does
//                 not depend on the arms that are kept.
// Throws          std::invalid_argument if there are no arms. ResourceError if too few candidates are arms.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocols/preprocessing/recorded/piece_protocols.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"

namespace sotto::protocols {

// `pieces` must outlive each task.
[[nodiscard]] Task<BitPieces> coins(Party& party, PieceProtocols& pieces, std::size_t events, std::uint64_t threshold);
// One plane for each arm.
[[nodiscard]] Task<NumberPieces> uniform_arms(Party& party, PieceProtocols& pieces, std::size_t events,
                                              std::size_t arms);
// One plane for each pair: (0, 1), (0, 2) .. (1, 2) ..
[[nodiscard]] Task<NumberPieces> tie_orders(Party& party, PieceProtocols& pieces, std::size_t events, std::size_t arms);

// The number of candidates of uniform_arms, a multiple of 64.
[[nodiscard]] std::size_t arm_candidates(std::size_t events, std::size_t arms);

}  // namespace sotto::protocols
