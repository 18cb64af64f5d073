#include "protocols/preprocessing/dealt_sides.h"
#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/boolean/bits.h"
#include "sotto/protocol/compare/argmax.h"
#include "sotto/protocol/compare/below_zero.h"
#include "sotto/protocol/convert/convert.h"
#include "sotto/protocol/math/reciprocal.h"
#include "sotto/protocol/wire/frame.h"
#include "tests/protocols/boolean/shared_bits.h"
#include "tests/protocols/support.h"

namespace sotto::protocols::testing {
namespace {

using Protocol = Task<Numbers> (*)(Party&);

constexpr std::uint64_t one = std::uint64_t{1} << 20;
const Numbers values{3 * one, 5 * one, 4 * one};
const Shape row{1, 3};

Task<Numbers> products(Party& party) {
  return result_of(party,
                   multiply(party, shared_words(party, 64, values), shared_words(party, 64, values), "products"));
}

Task<Numbers> triples(Party& party) {
  return result_of(
      party, multiply_with_triples(party, shared_words(party, 64, values), shared_words(party, 64, values), "triples"));
}

Task<Numbers> exact_truncations(Party& party) {
  return result_on_masked(party, row, 20, values,
                          [&party](const Masked& x) { return mask_trunc(party, x.shares(party), 20, "truncations"); });
}

Task<Numbers> comparisons(Party& party) {
  auto [x, y] = co_await when_all(masked(party, row, 20, values), masked(party, row, 20, shuffled(values, 1)));
  Arith less = co_await less_than(party, std::move(x), std::move(y), 30, "comparisons");
  co_return co_await opened(party, std::move(less));
}

Task<Numbers> circuits(Party& party) {
  return result_of(party, less_than_by_circuit(party, shared_words(party, 64, values),
                                               shared_words(party, 64, shuffled(values, 1)), "circuits"));
}

Task<Numbers> best_arm(Party& party) {
  return result_on_masked(party, row, 20, values, [&party](Masked x) {
    return argmax(party, std::move(x), ArgmaxOptions{0, 30, {}});
  });
}

Task<Numbers> conjunctions(Party& party) {
  return result_of(party, bit_and(party, shared_bits(party, 64, values), shared_bits(party, 64, shuffled(values, 1)),
                                  "conjunctions"));
}

const std::vector<Protocol> protocols{products, triples,  exact_truncations, comparisons,
                                      circuits, best_arm, conjunctions};

Task<Numbers> side_by_side(Party& party, Protocol first, Protocol second) {
  auto [a, b] = co_await when_all(first(party), second(party));
  a.insert(a.end(), b.begin(), b.end());
  co_return a;
}

std::uint64_t rounds_of(Protocol protocol, std::size_t parties) {
  return plan(Topology(parties), [&](Party& party) { return protocol(party); }).total().rounds;
}

class Composition : public ForParties {};
SOTTO_FOR_PARTIES(Composition);

TEST_P(Composition, CostsTheRoundsOfTheLonger) {
  for (const Protocol first : protocols) {
    const Numbers alone = simulate(Topology(GetParam()), first).nodes[0];
    for (const Protocol second : protocols) {
      const Numbers other = simulate(Topology(GetParam()), second).nodes[0];
      const std::uint64_t longer = std::max(rounds_of(first, GetParam()), rounds_of(second, GetParam()));
      Numbers expected = alone;
      expected.insert(expected.end(), other.begin(), other.end());
      EXPECT_EQ(run_and_agree(GetParam(), longer, [&](Party& party) { return side_by_side(party, first, second); }),
                expected);
    }
  }
}

Task<Numbers> many(Party& party, std::size_t count) {
  std::vector<Task<Numbers>> tasks;
  for (std::size_t i = 0; i < count; ++i) tasks.push_back(protocols[i % protocols.size()](party));
  const std::vector<Numbers> results = co_await when_all(std::move(tasks));
  Numbers all;
  for (const Numbers& result : results) all.insert(all.end(), result.begin(), result.end());
  co_return all;
}

TEST_P(Composition, OfManyCostsTheRoundsOfTheLongest) {
  Numbers expected;
  std::uint64_t longest = 0;
  for (std::size_t i = 0; i < 30; ++i) {
    const Protocol protocol = protocols[i % protocols.size()];
    const Numbers alone = simulate(Topology(GetParam()), protocol).nodes[0];
    expected.insert(expected.end(), alone.begin(), alone.end());
    longest = std::max(longest, rounds_of(protocol, GetParam()));
  }
  EXPECT_EQ(run_and_agree(GetParam(), longest, [&](Party& party) { return many(party, 30); }), expected);
}

// After the first steps, a step asks the system for no storage for values or task frames.

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
  auto [less, best] = co_await when_all(less_than(party, x, y, 30, "less"), argmax(party, x, options));
  co_return co_await opened(party, less + best);
}

Task<Numbers> boolean_step(Party& party, Masked x) {
  Bool bits = co_await arith_to_bool(party, x.shares(party), "A2B");
  Arith back = co_await bool_to_arith(party, std::move(bits), 64, "B2A");
  Arith square = co_await multiply_with_triples(party, back, back, "triples");
  co_return co_await opened(party, std::move(square));
}

Task<Numbers> repeated(Party& party, Step step, int steps) {
  const Numbers words{3u << 20, 5u << 20, 4u << 20, 1u << 20};
  const Masked x = co_await masked(party, Shape{1, 4}, 20, words);
  Numbers requests;
  for (int i = 0; i < steps; ++i) {
    const Numbers result = co_await step(party, x);
    EXPECT_EQ(result.size(), party.holds_shares() ? 4u : 0u);
    requests.push_back(pool_system_requests());
  }
  co_return requests;
}

TEST(SteadyState, AStepAsksForNothingAfterTheFirstTen) {
  if (!pool_is_pooling()) GTEST_SKIP() << "sanitizers see each block";
  for (const Step step : {masked_step, compared_step, boolean_step}) {
    const auto run = simulate(Topology(3), [&](Party& party) { return repeated(party, step, 200); });
    EXPECT_EQ(run.nodes[0][199], run.nodes[0][10]);
  }
}

// Each fault immediately causes a ProtocolError of the kind that belongs to the fault. Flipped bits inside a payload
// are not found: the digest authenticates nothing, and the parties are semi-honest. A link that must detect flipped
// bits has to be encrypted.

using Frame = Bytes;
using Kind = ProtocolError::Kind;

const Shape row_of_three{1, 3};
const Numbers one_two_three{1u << 20, 2u << 20, 3u << 20};

Task<Numbers> program(Party& party) {
  const Masked x = co_await masked(party, row_of_three, 20, one_two_three);
  const Masked y = co_await mask_trunc(party, elementwise(party, x, x), 20, "square");
  Arith product = co_await multiply(party, y.shares(party), y.shares(party), "fourth power");
  co_return co_await opened(party, std::move(product));
}

struct Fault {
  std::optional<Kind> kind;
  std::string peer;
  std::uint64_t round = 0;
};

Fault fault_of(SimulationOptions options, std::size_t parties = 3) {
  try {
    (void)simulate(Topology(parties), program, std::move(options));
  } catch (const ProtocolError& error) {
    return {error.kind(), error.peer(), error.round()};
  }
  return {};
}

SimulationOptions tapping(std::function<void(std::uint64_t round, Frame& frame)> tap) {
  SimulationOptions options;
  options.tap = [tap](NodeId from, NodeId to, std::uint64_t round, Frame& frame) {
    if (from == 1 && to == 2) tap(round, frame);
  };
  return options;
}

Fault with_frame(std::function<void(Frame&)> change) {
  return fault_of(tapping([change](std::uint64_t round, Frame& frame) {
    if (round == 2) change(frame);
  }));
}

void expect_fault(const Fault& fault, Kind kind, const std::string& peer = "party 1", std::uint64_t round = 2) {
  ASSERT_TRUE(fault.kind.has_value()) << "nobody noticed";
  EXPECT_EQ(*fault.kind, kind);
  EXPECT_EQ(fault.peer, peer);
  EXPECT_EQ(fault.round, round);
}

TEST(FrameFaults, NoneIsNone) { EXPECT_FALSE(fault_of({}).kind.has_value()); }

TEST(FrameFaults, TruncatedAtAnyLength) {
  for (std::size_t kept = 0; kept < FrameHeader::size + 48; ++kept) {
    expect_fault(with_frame([kept](Frame& frame) {
                   ASSERT_EQ(frame.size(), FrameHeader::size + 48);
                   frame.resize(kept);
                 }),
                 Kind::truncated);
  }
}

TEST(FrameFaults, Extended) {
  for (const std::size_t added : {1u, 8u, 100000u}) {
    expect_fault(with_frame([added](Frame& frame) { frame.resize(frame.size() + added); }), Kind::oversized);
  }
}

TEST(FrameFaults, EveryBitOfTheHeader) {
  for (std::size_t bit = 0; bit < FrameHeader::size * 8; ++bit) {
    const Fault fault = with_frame([bit](Frame& frame) { frame[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8)); });
    const std::size_t at = bit / 8;
    const bool shorter = at < 4 && (48u ^ (1u << bit)) < 48;
    expect_fault(fault, at < 4    ? (shorter ? Kind::truncated : Kind::oversized)
                        : at < 6  ? Kind::unexpected
                        : at < 8  ? Kind::malformed
                        : at < 16 ? Kind::wrong_round
                                  : Kind::wrong_digest);
  }
}

