#include "sotto/protocol/mesh/handshake/hello.h"

#include "net/mesh/handshake/authenticated_peers.h"
#include "sotto/protocol/mesh/peers.h"
#include "tests/framework.h"

namespace sotto::net {
namespace {

std::map<NodeId, Nonce> nonces(const Topology& topology, int number) {
  std::map<NodeId, Nonce> result;
  result[dealer_id].fill(static_cast<std::byte>(number));
  for (NodeId node = 0; node < topology.nodes(); ++node) result[node].fill(static_cast<std::byte>(number + node + 1));
  return result;
}

TEST(Session, Sha256IsTheStandardOne) {
  EXPECT_EQ(sha256("abc")[0], std::byte{0xba});
  EXPECT_EQ(sha256("abc")[31], std::byte{0xad});
}

TEST(Session, EachNonceOfDealerAndPartiesCounts) {
  const Topology topology(3, true);
  const SessionId of_config{};
  const auto base = nonces(topology, 0);
  const SessionId session = fresh_session(topology, of_config, base);
  EXPECT_EQ(session, fresh_session(topology, of_config, base));
  SessionId other_config{};
  other_config[5] = std::byte{1};
  EXPECT_NE(session, fresh_session(topology, other_config, base));
  for (const auto& [role, nonce] : base) {
    auto changed = base;
    changed.at(role)[15] ^= std::byte{1};
    EXPECT_EQ(session != fresh_session(topology, of_config, changed), makes_the_session(topology, role)) << int{role};
  }
  // Nodes outside the parties are not linked to each other, so the session does not depend on their nonces.
  auto without = base;
  without.erase(topology.outside_node());
  without.erase(topology.further_node());
  EXPECT_EQ(session, fresh_session(topology, of_config, without));
  without.erase(2);
  EXPECT_THROW((void)fresh_session(topology, of_config, without), std::out_of_range);
}

TEST(Session, WithoutADealerTheParticipantsMakeIt) {
  const Topology topology = Topology::without_dealer(2, true);
  EXPECT_FALSE(makes_the_session(topology, topology.further_node()));
  std::map<NodeId, Nonce> nonces;
  for (NodeId participant = 0; participant < 2; ++participant) nonces[participant].fill(std::byte{participant});
  const SessionId session = fresh_session(topology, SessionId{}, nonces);
  nonces[1].fill(std::byte{7});
  EXPECT_NE(fresh_session(topology, SessionId{}, nonces), session);
}

TEST(Session, AHelperMakesItToo) {
  const Topology topology = Topology::with_helper(true, false);
  EXPECT_TRUE(makes_the_session(topology, topology.helper()));
  EXPECT_FALSE(makes_the_session(topology, topology.outside_node()));
  auto changed = nonces(topology, 0);
  const SessionId session = fresh_session(topology, SessionId{}, changed);
  changed.at(topology.helper())[3] ^= std::byte{1};
  EXPECT_NE(fresh_session(topology, SessionId{}, changed), session);
}

TEST(Peers, OfAHelperAreThoseOfADealer) {
  const Topology helped = Topology::with_helper(true, true);
  const NodeId helper = helped.helper();
  EXPECT_EQ(peers_of(helped, helper).size(), 4u);
  EXPECT_EQ(peers_of(helped, helped.outside_node()), (std::vector<NodeId>{0, 1, helper}));
  for (const NodeId peer : peers_of(helped, helper)) {
    EXPECT_TRUE(connects_to(helped, peer, helper)) << int{peer};
    EXPECT_FALSE(connects_to(helped, helper, peer)) << int{peer};
  }
  EXPECT_TRUE(listens(helped, helper));
  EXPECT_FALSE(announces(helped, helper));
  EXPECT_EQ(peer_name(helped, helper), "helper");
}

TEST(Session, WhoSaysWhichNonceCounts) {
  auto changed = nonces(Topology(2), 0);
  const SessionId session = fresh_session(Topology(2), SessionId{}, changed);
  std::swap(changed.at(0), changed.at(1));
  EXPECT_NE(session, fresh_session(Topology(2), SessionId{}, changed));
}

TEST(Session, NoncesDiffer) {
  std::set<Nonce> seen;
  for (int i = 0; i < 100; ++i) seen.insert(fresh_nonce());
  for (NodeId role = 0; role < 5; ++role) seen.insert(insecure_nonce(1, role));
  seen.insert(insecure_nonce(2, 0));
  EXPECT_EQ(seen.size(), 106u);
  EXPECT_EQ(insecure_nonce(7, 1), insecure_nonce(7, 1));
}

TEST(Session, EpochsHaveDigestsOfTheirOwn) {
  SessionId session{};
  std::set<std::uint64_t> seen;
  for (std::uint32_t epoch = 0; epoch < 50; ++epoch) seen.insert(epoch_digest(session, epoch));
  session[0] = std::byte{1};
  seen.insert(epoch_digest(session, 0));
  EXPECT_EQ(seen.size(), 51u);
  EXPECT_EQ(text_of(session), "01000000000000000000000000000000");
}

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

TEST(Confirm, CarriesWhatOwnersAnnouncedFromThoseWhoHeardIt) {
  const Topology topology = Topology(2).with_owners(2);
  Confirm of_party = example_confirm();
  of_party.of_owners = {"columns = 3", std::string(longest_of_owner, 'x')};
  const std::vector<std::byte> whole = encode(of_party);
  EXPECT_LE(whole.size(), longest_confirm(topology, 1));
  EXPECT_EQ(decode_confirm(whole, topology, 1), of_party);
  EXPECT_FALSE(decode_confirm(whole, Topology(2), 1));
  EXPECT_FALSE(decode_confirm(whole, Topology(2).with_owners(1), 1));
  EXPECT_FALSE(decode_confirm(whole, topology, topology.owner(0))) << "owners do not hear each other";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(decode_confirm(std::span(whole).first(length), topology, 1)) << length;
  }
  of_party.of_owners[0] = std::string(longest_of_owner + 1, 'x');
  EXPECT_FALSE(decode_confirm(encode(of_party), topology, 1));

  Confirm mine = of_party;
  mine.of_owners = {"columns = 3", "columns = 4"};
  Confirm theirs = mine;
  theirs.of_owners[1] = "columns = 5";
  EXPECT_EQ(difference(mine, theirs, "party 0", "party 1", Resume().describe),
            "owner 1 announced other data to party 1 than to party 0");
  theirs.of_owners.clear();
  EXPECT_EQ(difference(mine, theirs, "party 0", "owner 0", Resume().describe), std::nullopt);
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
  EXPECT_EQ(said(theirs), "") << "a role may have been started again";
  theirs = mine;
  theirs.resume_point = ResumeBytes(2, std::byte{8});
  EXPECT_EQ(said(theirs),
            "party 0 would open 0909090909090909090909090909090909090909, the dealer would open 0808: a role told them "
            "different states to resume from");
  theirs.resume_point.reset();
  EXPECT_EQ(said(theirs), "");
}

}  // namespace
}  // namespace sotto::net
