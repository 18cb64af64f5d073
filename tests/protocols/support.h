#pragma once

#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/boolean/bits.h"
#include "sotto/protocol/compare/below_zero.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/io/open.h"
#include "sotto/protocol/sharing/share_access.h"
#include "sotto/protocol/simulate/simulate.h"
#include "tests/framework.h"

namespace sotto::protocols::testing {

using Numbers = std::vector<std::uint64_t>;

inline Input input_of(const Party& party, NodeId owner, Shape shape, unsigned scale, const Numbers& words) {
  Input input{shape, scale, {}};
  if (party.is(owner)) input.words.assign(words.begin(), words.end());
  return input;
}

// Party 0's numbers as a plain masked value, which takes one round to make.
inline Task<Masked> masked(Party& party, Shape shape, unsigned scale, Numbers words) {
  co_return co_await share_input(party, 0, input_of(party, 0, shape, scale, words), "test input");
}

inline Numbers words_of(const Public& value) {
  Numbers words;
  value.if_known([&](const Words& known) { words.assign(known.begin(), known.end()); });
  return words;
}

inline Task<Numbers> opened(Party& party, Arith value) {
  const Public result = co_await open(party, std::move(value), "test result");
  co_return words_of(result);
}
inline Task<Numbers> opened(Party& party, Bool value) {
  const Public result = co_await open_bool(party, std::move(value), "test result");
  co_return words_of(result);
}

template <class Value>
Task<Numbers> result_of(Party& party, Task<Value> protocol) {
  Value value = co_await std::move(protocol);
  if constexpr (std::is_same_v<Value, Masked>) {
    co_return co_await opened(party, value.shares(party));
  } else {
    co_return co_await opened(party, std::move(value));
  }
}

// `protocol` returns the task for party 0's masked numbers.
template <class Protocol>
Task<Numbers> result_on_masked(Party& party, Shape shape, unsigned scale, Numbers words, Protocol protocol) {
  Masked x = co_await masked(party, shape, scale, std::move(words));
  co_return co_await result_of(party, protocol(std::move(x)));
}

// Checks that all compute parties have opened the same words, and that the measured cost is the planned cost.
template <class Program>
Numbers run_and_agree(std::size_t parties, std::uint64_t expected_rounds, Program program) {
  const Topology topology(parties);
  const auto run = simulate(topology, program);
  const Ledger planned = plan(topology, program);
  for (std::size_t p = 1; p < parties; ++p) EXPECT_EQ(run.nodes[p], run.nodes[0]) << "party " << p;
  EXPECT_EQ(run.rounds, expected_rounds);
  EXPECT_EQ(planned.total().rounds, run.rounds);
  EXPECT_EQ(planned.total().sent, run.sent);
  EXPECT_EQ(planned.total().dealt, run.dealt);
  EXPECT_EQ(run.ledger.total(), planned.total());
  return run.nodes[0];
}

template <class Program>
void expect_refused(Program program, std::size_t parties = 2) {
  EXPECT_THROW((void)simulate(Topology(parties), program), std::invalid_argument);
}

inline std::int64_t as_signed(std::uint64_t word) { return static_cast<std::int64_t>(word); }
inline std::uint64_t fixed(double value, unsigned f) {
  return static_cast<std::uint64_t>(std::llround(std::ldexp(value, static_cast<int>(f))));
}
inline double real(std::uint64_t word, unsigned f) {
  return std::ldexp(static_cast<double>(as_signed(word)), -static_cast<int>(f));
}

// Pairs of words whose differences fit in k bits. The differences are edge values and random values.
inline std::pair<Numbers, Numbers> words_to_compare(unsigned k) {
  const std::int64_t top = (std::int64_t{1} << (k - 1)) - 1;
  std::mt19937_64 random(k);
  Numbers x, y;
  const auto add = [&](std::int64_t difference) {
    y.push_back(random());
    x.push_back(y.back() + static_cast<std::uint64_t>(difference));
  };
  for (const std::int64_t d : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, top, -top - 1}) add(d);
  for (int i = 0; i < 200; ++i) add(as_signed(random()) >> (64 - k));
  return {x, y};
}

// Computes x < y for numbers of k bits.
inline Task<Numbers> compared(Party& party, Numbers x_words, Numbers y_words, unsigned k) {
  const Shape shape{1, x_words.size()};
  auto [x, y] = co_await when_all(masked(party, shape, 0, x_words), masked(party, shape, 0, y_words));
  Arith less = co_await less_than(party, std::move(x), std::move(y), k, "less");
  co_return co_await opened(party, std::move(less));
}

class ForParties : public ::testing::TestWithParam<std::size_t> {};
#define SOTTO_FOR_PARTIES(suite) \
  INSTANTIATE_TEST_SUITE_P(Parties, suite, ::testing::Values(2, 3, 5), ::testing::PrintToStringParamName())

}  // namespace sotto::protocols::testing
