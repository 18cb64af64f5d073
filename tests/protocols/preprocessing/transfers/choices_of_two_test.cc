// Choices that two parties make by oblivious transfers: frequencies of a million by chi-square, and choices among
// allowed arms.
#include "core/party/no_preprocessing.h"
#include "protocols/preprocessing/recorded/bit_planes.h"
#include "protocols/preprocessing/recorded/choices.h"
#include "sotto/protocol/compare/choose.h"
#include "tests/protocols/preprocessing/chi_square.h"
#include "tests/protocols/preprocessing/without_dealer.h"

namespace sotto::protocols::testing {
namespace {

// A protocol on the triples that it takes: body(party, pieces) gives its task.
template <class Body>
auto with_triples(Party& party, Body body)
    -> Task<decltype(body(std::declval<Party&>(), std::declval<PieceProtocols&>()).take())> {
  TransferPieces pieces = co_await agree_on_transfer_pieces(party, Seed::from_os(), "test");
  const DryRun dry_run = [&](PieceProtocols& sizes) {
    NoPreprocessing none;
    Rounds rounds(party.topology(), std::nullopt);
    Party alone(rounds, none);
    auto task = body(alone, sizes);
    task.start_on(rounds);
    while (rounds.gather()) rounds.scatter();
  };
  co_await pieces.make_ready(party, dry_run);
  co_return co_await body(party, pieces);
}

// A million events in parts, as the triples of all would fill the memory.
constexpr std::size_t parts = 8;
constexpr std::size_t part = 125'000;

// body(party, pieces) in each part; each(nodes) sees what both parties have.
template <class Body, class Each>
void in_parts(Body body, Each each) {
  for (std::size_t i = 0; i < parts; ++i) {
    each(simulate(two(), [&](Party& party) { return with_triples(party, body); }).nodes);
  }
}

// Of one plane, the bits of its lanes.
Words plane_of(const BitPieces& of_0, const BitPieces& of_1) {
  Words words = of_0.own;
  for (std::size_t i = 0; i < words.size(); ++i) words[i] ^= of_1.own[i];
  return numbers_of(words, of_0.lanes, 1);
}

double set_among(const BitPieces& of_0, const BitPieces& of_1) {
  const Words bits = plane_of(of_0, of_1);
  return static_cast<double>(std::accumulate(bits.begin(), bits.end(), std::uint64_t{0}));
}

TEST(Statistical, MillionCoinsByTransfersKeepTheirThreshold) {
  for (const double share : {0.1, 0.5}) {
    const auto threshold = static_cast<std::uint64_t>(std::ldexp(share, 64));
    double heads = 0;
    in_parts([=](Party& party, PieceProtocols& pieces) { return coins(party, pieces, part, threshold); },
             [&](const auto& nodes) { heads += set_among(nodes[0], nodes[1]); });
    EXPECT_LT(chi_square({heads, parts * part - heads}, {share, 1 - share}), limit_1) << heads;
  }
}

TEST(Statistical, MillionArmsByTransfersAreUniform) {
  constexpr std::size_t arms = 10;
  std::vector<double> counts(arms, 0);
  in_parts([](Party& party, PieceProtocols& pieces) { return uniform_arms(party, pieces, part, arms); },
           [&](const auto& nodes) {
             for (std::size_t arm = 0; arm < arms; ++arm) counts[arm] += set_among(nodes[0][arm], nodes[1][arm]);
           });
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0.0), 1e6);
  EXPECT_LT(chi_square(counts, std::vector<double>(arms, 0.1)), limit_9);
}

TEST(Statistical, TiesByTransfersHaveAUniformFirst) {
  constexpr std::size_t arms = 5;
  constexpr std::size_t events = 40'000;
  const auto orders = [](Party& party, PieceProtocols& pieces) { return tie_orders(party, pieces, events, arms); };
  const auto nodes = simulate(two(), [&](Party& party) { return with_triples(party, orders); }).nodes;
  std::vector<std::array<std::size_t, arms>> smaller(events);  // arms whose key is smaller
  std::size_t pair = 0;
  for (std::size_t i = 0; i < arms; ++i) {
    for (std::size_t j = i + 1; j < arms; ++j, ++pair) {
      const Words before = plane_of(nodes[0][pair], nodes[1][pair]);
      for (std::size_t event = 0; event < events; ++event) ++smaller[event][before[event] != 0 ? j : i];
    }
  }
  std::vector<double> counts(arms, 0);
  for (const auto& order : smaller) {
    ++counts[static_cast<std::size_t>(std::find(order.begin(), order.end(), 0u) - order.begin())];
  }
  EXPECT_LT(chi_square(counts, std::vector<double>(arms, 0.2)), limit_4);
}

