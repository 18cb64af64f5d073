#include "net/mesh/handshake/pins.h"

#include "sotto/protocol/mesh/mesh.h"
#include "tests/net/mesh/handshake/shown_stream.h"
#include "tests/net/roles.h"

namespace sotto::net::testing {
namespace {

constexpr std::chrono::milliseconds pins_deadline{1500};

char letter_of(NodeId role) { return role == dealer_id ? 'd' : static_cast<char>('0' + role); }

// Every role trusts the certificates of all; `shows` says which one a role really has.
std::map<NodeId, Outcome> run_with(const std::map<NodeId, char>& shows, std::chrono::milliseconds deadline) {
  auto configs = tcp_configs(Topology(2));
  std::map<NodeId, std::string> certificates;
  for (const auto& [role, config] : configs) certificates[role] = shown(letter_of(role));
  for (auto& [role, config] : configs) {
    const char mine = shows.count(role) != 0 ? shows.at(role) : letter_of(role);
    config.certificates = certificates;
    config.setup_deadline = deadline;
    config.wrap = [mine](std::unique_ptr<ByteStream> stream, bool, std::optional<NodeId>) {
      return std::make_unique<ShownStream>(std::move(stream), mine);
    };
  }
  return set_up_all(std::move(configs));
}

TEST(Pins, RolesWithTheirOwnCertificatesMeet) { expect_all(run_with({}, std::chrono::seconds(20)), 0); }

// Party 1 connects to the dealer and to party 0, and the actor connects to it.
TEST(Pins, AStrangersCertificateIsNamedByWhoWaitsInVain) {
  const auto outcomes = run_with({{1, 'x'}}, pins_deadline);
  EXPECT_EQ(outcomes.at(2).code, 7) << outcomes.at(2).message;
  EXPECT_EQ(outcomes.at(2).message.rfind("party 1 at 127.0.0.1:", 0), 0u);
  EXPECT_NE(outcomes.at(2).message.find(shown('x')), std::string::npos);
  EXPECT_NE(outcomes.at(2).message.find(shown('1')), std::string::npos);
  for (const NodeId role : {NodeId{0}, dealer_id}) {
    const std::string& text = outcomes.at(role).message;
    // Or the actor has told it what it found.
    EXPECT_TRUE(outcomes.at(role).code == 3 || outcomes.at(role).code == 7) << text;
    EXPECT_NE(text.find(shown('x')), std::string::npos) << text;
  }
}

// The first that finds it out tells the dealer and those that it has reached; others find them gone.
TEST(Pins, WhoListensWithAStrangersCertificateIsNotSpokenTo) {
  const auto outcomes = run_with({{dealer_id, 'x'}}, pins_deadline);
  int found = 0;
  for (const NodeId role : {NodeId{0}, NodeId{1}, NodeId{2}}) {
    const Outcome& outcome = outcomes.at(role);
    EXPECT_TRUE(outcome.code == 7 || outcome.code == 3) << outcome.message;
    if (outcome.code != 7) continue;
    ++found;
    EXPECT_NE(outcome.message.find("the dealer"), std::string::npos) << outcome.message;
    EXPECT_NE(outcome.message.find(shown('x')), std::string::npos) << outcome.message;
  }
  EXPECT_GE(found, 1);
}

// Two machines with each other's keys: both are of the run, and hear what is wrong.
TEST(Pins, KeysThatAreMixedUpAreNamed) {
  auto outcomes = run_with({{0, '1'}, {1, '0'}}, pins_deadline);
  for (const auto& [role, outcome] : outcomes) {
    EXPECT_TRUE(outcome.code == 7 || outcome.code == 3) << outcome.message;
  }
  EXPECT_EQ(outcomes.at(1).code, 7) << outcomes.at(1).message;
}

// Roles that know of the next certificate of party 1 take it, whether it has changed or not.
TEST(Pins, ARoleMayShowTheNextCertificate) {
  for (const char shows : {'1', 'n'}) {
    auto configs = tcp_configs(Topology(2));
    std::map<NodeId, std::string> certificates;
    for (const auto& [role, config] : configs) certificates[role] = shown(letter_of(role));
    for (auto& [role, config] : configs) {
      const char mine = role == 1 ? shows : letter_of(role);
      config.certificates = certificates;
      config.next_certificates = {{1, shown('n')}};
      config.wrap = [mine](std::unique_ptr<ByteStream> stream, bool, std::optional<NodeId>) {
        return std::make_unique<ShownStream>(std::move(stream), mine);
      };
    }
    expect_all(set_up_all(std::move(configs)), 0);
  }
}

TEST(Pins, AreLookedUpByRoleAndByFingerprint) {
  const Pins none({});
  EXPECT_FALSE(none.any());
  EXPECT_TRUE(none.prove(3, ""));
  EXPECT_TRUE(none.know(""));
  EXPECT_FALSE(none.owner_of(shown('a')));
  const Pins pins({{0, shown('a')}, {dealer_id, shown('d')}});
  EXPECT_TRUE(pins.prove(0, shown('a')));
  EXPECT_FALSE(pins.prove(0, shown('d')));
  EXPECT_FALSE(pins.prove(1, shown('a')));
  EXPECT_FALSE(pins.prove(0, ""));
  EXPECT_FALSE(pins.know(""));
  EXPECT_TRUE(pins.know(shown('d')));
  EXPECT_EQ(pins.owner_of(shown('d')), dealer_id);
  EXPECT_EQ(pins.expected(1), "no certificate");
  const Pins two({{0, shown('a')}, {1, shown('b')}}, {{0, shown('n')}});
  EXPECT_TRUE(two.prove(0, shown('a')));
  EXPECT_TRUE(two.prove(0, shown('n')));
  EXPECT_FALSE(two.prove(1, shown('n')));
  EXPECT_EQ(two.owner_of(shown('n')), NodeId{0});
  EXPECT_EQ(two.expected(0), shown('a') + " or " + shown('n'));
}

}  // namespace
}  // namespace sotto::net::testing
