#include "sotto/apps/bandit/private_bandit.h"

#include "sotto/apps/bandit/parameters.h"
#include "sotto/apps/bandit/site.h"
#include "sotto/core/wire/frame.h"
#include "sotto/protocols/simulate/simulate.h"
#include "tests/apps/support.h"

namespace sotto::apps {
namespace {

using Numbers = std::vector<std::uint64_t>;

TEST(OneHot, IsThePlaceOfTheOnlyOne) {
  EXPECT_EQ(arm_of(Numbers{1}, 0), 0u);
  for (const std::size_t arms : {2u, 3u, 100u}) {
    for (std::size_t arm = 0; arm < arms; ++arm) {
      Numbers words(arms, 0);
      words[arm] = 1;
      EXPECT_EQ(arm_of(words, 0), arm);
    }
  }
}

TEST(OneHot, HasExactlyOneOne) {
  const Numbers cases[] = {{},          {0},           {0, 0, 0},                   // none
                           {1, 1, 0},   {1, 1, 1},                                  // more than one
                           {1, 0, 2},                                               // the first 1 is not all
                           {1, 1, 255}, {1, 128, 128}, {1, 3, 253}, {3, 127, 127},  // add up to 1 mod 2^8
                           {0, 0, 255},                                             // -1
                           {0, 257, 0},                                             // 1 mod 2^8 that was not reduced
                           {85, 86, 86}};                                           // adds up to 257
  for (const Numbers& words : cases) {
    EXPECT_THROW((void)arm_of(words, 3), ProtocolError) << ::testing::PrintToString(words);
  }
}

TEST(OneHot, IsRefusedByStepAndWithoutAWordOfIt) {
  try {
    (void)arm_of(Numbers{41, 42, 43}, 7);
    FAIL() << "accepted";
  } catch (const ProtocolError& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::protocol_violation);
    EXPECT_EQ(error.kind(), ProtocolError::Kind::malformed);
    EXPECT_EQ(error.peer(), "compute parties");
    EXPECT_EQ(error.round(), 7u);
    const std::string message = error.what();
    EXPECT_THAT(message, HasSubstr("not one-hot"));
    for (const char* word : {"41", "42", "43"}) EXPECT_THAT(message, Not(HasSubstr(word)));
  }
}

// Two parties with a feature each; whoever pulls is counted.
class Site final : public QuietSite {
 public:
  void context(std::size_t, std::uint64_t, std::span<std::uint64_t> out) override { out[0] = 1; }
  void pull(std::uint64_t, std::size_t) override { ++pulls; }
  std::uint64_t reward(std::uint64_t) override { return 0; }
  int pulls = 0;
};

// One step of three arms in which party 0 adds `added` to what it sends the actor.
int pulls_where(const std::vector<unsigned>& added) {
  BanditParameters parameters;
  parameters.columns = {1, 1};
  parameters.arms = added.size();
  parameters.steps = 1;
  const BanditPlan plan = plan_bandit(parameters);
  Site site;
  protocols::SimulationOptions options;
  options.insecure_seed = 1;
  options.tap = [&](NodeId from, NodeId to, std::uint64_t, Bytes& frame) {
    if (from != 0 || to != actor_of(parameters.topology())) return;
    EXPECT_EQ(frame.size(), FrameHeader::size + added.size());
    for (std::size_t i = 0; i < added.size(); ++i) {
      std::byte& share = frame[FrameHeader::size + i];
      share = static_cast<std::byte>(std::to_integer<unsigned>(share) + added[i]);
    }
  };
  (void)protocols::simulate(
      parameters.topology(), [&](Party& party) { return private_bandit(party, plan, site); }, std::move(options));
  return site.pulls;
}

// Whichever arm it was. Most of these add up to 0 mod 2^8, so that the sum stays 1.
TEST(OneHot, IsCheckedByTheActorOfARun) {
  EXPECT_EQ(pulls_where({0, 0, 0}), 1);
  for (const std::vector<unsigned>& added : std::vector<std::vector<unsigned>>{
           {1, 1, 1}, {2, 254, 0}, {128, 128, 0}, {85, 85, 86}, {255, 255, 255}, {3, 126, 127}}) {
    EXPECT_THROW((void)pulls_where(added), ProtocolError) << ::testing::PrintToString(added);
  }
}

}  // namespace
}  // namespace sotto::apps
