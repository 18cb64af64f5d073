// The owner of a log attacks one customer of a party, with the help of all other roles. The owner knows everything
// except this party's noise, and whether the model agrees with the log for this customer.
#include "apps/bandit/model/batch/noised_sums.h"
#include "apps/bandit/run/sites/site.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "tests/apps/support.h"

namespace sotto::apps::bandit::run::testing {
namespace {

constexpr std::size_t guesses = 100'000;

// The largest probability of guessing a bit correctly, if noise with this epsilon hides the bit.
double best_chance(double epsilon) { return std::exp(epsilon) / (1 + std::exp(epsilon)); }
double four_errors(double chance, double of) { return 4 * std::sqrt(chance * (1 - chance) / of); }

class Attacked {
 public:
  explicit Attacked(const CountPrivacy& privacy) : noise_(privacy, Coins::insecure(5)) {}
  std::vector<std::int64_t> opened(const std::vector<std::int64_t>& counts) {
    std::vector<std::uint64_t> words(counts.size());
    noise_.draw_noise(words);
    std::vector<std::int64_t> opened(counts);
    for (std::size_t cell = 0; cell < counts.size(); ++cell) opened[cell] += static_cast<std::int64_t>(words[cell]);
    return opened;
  }

 private:
  OwnNoise noise_;
};

double guessed_right(std::uint64_t seed, const CountPrivacy& privacy, std::int64_t rows) {
  std::mt19937_64 random(seed);
  Attacked party(privacy);
  std::size_t right = 0;
  for (std::size_t i = 0; i < guesses; ++i) {
    const bool agrees = random() % 2 == 1;
    right += (2 * party.opened({agrees ? rows : 0}).front() > rows) == agrees ? 1 : 0;
  }
  return static_cast<double>(right) / guesses;
}

TEST(EvaluationAttacks, OfConstantsAndOneCustomerGuessNoBetterThanEpsilonAllows) {
  std::mt19937_64 random(1);
  for (const double epsilon : {.5, 1., 2.}) {
    Attacked party({epsilon, 1});
    std::size_t right = 0;
    for (std::size_t i = 0; i < guesses; ++i) {
      const std::int64_t agrees = random() % 2;
      const std::int64_t shown = party.opened({999, agrees})[1];
      right += (shown >= 1) == (agrees == 1) ? 1 : 0;
    }
    const double chance = best_chance(epsilon);
    EXPECT_LE(static_cast<double>(right) / guesses, chance + four_errors(chance, guesses)) << epsilon;
    EXPECT_GE(static_cast<double>(right) / guesses, .5) << "the attack does what it can";
  }
}

TEST(EvaluationAttacks, OfTwoEvaluationsGuessNoBetterThanTwoEpsilon) {
  std::mt19937_64 random(2);
  for (const double epsilon : {.5, 1.}) {
    Attacked party({epsilon, 1});
    std::size_t right = 0;
    for (std::size_t i = 0; i < guesses; ++i) {
      const std::int64_t agrees = random() % 2;
      double odds = 0;
      for (int evaluation = 0; evaluation < 2; ++evaluation) {
        const auto shown = static_cast<double>(party.opened({agrees}).front());
        odds += std::abs(shown) - std::abs(shown - 1);
      }
      right += (odds >= 0) == (agrees == 1) ? 1 : 0;
    }
    const double chance = best_chance(2 * epsilon);
    EXPECT_LE(static_cast<double>(right) / guesses, chance + four_errors(chance, guesses)) << epsilon;
  }
}

// The log has 14 buyers, each in a cell of its own. If the weights were exact, subset sums would identify all 14
// buyers.
TEST(EvaluationAttacks, OfFewBuyersReadNoneBetterThanEpsilonAllows) {
  constexpr std::size_t buyers = 14;
  std::mt19937_64 random(3);
  Attacked party({1, 1});
  std::array<std::size_t, buyers> right{};
  std::size_t all_right = 0;
  constexpr std::size_t logs = guesses / buyers;
  for (std::size_t log = 0; log < logs; ++log) {
    std::vector<std::int64_t> agree(buyers);
    for (std::int64_t& one : agree) one = random() % 2;
    const std::vector<std::int64_t> shown = party.opened(agree);
    bool all = true;
    for (std::size_t buyer = 0; buyer < buyers; ++buyer) {
      const bool guessed = (shown[buyer] >= 1) == (agree[buyer] == 1);
      right[buyer] += guessed ? 1 : 0;
      all = all && guessed;
    }
    all_right += all ? 1 : 0;
  }
  const double chance = best_chance(1);
  for (const std::size_t of_buyer : right) {
    EXPECT_LE(static_cast<double>(of_buyer) / logs, chance + four_errors(chance, logs));
  }
  const double of_all = std::pow(chance, buyers);
  EXPECT_LE(static_cast<double>(all_right) / logs, of_all + four_errors(of_all, logs));
}

TEST(EvaluationAttacks, OfSeveralRowsOfAPersonGuessNoBetter) {
  const double chance = best_chance(1);
  EXPECT_LE(guessed_right(4, {1, 3}, 3), chance + four_errors(chance, guesses));
}

// Shows that the test can fail: with half of the noise, the test detects an attack on one row.
TEST(EvaluationAttacks, AreFoundOutWhereNoiseIsHalved) {
  const double chance = best_chance(1);
  EXPECT_GT(guessed_right(5, {2, 1}, 1), chance + four_errors(chance, guesses));
}

// Makes the best possible guess, from A and b, about which of two rows a model learned from. The owner of the log knows
// the noise of all other roles.
double learned_row_guessed(double epsilon, double part_of_noise, std::size_t guessed) {
  constexpr std::size_t d = 3;
  constexpr unsigned bits = 16;
  // These two rows have the dot product -1/2. No other dot product of two unit rows changes the sums A and b more when
  // one row replaces the other.
  const double rows[2][d] = {{1, 0, 0}, {-.5, std::sqrt(.75), 0}};
  OwnNoise noise({}, Coins::insecure(6));
  noise.add_to_learning(part_of_noise * learning_deviation(epsilon, 1e-6, 1, 1, d));
  std::mt19937_64 random(3);
  std::size_t right = 0;
  std::vector<std::uint64_t> gram(d * (d + 1) / 2);
  std::vector<std::uint64_t> targets(d);
  for (std::size_t i = 0; i < guessed; ++i) {
    const std::size_t learned = random() % 2;
    noise.draw_gram_noise(d, bits, gram);
    noise.draw_target_noise(bits, targets);
    double odds = 0;  // log odds of the second row against the first
    std::size_t at = 0;
    for (std::size_t k = 0; k < d; ++k) {
      for (std::size_t l = k; l < d; ++l) {
        const double noised = rows[learned][k] * rows[learned][l] + decode(gram[at++], bits);
        const double weight = k == l ? 1 : 2;  // 1 / variance of the noise in this entry, up to a factor
        for (const int row : {0, 1}) {
          const double off = noised - rows[row][k] * rows[row][l];
          odds += (row == 0 ? 1 : -1) * weight * off * off;
        }
      }
      const double noised = rows[learned][k] + decode(targets[k], bits);
      odds += std::pow(noised - rows[0][k], 2) - std::pow(noised - rows[1][k], 2);
    }
    right += (odds > 0) == (learned == 1) ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(guessed);
}

TEST(EvaluationAttacks, OfALearnedRowGuessNoBetterThanEpsilonAllows) {
  constexpr std::size_t guessed = 20'000;
  for (const double epsilon : {.5, 2.}) {
    const double chance = best_chance(epsilon);
    EXPECT_LE(learned_row_guessed(epsilon, 1, guessed), chance + four_errors(chance, guessed)) << epsilon;
  }
  EXPECT_GT(learned_row_guessed(.5, .05, guessed), best_chance(.5)) << "a twentieth of the noise is found out";
}

}  // namespace
}  // namespace sotto::apps::bandit::run::testing
