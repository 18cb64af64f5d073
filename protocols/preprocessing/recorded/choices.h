// Choices that no role knows: coins, uniform arms and orders of arms.
//
// Functionality   coins          for each event, a bit that is 1 with probability threshold / 2^64, exactly
//                 uniform_arms   for each event, the one-hot of a uniform arm
//                 tie_orders     for each event, a uniform order of the arms: [key_i < key_j] for the pairs i < j
// How             coins: 64 uniform bits are compared with the threshold.
//                 uniform_arms: a candidate is a number of bit_width(arms - 1) uniform bits, and an arm if the number
//                 is below `arms`. All parties learn which candidates are arms, and turn the first of these arms into
//                 one-hots. Too few candidates are arms with a probability below 2^-64.
//                 tie_orders: keys have 20 uniform bits. If i < j have equal keys, j comes first. So the order of A
//                 arms has a statistical distance of at most A (A - 1) 2^-21 from uniform.
// Rounds, bytes   coins: below_ands(threshold, 64) ANDs.
//                 uniform_arms: the ANDs of one_hot for the events. If `arms` is no power of two, also below_ands(arms,
//                 bits) ANDs and an opening for each of arm_candidates(events, arms) candidates. tie_orders: 20 ANDs a
//                 pair, 20 rounds (circuits.h).
// Views           Nobody knows a coin, an arm or an order. All parties see which candidates are no arms. The positions
//                 of these candidates do not depend on the arms that are kept.
// Throws          std::invalid_argument if there are no arms; ResourceError if too few candidates are arms.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocols/preprocessing/recorded/piece_protocols.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"

namespace sotto::protocols {

[[nodiscard]] Task<BitPieces> coins(Party& party, PieceProtocols& pieces, std::size_t events, std::uint64_t threshold);
[[nodiscard]] Task<NumberPieces> uniform_arms(Party& party, PieceProtocols& pieces, std::size_t events,
                                              std::size_t arms);
// One plane for each pair: (0, 1), (0, 2) .. (1, 2) ..
[[nodiscard]] Task<NumberPieces> tie_orders(Party& party, PieceProtocols& pieces, std::size_t events, std::size_t arms);

// The number of candidates that uniform_arms draws, a multiple of 64.
[[nodiscard]] std::size_t arm_candidates(std::size_t events, std::size_t arms);

}  // namespace sotto::protocols
