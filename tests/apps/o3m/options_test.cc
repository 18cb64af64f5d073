#include "sotto/apps/o3m/options.h"

#include <gtest/gtest.h>

#include <limits>

#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

template <class Action>
std::string message(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error was thrown";
  return {};
}

TEST(O3mOptions, KnowTheirAlgorithms) {
  EXPECT_EQ(parse_algorithm("ucb", ""), LinearAlgorithm::ucb);
  EXPECT_EQ(parse_algorithm(algorithm_text(LinearAlgorithm::ts), ""), LinearAlgorithm::ts);
  EXPECT_EQ(message([] { (void)parse_algorithm("UCB", "--algorithm"); }),
            "--algorithm: there are the algorithms 'ucb' (LinUCB) and 'ts' (LinTS)");
}

TEST(O3mOptions, RefuseNumbersThatAreOutOfRange) {
  check_numbers({});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double bad : {-1e-12, nan, infinite, -infinite, 1.1e6}) {
    O3mOptions beta;
    beta.beta = bad;
    EXPECT_EQ(message([&] { check_numbers(beta); }).substr(0, 7), "--beta:");
    O3mOptions v;
    v.v = bad;
    EXPECT_EQ(message([&] { check_numbers(v); }).substr(0, 4), "--v:");
    O3mOptions lambda;
    lambda.lambda = bad;
    EXPECT_EQ(message([&] { check_numbers(lambda); }).substr(0, 9), "--lambda:");
  }
  O3mOptions zero;
  zero.beta = 0;
  zero.v = 0;
  check_numbers(zero);
  zero.lambda = 0;
  EXPECT_EQ(message([&] { check_numbers(zero); }),
            "--lambda: the ridge must be from 1e-09 to 1000000");
}

TEST(O3mOptions, TheMaskGeneratorIsNeverTheActiveParticipant) {
  EXPECT_EQ(parse_mask_generator("third-party", 3, ""), std::nullopt);
  EXPECT_EQ(parse_mask_generator("2", 3, ""), NodeId{2});
  EXPECT_EQ(message([] { (void)parse_mask_generator("0", 3, "--mask-generator"); }),
            "--mask-generator: the active participant must not generate the mask: it could undo it "
            "and read every context");
  for (const char* bad : {"3", "-1", "", "1.", "one", "99999999999999999999", "third party"}) {
    EXPECT_EQ(
        message([&] { (void)parse_mask_generator(bad, 3, "--mask-generator"); }),
        "--mask-generator: the mask generator is 'third-party' or a passive participant, 1 to "
        "2");
  }
}

}  // namespace
}  // namespace sotto::apps
