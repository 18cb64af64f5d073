#include "sotto/protocol/math/pieces.h"

#include <cmath>

#include "protocols/preprocessing/replicated/run_replicated.h"
#include "sotto/protocol/math/leading_bit.h"
#include "tests/protocols/support.h"

namespace sotto::protocols::testing {
namespace {

class OfOneNumber : public ForParties {};
SOTTO_FOR_PARTIES(OfOneNumber);

constexpr unsigned fraction_bits = 20;

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

// What the protocol computes of x, but for its random roundings: with the piece that is found, or one further on.
double in_clear(const Pieces& pieces, double x, std::size_t further) {
  const double width = std::ldexp(1.0, -static_cast<int>(pieces.piece_bits));
  const auto piece = static_cast<std::size_t>((x - pieces.least) / width) + further;
  const auto& c = pieces.coefficients.at(piece);
  const double unit = std::ldexp(1.0, -static_cast<int>(pieces.coefficient_bits));
  return unit * (static_cast<double>(c[0]) + x * (static_cast<double>(c[1]) + x * static_cast<double>(c[2])));
}

TEST(PiecesOf, ComeAsCloseAsPlannedInAMillionPlaces) {
  const std::vector<std::function<double(double)>> functions{logistic, [](double x) { return std::exp(x / 4); },
                                                             [](double x) { return std::sin(x); }};
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i < 2 * functions.size(); ++i) {
    const auto& of = functions[i / 2];
    const bool has_dealer = i % 2 == 0;
    const Pieces pieces = plan_pieces(of, -12, 12, fraction_bits, fraction_bits, 1.2e-5, has_dealer);
    EXPECT_LE(pieces.error, 1.2e-5);
    EXPECT_EQ(pieces.exceeds, has_dealer ? 1u : 3u);
    double worst = 0;
    for (std::size_t place = 0; place < 1'000'000; ++place) {
      const double x =
          std::ldexp(std::floor(std::ldexp(std::ldexp(static_cast<double>(random() >> 11), -53) * 24, fraction_bits)),
                     -static_cast<int>(fraction_bits)) -
          12;
      const double want = of(x);
      worst = std::max(
          worst, std::abs(in_clear(pieces, x, place % (pieces.exceeds + 1)) - want) / std::max(1.0, std::abs(want)));
    }
    EXPECT_LE(worst, 1.2e-5);
  }
}

TEST_P(OfOneNumber, PiecesAreEvaluatedInTwoRounds) {
  const auto pieces =
      std::make_shared<const Pieces>(plan_pieces(logistic, -12, 12, fraction_bits, fraction_bits, 1.2e-5));
  Numbers x{fixed(-12, fraction_bits), fixed(12, fraction_bits), fixed(0, fraction_bits),
            fixed(std::ldexp(-1.0, -20), fraction_bits)};
  std::mt19937_64 random(GetParam());
  for (int i = 0; i < 500; ++i)
    x.push_back(fixed(static_cast<double>(as_signed(random())) * 0x1p-63 * 12, fraction_bits));
  const auto program = [&](Party& party) {
    return result_on_masked(party, Shape{1, x.size()}, fraction_bits, x,
                            [&](Masked value) { return evaluate(party, std::move(value), pieces); });
  };
  const Numbers result = run_and_agree(GetParam(), 4, program);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(real(result[i], fraction_bits), logistic(real(x[i], fraction_bits)), 1.2e-5);
}

TEST(PiecesOf, RunsWithoutADealerAreTwiceAsManyAtMost) {
  for (const double error : {1e-3, 1.2e-5}) {
    const unsigned dealt = plan_pieces(logistic, -12, 12, fraction_bits, fraction_bits, error).index_bits;
    EXPECT_LE(plan_pieces(logistic, -12, 12, fraction_bits, fraction_bits, error, false).index_bits, dealt + 1);
  }
}

// Without a dealer pieces are found up to three too far, and are planned for that.
TEST(PiecesOf, ServeRunsWithoutADealerIfTheyArePlannedSo) {
  Numbers x{fixed(-12, fraction_bits), fixed(12, fraction_bits), fixed(0, fraction_bits)};
  std::mt19937_64 random(3);
  for (int i = 0; i < 500; ++i)
    x.push_back(fixed(static_cast<double>(as_signed(random())) * 0x1p-63 * 12, fraction_bits));
  for (const bool has_dealer : {false, true}) {
    const auto pieces = std::make_shared<const Pieces>(
        plan_pieces(logistic, -12, 12, fraction_bits, fraction_bits, 1.2e-5, has_dealer));
    const auto program = [&](Party& party) {
      return result_on_masked(party, Shape{1, x.size()}, fraction_bits, x,
                              [&](Masked value) { return evaluate(party, std::move(value), pieces); });
    };
    const auto played = [&] {
      return simulate(Topology::without_dealer(3, false),
                      [&](Party& party) { return run_replicated(party, Seed::from_os(), "pieces", program); });
    };
    if (has_dealer) {
      EXPECT_THROW((void)played(), std::invalid_argument);
      continue;
    }
    const Numbers result = played().nodes[0];
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(real(result[i], fraction_bits), logistic(real(x[i], fraction_bits)), 1.2e-5);
  }
}

TEST(PiecesOf, ThatCannotBePlannedAreRefused) {
  const auto planned = [](double least, double most, double error) {
    return [=] {
      (void)plan_pieces([](double x) { return std::sin(1000 * x); }, least, most, fraction_bits, fraction_bits, error);
    };
  };
  EXPECT_THROW(planned(-4, 4, 1e-6)(), std::invalid_argument);
  EXPECT_THROW(planned(4, -4, 1e-3)(), std::invalid_argument);
  EXPECT_THROW(planned(0, std::nan(""), 1e-3)(), std::invalid_argument);
  EXPECT_THROW(planned(0, 1, 0)(), std::invalid_argument);
  const auto pieces = std::make_shared<const Pieces>(plan_pieces(logistic, -1, 1, fraction_bits, fraction_bits, 1e-4));
  expect_refused([&](Party& party) {
    return result_on_masked(party, Shape{1, 1}, fraction_bits + 1, {0},
                            [&](Masked value) { return evaluate(party, std::move(value), pieces); });
  });
}

// A public number for the size of each lane.
Task<Numbers> sized(Party& party, Numbers x, unsigned low, unsigned high) {
  Masked value = co_await masked(party, Shape{1, x.size()}, 0, x);
  const std::vector<Arith> below = co_await below_powers(party, std::move(value), low, high);
  Numbers words;
  for (unsigned e = low; e <= high; ++e) words.push_back(1000 + e);
  co_return co_await opened(party, by_size(party, below, words, 0));
}

TEST_P(OfOneNumber, LeadingBitsGiveTheSize) {
  const Numbers x{0, 1, 2, 3, 4, 7, 8, 9, 1023, 1024, 1025, (1 << 16) - 1};
  const Numbers size = run_and_agree(GetParam(), 3, [&](Party& party) { return sized(party, x, 3, 16); });
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(size[i], 1000 + std::max(3u, static_cast<unsigned>(std::bit_width(x[i])))) << x[i];
}

TEST(LeadingBits, RefuseSizesThatThereAreNot) {
  expect_refused([](Party& party) { return sized(party, {1}, 5, 4); });
  expect_refused([](Party& party) { return sized(party, {1}, 5, 63); });
  expect_refused([](Party& party) { return sized(party, {1}, 5, 5); });
}

}  // namespace
}  // namespace sotto::protocols::testing
