#include "apps/live/order/opening.h"

#include <fmt/format.h>

#include "apps/bandit/model/parameters.h"
#include "sotto/protocol/mesh/peers.h"
#include "tests/apps/support.h"

namespace sotto::apps::live {

using namespace sotto::apps::bandit;
namespace {

constexpr NodeId actor = 2;
constexpr NodeId rewarder = 3;

class Opened : public ::testing::Test {
 protected:
  // Marks of number `n` with different values of `past` belong to different histories.
  static OrderMark mark(OrderNumber n, std::uint32_t epoch = 1, const std::string& past = "") {
    if (n == 0) return {};
    return {n, net::sha256(fmt::format("id {} {}", n, past)), epoch, net::sha256(fmt::format("entry {} {}", n, past))};
  }
  static std::vector<OrderMark> up_to(OrderNumber n, const std::string& past = "") {
    if (n == 0) return {mark(0)};
    return {mark(n - 1, 1, past), mark(n, 1, past)};
  }
  static LiveHistory dealer() {
    LiveHistory history;
    history.keeps_order = false;
    history.epoch = 1;
    return history;
  }
  void all_at(OrderNumber n) {
    for (NodeId node = 0; node < topology.nodes(); ++node) at(node, n);
    histories[net::dealer_id] = dealer();
  }
  void at(NodeId node, OrderNumber n, const std::string& past = "") {
    histories[node] = LiveHistory{};
    histories[node].epoch = 1;
    histories[node].marks = up_to(n, past);
    if (node != rewarder) return;
    for (OrderMark& of_rewarder : histories[node].marks) of_rewarder.id = {};
  }
  LiveOpening agree() { return agree_on_opening(topology, histories); }
  std::string refusal() {
    const std::string text = error_of<DisagreementError>([&] { return agree(); });
    EXPECT_EQ(text.find('\n'), std::string::npos);
    return text;
  }