// ---- Among allowed arms. ----

// Events in which the arms of `set` alone may be taken; scores an event after the other.
Task<Numbers> allowed_choices(Party& party, Numbers scores, AllowedArms set, Exploration exploration) {
  const Shape shape{scores.size() / set.size(), set.size()};
  AllowedArms allowed;
  for (std::size_t e = 0; e < shape.rows; ++e) allowed.insert(allowed.end(), set.begin(), set.end());
  const auto choice = [&](Masked s) {
    return choose(party, std::move(s), std::move(allowed), ArgmaxOptions{20, 29, exploration});
  };
  co_return co_await result_on_masked(party, shape, 40, std::move(scores), choice);
}

// How often each arm is taken where those of `set` may be; every row is the one-hot of one of these.
std::vector<double> taken_among(const AllowedArms& set, const Numbers& scores, Exploration exploration) {
  const std::size_t arms = set.size();
  const Numbers one_hots = run_without_dealer(
      RandomnessBy::ot, [&](Party& party) { return allowed_choices(party, scores, set, exploration); });
  EXPECT_EQ(one_hots.size(), scores.size());
  std::vector<double> counts(arms, 0);
  for (std::size_t at = 0; at < one_hots.size(); at += arms) {
    const auto row = std::span(one_hots).subspan(at, arms);
    EXPECT_EQ(std::accumulate(row.begin(), row.end(), std::uint64_t{0}), 1u);
    const auto arm = static_cast<std::size_t>(std::find(row.begin(), row.end(), 1u) - row.begin());
    if (arm < arms) ++counts[arm];
  }
  for (std::size_t arm = 0; arm < arms; ++arm) {
    if (set[arm] == 0) {
      EXPECT_EQ(counts[arm], 0) << "arm " << arm << " is barred";
    }
  }
  return counts;
}

// The scores of every event: arm 0, which may be barred, far ahead of `second`, and that ahead of all others.
Numbers two_ahead(std::size_t events, std::size_t arms, std::size_t second) {
  Numbers scores(events * arms, 0);
  for (std::size_t at = 0; at < scores.size(); at += arms) {
    scores[at] = std::uint64_t{9} << 40;
    scores[at + second] = std::uint64_t{3} << 40;
  }
  return scores;
}

TEST(TwoPartiesChoose, TheBestAllowedArm) {
  EXPECT_EQ(taken_among({0, 1, 1, 0, 1}, two_ahead(40, 5, 2), {})[2], 40);
  EXPECT_EQ(taken_among({1, 0, 1, 1, 1}, two_ahead(40, 5, 2), {})[0], 40);
  EXPECT_EQ(taken_among({0, 0, 0, 1}, two_ahead(40, 4, 2), {})[3], 40);
}

// 600 events, within 8 standard deviations.
TEST(TwoPartiesChoose, UniformlyAmongAllowedArmsStatistical) {
  const AllowedArms three_of_five{0, 1, 1, 0, 1};
  const std::vector<double> tied = taken_among(three_of_five, Numbers(600 * 5, 0), {});
  const std::vector<double> explored = taken_among(three_of_five, two_ahead(600, 5, 2), Exploration{0, true});
  for (const std::size_t arm : {1u, 2u, 4u}) {
    EXPECT_NEAR(tied[arm], 200, 8 * 11.6);
    EXPECT_NEAR(explored[arm], 200, 8 * 11.6);
  }
  // Half of the time the best, otherwise one of three.
  const std::vector<double> half =
      taken_among(three_of_five, two_ahead(600, 5, 2), Exploration{std::uint64_t{1} << 63, false});
  EXPECT_NEAR(half[2], 400, 8 * 11.6);
  EXPECT_NEAR(half[1], 100, 8 * 9.2);
}

}  // namespace
}  // namespace sotto::protocols::testing
