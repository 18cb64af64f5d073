#include "protocols/preprocessing/recorded/choices.h"

#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

#include "protocols/preprocessing/recorded/bit_planes.h"
#include "protocols/preprocessing/recorded/circuits.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::protocols {
namespace {

constexpr unsigned key_bits = 20;

unsigned arm_bits(std::size_t arms) {
  require_argument(arms > 0, "at least one arm to choose from");
  return arms == 1 ? 1 : static_cast<unsigned>(std::bit_width(arms - 1));
}

NumberPieces uniform_number(PieceProtocols& pieces, unsigned bits, std::size_t lanes) {
  NumberPieces number;
  for (unsigned b = 0; b < bits; ++b) number.push_back(pieces.uniform_bits(lanes));
  return number;
}

PoolVector<std::size_t> first_ones(const Words& bits, std::size_t lanes, std::size_t count) {
  PoolVector<std::size_t> places;
  for (std::size_t i = 0; i < lanes && places.size() < count; ++i) {
    if ((bits[i / 64] >> (i % 64) & 1) != 0) places.push_back(i);
  }
  if (places.size() < count) throw ResourceError("too few of the random candidates are arms: start the run again");
  return places;
}

Words gathered(const Words& plane, const PoolVector<std::size_t>& places) {
  if (plane.empty()) return {};
  Words result(plane_words(places.size()), 0);
  for (std::size_t i = 0; i < places.size(); ++i) {
    result[i / 64] |= (plane[places[i] / 64] >> (places[i] % 64) & 1) << (i % 64);
  }
  return result;
}

NumberPieces kept(const NumberPieces& candidates, const Words& accepted, std::size_t events) {
  NumberPieces result(candidates.size(), BitPieces{events, {}, {}});
  if (accepted.empty()) return result;
  const PoolVector<std::size_t> places = first_ones(accepted, candidates[0].lanes, events);
  for (std::size_t b = 0; b < candidates.size(); ++b) {
    result[b].own = gathered(candidates[b].own, places);
    result[b].next = gathered(candidates[b].next, places);
  }
  return result;
}

}  // namespace

Task<BitPieces> coins(Party& party, PieceProtocols& pieces, std::size_t events, std::uint64_t threshold) {
  NumberPieces number = uniform_number(pieces, 64, events);
  co_return co_await below(party, pieces, std::move(number), threshold, "coins");
}

Task<NumberPieces> uniform_arms(Party& party, PieceProtocols& pieces, std::size_t events, std::size_t arms) {
  const unsigned bits = arm_bits(arms);
  NumberPieces number = uniform_number(pieces, bits, arm_candidates(events, arms));
  if (arms != std::size_t{1} << bits) {
    BitPieces is_arm = co_await below(party, pieces, number, arms, "candidates of arms");
    const Words accepted = co_await pieces.open_bits(party, std::move(is_arm), "candidates of arms");
    number = kept(number, accepted, events);
  }
  NumberPieces hot = co_await one_hot(party, pieces, std::move(number), "uniform arms");
  hot.resize(arms);
  co_return hot;
}

Task<NumberPieces> tie_orders(Party& party, PieceProtocols& pieces, std::size_t events, std::size_t arms) {
  require_argument(arms > 0, "at least one arm to order");
  std::size_t pairs = 0;
  NumberPieces x;
  NumberPieces y;
  PoolVector<NumberPieces> order;
  for (std::size_t arm = 0; arm < arms; ++arm) order.push_back(uniform_number(pieces, key_bits, events));
  // key_i < key_j exactly if 2^20 - 1 - key_i + key_j has a carry beyond its 20 bits.
  for (unsigned b = 0; b < key_bits; ++b) {
    NumberPieces left;
    NumberPieces right;
    for (std::size_t i = 0; i < arms; ++i) {
      for (std::size_t j = i + 1; j < arms; ++j) {
        left.push_back(pieces.complement(order[i][b]));
        right.push_back(order[j][b]);
      }
    }
    pairs = left.size();
    x.push_back(joined(left));
    y.push_back(joined(right));
  }
  BitPieces none = pieces.zero_bits(x[0].lanes);
  const NumberPieces c =
      co_await carries(party, pieces, std::move(x), std::move(y), std::move(none), key_bits, "order of ties");
  co_return separated(c[key_bits], pairs, events);
}

std::size_t arm_candidates(std::size_t events, std::size_t arms) {
  const unsigned bits = arm_bits(arms);
  if (arms == std::size_t{1} << bits) return events;
  // Chernoff's bound: a candidate is an arm with probability p. For q < p, fewer than q n of n candidates are arms with
  // a probability of at most e^(-n D(q || p)), where D is the relative entropy.
  const double p = std::ldexp(static_cast<double>(arms), -static_cast<int>(bits));
  for (std::size_t n = 64;; n += 64) {
    const double q = static_cast<double>(events) / static_cast<double>(n);
    if (q >= p) continue;
    const double divergence = (q > 0 ? q * std::log(q / p) : 0) + (1 - q) * std::log((1 - q) / (1 - p));
    if (static_cast<double>(n) * divergence >= 64 * std::numbers::ln2) return n;
  }
}

}  // namespace sotto::protocols
