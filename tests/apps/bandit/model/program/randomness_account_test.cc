// The account of who could know what, against what the roles hold: masks of a dealer, pieces of three parties.
#include "apps/bandit/model/program/randomness_account.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "protocols/preprocessing/replicated/pair_seeds.h"
#include "protocols/preprocessing/transfers/transfer_pieces.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/simulate/simulate.h"

namespace sotto::apps::bandit {
namespace {

using Held = std::map<std::string, Words>;  // a role's, by its name

const RandomnessSource& source_of(const std::vector<RandomnessSource>& account, const std::string& name) {
  const auto found = std::find_if(account.begin(), account.end(),
                                  [&](const RandomnessSource& source) { return source.source == name; });
  if (found == account.end()) throw std::logic_error("no source " + name);
  return *found;
}

bool covers(const RoleSet& roles, const std::vector<RoleSet>& least) {
  return std::any_of(least.begin(), least.end(), [&](const RoleSet& set) {
    return std::all_of(set.begin(), set.end(), [&](const std::string& role) {
      return std::find(roles.begin(), roles.end(), role) != roles.end();
    });
  });
}

std::vector<RoleSet> all_sets(const std::vector<std::string>& roles) {
  std::vector<RoleSet> sets;
  for (unsigned bits = 1; bits < 1U << roles.size(); ++bits) {
    RoleSet set;
    for (std::size_t i = 0; i < roles.size(); ++i) {
      if ((bits >> i & 1) != 0) set.push_back(roles[i]);
    }
    sets.push_back(std::move(set));
  }
  return sets;
}

constexpr std::size_t lanes = 8;

Task<Unit> hold_mask(Party& party, Held& held) {
  const auto self = party.rounds().self();
  held[self ? party.topology().name(*self) : "dealer"] = party.preprocessing().mask(lanes, 64).words;
  co_return Unit{};
}

// A set of roles knows a mask where its dealer does, or where the shares of all parties add up to it.
TEST(RandomnessAccount, OfADealerSaysWhoKnowsAMask) {
  for (const std::size_t parties : {2u, 3u, 5u}) {
    const Topology topology = bandit_topology(parties, true);
    Held held;
    (void)protocols::simulate(topology, [&](Party& party) { return hold_mask(party, held); });
    const Words mask = held.at("dealer");
    ASSERT_EQ(mask.size(), lanes);
    std::vector<std::string> names{"dealer"};
    for (NodeId node = 0; node < topology.nodes(); ++node) names.push_back(topology.name(node));
    const auto account = randomness_account(RandomnessBy::dealer, topology);
    const std::vector<RoleSet>& known_to = source_of(account, "masks and one-time tables").known_to;
    for (const RoleSet& set : all_sets(names)) {
      Words sum(lanes, 0);
      bool has_dealer = false;
      for (const std::string& role : set) {
        if (role == "dealer") has_dealer = true;
        const Words& words = held.at(role);
        if (role == "dealer" || words.empty()) continue;
        for (std::size_t i = 0; i < lanes; ++i) sum[i] += words[i];
      }
      EXPECT_EQ(has_dealer || sum == mask, covers(set, known_to)) << sets_in_words({set}) << " of " << parties;
    }
  }
}

struct Pieces {
  Words own, next;
};
using HeldPieces = std::map<std::string, Pieces>;

void keep(Party& party, protocols::WordPieces mask, HeldPieces& held) {
  const auto self = party.rounds().self();
  if (self && !mask.own.empty()) held[party.topology().name(*self)] = {std::move(mask.own), std::move(mask.next)};
}

Task<Unit> hold_of_three(Party& party, HeldPieces& held) {
  protocols::PairKeys keys = co_await protocols::agree_on_pair_keys(party, Seed::from_os(), "a test");
  keep(party, keys.uniform(lanes, 64), held);
  co_return Unit{};
}

Task<Unit> hold_of_two(Party& party, HeldPieces& held) {
  protocols::TransferPieces pieces = co_await protocols::agree_on_transfer_pieces(party, Seed::from_os(), "a test");
  keep(party, pieces.uniform(lanes, 64), held);
  co_return Unit{};
}

// A set of roles knows a mask where the distinct pieces that it holds add up to it.
void expect_account_of_pieces(RandomnessBy by, const Topology& topology, const HeldPieces& held) {
  std::vector<std::string> names;
  Words mask(lanes, 0);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    names.push_back(topology.name(node));
    if (!held.contains(names.back())) continue;
    for (std::size_t i = 0; i < lanes; ++i) mask[i] += held.at(names.back()).own[i];
  }
  const auto account = randomness_account(by, topology);
  for (const char* source : {"masks and one-time tables", "coins and arms of exploration", "seeds and keys"}) {
    for (const RoleSet& set : all_sets(names)) {
      std::vector<Words> pieces;
      for (const std::string& role : set) {
        if (!held.contains(role)) continue;
        for (const Words& piece : {held.at(role).own, held.at(role).next}) {
          const bool is_new = !piece.empty() && std::find(pieces.begin(), pieces.end(), piece) == pieces.end();
          if (is_new) pieces.push_back(piece);
        }
      }
      Words sum(lanes, 0);
      for (const Words& piece : pieces) {
        for (std::size_t i = 0; i < lanes; ++i) sum[i] += piece[i];
      }
      EXPECT_EQ(sum == mask, covers(set, source_of(account, source).known_to)) << sets_in_words({set});
    }
  }
}

TEST(RandomnessAccount, OfThreeThatMakeItSaysWhoKnowsAMask) {
  for (const RandomnessBy by : {RandomnessBy::replicated, RandomnessBy::helper}) {
    const Topology topology = bandit_topology(by == RandomnessBy::helper ? 2 : 3, true, by);
    HeldPieces held;
    (void)protocols::simulate(topology, [&](Party& party) { return hold_of_three(party, held); });
    EXPECT_EQ(held.size(), 3u);
    expect_account_of_pieces(by, topology, held);
  }
}

// A dealer alone knows masks and coins; a helper alone nothing.
TEST(RandomnessAccount, AHelperAloneKnowsNothing) {
  for (const RandomnessSource& source :
       randomness_account(RandomnessBy::helper, bandit_topology(2, false, RandomnessBy::helper))) {
    for (const std::string role : {"helper", "party 0", "party 1"}) {
      EXPECT_FALSE(covers({role}, source.known_to)) << role << ": " << source.source;
      EXPECT_FALSE(covers({role}, source.read_by)) << role << ": " << source.source;
    }
  }
}

TEST(RandomnessAccount, OfTwoPartiesSaysWhoKnowsAMask) {
  const Topology topology = bandit_topology(2, true, RandomnessBy::ot);
  HeldPieces held;
  (void)protocols::simulate(topology, [&](Party& party) { return hold_of_two(party, held); });
  expect_account_of_pieces(RandomnessBy::ot, topology, held);
}

// Nobody alone reads a run, and all parties together do in any; two parties of three do only without a dealer.
TEST(RandomnessAccount, SaysWhatIsGivenUpWithoutADealer) {
  const auto dealt = randomness_account(RandomnessBy::dealer, bandit_topology(3, false));
  const auto replicated =
      randomness_account(RandomnessBy::replicated, bandit_topology(3, false, RandomnessBy::replicated));
  ASSERT_EQ(dealt.size(), replicated.size());
  const RoleSet two{"party 0", "party 1"};
  const RoleSet all{"party 0", "party 1", "party 2"};
  for (std::size_t i = 0; i < dealt.size(); ++i) {
    EXPECT_EQ(dealt[i].source, replicated[i].source);
    EXPECT_FALSE(covers(two, dealt[i].read_by));
    if (dealt[i].source == "rounding of rewards") continue;
    EXPECT_FALSE(covers({"dealer"}, dealt[i].read_by));
    EXPECT_TRUE(covers(two, replicated[i].read_by));
    for (const std::string& party : all) EXPECT_FALSE(covers({party}, replicated[i].read_by));
  }
  EXPECT_TRUE(covers(all, source_of(dealt, "masks and one-time tables").read_by));
  EXPECT_EQ(sets_in_words({{"dealer", "party 0"}, two}), "dealer with party 0, or party 0 with party 1");
}

}  // namespace
}  // namespace sotto::apps::bandit
