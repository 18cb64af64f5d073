// Programs of three parties, or of two parties and a helper, that use material made by pair keys. The online phase
// costs as much as with a dealer, and the rounds of preprocessing do not grow with the number of steps.
#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/math/published.h"
#include "sotto/protocol/math/reciprocal.h"
#include "sotto/protocol/preprocessing/run_with_randomness.h"
#include "tests/protocols/preprocessing/replicated/support.h"
#include "tests/protocols/preprocessing/without_dealer.h"

namespace sotto::protocols::testing {
namespace {

INSTANTIATE_TEST_SUITE_P(Modes, OnPairKeys, ::testing::Values(RandomnessBy::replicated, RandomnessBy::helper),
                         name_of_mode);

Task<Numbers> products(Party& party, Numbers x_words, Numbers y_words, Numbers z_words) {
  const Shape shape{1, x_words.size()};
  const NodeId last = party.topology().last_party();
  const Input x_input = input_of(party, 0, shape, 20, x_words);
  const Input y_input = input_of(party, 1, shape, 20, y_words);
  const Input z_input = input_of(party, last, shape, 20, z_words);
  auto [x, y, z] = co_await when_all(share_input(party, 0, x_input, "x"), share_input(party, 1, y_input, "y"),
                                     share_input(party, last, z_input, "z"));
  const Masked p = co_await mask_trunc(party, elementwise(party, x, y), 20, "p");
  PendingProduct square = pending_product<Elementwise>(party, p, p);
  const Masked q = co_await mask_trunc(party, std::move(square), 20, "q");
  const Masked mixed = q - p.times(3) + z;
  const Masked again = co_await mask(party, mixed.shares(party), "again");
  const Numbers two(x_words.size(), std::uint64_t{2} << 20);
  const Masked constant = Masked::constant(party, shape, 20, two);
  co_return co_await opened(party, row_dot(party, again, x) + row_dot(party, again, constant));
}

TEST_P(OnPairKeys, ProductsAndTruncationsAreRight) {
  const Numbers x = random_fixed(200, 2, 20, 1);
  const Numbers y = random_fixed(200, 2, 20, 2);
  const Numbers z = random_fixed(200, 2, 20, 3);
  const Numbers result = run([&](Party& party) { return products(party, x, y, z); });
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double p = real(x[i], 20) * real(y[i], 20);
    sum += (p * p - 3 * p + real(z[i], 20)) * (real(x[i], 20) + 2);
  }
  ASSERT_EQ(result.size(), 1u);
  EXPECT_NEAR(real(result[0], 40), sum, 5e-3);
}

// Each step updates two inverse matrices W for one context x: u = W x, then W -= u u' / (1 + x' u).

constexpr std::size_t dimension = 4;
constexpr std::size_t matrices = 2;

Task<Masked> updated(Party& party, Masked w, Masked x, ReciprocalPlan plan) {
  Arith wx = symmetric_matvec(party, w, x);
  const Masked u = co_await mask_trunc(party, std::move(wx), 20, "u");
  Arith ux = row_dot(party, u, x);
  const Masked d = co_await mask_trunc(party, std::move(ux), 20, "d");
  const Masked p = co_await divide(party, u, d.plus(std::uint64_t{1} << 20), plan);
  PendingProduct twice = plus_multiple(party, -pending_product<SymmetricOuter>(party, p, u), w, 1u << 21, 20);
  const Masked next = co_await mask_trunc(party, std::move(twice), 21, "w");
  co_return next.times(1, 1);
}

Task<Numbers> inverse_steps(Party& party, Numbers contexts) {
  const ReciprocalPlan plan = plan_reciprocal(2, std::ldexp(1.0, -14));
  const std::size_t entries = dimension * (dimension + 1) / 2;
  Numbers identity(matrices * entries, 0);
  for (std::size_t m = 0; m < matrices; ++m) {
    for (std::size_t i = 0, at = 0; i < dimension; at += dimension - i++) {
      identity[m * entries + at] = std::uint64_t{1} << 20;
    }
  }
  Masked w = Masked::constant(party, Shape{matrices, entries}, 20, identity);
  const std::size_t step_words = matrices * dimension;
  for (std::size_t at = 0; at < contexts.size(); at += step_words) {
    const Numbers words(contexts.begin() + static_cast<std::ptrdiff_t>(at),
                        contexts.begin() + static_cast<std::ptrdiff_t>(at + step_words));
    Masked x = co_await masked(party, Shape{matrices, dimension}, 20, words);
    w = co_await updated(party, std::move(w), std::move(x), plan);
  }
  co_return co_await opened(party, w.shares(party));
}

std::vector<double> inverses(const Numbers& contexts) {
  std::vector<double> result;
  for (std::size_t m = 0; m < matrices; ++m) {
    std::array<std::array<double, dimension>, dimension> w{};
    for (std::size_t i = 0; i < dimension; ++i) w[i][i] = 1;
    for (std::size_t at = m * dimension; at < contexts.size(); at += matrices * dimension) {
      std::array<double, dimension> u{};
      double d = 1;
      for (std::size_t i = 0; i < dimension; ++i) {
        for (std::size_t j = 0; j < dimension; ++j) u[i] += w[i][j] * real(contexts[at + j], 20);
      }
      for (std::size_t i = 0; i < dimension; ++i) d += u[i] * real(contexts[at + i], 20);
      for (std::size_t i = 0; i < dimension; ++i) {
        for (std::size_t j = 0; j < dimension; ++j) w[i][j] -= u[i] * u[j] / d;
      }
    }
    for (std::size_t i = 0; i < dimension; ++i) {
      for (std::size_t j = i; j < dimension; ++j) result.push_back(w[i][j]);
    }
  }
  return result;
}

CostWithoutDealer expect_inverses(RandomnessBy by, std::size_t steps) {
  const Numbers contexts = random_fixed(steps * matrices * dimension, 0.5, 20, steps);
  CostWithoutDealer cost;
  const Numbers result = run_without_dealer(
      by, [&](Party& party) { return inverse_steps(party, contexts); }, &cost);
  const std::vector<double> expected = inverses(contexts);
  EXPECT_EQ(result.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(real(result[i], 20), expected[i], 1e-3);
  return cost;
}

TEST_P(OnPairKeys, StepsOfAnInverseAreRightAndMadeAllAtOnce) {
  const CostWithoutDealer one = expect_inverses(GetParam(), 1);
  const CostWithoutDealer many = expect_inverses(GetParam(), 12);
  EXPECT_EQ(one.preprocessing.rounds, many.preprocessing.rounds);
  // The rounds of preprocessing are for keys, truncations, the helper's terms, a confirmation, and a confirmation at
  // the end.
  EXPECT_EQ(one.preprocessing.rounds, 1 + 65 + rounds_of_terms() + 1 + 1u);
  EXPECT_GT(many.online.rounds, 11 * (one.online.rounds - 1));
}

Task<Numbers> exponentials(Party& party, Numbers words) {
  Masked x = co_await masked(party, Shape{1, words.size()}, 20, words);
  const Masked result = co_await exp(party, std::move(x));
  co_return co_await opened(party, result.shares(party));
}

TEST_P(OnPairKeys, ExponentialsAreRight) {
  const Numbers words = random_fixed(50, 2, 20, 9);
  const Numbers result = run([&](Party& party) { return exponentials(party, words); });
  for (std::size_t i = 0; i < words.size(); ++i) {
    const double x = real(words[i], 20);
    EXPECT_NEAR(real(result[i], 20), std::pow(1 + x / 256, 256), 0.02 * std::exp(x)) << x;
  }
}

Task<Numbers> input_from(Party& party, NodeId owner) {
  const Numbers one(1, 1);
  const Input input = input_of(party, owner, Shape{1, 1}, 0, one);
  const Masked x = co_await share_input(party, owner, input, "input");
  co_return co_await opened(party, x.shares(party));
}

TEST_P(OnPairKeys, AreForThree) {
  const auto of_a_party = [](Party& party) { return input_from(party, 1); };
  run_in(makers(GetParam(), true), GetParam(), of_a_party);
  EXPECT_THROW(run_in(Topology::without_dealer(2, false), GetParam(), of_a_party), std::invalid_argument);
  EXPECT_THROW(run_in(Topology(3), GetParam(), of_a_party), std::invalid_argument);
  EXPECT_THROW((void)Topology::with_helper(true, true).with_owners(1), std::invalid_argument);
}

Task<Numbers> sum_of_inputs(Party& party, PoolVector<NodeId> owners, Numbers words) {
  const Shape shape{1, words.size()};
  PoolVector<Task<Masked>> tasks;
  for (const NodeId owner : owners) {
    Input input = input_of(party, owner, shape, 0, words);
    for (std::uint64_t& word : input.words) word *= owner + 1;
    tasks.push_back(share_input(party, owner, std::move(input), "input"));
  }
  const PoolVector<Masked> inputs = co_await when_all(std::move(tasks));
  Arith sum = elementwise(party, inputs[0], inputs[1]);
  for (const Masked& input : inputs) sum += input.shares(party);
  co_return co_await opened(party, std::move(sum));
}

TEST_P(OnPairKeys, TakesInputsOfNodesOutside) {
  const Numbers words = test_words(64, 70, 3);
  const Topology topology = makers(GetParam(), true, true);
  const auto program = [&](Party& party) { return sum_of_inputs(party, {3, 4, 1, 3}, words); };
  const auto whole = [&](Party& party) { return run_replicated(party, Seed::from_os(), "test", program); };
  const auto run = simulate(topology, whole);
  for (NodeId node = 0; node < topology.parties(); ++node) {
    ASSERT_EQ(run.nodes[node].size(), words.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
      EXPECT_EQ(run.nodes[node][i], 20 * words[i] * words[i] + (4 + 5 + 2 + 4) * words[i]);
    }
  }
  const Ledger planned = plan(topology, whole);
  EXPECT_EQ(planned.total().sent, run.sent);
  EXPECT_EQ(planned.total().rounds, run.rounds);
}

// Repeats w <- trunc(w w) + x, with one x for each word. Calls next_stretch() after every `between` repetitions.
Task<Numbers> marked_steps(Party& party, Numbers words, std::size_t between) {
  const Shape shape{1, 2};
  const Numbers first{std::uint64_t{1} << 18, std::uint64_t{1} << 19};
  Masked w = co_await masked(party, shape, 20, first);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i != 0 && i % between == 0) co_await next_stretch(party);
    const Numbers step{words[i], fixed(real(words[i], 20) / 2, 20)};
    const Masked x = co_await masked(party, shape, 20, step);
    const Masked square = co_await mask_trunc(party, elementwise(party, w, w), 20, "square");
    w = square + x;
  }
  co_return co_await opened(party, w.shares(party));
}

