#include "protocols/preprocessing/recorded/circuits.h"

#include <bit>
#include <stdexcept>
#include <utility>

#include "protocols/preprocessing/recorded/bit_planes.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::protocols {

Task<NumberPieces> and_each(Party& party, PieceProtocols& pieces, NumberPieces x, NumberPieces y, Label label) {
  require_argument(x.size() == y.size(), "as many bits on both sides of an AND");
  if (x.empty()) co_return NumberPieces{};
  const std::size_t lanes = x[0].lanes;
  const BitPieces all = co_await pieces.and_bits(party, joined(x), joined(y), label);
  co_return separated(all, x.size(), lanes);
}

Task<NumberPieces> carries(Party& party, PieceProtocols& pieces, NumberPieces x, NumberPieces y, BitPieces carry,
                           unsigned last, Label label) {
  require_argument(x.size() >= last && y.size() >= last, "a carry beyond the summands' bits");
  NumberPieces result{std::move(carry)};
  for (unsigned i = 0; i < last; ++i) {
    BitPieces left = std::move(x[i]) ^ result[i];
    BitPieces right = std::move(y[i]) ^ result[i];
    BitPieces both = co_await pieces.and_bits(party, std::move(left), std::move(right), label);
    result.push_back(std::move(both) ^ result[i]);
  }
  co_return result;
}

Task<BitPieces> below(Party& party, PieceProtocols& pieces, NumberPieces number, std::uint64_t threshold, Label label) {
  require_argument(!number.empty(), "a comparison of numbers with at least one bit");
  // Where the lower bits are equal to the threshold's, the number is not below it.
  if (threshold == 0) co_return pieces.zero_bits(number[0].lanes);
  auto i = static_cast<unsigned>(std::countr_zero(threshold));
  require_argument(i < number.size() && static_cast<std::size_t>(std::bit_width(threshold)) <= number.size(),
                   "a threshold of at most as many bits as the number");
  BitPieces less = pieces.complement(std::move(number[i]));
  for (++i; i < number.size(); ++i) {
    // 1 in the threshold: a 0 is below, a 1 leaves it to the lower bits. 0: a 1 is above.
    const bool one = (threshold >> i & 1) != 0;
    BitPieces both = co_await pieces.and_bits(party, number[i], less, label);
    less = (one ? pieces.complement(std::move(number[i])) : std::move(less)) ^ both;
  }
  co_return less;
}

unsigned below_ands(std::uint64_t threshold, unsigned bits) {
  return threshold == 0 ? 0 : bits - 1 - static_cast<unsigned>(std::countr_zero(threshold));
}

}  // namespace sotto::protocols