TEST(FrameFaults, AnOlderFrameAgainAndUnderTheRightRound) {
  for (const bool right_round : {false, true}) {
    Frame older;
    const Fault fault = fault_of(tapping([&](std::uint64_t round, Frame& frame) {
      if (round == 1) older = frame;
      if (round != 2) return;
      if (right_round) std::memcpy(older.data() + 8, frame.data() + 8, 8);
      frame = older;
    }));
    expect_fault(fault, right_round ? Kind::wrong_digest : Kind::wrong_round);
  }
}

TEST(FrameFaults, FramesOfTwoRunsOfRoundsSwapped) {
  Frame later;
  const auto in_a_run = [](std::function<void(std::uint64_t, Frame&)> tap) {
    SimulationOptions options = tapping(std::move(tap));
    options.insecure_seed = 1;
    return fault_of(std::move(options));
  };
  const Fault none = in_a_run([&](std::uint64_t round, Frame& frame) {
    if (round == 3) later = frame;
  });
  EXPECT_FALSE(none.kind.has_value());
  const Fault swapped = in_a_run([&](std::uint64_t round, Frame& frame) {
    if (round == 2 || round == 3) frame.swap(later);
  });
  expect_fault(swapped, Kind::wrong_round);
}

TEST(FrameFaults, AFrameOfAnotherProgram) {
  const auto other = [](Party& party) -> Task<Numbers> {
    const Masked x = co_await masked(party, row_of_three, 20, one_two_three);
    const Masked y = co_await mask_trunc(party, elementwise(party, x, x), 20, "cube");
    co_return co_await opened(party, y.shares(party));
  };
  Frame foreign;
  (void)simulate(Topology(3), other, tapping([&](std::uint64_t round, Frame& frame) {
                   if (round == 1) foreign = frame;
                 }));
  const Fault fault = fault_of(tapping([&](std::uint64_t round, Frame& frame) {
    if (round == 1) frame = foreign;
  }));
  ASSERT_TRUE(fault.kind.has_value());
  EXPECT_EQ(*fault.kind, Kind::wrong_digest);
}

