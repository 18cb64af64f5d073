// Example 8: a protocol of your own, written with shares and masks (docs/explain/engine.md).
//
// Private variance: each party has one number, and all parties learn how far the numbers spread. Every header of
// protocols/ documents its protocol with these fields:
//
// Functionality   party p's x_p -> n sum x_p^2 - (sum x_p)^2, that is n^2 times the variance.
// Rounds, bytes   2 rounds, in each of which a party sends 8 bytes to each other party; the dealer deals 2 words.
// Views           Masked inputs are uniform. The shares of a product are fresh random numbers, so the opened shares
//                 reveal only the result.
// Ranges          |x_p| <= 1000 and n <= 8, at f = 16 fraction bits. The result is below 2^26 at 2 f = 32 fraction
//                 bits, which fits a 64-bit word. Nothing is truncated, so the result is exact.
#include "apps/examples/example.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/io/open.h"
#include "sotto/protocol/ring/fixed_point.h"

using namespace sotto;
using namespace sotto::protocols;

constexpr unsigned fraction_bits = 16;

// `mine` is a row with one column. Returns n^2 times the variance, which all parties learn.
static Task<Public> variance(Party& party, Matrix mine) {
  const std::size_t n = party.topology().parties();

  // Round 1. All roles run the same program, because share_input finds out which role is running.
  std::vector<Task<Masked>> inputs;
  for (NodeId owner = 0; owner < n; ++owner) {
    const auto fill = [&](std::span<std::uint64_t> words) { words[0] = encode(mine(0, 0), fraction_bits); };
    Input input = input_at(party, owner, Shape{1, 1}, fraction_bits, fill);
    inputs.push_back(share_input(party, owner, std::move(input), "number"));
  }
  const std::vector<Masked> parts = co_await when_all(std::move(inputs));

  // Sums and products of masked values are local. The scale of a product is the sum of its factors' scales.
  Masked sum = parts[0];
  for (std::size_t p = 1; p < n; ++p) sum += parts[p];
  const Masked x = hstack(parts);
  Arith spread = row_dot(party, x, x).times(n) - elementwise(party, sum, sum);

  // Round 2.
  co_return co_await open(party, std::move(spread), "variance");
}

int main() {
  const auto of = [](double number) { return Matrix::Constant(1, 1, number); };
  const auto run = sotto::simulate({of(12.5), of(9), of(14.25), of(11)},
                                   [](Session& s, Matrix mine) { return variance(s.party(), std::move(mine)); });
  Matrix result(1, 1);
  run.result(3).if_known([&](const Words& words) { result << decode(words[0], 2 * fraction_bits) / 16; });
  return compared(run, result, of(3.73046875), 0);
}
