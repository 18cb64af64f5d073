#include <fmt/format.h>

#include "net/mesh/handshake/pending_connections.h"
#include "sotto/protocol/mesh/handshake/hello.h"
#include "sotto/protocol/mesh/mesh.h"
#include "tests/net/hostile.h"
#include "tests/net/roles.h"
#include "tests/properties.h"

namespace sotto::net {
namespace {

Hello example_hello() {
  Hello hello;
  hello.sender = 2;
  hello.parties = 3;
  hello.further_node = true;
  hello.session.fill(std::byte{7});
  hello.nonce.fill(std::byte{8});
  hello.resume_state.assign(20, std::byte{9});
  hello.parameters = "steps = 10\nepsilon = 0.1\n";
  hello.announcement = "columns = 4\n";
  return hello;
}

TEST(Hello, SurvivesTheWire) {
  for (const bool dealer : {false, true}) {
    for (const bool further_node : {false, true}) {
      Hello hello = example_hello();
      hello.dealer = dealer;
      hello.further_node = further_node;
      hello.owners = dealer ? 0 : 8;
      EXPECT_EQ(decode_hello(encode(hello)), hello);
      hello.helper = !dealer;
      EXPECT_EQ(decode_hello(encode(hello)), hello);
    }
  }
  std::vector<std::byte> bytes = encode(example_hello());
  bytes[8 + 4 + 3] = std::byte{5};
  EXPECT_FALSE(decode_hello(bytes));
  bytes[8 + 4 + 3] = std::byte{1};  // this byte says that there is no dealer, another byte says that there is one
  EXPECT_FALSE(decode_hello(bytes));
}

TEST(Hello, KindsThatDifferAreNamed) {
  Hello without = example_hello();
  without.dealer = false;
  EXPECT_EQ(
      difference(without, example_hello(), "party 1"),
      "a run without a dealer and with a further node here, a run with a dealer and with a further node at party 1");
  Hello helped = without;
  helped.helper = true;
  EXPECT_EQ(
      difference(without, helped, "party 1"),
      "a run without a dealer and with a further node here, a run with a helper and with a further node at party 1");
  without.owners = 2;
  EXPECT_EQ(difference(without, example_hello(), "party 1"), "owners = 2 here, 0 at party 1");
  without.parameters += "protocol = other\n";
  EXPECT_NE(difference(without, example_hello(), "party 1")->find("protocol = other here"), std::string::npos);
}

TEST(Hello, EveryTruncationIsRefused) {
  const std::vector<std::byte> whole = encode(example_hello());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(decode_hello(std::span(whole).first(length))) << length;
  }
  std::vector<std::byte> longer = whole;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode_hello(longer));
}

TEST(Hello, ALengthThatLiesIsRefused) {
  std::vector<std::byte> bytes = encode(example_hello());
  const std::size_t parameters_length = 8 + 4 + 4 + 16 + 16 + 8 + 20 + 32;
  for (const unsigned char high : {0x01, 0x7f, 0xff}) {
    bytes[parameters_length + 3] = std::byte{high};
    EXPECT_FALSE(decode_hello(bytes));
  }
}

// If a hello has another version, only the version is read, and the bytes behind the version are ignored.
TEST(Hello, AnotherVersionIsToldApart) {
  std::vector<std::byte> bytes = encode(example_hello());
  bytes.resize(12);
  bytes[8] = std::byte{1};
  ASSERT_TRUE(decode_hello(bytes));
  EXPECT_EQ(decode_hello(bytes)->version, 1u);
}

TEST(Hello, AResumeStateThatIsTooLongIsRefused) {
  Hello hello = example_hello();
  hello.resume_state.resize(longest_resume);
  std::vector<std::byte> bytes = encode(hello);
  EXPECT_TRUE(decode_hello(bytes));
  const std::size_t at = 8 + 4 + 4 + 16 + 16;
  bytes[at] = std::byte{1};
  bytes.insert(bytes.begin() + at + 8, std::byte{0});
  EXPECT_FALSE(decode_hello(bytes));
  hello.resume_state.resize(longest_resume + 1);
  EXPECT_THROW((void)encode(hello), std::invalid_argument);
}

// Roles of all versions accept hellos up to this length, to find out that versions differ.
TEST(Hello, NoneIsLongerThanAnyVersionTakes) {
  Hello hello = example_hello();
  hello.resume_state.resize(100);
  hello.parameters.assign(longest_text, 'a');
  hello.announcement.clear();
  const std::size_t rest = longest_hello - encode(hello).size();
  ASSERT_LT(rest, longest_text);
  hello.announcement.assign(rest, 'b');
  EXPECT_EQ(encode(hello).size(), longest_hello);
  EXPECT_TRUE(decode_hello(encode(hello)));
  hello.announcement += 'b';
  EXPECT_THROW((void)encode(hello), InputError);
}

PROPERTY(HelloProperties, DamagedHellosAreHandled) {
  std::vector<std::byte> bytes = encode(example_hello());
  const auto changes = draw_in_range(1, 6);
  for (int i = 0; i < changes; ++i) {
    const auto at = draw_in_range<std::size_t>(0, bytes.size());
    bytes[at] = static_cast<std::byte>(draw_in_range(0, 256));
  }
  const auto hello = decode_hello(bytes);
  if (hello && hello->version == wire_version) {
    HOLDS(hello->parameters == example_hello().parameters);
  }
}

TEST(Hello, TextsAboveTheCapAreRefused) {
  Hello hello = example_hello();
  hello.announcement.assign(longest_text + 1, 'x');
  EXPECT_THROW((void)encode(hello), InputError);
}

