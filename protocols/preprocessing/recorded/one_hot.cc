#include "protocols/preprocessing/recorded/one_hot.h"

#include <bit>
#include <utility>

#include "protocols/preprocessing/recorded/circuits.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::protocols {
namespace {

constexpr std::size_t most_digit_bits = 16;

void require_digit(const NumberPieces& digit) {
  require_argument(!digit.empty() && digit.size() <= most_digit_bits, "digits of 1 to 16 bits");
  for (const BitPieces& plane : digit) require_argument(plane.lanes == digit[0].lanes, "bits of as many lanes");
}

// Entry (h, l) at h |low| + l, of the products of all entries but the first of each side: sums over a whole side are 1
// or the entry of the other side.
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
