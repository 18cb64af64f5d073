#include <gmock/gmock.h>

#include "apps/bandit/model/program/randomness_account.h"
#include "apps/bandit/run/result/views.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/wire/frame.h"
#include "tests/apps/bandit/model/worlds.h"

namespace sotto::apps::bandit {

using namespace sotto::apps::bandit::run;
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

struct Holding {
  std::vector<std::size_t> columns;
  std::size_t computing_only;
  std::size_t owners;
  RandomnessBy by;
};

BanditParameters parameters_of(const BanditWorld& world, const Holding& holding, std::uint64_t steps) {
  BanditParameters p = parameters_for(world, holding.columns, steps);
  p.computing_only = holding.computing_only;
  p.owners = holding.owners;
  p.preprocessing = holding.by;
  return p;
}

const std::vector<Holding>& holdings() {
  static const std::vector<Holding> all{{{2, 2, 2, 2}, 0, 1, RandomnessBy::replicated},
                                        {{8}, 3, 1, RandomnessBy::replicated},
                                        {{1, 2, 2, 2, 1}, 1, 3, RandomnessBy::replicated},
                                        {{1, 1, 1, 1, 1, 1, 1, 1}, 3, 8, RandomnessBy::replicated},
                                        {{4, 4}, 1, 0, RandomnessBy::replicated},
                                        {{3, 2, 3}, 1, 2, RandomnessBy::ot},
                                        {{3, 2, 3}, 1, 2, RandomnessBy::dealer}};
  return all;
}

TEST(BanditOfOwners, LearnsWhatItsTwinLearns) {
  for (const Holding& holding : holdings()) {
    const BanditWorld world = make_world(60, 8, 4, true, 1, 1);
    BanditParameters p = parameters_of(world, holding, 60);
    p.exploration.threshold = std::uint64_t{1} << 61;
    const Outcome outcome = play(world, p);
    EXPECT_EQ(outcome.record.arms.size(), 60u);
    expect_like_twin(world, outcome, 3e-3, 1e-3);
    expect_measured_as_planned(outcome);
  }
}

TEST(BanditOfOwners, PullsTheArmThatItsTwinWouldPull) {
  for (const Holding& holding : holdings()) {
    const BanditWorld world = make_world(60, 8, 3, false, 1, 3);
    const Outcome outcome = play(world, parameters_of(world, holding, 60));
    EXPECT_EQ(pulls_unlike_twin(world, outcome, 2e-4), 0u);
  }
}

TEST(BanditOfOwners, LearnsInBatches) {
  for (const Holding& holding : holdings()) {
    const BanditWorld world = make_world(160, 8, 3, true, 1, 6);
    BanditParameters p = parameters_of(world, holding, 160);
    p.batch = 20;
    p.reward_lag = 10;
    p.separate_rewarder = true;
    p.exploration.threshold = std::uint64_t{1} << 61;
    const Outcome outcome = play(world, p);
    expect_like_twin(world, outcome, 3e-3, 2e-2);
    expect_measured_as_planned(outcome);
  }
}

TEST(BanditOfOwners, OwnersSendTheirMaskedColumnsAndNothingElse) {
  constexpr std::uint64_t steps = 40;
  const BanditWorld world = make_world(steps, 6, 3, true, 1, 2);
  const Outcome at_parties = play(world, parameters_of(world, {{2, 2, 2}, 0, 0, RandomnessBy::replicated}, steps));
  const Outcome at_owners = play(world, parameters_of(world, {{2, 2, 2}, 3, 3, RandomnessBy::replicated}, steps));
  const Cost parties = at_parties.run.ledger.of(step_phase);
  const Cost owners = at_owners.run.ledger.of(step_phase);
  EXPECT_EQ(owners.rounds, parties.rounds);
  for (NodeId party = 0; party < 3; ++party) {
    const NodeId owner = at_owners.plan.parameters.topology().owner(party);
    EXPECT_EQ(owners.sent[owner], steps * 3 * (2 * 8 + FrameHeader::size));
    const std::uint64_t spared = parties.sent[party] - owners.sent[party];
    // The first round of a run shares only contexts, so a party without columns sends no frame in that round.
    EXPECT_EQ(spared, steps * 2 * 2 * 8 + 2 * FrameHeader::size);
  }
}

TEST(BanditOfOwners, NobodyKnowsTheModelButTheParties) {
  const BanditWorld world = make_world(20, 8, 4, true, 1, 1);
  const Outcome outcome = play(world, parameters_of(world, holdings()[2], 20));
  const Topology topology = outcome.plan.parameters.topology();
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    EXPECT_EQ(decoded(outcome.run.nodes[node].weights).empty(), !topology.is_party(node)) << topology.name(node);
  }
}

