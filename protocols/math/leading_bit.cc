#include "sotto/protocol/math/leading_bit.h"

#include <stdexcept>
#include <utility>

#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/compare/below_zero.h"

namespace sotto::protocols {

Task<std::vector<Arith>> below_powers(Party& party, Masked x, unsigned low, unsigned high) {
  if (low > high || high > 62) throw std::invalid_argument("powers of two from 2^low to 2^high, high at most 62");
  const unsigned bits = high + 1;
  const ComparisonPlan plan = plan_comparison(bits < 2 ? 2 : bits, 64);
  std::vector<Task<Arith>> tasks;
  tasks.reserve(high - low);
  for (unsigned i = low; i < high; ++i) {
    const Masked difference = x.plus(std::uint64_t{0} - (std::uint64_t{1} << i));
    tasks.push_back(below_zero(party, MaskedIndex::bit_range(difference, 0, plan.bits), plan, 64, "power of two"));
  }
  co_return co_await when_all(std::move(tasks));
}

Arith by_size(const Party& party, std::span<const Arith> below, std::span<const std::uint64_t> words, unsigned scale) {
  if (below.empty() || words.size() != below.size() + 1) {
    throw std::invalid_argument("a number for each size, one more than there are bits");
  }
  Arith sum = below.front().times(words[0] - words[1], scale);
  for (std::size_t i = 1; i < below.size(); ++i) sum += below[i].times(words[i] - words[i + 1], scale);
  return plus(party, std::move(sum), words.back());
}

}  // namespace sotto::protocols
