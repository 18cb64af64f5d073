#include <cmath>
#include <random>

#include "apps/bandit/model/privacy.h"
#include "tests/apps/live/limited_service.h"

namespace sotto::apps::live {
namespace {

using namespace testing;

// A caller that chooses all features except a party's number x can find x from many decisions. Each decision shows on
// which side of a threshold x is, except that one decision in ten is random.
class Questioner {
 public:
  explicit Questioner(std::uint64_t seed) : random_(seed) { std::fill(posterior_.begin(), posterior_.end(), 1.); }

  [[nodiscard]] double next() const {
    double sum = 0;
    for (const double p : posterior_) sum += p;
    double below = 0;
    std::size_t i = 0;
    while (below + posterior_[i] < sum / 2) below += posterior_[i++];
    return at(i);
  }
  [[nodiscard]] bool decision(double score) {
    const bool explores = random_() % 10 == 0;
    return explores ? random_() % 2 == 0 : score > 0;
  }
  void learn(double threshold, bool above) {
    for (std::size_t i = 0; i < posterior_.size(); ++i) posterior_[i] *= (at(i) > threshold) == above ? .95 : .05;
    double most = 0;
    for (const double p : posterior_) most = std::max(most, p);
    for (double& p : posterior_) p /= most;
  }
  [[nodiscard]] double guess() const { return next(); }

 private:
  static constexpr std::size_t cells = 4000;
  static double at(std::size_t i) { return static_cast<double>(i) / cells; }

  std::mt19937_64 random_;
  std::vector<double> posterior_ = std::vector<double>(cells);
};

class Questions : public InLimitedService {
 protected:
  double error_of(double secret, std::uint64_t seed) {
    for (Disk& disk : disks) disk = Disk{};
    (void)restart(start);
    Questioner questioner(seed);
    own_ = 0;
    for (unsigned question = 1; question <= 500; ++question) {
      const double threshold = questioner.next();
      const std::vector<FeaturePush> calls{{live_event(question), {secret, 0}, "anna"}};
      (void)party().push(calls, start);
      ask(question, 1, start);
      EXPECT_TRUE(service->propose(start));
      const FeatureValues row = party().freeze(start).front();
      own_ += row[0] == secret ? 1 : 0;
      questioner.learn(threshold, questioner.decision(row[0] - threshold));
      (void)service->finish(start);
    }
    return std::abs(questioner.guess() - secret);
  }
  double middle_error() {
    std::vector<double> errors;
    for (unsigned i = 1; i <= 9; ++i) errors.push_back(error_of(i / 9.7, i));
    std::nth_element(errors.begin(), errors.begin() + 4, errors.end());
    return errors[4];
  }

  unsigned own_ = 0;
};

TEST_F(Questions, ReadAFeatureToThreeDigitsWithoutALimit) {
  guards[0].limits.per_day = 1'000'000;
  EXPECT_LT(middle_error(), .001);
  EXPECT_EQ(own_, 500u);
}

// With the default limit, 20 answers with .71 bits of information each give at most 14 bits. 480 of the 500 answers are
// about the default row.
TEST_F(Questions, GetWhatTheLimitAllows) {
  guards[0].limits = SubjectLimits{};
  const double error = middle_error();
  EXPECT_EQ(own_, 20u);
  EXPECT_GT(error, .001);
  EXPECT_LT(20 * bandit::bits_per_action(2, .1), 14.3);
  // With a limit of one question, half of the numbers stay possible.
  guards[0].limits = SubjectLimits{1'000'000, 1};
  EXPECT_GT(middle_error(), .1);
  EXPECT_EQ(own_, 1u);
}

TEST(BitsOfADecision, AreTheCapacityOfItsChannel) {
  EXPECT_NEAR(bandit::bits_per_action(2, .1), .7136, 1e-4);
  EXPECT_NEAR(bandit::bits_per_action(10, .1), 2.6002, 1e-4);
  EXPECT_NEAR(bandit::bits_per_action(4, 0), 2, 1e-12) << "log2 A where nothing is explored";
  EXPECT_NEAR(bandit::bits_per_action(4, 1), 0, 1e-12);
  EXPECT_EQ(bandit::bits_per_action(1, .1), 0);
  EXPECT_THROW((void)bandit::bits_per_action(2, 1.5), InputError);
}

}  // namespace
}  // namespace sotto::apps::live