  Topology topology{2, true, bandit_names};
  std::map<NodeId, LiveHistory> histories;
};

TEST_F(Opened, BeginsWithNumberNought) {
  all_at(0);
  for (auto& [node, history] : histories) history.epoch = 0;
  EXPECT_EQ(agree(), (LiveOpening{1, 0, {}, {}}));
}

TEST_F(Opened, GoesOnFromTheNumberOfAll) {
  all_at(5);
  EXPECT_EQ(agree(), (LiveOpening{2, 5, mark(5).id, {}}));
  histories[net::dealer_id].epoch = 9;
  EXPECT_EQ(agree().epoch, 10u);
}

TEST_F(Opened, WhatOnePartyLacksIsRolledBack) {
  all_at(5);
  at(0, 6);
  EXPECT_EQ(agree().number, 5u);
  at(rewarder, 6);
  EXPECT_EQ(agree().number, 5u);
}

TEST_F(Opened, WhatAllPartiesHaveIsSettled) {
  all_at(6);
  at(actor, 5);
  EXPECT_EQ(agree().number, 6u);
  at(rewarder, 5);
  EXPECT_EQ(agree().number, 6u);
}

TEST_F(Opened, PartiesOfOtherPastsAreRefused) {
  all_at(5);
  at(1, 5, "other");
  EXPECT_THAT(refusal(), HasSubstr("party 0 and party 1 share no number"));
  topology = Topology(3, true, bandit_names);
  histories.clear();
  for (const NodeId node : {0, 1, 2, 4}) at(node, 6);
  histories[3] = histories[0];
  for (OrderMark& of_rewarder : histories[4].marks) of_rewarder.id = {};
  histories[net::dealer_id] = dealer();
  EXPECT_EQ(agree().number, 6u);
  at(1, 4);
  EXPECT_THAT(refusal(), AllOf(HasSubstr("party 1"), HasSubstr("number 4 ("), HasSubstr("number 6 (")));
}

TEST_F(Opened, ANumberOfTwoPastsIsRolledBack) {
  all_at(5);
  histories[0].marks = {mark(5), mark(6)};
  histories[1].marks = {mark(5), mark(6, 1, "other")};
  EXPECT_EQ(agree(), (LiveOpening{2, 5, mark(5).id, {}}));
}

TEST_F(Opened, APartyThatLacksWhatWasToldIsRefused) {
  all_at(6);
  at(0, 5);
  EXPECT_THAT(refusal(), AllOf(HasSubstr("the store of actor is ahead"), HasSubstr("it is at number 6 ("),
                               HasSubstr("share number 5 (")));
}

TEST_F(Opened, OldCopiesOfActorAndRewarderAreRefused) {
  all_at(6);
  at(actor, 4);
  EXPECT_THAT(refusal(), HasSubstr("the store of actor is an old copy: it is at number 4 ("));
  all_at(6);
  at(rewarder, 4);
  EXPECT_THAT(refusal(), HasSubstr("the store of rewarder is an old copy"));
  all_at(6);
  at(actor, 5, "other");
  EXPECT_THAT(refusal(), HasSubstr("the store of actor is of another past"));
  at(actor, 6, "other");
  EXPECT_THAT(refusal(), HasSubstr("the store of actor is of another past"));
  all_at(6);
  at(rewarder, 5, "other");
  EXPECT_THAT(refusal(), HasSubstr("the store of rewarder is of another past"));
  at(rewarder, 7, "other");
  EXPECT_THAT(refusal(), HasSubstr("the store of rewarder is of another past"));
  at(rewarder, 8);
  EXPECT_THAT(refusal(), HasSubstr("the store of rewarder is ahead"));
}

TEST_F(Opened, WhoHasNotOpenedAnEpochInWhichSomebodyWasDoneIsOld) {
  all_at(5);
  histories[0].marks = {mark(4), mark(5, 1)};
  for (auto& [node, history] : histories) history.epoch = 3;
  histories[0].marks.push_back(mark(6, 3));
  histories[0].marks.erase(histories[0].marks.begin());
  EXPECT_EQ(agree().number, 5u);
  histories[rewarder].epoch = 2;
  EXPECT_THAT(refusal(),
              AllOf(HasSubstr("the store of rewarder is an old copy"), HasSubstr("number 6 ("), HasSubstr("epoch 3")));
}

TEST_F(Opened, TheDealerIsAWitness) {
  all_at(5);
  histories[net::dealer_id].settled = 5;
  EXPECT_EQ(agree().number, 5u);
  histories[net::dealer_id].settled = 6;
  EXPECT_THAT(refusal(), AllOf(HasSubstr("the dealer knows number 6"), HasSubstr("number 5 (")));
}

TEST_F(Opened, NoEpochIsLeft) {
  all_at(5);
  histories[1].epoch = std::numeric_limits<std::uint32_t>::max();
  EXPECT_THAT(refusal(), HasSubstr("party 1 has opened epoch 4294967295"));
}

TEST_F(Opened, TakesBytesOfPeers) {
  all_at(5);
  net::ResumeStates said;
  for (const auto& [node, history] : histories) said[node] = encode(history);
  const net::Resume resume = resume_live(topology, histories[0]);
  EXPECT_EQ(decode_live_opening(resume.agree(said)), (LiveOpening{2, 5, mark(5).id, {}}));
  EXPECT_THAT(resume.describe(resume.agree(said)), StartsWith("epoch 2 after number 5 ("));
  EXPECT_EQ(resume.describe({}), "no epoch that there is");
  said[1][0] = std::byte{live_store_version + 1};
  EXPECT_THAT(
      error_of<DisagreementError>([&] { return resume.agree(said); }),
      AllOf(HasSubstr("party 1 keeps its store in version 6, this role in version 5"), HasSubstr("install one")));
  said[1] = encode(histories[1]);
  said[actor].pop_back();
  EXPECT_THAT(error_of<ProtocolError>([&] { return resume.agree(said); }), HasSubstr("actor says"));
  said[actor] = said[net::dealer_id];
  EXPECT_THAT(error_of<ProtocolError>([&] { return resume.agree(said); }), HasSubstr("actor says"));
}

}  // namespace
}  // namespace sotto::apps::live
