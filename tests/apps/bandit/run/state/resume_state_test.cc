#include "apps/bandit/run/state/resume_state.h"

#include <fmt/format.h>

#include "apps/bandit/model/parameters.h"
#include "sotto/protocol/mesh/peers.h"
#include "tests/apps/support.h"
#include "tests/properties.h"

namespace sotto::apps::bandit::run {
namespace {

using States = std::map<NodeId, ResumeState>;

// The checkpoint of `step`. Checkpoints of one step with different values of `course` have different ids.
CheckpointName at(std::uint64_t step, const std::string& course = "") {
  return {step, net::sha256(fmt::format("{} {}", course, step))};
}

ResumeState node_at(std::uint32_t epoch, std::vector<CheckpointName> checkpoints, std::uint64_t begun) {
  return {true, false, epoch, std::move(checkpoints), begun, begun};
}

ResumeState dealer_at(std::uint32_t epoch) { return {false, true, epoch, {}, 0, 0}; }

States states(const Topology& topology, const ResumeState& of_nodes) {
  States result{{net::dealer_id, dealer_at(of_nodes.epoch)}};
  for (NodeId node = 0; node < topology.nodes(); ++node) result[node] = of_nodes;
  return result;
}

std::string disagreement(const Topology& topology, const States& all) {
  return error_of<DisagreementError>([&] { (void)agree_on(topology, all); });
}

TEST(ResumeState, AFirstRunOpensTheFirstEpoch) {
  for (const bool stateful : {false, true}) {
    ResumeState none;
    none.stateful = stateful;
    EXPECT_EQ(agree_on(Topology(2), states(Topology(2), none)), (ResumePoint{1, 0, 0, 0, {}}));
  }
}

TEST(ResumeState, TheNewestCheckpointThatAllHaveIsTaken) {
  const Topology topology(3);
  States all = states(topology, node_at(4, {at(100), at(200)}, 230));
  EXPECT_EQ(agree_on(topology, all), (ResumePoint{5, 200, 30, 230, at(200).id}));
  all.at(1).checkpoints = {at(100)};
  all.at(0).epoch = 5;
  all.at(2).begun = 231;
  all.at(2).taken = 240;
  EXPECT_EQ(agree_on(topology, all), (ResumePoint{6, 100, 131, 240, at(100).id}));
  all.at(1).checkpoints = {at(200), at(300)};
  EXPECT_EQ(agree_on(topology, all).from_id, at(200).id);
}

TEST(ResumeState, CheckpointsOfOneStepAndTwoEpochsAreNotOne) {
  for (const bool separate : {false, true}) {
    const Topology topology(2, separate);
    for (NodeId old = 0; old < topology.nodes(); ++old) {
      States all = states(topology, node_at(2, {at(1000), at(2000, "again")}, 2300));
      all.at(old) = node_at(1, {at(1000), at(2000)}, 2100);
      EXPECT_EQ(agree_on(topology, all), (ResumePoint{3, 1000, 1300, 2300, at(1000).id}));
      for (NodeId node = 0; node < topology.nodes(); ++node) {
        if (node != old) all.at(node).checkpoints = {at(2000, "again"), at(3000, "again")};
      }
      const std::string name = net::peer_name(topology, old);
      EXPECT_THAT(
          disagreement(topology, all),
          AllOf(StartsWith("the state of " + name + " is an old copy (step 2000 of epoch 1, where "),
                HasSubstr(" are at step 3000 of epoch 2)"), HasSubstr("bring back the newest state of " + name + ",")));
    }
  }
}

TEST(ResumeState, ARoleWithOneStepOfAnotherEpochIsNamed) {
  const Topology topology(2);
  for (NodeId old = 0; old < topology.nodes(); ++old) {
    States all = states(topology, node_at(2, {at(2000, "again")}, 2300));
    all.at(old) = node_at(1, {at(2000)}, 2100);
    EXPECT_THAT(disagreement(topology, all),
                StartsWith("the state of " + net::peer_name(topology, old) + " is an old copy"));
  }
}

TEST(ResumeState, WhereAllPartiesAreOldTheActorsStateSaysSo) {
  const Topology topology(2, false, bandit_names);
  States all = states(topology, node_at(1, {at(1000), at(2000)}, 2100));
  all.at(actor_of(topology)) = node_at(2, {at(2000, "again"), at(3000, "again")}, 3100);
  EXPECT_EQ(disagreement(topology, all),
            "the state of party 0 and party 1 is an old copy (step 2000 of epoch 1, where actor is at step 3000 of "
            "epoch 2), unless that of actor is left over from an earlier start; bring back the newest state of party 0 "
            "and party 1, or copies of one time at all roles");
  all.at(actor_of(topology)) = node_at(1, {at(4000), at(5000)}, 5100);
  EXPECT_THAT(disagreement(topology, all), HasSubstr("the state of party 0 and party 1 is an old copy"));
}

TEST(ResumeState, AnEarlierStartOfTheRunIsTold) {
  const Topology topology(3, false, bandit_names);
  States all = states(topology, node_at(1, {at(1000), at(2000)}, 2100));
  all.at(1) = node_at(1, {at(1000, "before"), at(2000, "before")}, 2050);
  EXPECT_EQ(disagreement(topology, all),
            "the state of party 1 does not belong to that of party 0, party 2 and actor, though both are at step 2000 "
            "of epoch 1: one of them is left over from an earlier start of the run; bring back the newest state of "
            "party 1, or copies of one time at all roles");
}

TEST(ResumeState, WhoLostItsStateIsNamed) {
  const Topology topology(2);
  States all = states(topology, node_at(2, {at(10), at(20)}, 25));
  all.at(1) = node_at(0, {}, 0);
  EXPECT_THAT(disagreement(topology, all), HasSubstr("the state of party 1 is an old copy (no checkpoint, epoch 0"));
  all = states(topology, node_at(2, {at(10)}, 15));
  all.at(1) = node_at(1, {}, 0);
  EXPECT_THAT(disagreement(topology, all), HasSubstr("the state of party 1 is an old copy"));
  all.at(1) = node_at(2, {}, 10);
  EXPECT_EQ(agree_on(topology, all), (ResumePoint{3, 0, 15, 15, {}}));
  all.at(1) = node_at(3, {}, 10);
  EXPECT_EQ(agree_on(topology, all), (ResumePoint{4, 0, 15, 15, {}}));
}

TEST(ResumeState, NoCheckpointAtAnyRoleIsABeginning) {
  const Topology topology(2);
  States all = states(topology, node_at(1, {}, 7));
  all.at(0).epoch = 2;
  EXPECT_EQ(agree_on(topology, all), (ResumePoint{3, 0, 7, 7, {}}));
}

// All nodes are rolled back to epoch 1, and the dealer remembers epoch 3. No role knows how many of the dealt steps
// were played, so all steps that the dealer dealt count as played.
TEST(ResumeState, UnderANewerDealerWhatItDealtCounts) {
  const Topology topology(2);
  States all = states(topology, node_at(1, {at(1000), at(2000)}, 2000));
  all.at(net::dealer_id) = ResumeState{false, true, 3, {}, 2950, 4100};
  EXPECT_EQ(agree_on(topology, all), (ResumePoint{4, 2000, 950, 4100, at(2000).id}));
  // The actor also remembers epoch 3, so the actor's numbers of steps are exact. The dealer had dealt more steps than
  // were played.
  all.at(actor_of(topology)).epoch = 3;
  all.at(actor_of(topology)).begun = 2900;
  all.at(actor_of(topology)).taken = 4050;
  EXPECT_EQ(agree_on(topology, all), (ResumePoint{4, 2000, 900, 4050, at(2000).id}));
  // A dealer that saw the end of the run knows that all steps that it dealt were played.
  all.at(net::dealer_id).ahead = false;
  EXPECT_EQ(agree_on(topology, all), (ResumePoint{4, 2000, 950, 4100, at(2000).id}));
}

TEST(ResumeState, AStateAtSomeNodesOnlyIsADisagreement) {
  const Topology topology(2, true);
  for (NodeId odd = 0; odd < topology.nodes(); ++odd) {
    States all = states(topology, node_at(1, {}, 3));
    all.at(odd) = ResumeState{};
    EXPECT_THROW((void)agree_on(topology, all), DisagreementError) << int{odd};
  }
}

TEST(ResumeState, EpochsEnd) {
  States all = states(Topology(2), node_at(7, {}, 0));
  all.at(net::dealer_id).epoch = 0xffffffff;
  EXPECT_THAT(disagreement(Topology(2), all), HasSubstr("the dealer"));
}

TEST(ResumeState, AMissingRoleIsAProgrammersMistake) {
  States all = states(Topology(2), ResumeState{});
  all.erase(net::dealer_id);
  EXPECT_THROW((void)agree_on(Topology(2), all), std::invalid_argument);
}

TEST(ResumeState, OnlyWhatAStoreCanHoldIsValid) {
  EXPECT_TRUE(is_valid(ResumeState{}));
  EXPECT_TRUE(is_valid({false, true, 3, {}, 9, 9}));
  EXPECT_TRUE(is_valid({true, false, 3, {at(1), at(2)}, 9, 9}));
  EXPECT_FALSE(is_valid({false, false, 3, {at(1)}, 9, 9}));
  EXPECT_FALSE(is_valid({true, false, 3, {at(1), at(2), at(3)}, 9, 9}));
  EXPECT_FALSE(is_valid({true, false, 3, {at(2), at(1)}, 9, 9}));
  EXPECT_FALSE(is_valid({true, false, 3, {at(2), at(2, "again")}, 9, 9}));
  EXPECT_FALSE(is_valid({true, false, 3, {at(0)}, 9, 9}));
  EXPECT_FALSE(is_valid({true, true, 3, {}, 9, 9}));
  EXPECT_FALSE(is_valid({true, false, 3, {}, 9, 8}));
  EXPECT_FALSE(is_valid({true, false, 3, {}, 9, most_taken + 1}));
}

TEST(ResumeState, BytesOfWhatNoStoreHoldsAreRefused) {
  struct Change {
    std::size_t at;
    int value;
  };
  const std::vector<std::byte> whole = encode(node_at(3, {at(100), at(200)}, 217));
  for (const auto& [at, value] : {
           Change{0, 2},             // a flag is neither true nor false
           {0, 0},                   // a state has checkpoints but says that there is none
           {1, 1},                   // a role is ahead, but is not a dealer
           {7, 0xff},                // more steps are begun than taken
           {21, 0x7f},               // more steps are taken than any run can have
           {22, 250},                // the checkpoints are not ascending
           {whole.size() - 40, 99},  // the checkpoints are not ascending
       }) {
    std::vector<std::byte> bytes = whole;
    bytes.at(at) = static_cast<std::byte>(value);
    EXPECT_FALSE(decode_resume_state(bytes)) << at;
  }
  std::vector<std::byte> three = whole;
  three.insert(three.end(), whole.end() - 40, whole.end());
  three[whole.size() + 1] = std::byte{1};
  EXPECT_FALSE(decode_resume_state(three));
}

std::string agreed_text(const net::ResumeStates& said) {
  const net::Resume resume = resume_from(Topology(2), ResumeState{});
  try {
    return resume.describe(resume.agree(said));
  } catch (const std::exception& error) {
    return error.what();
  }
}

TEST(ResumeState, TheHandshakeCarriesItAsBytes) {
  const ResumeState node = node_at(3, {at(100), at(200)}, 217);
  const ResumePoint point{4, 200, 17, 217, at(200).id};
  EXPECT_EQ(decode_resume_state(encode(node)), node);
  EXPECT_EQ(decode_resume_point(encode(point)), point);
  for (const std::vector<std::byte>& whole : {encode(node), encode(point)}) {
    EXPECT_LE(whole.size(), net::longest_resume);
    for (std::size_t length = 0; length < whole.size(); ++length) {
      EXPECT_NE(decode_resume_state(std::span(whole).first(length)), node);
      EXPECT_FALSE(decode_resume_point(std::span(whole).first(length)) == point);
    }
  }
  EXPECT_THROW((void)encode(node_at(3, {at(2), at(1)}, 9)), std::invalid_argument);

  net::ResumeStates said{{net::dealer_id, encode(dealer_at(3))}};
  for (NodeId id = 0; id < 3; ++id) said[id] = encode(node);
  EXPECT_EQ(agreed_text(said), "epoch 4 from step 200, 17 steps repeated");
  said.at(1).resize(3);
  EXPECT_EQ(agreed_text(said), "party 1 says that it remembers what no role can");
  EXPECT_EQ(resume_from(Topology(2), node).describe({}), "no epoch that there is");
}

ResumeState any_node() {
  ResumeState resume_state{.stateful = true, .epoch = draw_in_range<std::uint32_t>(0, 4), .checkpoints = {}};
  const auto first = draw_in_range<std::uint64_t>(1, 4);
  const auto count = draw_in_range(0, 3);
  for (int i = 0; i < count; ++i) {
    resume_state.checkpoints.push_back(at(10 * (first + std::uint64_t(i)), draw_in_range(0, 4) == 0 ? "again" : ""));
  }
  resume_state.begun = draw_in_range<std::uint64_t>(0, 60);
  resume_state.taken = resume_state.begun + draw_in_range<std::uint64_t>(0, 60);
  return resume_state;
}

PROPERTY(ResumeStateProperties, TheOpeningFollowsFromAllStates) {
  const Topology topology(draw_in_range<std::size_t>(2, 5), draw<bool>());
  States all{{net::dealer_id, dealer_at(draw_in_range<std::uint32_t>(0, 4))}};
  for (NodeId node = 0; node < topology.nodes(); ++node) all[node] = any_node();
  using Name = std::pair<std::uint64_t, CheckpointId>;
  std::set<Name> common{{0, {}}};
  std::uint64_t begun = 0;
  std::uint64_t taken = 0;
  for (const CheckpointName& name : all.at(0).checkpoints) {
    bool held = true;
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      held = held && std::count(all.at(node).checkpoints.begin(), all.at(node).checkpoints.end(), name) == 1;
    }
    if (held) common.insert({name.step, name.id});
  }
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    begun = std::max(begun, all.at(node).begun);
    taken = std::max(taken, all.at(node).taken);
  }
  const Name start = *common.rbegin();
  ResumePoint resume_point;
  try {
    resume_point = agree_on(topology, all);
  } catch (const DisagreementError& error) {
    HOLDS(start.first == 0u);
    const std::string text = error.what();
    HOLDS(text.rfind("the state of ", 0) == 0u);
    HOLDS(text.size() <= 512u);  // the longest text of a failure that a link can send
    return;
  }
  HOLDS((resume_point.from_step == start.first && resume_point.from_id == start.second));
  for (const auto& [role, s] : all) HOLDS(resume_point.epoch > s.epoch);
  HOLDS(resume_point.from_step + resume_point.repeated == std::max(begun, resume_point.from_step));
  HOLDS(resume_point.taken == taken);
  // A run starts from the beginning only if no role has more than one checkpoint, and all roles with a checkpoint have
  // the same one.
  if (start.first != 0) return;
  std::set<Name> firsts;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    HOLDS(all.at(node).checkpoints.size() <= 1u);
    for (const CheckpointName& name : all.at(node).checkpoints) firsts.insert({name.step, name.id});
  }
  HOLDS(firsts.size() <= 1u);
}

}  // namespace
}  // namespace sotto::apps::bandit::run
