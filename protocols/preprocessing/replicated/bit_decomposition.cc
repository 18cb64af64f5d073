#include "protocols/preprocessing/replicated/bit_decomposition.h"

#include <utility>

#include "protocols/preprocessing/recorded/bit_planes.h"
#include "protocols/preprocessing/recorded/circuits.h"
#include "sotto/protocol/io/deliver.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::protocols {
namespace {

Words lead_summand(const WordPieces& number) {
  Words u = number.own;
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = (u[i] + number.next[i]) & ring_mask(number.bits);
  return u;
}

}  // namespace

Task<SummandBits> summand_bits(Party& party, PairKeys& keys, NodeId lead, WordPieces number, Label label) {
  const NodeId second = next_of(lead);
  const std::size_t planes = plane_words(number.lanes) * number.bits;
  Words from_key = keys.of_pair(lead, planes, 64);
  Words corrected;
  if (keys.self() == lead) {
    corrected = planes_of(lead_summand(number), number.bits);
    for (std::size_t i = 0; i < planes; ++i) corrected[i] ^= from_key[i];
  }
  // Under K_lead, which second lacks.
  Words told = corrected;
  Words heard = co_await deliver(party, lead, second, std::move(told), planes, label);

  // Pieces lead, second, third: of u the key, the correction and nothing; of v nothing, nothing and the number's third.
  BitPieces u = keys.zero_bits(64 * planes);
  BitPieces v = u;
  if (keys.self() == lead) {
    u.own = std::move(from_key);
    u.next = std::move(corrected);
  } else if (keys.self() == second) {
    u.own = std::move(heard);
    v.next = planes_of(number.next, number.bits);
  } else if (keys.self()) {
    u.next = std::move(from_key);
    v.own = planes_of(number.own, number.bits);
  }
  co_return SummandBits{separated(u, number.bits, number.lanes), separated(v, number.bits, number.lanes)};
}

Task<NumberPieces> bits_of(Party& party, PairKeys& keys, NodeId lead, WordPieces number, BitPieces carry, Label label) {
  const unsigned bits = number.bits;
  const SummandBits s = co_await summand_bits(party, keys, lead, std::move(number), label);
  NumberPieces sum = co_await carries(party, keys, s.u, s.v, std::move(carry), bits - 1, label);
  for (unsigned b = 0; b < bits; ++b) sum[b] = std::move(sum[b]) ^ s.u[b] ^ s.v[b];
  co_return sum;
}

}  // namespace sotto::protocols
