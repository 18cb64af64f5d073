// Example 3: a protocol of your own.
//
// Private variance: each party has one number, and all learn how far the numbers spread. A protocol is a coroutine that
// every role runs. What to write down with it, as every header of protocols/ does:
//
// Functionality   party p's x_p -> n sum x_p^2 - (sum x_p)^2, that is n^2 times the variance.
// Rounds, bytes   2 rounds: 8 bytes to each party in each; the dealer deals 2 words.
// Who sees what   masked inputs are uniform. The opened shares are those of products, which are
//                 fresh, so what is opened says nothing but the result.
// Ranges          |x_p| <= 1000 and n <= 8, at f = 16 fraction bits: the result is below 2^26 at
//                 2 f = 32 fraction bits, which fits a 64-bit word. Nothing is truncated: it is exact.
#include <cmath>
#include <cstdio>
#include <vector>

#include "sotto/core/async/when_all.h"
#include "sotto/core/ring/fixed_point.h"
#include "sotto/protocols/arithmetic/product.h"
#include "sotto/protocols/io/open.h"
#include "sotto/protocols/io/share_input.h"
#include "sotto/protocols/simulate/simulate.h"

using namespace sotto;
using namespace sotto::protocols;

constexpr unsigned fraction_bits = 16;

// Values are held row by row: here one row with a column a party.
static Task<Public> variance(Party& party, std::vector<double> numbers) {
  const std::size_t n = party.topology().parties();

  // Round 1. A program never asks which role it is: share_input does.
  std::vector<Task<Masked>> inputs;
  for (NodeId owner = 0; owner < n; ++owner) {
    const auto fill = [&](std::span<std::uint64_t> words) { words[0] = encode(numbers[owner], fraction_bits); };
    Input input = input_at(party, owner, Shape{1, 1}, fraction_bits, fill);
    inputs.push_back(share_input(party, owner, std::move(input), "number"));
  }
  const std::vector<Masked> parts = co_await when_all(std::move(inputs));

  // Sums and products of masked values are local. The scales of a product's factors add up.
  Masked sum = parts[0];
  for (std::size_t p = 1; p < n; ++p) sum += parts[p];
  const Masked x = hstack(parts);
  Arith spread = row_dot(party, x, x).times(n) - elementwise(party, sum, sum);

  // Round 2.
  co_return co_await open(party, std::move(spread), "variance");
}

int main() {
  const std::vector<double> numbers{12.5, 9, 14.25, 11};
  const Topology topology(numbers.size());
  // This lambda may capture, since it is no coroutine itself: it calls one.
  const auto program = [&numbers](Party& party) { return variance(party, numbers); };

  // What it costs, from the shapes alone: the planner holds no number.
  const Cost planned = plan(topology, program).total();
  std::printf("planned:  %d rounds, %d bytes a party, %d bytes dealt\n", int(planned.rounds),
              int(planned.sent_by_largest_party(topology)), int(planned.dealt));

  // What it does, with every message counted on its way.
  const auto run = simulate(topology, program);
  std::printf("measured: %d rounds, %d bytes a party, %d bytes dealt\n", int(run.rounds), int(run.sent[0]),
              int(run.dealt));

  double mean = 0, expected = 0, result = -1;
  for (const double x : numbers) mean += x / 4;
  for (const double x : numbers) expected += (x - mean) * (x - mean) / 4;
  run.nodes[3].if_known([&](const Words& words) { result = decode(words[0], 2 * fraction_bits) / 16; });
  std::printf("variance: %g by the protocol, %g in the clear\n", result, expected);

  const bool as_planned = planned.rounds == run.rounds && planned.sent == run.sent && planned.dealt == run.dealt &&
                          std::abs(result - expected) < 1e-6;
  return as_planned ? 0 : 1;
}
