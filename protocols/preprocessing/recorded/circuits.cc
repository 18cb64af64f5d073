#include "protocols/preprocessing/recorded/circuits.h"

#include <bit>
#include <stdexcept>
#include <utility>

#include "protocols/preprocessing/recorded/bit_planes.h"
#include "sotto/protocol/async/when_all.h"
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
  // The bits of the threshold below its lowest 1 are zeros, so the lower bits of the number do not matter.
  if (threshold == 0) co_return pieces.zero_bits(number[0].lanes);
  auto i = static_cast<unsigned>(std::countr_zero(threshold));
  require_argument(i < number.size() && static_cast<std::size_t>(std::bit_width(threshold)) <= number.size(),
                   "a threshold of at most as many bits as the number");
  BitPieces less = pieces.complement(std::move(number[i]));
  for (++i; i < number.size(); ++i) {
    // Where the threshold has a 1, a number with a 0 is below, and for a number with a 1 the lower bits decide. Where
    // the threshold has a 0, a number with a 1 is not below, and for a number with a 0 the lower bits decide.
    const bool one = (threshold >> i & 1) != 0;
    BitPieces both = co_await pieces.and_bits(party, number[i], less, label);
    less = (one ? pieces.complement(std::move(number[i])) : std::move(less)) ^ both;
  }
  co_return less;
}

unsigned below_ands(std::uint64_t threshold, unsigned bits) {
  return threshold == 0 ? 0 : bits - 1 - static_cast<unsigned>(std::countr_zero(threshold));
}

namespace {

constexpr std::size_t most_digit_bits = 16;

void require_digit(const NumberPieces& digit) {
  require_argument(!digit.empty() && digit.size() <= most_digit_bits, "digits of 1 to 16 bits");
  for (const BitPieces& plane : digit) require_argument(plane.lanes == digit[0].lanes, "bits of as many lanes");
}

// Entry (h, l) is at h |low| + l. `inner` lacks the products with the first entry of `low` or `high`. The missing
// products follow from two facts: the sum of the entries (h, l) over all l is entry h of `high`. The sum over all h is
// entry l of `low`.
NumberPieces completed(const NumberPieces& low, const NumberPieces& high, const NumberPieces& inner) {
  const std::size_t columns = low.size();
  NumberPieces result(columns * high.size());
  NumberPieces first_row = low;
  for (std::size_t h = 1; h < high.size(); ++h) {
    BitPieces first = high[h];
    for (std::size_t l = 1; l < columns; ++l) {
      const BitPieces& product = inner[(h - 1) * (columns - 1) + l - 1];
      first = std::move(first) ^ product;
      first_row[l] = std::move(first_row[l]) ^ product;
      result[h * columns + l] = product;
    }
    first_row[0] = std::move(first_row[0]) ^ first;
    result[h * columns] = std::move(first);
  }
  for (std::size_t l = 0; l < columns; ++l) result[l] = std::move(first_row[l]);
  return result;
}

}  // namespace

Task<NumberPieces> one_hot(Party& party, PieceProtocols& pieces, NumberPieces digit, Label label) {
  require_digit(digit);
  if (digit.size() == 1) {
    NumberPieces both{pieces.complement(digit[0]), digit[0]};
    co_return both;
  }
  const auto middle = digit.begin() + static_cast<std::ptrdiff_t>(digit.size() / 2);
  NumberPieces low_bits(digit.begin(), middle);
  NumberPieces high_bits(middle, digit.end());
  auto [low, high] = co_await when_all(one_hot(party, pieces, std::move(low_bits), label),
                                       one_hot(party, pieces, std::move(high_bits), label));
  NumberPieces x;
  NumberPieces y;
  for (std::size_t h = 1; h < high.size(); ++h) {
    for (std::size_t l = 1; l < low.size(); ++l) {
      x.push_back(high[h]);
      y.push_back(low[l]);
    }
  }
  const NumberPieces inner = co_await and_each(party, pieces, std::move(x), std::move(y), label);
  co_return completed(low, high, inner);
}

unsigned one_hot_rounds(std::size_t digit_bits) {
  return digit_bits < 2 ? 0 : static_cast<unsigned>(std::bit_width(digit_bits - 1));
}

}  // namespace sotto::protocols
