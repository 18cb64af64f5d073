#include "apps/bandit/model/program/randomness_account.h"

#include <fmt/format.h>

namespace sotto::apps {
namespace {

constexpr const char* masks_and_tables = "masks and one-time tables";
constexpr const char* coins_and_arms = "coins and arms of exploration";
constexpr const char* order_of_scores = "order of equal scores";
constexpr const char* seeds_and_keys = "seeds and keys";
constexpr const char* masks_of_owners = "masks of owners' features";
constexpr const char* everything = "everything: features, scores, arms, rewards, the model";

RoleSet all_parties(const Topology& topology) {
  RoleSet all;
  for (NodeId party = 0; party < topology.parties(); ++party) all.push_back(topology.name(party));
  return all;
}

// The rewarder's own, in every mode.
RandomnessSource rounding_of_rewards(const Topology& topology) {
  const RoleSet rewarder{topology.name(rewarder_of(topology))};
  return {"rounding of rewards", "the rewarder", {rewarder}, {rewarder}, "nothing but its own rewards"};
}

std::vector<RandomnessSource> of_a_dealer(const Topology& topology) {
  const RoleSet dealer{"dealer"};
  const RoleSet parties = all_parties(topology);
  std::vector<RoleSet> readers;
  for (const std::string& party : parties) readers.push_back({"dealer", party});
  const std::vector<RoleSet> with_actor{{"dealer", topology.name(actor_of(topology))}};
  std::vector<RoleSet> readers_of_masks = readers;
  readers_of_masks.push_back(parties);
  return {{masks_and_tables, "the dealer, from its seeds", {dealer, parties}, readers_of_masks, everything},
          {coins_and_arms,
           "the dealer",
           {dealer},
           with_actor,
           "which arms were explored: eta bounds nothing for them. The arm of an event that explores the dealer has "
           "drawn itself"},
          {order_of_scores, "the dealer", {dealer}, with_actor, "of an arm, what was drawn among equal scores"},
          {seeds_and_keys, "the dealer, one seed for each role", {dealer}, readers, everything},
          rounding_of_rewards(topology)};
}

// Where compute parties make it themselves: `pairs` are those that know all of it.
std::vector<RandomnessSource> of_the_parties(const Topology& topology, const std::vector<RoleSet>& pairs,
                                             const char* masks_by, const char* coins_by, const char* keys_by) {
  std::vector<RandomnessSource> sources{
      {masks_and_tables, masks_by, pairs, pairs, everything},
      {coins_and_arms, coins_by, pairs, pairs, "everything, and which arms were explored: eta bounds nothing for them"},
      {order_of_scores, coins_by, pairs, pairs, everything},
      {seeds_and_keys, keys_by, pairs, pairs, everything},
      rounding_of_rewards(topology)};
  if (topology.owners() > 0) {
    std::vector<RoleSet> known_to = pairs;
    for (std::size_t owner = 0; owner < topology.owners(); ++owner) {
      known_to.push_back({topology.name(topology.owner(owner))});
    }
    sources.insert(sources.begin() + 1, {masks_of_owners, "each owner its own, from keys that it gives to the parties",
                                         std::move(known_to), pairs, "the features of all owners"});
  }
  return sources;
}

// Of three roles, each two.
std::vector<RoleSet> pairs_of(const RoleSet& three) {
  return {{three[0], three[1]}, {three[0], three[2]}, {three[1], three[2]}};
}

std::vector<RandomnessSource> of_three_parties(const Topology& topology) {
  return of_the_parties(topology, pairs_of(all_parties(topology)),
                        "each two of the three parties, from a key that they share", "the three parties together",
                        "each party one, which it gives to one other");
}

std::vector<RandomnessSource> of_two_and_a_helper(const Topology& topology) {
  RoleSet makers = all_parties(topology);
  makers.push_back(topology.name(topology.helper()));
  return of_the_parties(topology, pairs_of(makers), "each two of parties and helper, from a key that they share",
                        "both parties and the helper together", "parties and helper one each, given to one other");
}

std::vector<RandomnessSource> of_two_parties(const Topology& topology) {
  return of_the_parties(topology, {all_parties(topology)}, "each party its own part", "both parties together",
                        "each party its own");
}

}  // namespace

std::vector<RandomnessSource> randomness_account(RandomnessBy by, const Topology& topology) {
  switch (by) {
    case RandomnessBy::dealer:
      return of_a_dealer(topology);
    case RandomnessBy::replicated:
      return of_three_parties(topology);
    case RandomnessBy::ot:
      return of_two_parties(topology);
    case RandomnessBy::helper:
      break;
  }
  return of_two_and_a_helper(topology);
}

std::string sets_in_words(const std::vector<RoleSet>& sets) {
  std::string text;
  for (const RoleSet& set : sets) {
    if (!text.empty()) text += ", or ";
    text += fmt::format("{}", fmt::join(set, " with "));
  }
  return text;
}

}  // namespace sotto::apps