TEST_P(OnPairKeys, PlaysStretchAfterStretch) {
  const Numbers words = random_fixed(12, 0.5, 20, 4);
  std::array<double, 2> expected{0.25, 0.5};
  for (const std::uint64_t word : words) {
    for (std::size_t i = 0; i < 2; ++i) {
      expected[i] = expected[i] * expected[i] + real(word, 20) / (i == 0 ? 1 : 2);
    }
  }
  for (const std::size_t between : {1u, 5u, 12u}) {
    CostWithoutDealer cost;
    const Numbers result = run([&](Party& party) { return marked_steps(party, words, between); }, &cost);
    ASSERT_EQ(result.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(real(result[i], 20), expected[i], 1e-4) << between;
    EXPECT_EQ(cost.preprocessing.rounds, 1 + (65 + rounds_of_terms() + 1) * ((12 + between - 1) / between) + 1);
  }
}

TEST_P(OnPairKeys, TakesNoMoreMemoryForMoreStretches) {
  if (!pool_is_pooling()) GTEST_SKIP() << "the pool is off under sanitizers";
  const auto run_steps = [](std::size_t steps) {
    const Numbers words(steps, std::uint64_t{1} << 18);
    run_in(makers(GetParam()), GetParam(), [&](Party& party) { return marked_steps(party, words, 8); });
  };
  run_steps(32);
  const std::uint64_t before = pool_system_requests();
  run_steps(128);
  EXPECT_EQ(pool_system_requests(), before);
}

// During recording, party.is() is false for every node, so a party can run another program than the recorded program.
Task<Numbers> shrinking(Party& party, std::size_t steps) {
  const Shape shape{1, 1};
  const Numbers one(1, 1);
  for (std::size_t i = 0; i < steps; ++i) (void)co_await masked(party, shape, 0, one);
  co_await next_stretch(party);
  co_return Numbers{};
}

TEST_P(OnPairKeys, FindsAStretchThatIsNotUsedUp) {
  const auto run_shrinking = [](std::size_t steps) {
    run_in(makers(GetParam()), GetParam(),
           [=](Party& party) { return shrinking(party, party.holds_shares() ? steps : 2); });
  };
  run_shrinking(2);
  EXPECT_THROW(run_shrinking(1), std::logic_error);
}

}  // namespace
}  // namespace sotto::protocols::testing