TEST(FeatureHolders, AreCountedPartiesFirst) {
  const FeatureHolders holders{3, 2, 4};
  EXPECT_EQ(holders.count(), 5u);
  std::vector<NodeId> nodes;
  for (std::size_t holder = 0; holder < holders.count(); ++holder) nodes.push_back(holders.node(holder));
  EXPECT_EQ(nodes, (std::vector<NodeId>{0, 3, 4, 5, 6}));
  for (NodeId node = 0; node < 9; ++node) {
    EXPECT_EQ(holders.brings(node), std::find(nodes.begin(), nodes.end(), node) != nodes.end()) << int{node};
  }
}

TEST(FeatureHolders, RefusedWhereThereAreTooManyOrNone) {
  EXPECT_NO_THROW(require_holders({3, 3, 8}, "x"));
  EXPECT_NO_THROW(require_holders({2, 1, 0}, "x"));
  const auto refused = [](const FeatureHolders& holders, const char* says) {
    try {
      require_holders(holders, "owners in [run]");
      ADD_FAILURE() << says;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(says));
      EXPECT_THAT(error.what(), HasSubstr("owners in [run]"));
    }
  };
  refused({3, 4, 2}, "that only compute");
  refused({3, 0, 9}, "at most 11");
  refused({3, 2, 8}, "1 to 8 roles bring features, not 9");
  refused({3, 3, 0}, "1 to 8 roles bring features, not 0");
  const BanditWorld world = make_world(2, 8, 4, true, 1, 1);
  EXPECT_THROW((void)plan_bandit(parameters_of(world, {{4, 4}, 1, 1, RandomnessBy::helper}, 2)), InputError);
  EXPECT_THROW((void)plan_bandit(parameters_of(world, {{8}, 2, 1, RandomnessBy::replicated}, 2)), InputError);
  EXPECT_THROW((void)plan_bandit(parameters_of(world, {{4, 4}, 0, 3, RandomnessBy::replicated}, 2)), InputError);
}

TEST(OwnersViews, AnOwnerSeesItsOwnFeaturesAlone) {
  ViewOptions options;
  options.party_names = {"party 0 (a.csv)", "party 1", "party 2"};
  options.computing_only = 2;
  options.owner_names = {"owner 0 (b.csv)"};
  options.preprocessing = RandomnessBy::replicated;
  const std::vector<RoleView> views = bandit_views(options);
  ASSERT_EQ(views.size(), 6u);
  EXPECT_THAT(views[0].learns, Contains("its own features"));
  EXPECT_THAT(views[1].learns, Not(Contains("its own features")));
  EXPECT_THAT(views[1].never_sees, Contains("any features"));
  EXPECT_EQ(views[3].role, "owner 0 (b.csv)");
  EXPECT_THAT(views[3].never_sees, IsSupersetOf({"the features of others", "the arm", "the reward", "the model"}));
}

// Each owner knows its own masks and no masks of another owner. Two parties together know the masks of all owners.
TEST(OwnersAccount, SaysWhoKnowsTheMasksOfOwners) {
  const Topology topology = bandit_topology(3, false, RandomnessBy::replicated, 2);
  const auto account = randomness_account(RandomnessBy::replicated, topology);
  ASSERT_EQ(account[1].source, "masks of owners' features");
  EXPECT_THAT(account[1].known_to,
              UnorderedElementsAre(RoleSet{"party 0", "party 1"}, RoleSet{"party 0", "party 2"},
                                   RoleSet{"party 1", "party 2"}, RoleSet{"owner 0"}, RoleSet{"owner 1"}));
  EXPECT_EQ(account[1].read_by.size(), 3u);
  for (std::size_t i = 0; i < account.size(); ++i) {
    if (i == 1) continue;
    for (const RoleSet& set : account[i].read_by) {
      for (const std::string& role : set) EXPECT_THAT(role, Not(HasSubstr("owner")));
    }
  }
  EXPECT_EQ(randomness_account(RandomnessBy::replicated, bandit_topology(3, false, RandomnessBy::replicated)).size(),
            account.size() - 1);
}

}  // namespace
}  // namespace sotto::apps::bandit
