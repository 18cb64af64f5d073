// After the first steps a step asks the system for no storage of values or task frames.
#include "sotto/core/async/pool.h"
#include "sotto/protocols/arithmetic/mask_trunc.h"
#include "sotto/protocols/arithmetic/product.h"
#include "sotto/protocols/arithmetic/triples.h"
#include "sotto/protocols/boolean/bit_and.h"
#include "sotto/protocols/compare/argmax.h"
#include "sotto/protocols/compare/below_zero.h"
#include "sotto/protocols/convert/arith_to_bool.h"
#include "sotto/protocols/convert/bool_to_arith.h"
#include "tests/protocols/boolean/shared_bits.h"

namespace sotto::protocols::testing {
namespace {

// Under sanitizers every block comes from the system.
bool pooling() {
  pool_release(pool_allocate(100), 100);
  const std::uint64_t before = pool_system_requests();
  pool_release(pool_allocate(100), 100);
  return pool_system_requests() == before;
}

using Step = Task<Numbers> (*)(Party&, Masked);

Task<Numbers> masked_step(Party& party, Masked x) {
  Arith square = elementwise(party, x, x);
  const Masked y = co_await mask_trunc(party, std::move(square), 20, "square");
  Arith product = co_await multiply(party, y.shares(party), x.shares(party), "product");
  co_return co_await opened(party, std::move(product));
}

Task<Numbers> compared_step(Party& party, Masked x) {
  const ArgmaxOptions options{0, 30, {}};
  const Masked y = x.plus(1);
  auto [less, best] =
      co_await when_all(less_than(party, x, y, 30, "less"), argmax(party, x, options));
  co_return co_await opened(party, less + best);
}

Task<Numbers> boolean_step(Party& party, Masked x) {
  Bool bits = co_await arith_to_bool(party, x.shares(party), "A2B");
  Arith back = co_await bool_to_arith(party, std::move(bits), 64, "B2A");
  Arith square = co_await multiply_with_triples(party, back, back, "triples");
  co_return co_await opened(party, std::move(square));
}

// How often the pool asked the system, after each step.
Task<Numbers> repeated(Party& party, Step step, int steps) {
  const Numbers words{3u << 20, 5u << 20, 4u << 20, 1u << 20};
  const Shape row{1, 4};
  const Masked x = co_await masked(party, row, 20, words);
  Numbers requests;
  for (int i = 0; i < steps; ++i) {
    const Numbers result = co_await step(party, x);
    EXPECT_EQ(result.size(), party.holds_shares() ? 4u : 0u);
    requests.push_back(pool_system_requests());
  }
  co_return requests;
}

TEST(SteadyState, AStepAsksForNothingAfterTheFirstTen) {
  if (!pooling()) GTEST_SKIP() << "sanitizers see each block";
  for (const Step step : {masked_step, compared_step, boolean_step}) {
    const auto program = [&](Party& party) { return repeated(party, step, 200); };
    const auto run = simulate(Topology(3), program);
    EXPECT_EQ(run.nodes[0][199], run.nodes[0][10]);
  }
}

}  // namespace
}  // namespace sotto::protocols::testing
