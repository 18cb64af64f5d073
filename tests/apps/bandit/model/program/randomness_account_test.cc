#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/parameters.h"
#include "apps/bandit/model/program/private_bandit.h"
#include "apps/bandit/model/program/randomness_account.h"
#include "apps/bandit/model/sites.h"
#include "protocols/preprocessing/replicated/run_replicated.h"
#include "protocols/preprocessing/transfers/transfer_pieces.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/mesh/handshake/hello.h"
#include "sotto/protocol/simulate/simulate.h"
#include "sotto/protocol/wire/hash.h"
#include "tests/framework.h"

namespace sotto::apps::bandit {
namespace {

using Held = std::map<std::string, Words>;

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

// A set of roles knows a mask if it includes the dealer or all parties, because the shares of all parties add up to the
// mask.
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

// A set of roles knows a mask if the distinct pieces that the roles have add up to the mask.
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

// The tests compare SHA-256 digests of a short run: of all frames, of all chunks from the dealer, and of the opened
// model. The digests change with the wire format, the order of draws, the order of slots, the bit widths in the plan,
// and the inputs that PlacedSite makes.

class PlacedSite final : public SiteOf<Contexts, Arms, Rewards> {
 public:
  explicit PlacedSite(const BanditPlan& plan) : plan_(plan) {}
  void context(std::size_t party, std::uint64_t step, std::span<std::uint64_t> out) override {
    // With this width each feature is below 1/4 in size, or below 1/2 if max_norm is above 1. The tested plans have at
    // most 7 features, so the norm of a row stays within max_norm.
    const unsigned bits = plan_.context_bits - 2 + (plan_.parameters.max_norm > 1 ? 1 : 0);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = number(16 * step + 4 * party + i, bits);
  }
  void pull(std::uint64_t, std::size_t arm) override { arm_ = arm; }
  std::uint64_t reward(std::uint64_t step) override { return number(1000 + 100 * step + arm_, plan_.reward_bits); }

 private:
  // Returns a number in (-2^bits, 2^bits).
  static std::uint64_t number(std::uint64_t place, unsigned bits) {
    const std::uint64_t word = (place + 1) * 0x9e3779b97f4a7c15;
    const std::uint64_t size = (word >> 8) & ((std::uint64_t{1} << bits) - 1);
    return (word & 1) == 0 ? size : std::uint64_t{0} - size;
  }

  const BanditPlan& plan_;
  std::size_t arm_ = 0;
};

struct Case {
  std::vector<std::size_t> columns;
  std::size_t arms;
  double max_norm;
  const char* sum;
};

void append(std::string& text, const Bytes& bytes) {
  text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::string transcript_of(const Case& c) {
  BanditParameters parameters;
  parameters.columns = c.columns;
  parameters.arms = c.arms;
  parameters.steps = 3;
  parameters.max_norm = c.max_norm;
  parameters.binary_rewards = false;
  parameters.exploration.threshold = std::uint64_t{1} << 62;
  parameters.reveal_model = true;
  const BanditPlan plan = plan_bandit(std::move(parameters));
  PlacedSite site(plan);

  std::string text;
  protocols::SimulationOptions options;
  options.insecure_seed = 1;
  options.tap = [&](NodeId from, NodeId to, std::uint64_t round, Bytes& frame) {
    text += "frame " + std::to_string(from) + " " + std::to_string(to) + " " + std::to_string(round) + "\n";
    append(text, frame);
  };
  options.chunk_tap = [&](std::uint64_t number, Bytes& chunk) {
    text += "chunk " + std::to_string(number) + "\n";
    append(text, chunk);
  };
  const auto program = [&](Party& party) { return private_bandit(party, plan, site); };
  const auto run = protocols::simulate(plan.parameters.topology(), program, std::move(options));
  const BanditModel& model = run.nodes.front();
  for (const Public* value : {&model.weights, &model.inverse_triangles}) {
    value->if_known([&](const Words& words) {
      for (const std::uint64_t word : words) text += std::to_string(word) + "\n";
    });
  }
  return text;
}

TEST(BanditTranscript, IsThatOfBefore) {
  const std::vector<Case> cases{
      {{2, 3}, 10, 1, "ff92f698c0b4395fe3f80b30b1121e57749eae0c9b177877479d38c6c2e66ed3"},
      {{2, 3}, 10, 2, "52446ffa83e2c4e4120010690660d3623859e62d00736e432d38abcb2e9ce558"},
      {{2, 3}, 70, 1, "c63760a735b925840a2c0ae2f2630131d90f894a7aedf4600fe156045c882a27"},
      {{2, 3}, 70, 2, "e8e265503df1736a2edfd726c13842b0ba88d92519597b741b0e09d4273ad1b2"},
      {{2, 1, 2}, 10, 1, "021added043f8d345e3faa456ed81517db9929009b2fd4798e030146b6f7b1ad"},
      {{2, 1, 2}, 10, 2, "de0a4f54657482089d04d3086ab7b04428ba721038b83f926542954ebbca988d"},
      {{2, 1, 2}, 70, 1, "75d8f75be486eb4d62bd7de38b09fb35f274cff607dbe42ceea29d67b734a44a"},
      {{2, 1, 2}, 70, 2, "a4558ef6fe6f1645f02958e7f67ac42aca59e3da5f4e45157932958711e6ed7b"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(hex(net::sha256(transcript_of(c))), c.sum)
        << c.columns.size() << " parties, " << c.arms << " arms, norms up to " << c.max_norm;
  }
}

}  // namespace
}  // namespace sotto::apps::bandit
