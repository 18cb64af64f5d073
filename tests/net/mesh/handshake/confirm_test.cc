#include "sotto/net/mesh/handshake/confirm.h"

#include <gtest/gtest.h>

#include "sotto/net/mesh/peers.h"

namespace sotto::net {
namespace {

Confirm example_confirm() {
  Confirm confirm;
  confirm.parameters = sha256("steps = 3\n");
  confirm.session[0] = std::byte{9};
  confirm.announcements = {sha256("columns = 1"), sha256("columns = 2")};
  confirm.resume_point = ResumeBytes(20, std::byte{9});
  return confirm;
}

TEST(Confirm, SurvivesTheWire) {
  const Topology topology(2);
  EXPECT_EQ(decode_confirm(encode(example_confirm()), topology, 1), example_confirm());
  EXPECT_EQ(decode_confirm(encode(example_confirm()), topology, dealer_id), example_confirm());
  Confirm of_actor = example_confirm();
  of_actor.resume_point.reset();
  EXPECT_EQ(decode_confirm(encode(of_actor), topology, topology.outside_node()), of_actor);
}

TEST(Confirm, NoOtherLengthIsTaken) {
  const Topology topology(2);
  const std::vector<std::byte> whole = encode(example_confirm());
  EXPECT_LE(whole.size(), longest_confirm(topology, 0));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(decode_confirm(std::span(whole).first(length), topology, 0)) << length;
  }
  EXPECT_FALSE(decode_confirm(whole, topology, topology.outside_node()));
  EXPECT_FALSE(decode_confirm(whole, Topology(3), 0));
}

TEST(Confirm, DifferencesAreNamed) {
  const Confirm mine = example_confirm();
  const auto said = [&](const Confirm& theirs) {
    return difference(mine, theirs, "party 0", "the dealer", Resume().describe).value_or("");
  };
  EXPECT_EQ(said(mine), "");
  Confirm theirs = mine;
  theirs.parameters[0] ^= std::byte{1};
  EXPECT_EQ(said(theirs), "the dealer has heard other parameters than party 0");
  theirs = mine;
  theirs.announcements[1][4] ^= std::byte{1};
  EXPECT_EQ(said(theirs), "party 1 announced other data to the dealer than to party 0");
  theirs = mine;
  theirs.session[1] = std::byte{1};
  EXPECT_NE(said(theirs).find("the dealer has heard other nonces than party 0"), std::string::npos);
  theirs = mine;
  theirs.resume_point = ResumeBytes(2, std::byte{8});
  EXPECT_EQ(said(theirs),
            "party 0 would open 0909090909090909090909090909090909090909, the dealer would open 0808: a role told them "
            "different states to resume from");
  theirs.resume_point.reset();
  EXPECT_EQ(said(theirs), "");  // the actor computes none
}

}  // namespace
}  // namespace sotto::net
