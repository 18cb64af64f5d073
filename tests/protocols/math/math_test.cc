#include <cmath>

#include "protocols/preprocessing/replicated/run_replicated.h"
#include "sotto/protocol/math/leading_bit.h"
#include "sotto/protocol/math/pieces.h"
#include "sotto/protocol/math/published.h"
#include "sotto/protocol/math/reciprocal.h"
#include "tests/protocols/support.h"

namespace sotto::protocols::testing {
namespace {

class OfOneNumber : public ForParties {};
SOTTO_FOR_PARTIES(OfOneNumber);

constexpr unsigned fraction_bits = 20;

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

// The result of the protocol for x without random rounding, if the protocol uses the piece `further` pieces after the
// piece of x.
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

// Without a dealer, the protocol may choose a piece up to three pieces too far. The pieces are planned so that the
// result is still right.
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

class Reciprocal : public ForParties {};
SOTTO_FOR_PARTIES(Reciprocal);

Task<Numbers> quotients(Party& party, Numbers d_words, double q) {
  const Shape column{d_words.size(), 1};
  const Numbers ones(d_words.size(), std::uint64_t{1} << 20);
  auto [d, u] = co_await when_all(masked(party, column, 20, d_words), masked(party, column, 20, ones));
  const Masked result = co_await divide(party, std::move(u), std::move(d), plan_reciprocal(q, std::ldexp(1.0, -14)));
  co_return co_await opened(party, result.shares(party));
}

Task<Numbers> wide_quotients(Party& party, Numbers u_words, Numbers d_words, ReciprocalPlan plan, unsigned u_bits) {
  const Shape column{d_words.size(), 1};
  auto [d, u] = co_await when_all(masked(party, column, 20, d_words), masked(party, column, u_bits, u_words));
  const Masked result = co_await divide(party, std::move(u), std::move(d), plan);
  co_return co_await opened(party, result.shares(party));
}

TEST_P(Reciprocal, CoversItsRangeToTwoToMinus13) {
  for (const double norm : {0.5, 1.0, 1.2, 2.0, 4.0, 8.0}) {
    const double q = 1 + norm * norm;
    Numbers d;
    for (int i = 0; i <= 300; ++i) d.push_back(fixed(1 + (q - 1) * i / 300, 20));
    const unsigned rounds = plan_reciprocal(q, std::ldexp(1.0, -14)).rounds();
    const Numbers result =
        run_and_agree(GetParam(), 1 + rounds + 1, [&](Party& party) { return quotients(party, d, q); });
    for (std::size_t i = 0; i < d.size(); ++i) {
      EXPECT_NEAR(real(result[i], 20), 1 / real(d[i], 20), std::ldexp(1.0, -13))
          << "q " << q << ", d " << real(d[i], 20);
    }
  }
}

TEST_P(Reciprocal, KeepsTheBitsOfTheDividend) {
  constexpr unsigned u_bits = 25;
  const ReciprocalPlan plan = plan_reciprocal(2, std::ldexp(1.0, -14), 20, u_bits - 20);
  const Numbers d{fixed(1, 20), fixed(1.3, 20), fixed(1.9, 20), fixed(2, 20)};
  const Numbers u{fixed(1, u_bits), fixed(1e-3, u_bits), fixed(3e-6, u_bits), fixed(-1, u_bits)};
  const Numbers result = run_and_agree(GetParam(), 1 + plan.rounds() + 1,
                                       [&](Party& party) { return wide_quotients(party, u, d, plan, u_bits); });
  for (std::size_t i = 0; i < d.size(); ++i) {
    const double expected = real(u[i], u_bits) / real(d[i], 20);
    EXPECT_NEAR(real(result[i], u_bits), expected,
                std::ldexp(2.5, -static_cast<int>(u_bits)) + std::abs(expected) * 0x1p-13);
  }
  expect_refused([&](Party& party) { return wide_quotients(party, u, d, plan, 19); }, GetParam());
}

double approximate(const ReciprocalPlan& plan, unsigned f, double d) {
  const double unit = std::ldexp(1.0, -static_cast<int>(plan.coefficient_bits));
  const double t = d - (plan.top + 1) / 2;
  const double y = unit * (std::ldexp(static_cast<double>(plan.constant), -static_cast<int>(f)) +
                           t * (static_cast<double>(plan.linear) + t * static_cast<double>(plan.square)));
  double e = 1 - d * y;
  EXPECT_LE(std::abs(e), plan.first_error * (1 + 1e-9));
  double p = y;
  for (unsigned factor = 1; factor < plan.factors; ++factor, e *= e) p *= 1 + e;
  return p * (1 + plan.last_error() * plan.last_error() / 2 + e);
}

TEST(ReciprocalPlanning, KeepsThePromisedPrecisionForAnyRangeAndWidth) {
  for (const unsigned f : {1u, 8u, 12u, 20u, 24u}) {
    for (double q = 1; q <= 65; q += q < 4 ? 0.125 : 1.5) {
      for (const double precision : {0.1, std::ldexp(1.0, -14), 1e-9}) {
        const ReciprocalPlan plan = plan_reciprocal(q, precision, f);
        ASSERT_LE(plan.residual(), precision) << "q " << q << ", f " << f;
        for (int i = 0; i <= 200; ++i) {
          const double d = 1 + (q - 1) * i / 200;
          ASSERT_NEAR(approximate(plan, f, d) * d, 1, plan.residual() * (1 + 1e-6) + 1e-14)
              << "q " << q << ", d " << d << ", f " << f;
        }
      }
    }
  }
}

TEST(ReciprocalPlanning, TakesThreeRoundsForUnitNorm) {
  for (const unsigned f : {12u, 16u, 20u, 24u}) {
    const ReciprocalPlan plan = plan_reciprocal(2, std::ldexp(1.0, -14), f);
    EXPECT_EQ(plan.rounds(), 3u);
    EXPECT_EQ(plan.degree, 2u);  // the first of the three rounds only squares the divisor
    EXPECT_LT(plan.first_error, 1.0 / 95);
  }
}

TEST(ReciprocalPlanning, RefusesWhatItCannotCover) {
  EXPECT_THROW((void)plan_reciprocal(66, 1e-3), std::invalid_argument);
  EXPECT_THROW((void)plan_reciprocal(0.5, 1e-3), std::invalid_argument);
  EXPECT_THROW((void)plan_reciprocal(2, 0), std::invalid_argument);
  EXPECT_THROW((void)plan_reciprocal(2, 1), std::invalid_argument);
  EXPECT_THROW((void)plan_reciprocal(2, 1e-3, 0), std::invalid_argument);
  EXPECT_THROW((void)plan_reciprocal(2, 1e-3, 25), std::invalid_argument);
}

TEST_P(Reciprocal, ExpIsThePublishedLimit) {
  Numbers x;
  for (double v = -12; v <= 4; v += 0.25) x.push_back(fixed(v, 20));
  const auto program = [&](Party& party) {
    return result_on_masked(party, Shape{1, x.size()}, 20, x,
                            [&party](Masked m) { return protocols::exp(party, std::move(m)); });
  };
  const Numbers result = run_and_agree(GetParam(), 10, program);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double limit = std::pow(1 + real(x[i], 20) / 256, 256);
    EXPECT_NEAR(real(result[i], 20), limit, 2e-6 * (1 + limit) * 4);
  }
}

TEST_P(Reciprocal, PublishedStartStillErrsByOneAndAHalfPercentAtTen) {
  const Numbers d{fixed(1, 20), fixed(2, 20), fixed(5, 20), fixed(10, 20)};
  const auto program = [&](Party& party) {
    return result_on_masked(party, Shape{1, d.size()}, 20, d,
                            [&party](Masked m) { return protocols::published_reciprocal(party, std::move(m)); });
  };
  const Numbers result = run_and_agree(GetParam(), 25, program);
  EXPECT_NEAR(real(result[0], 20), 1, 1e-4);
  EXPECT_NEAR(real(result[1], 20), .5, 1e-4);
  EXPECT_NEAR(real(result[2], 20), .2, 1e-4);
  EXPECT_NEAR(real(result[3], 20) * 10, 1 - .015, .003);
}

}  // namespace
}  // namespace sotto::protocols::testing