TEST(FrameFaults, PayloadsAreNotAuthenticated) {
  const Fault fault = with_frame([](Frame& frame) { frame.back() ^= std::byte{1}; });
  EXPECT_FALSE(fault.kind.has_value());
}

Fault with_chunk(std::function<void(Bytes&)> change) {
  SimulationOptions options;
  options.chunk_tap = [change](std::uint64_t number, Bytes& chunk) {
    if (number == 1) change(chunk);
  };
  return fault_of(std::move(options));
}

TEST(ChunkFaults, ShortAndLongChunksAreTheDealersFault) {
  for (const int change : {-1, -8, 1, 1000}) {
    const Fault fault = with_chunk(
        [change](Bytes& chunk) { chunk.resize(static_cast<std::size_t>(static_cast<int>(chunk.size()) + change)); });
    expect_fault(fault, change < 0 ? Kind::truncated : Kind::oversized, "dealer", 1);
  }
  expect_fault(with_chunk([](Bytes& chunk) { chunk.clear(); }), Kind::truncated, "dealer", 1);
}

TEST(ChunkFaults, ChunkNumbersOnlyGrow) {
  const SessionKeys keys = draw_session_keys(Topology(2), 1);
  Ledger ledger{Topology(2)};
  DealtAtNode last(ledger, 1, keys.nodes[1]);
  const auto kind_of = [&](std::uint64_t number) -> std::optional<Kind> {
    try {
      last.load_chunk(number, {});
    } catch (const ProtocolError& error) {
      return error.kind();
    }
    return std::nullopt;
  };
  EXPECT_EQ(kind_of(1), Kind::wrong_round);
  EXPECT_EQ(kind_of(0), std::nullopt);
  EXPECT_EQ(kind_of(0), Kind::wrong_round);
  EXPECT_EQ(kind_of(2), Kind::wrong_round);
  EXPECT_EQ(kind_of(1), std::nullopt);
}

TEST(SimulateEnds, RolesThatEndAtDifferentRoundsAreFound) {
  const auto uneven = [](Party& party) -> Task<Numbers> {
    const Masked x = co_await masked(party, row_of_three, 20, one_two_three);
    if (party.is(1)) co_return Numbers{};
    co_return co_await opened(party, x.shares(party));
  };
  EXPECT_THROW((void)simulate(Topology(2), uneven), ProtocolError);
}

TEST(SimulateEnds, ErrorsOfOneRoleEndTheRun) {
  const auto failing = [](Party& party) -> Task<Numbers> {
    const Masked x = co_await masked(party, row_of_three, 20, one_two_three);
    if (party.is(1)) throw InputError("row 3 is out of bounds");
    co_return co_await opened(party, x.shares(party));
  };
  EXPECT_THROW((void)simulate(Topology(2), failing), InputError);
}

TEST(SimulateSeeds, RepeatWithAnInsecureSeedAndOnlyThen) {
  const auto transcript = [](std::optional<std::uint64_t> seed) {
    std::vector<Frame> frames;
    SimulationOptions options;
    options.insecure_seed = seed;
    options.tap = [&](NodeId, NodeId, std::uint64_t, Frame& frame) { frames.push_back(frame); };
    (void)simulate(Topology(2), program, std::move(options));
    return frames;
  };
  EXPECT_EQ(transcript(5), transcript(5));
  EXPECT_NE(transcript(5), transcript(6));
  EXPECT_NE(transcript(std::nullopt), transcript(std::nullopt));
}

}  // namespace
}  // namespace sotto::protocols::testing