TEST(Hello, DifferencesAreNamed) {
  const Hello mine = example_hello();
  Hello theirs = mine;
  EXPECT_FALSE(difference(mine, theirs, "party 1"));
  theirs.version = 9;
  EXPECT_NE(difference(mine, theirs, "party 1")->find(fmt::format("wire version {} here, 9 at party 1", wire_version)),
            std::string::npos);
  theirs = mine;
  theirs.session[3] = std::byte{0};
  EXPECT_NE(difference(mine, theirs, "party 1")->find("session"), std::string::npos);
  theirs = mine;
  theirs.parties = 4;
  EXPECT_EQ(*difference(mine, theirs, "party 1"), "parties = 3 here, 4 at party 1");
  theirs = mine;
  theirs.parameters = "steps = 10\nepsilon = 0.2\n";
  EXPECT_EQ(*difference(mine, theirs, "party 1"), "epsilon = 0.1 here, 0.2 at party 1");
}

TEST(Parameters, TheFirstDifferenceIsFound) {
  EXPECT_FALSE(first_difference("", "", "x"));
  EXPECT_EQ(*first_difference("a = 1\nb = 2\n", "a = 1\n", "the dealer"), "b = 2 here, not set at the dealer");
  EXPECT_EQ(*first_difference("a = 1\n", "a = 1\nb = 2\n", "the dealer"), "b is not set here, 2 at the dealer");
  EXPECT_TRUE(first_difference("a = 1\nb = 2\n", "b = 2\na = 1\n", "x"));
}

TEST(Parameters, ALineOfAListIsNamedByItsPlace) {
  EXPECT_EQ(*first_difference("arm = a\narm = b\narm = c\n", "arm = a\narm = x\narm = c\n", "party 1"),
            "arm 2 = b here, x at party 1");
  EXPECT_EQ(*first_difference("arm = a\narm = b\n", "arm = a\n", "party 1"), "arm 2 = b here, not set at party 1");
  EXPECT_EQ(*first_difference("arm = a\n", "arm = a\narm = b\n", "party 1"), "arm 2 is not set here, b at party 1");
  EXPECT_EQ(*first_difference("arm = größe\narm = 赤\n", "arm = größe\narm = 青\n", "party 1"),
            "arm 2 = 赤 here, 青 at party 1");
  EXPECT_FALSE(first_difference("arm = a\narm = a\n", "arm = a\narm = a\n", "party 1"));
}

TEST(Parameters, TrustAgreesWhereItSharesAFingerprint) {
  const auto text = [](const std::string& prints) { return "steps = 1\ntrust_party_1 = " + prints + "\nbits = 20\n"; };
  EXPECT_FALSE(first_difference(text("\"a\""), text("\"a\" \"b\""), "party 1"));
  EXPECT_FALSE(first_difference(text("\"b\" \"a\""), text("\"c\" \"b\""), "party 1"));
  EXPECT_TRUE(first_difference(text("\"a\""), text("\"b\""), "party 1"));
  EXPECT_TRUE(first_difference(text("\"a\" \"b\""), text("\"c\""), "party 1"));
  EXPECT_TRUE(first_difference(text("\"a\""), text(""), "party 1"));
  EXPECT_TRUE(first_difference(text("\"a\""), "steps = 1\nbits = 20\n", "party 1"));
  EXPECT_TRUE(first_difference("arm = a b\n", "arm = b\n", "party 1")) << "of other keys a value is a whole";
  EXPECT_EQ(without_trust(text("\"a\"")), "steps = 1\nbits = 20\n");
}

TEST(Parameters, WhatAPeerSendsIsMadePrintable) {
  const std::string text = *first_difference("a = 1\n", "a = \x1b[31mred\n", "party 1");
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace sotto::net

namespace sotto::net::testing {

namespace {

constexpr std::chrono::milliseconds pins_deadline{1500};

char letter_of(NodeId role) { return role == dealer_id ? 'd' : static_cast<char>('0' + role); }

// Every role trusts the certificates of all roles; `shows` says which certificate a role really has.
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

// Party 1 connects to the dealer and to party 0; the actor connects to party 1.
TEST(Pins, AStrangersCertificateIsNamedByWhoWaitsInVain) {
  const auto outcomes = run_with({{1, 'x'}}, pins_deadline);
  EXPECT_EQ(outcomes.at(2).code, 7) << outcomes.at(2).message;
  EXPECT_EQ(outcomes.at(2).message.rfind("party 1 at 127.0.0.1:", 0), 0u);
  EXPECT_NE(outcomes.at(2).message.find(shown('x')), std::string::npos);
  EXPECT_NE(outcomes.at(2).message.find(shown('1')), std::string::npos);
  for (const NodeId role : {NodeId{0}, dealer_id}) {
    const std::string& text = outcomes.at(role).message;
    // The role ends because of its own check, or because the actor has reported the fault to the role.
    EXPECT_TRUE(outcomes.at(role).code == 3 || outcomes.at(role).code == 7) << text;
    EXPECT_NE(text.find(shown('x')), std::string::npos) << text;
  }
}

// The first role that finds the fault notifies the dealer and the roles to which it has links. All remaining roles find
// that the notified roles have ended.
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

// Both machines belong to the run, so both machines learn that their keys are swapped.
TEST(Pins, KeysThatAreMixedUpAreNamed) {
  auto outcomes = run_with({{0, '1'}, {1, '0'}}, pins_deadline);
  for (const auto& [role, outcome] : outcomes) {
    EXPECT_TRUE(outcome.code == 7 || outcome.code == 3) << outcome.message;
  }
  EXPECT_EQ(outcomes.at(1).code, 7) << outcomes.at(1).message;
}

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
