// What the protocol tests share: numbers in, numbers out, for 2, 3 and 5 parties.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "sotto/core/async/when_all.h"
#include "sotto/core/sharing/share_access.h"
#include "sotto/protocols/io/open.h"
#include "sotto/protocols/io/share_input.h"
#include "sotto/protocols/simulate/simulate.h"

namespace sotto::protocols::testing {

using Numbers = std::vector<std::uint64_t>;

// What `owner` holds: the words at the owner, the shape elsewhere.
inline Input input_of(const Party& party, NodeId owner, Shape shape, unsigned scale, const Numbers& words) {
  Input input{shape, scale, {}};
  if (party.is(owner)) input.words.assign(words.begin(), words.end());
  return input;
}

// A plain masked value of party 0's numbers. 1 round.
inline Task<Masked> masked(Party& party, Shape shape, unsigned scale, Numbers words) {
  co_return co_await share_input(party, 0, input_of(party, 0, shape, scale, words), "test input");
}

// The words that were opened, empty at roles that do not know them.
inline Numbers words_of(const Public& value) {
  Numbers words;
  value.if_known([&](const Words& known) { words.assign(known.begin(), known.end()); });
  return words;
}

inline Task<Numbers> opened(Party& party, Arith value) {
  const Public result = co_await open(party, std::move(value), "test result");
  co_return words_of(result);
}

// All compute parties must have opened the same words; the measured cost must be the planned one.
template <class Program>
Numbers run_and_agree(std::size_t parties, Program program, std::uint64_t expected_rounds) {
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

inline std::int64_t as_signed(std::uint64_t word) { return static_cast<std::int64_t>(word); }
inline std::uint64_t fixed(double value, unsigned f) {
  return static_cast<std::uint64_t>(std::llround(std::ldexp(value, static_cast<int>(f))));
}
inline double real(std::uint64_t word, unsigned f) {
  return std::ldexp(static_cast<double>(as_signed(word)), -static_cast<int>(f));
}

class ForParties : public ::testing::TestWithParam<std::size_t> {};
#define SOTTO_FOR_PARTIES(suite) \
  INSTANTIATE_TEST_SUITE_P(Parties, suite, ::testing::Values(2, 3, 5), ::testing::PrintToStringParamName())

}  // namespace sotto::protocols::testing
