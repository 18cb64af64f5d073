#include "apps/bandit/model/program/randomness_account.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>

namespace sotto::apps::bandit {
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

RandomnessSource rounding_of_rewards(const Topology& topology) {
  const RoleSet rewarder{topology.name(rewarder_of(topology))};
  return {"rounding of rewards", "the rewarder", {rewarder}, {rewarder}, "nothing but its own rewards"};
}

std::vector<RandomnessSource> of_a_dealer(const Cast& cast, const Topology& topology) {
  const RoleSet dealer{"dealer"};
  const RoleSet parties = all_parties(topology);
  std::vector<RoleSet> readers;
  for (const std::string& party : parties) readers.push_back({"dealer", party});
  const std::vector<RoleSet> with_actor{{"dealer", topology.name(actor_of(topology))}};
  std::vector<RoleSet> readers_of_masks = readers;
  readers_of_masks.push_back(parties);
  return {{masks_and_tables, cast.masks_by, {dealer, parties}, readers_of_masks, everything},
          {coins_and_arms,
           cast.coins_by,
           {dealer},
           with_actor,
           "which arms were explored: eta bounds nothing for them. The arm of an event that explores the dealer has "
           "drawn itself"},
          {order_of_scores, cast.coins_by, {dealer}, with_actor, "of an arm, what was drawn among equal scores"},
          {seeds_and_keys, cast.keys_by, {dealer}, readers, everything},
          rounding_of_rewards(topology)};
}

std::vector<RoleSet> sets_of(const RoleSet& roles, std::size_t size) {
  std::vector<RoleSet> sets;
  for (std::uint64_t chosen = 1; chosen < std::uint64_t{1} << roles.size(); ++chosen) {
    if (static_cast<std::size_t>(std::popcount(chosen)) != size) continue;
    RoleSet& set = sets.emplace_back();
    for (std::size_t i = 0; i < roles.size(); ++i) {
      if ((chosen >> i & 1) != 0) set.push_back(roles[i]);
    }
  }
  return sets;
}

std::vector<RandomnessSource> of_the_makers(const Cast& cast, const Topology& topology) {
  RoleSet makers = all_parties(topology);
  if (topology.has_helper()) makers.push_back(topology.name(topology.helper()));
  const std::vector<RoleSet> readers = sets_of(makers, cast.read_all > 0 ? cast.read_all : makers.size());
  std::vector<RandomnessSource> sources{{masks_and_tables, cast.masks_by, readers, readers, everything},
                                        {coins_and_arms, cast.coins_by, readers, readers,
                                         "everything, and which arms were explored: eta bounds nothing for them"},
                                        {order_of_scores, cast.coins_by, readers, readers, everything},
                                        {seeds_and_keys, cast.keys_by, readers, readers, everything},
                                        rounding_of_rewards(topology)};
  if (topology.owners() > 0) {
    std::vector<RoleSet> known_to = readers;
    for (std::size_t owner = 0; owner < topology.owners(); ++owner) {
      known_to.push_back({topology.name(topology.owner(owner))});
    }
    sources.insert(sources.begin() + 1, {masks_of_owners, "each owner its own, from keys that it gives to the parties",
                                         std::move(known_to), readers, "the features of all owners"});
  }
  return sources;
}

}  // namespace

std::vector<RandomnessSource> randomness_account(RandomnessBy by, const Topology& topology) {
  const Cast& cast = cast_of(by);
  return cast.has_dealer ? of_a_dealer(cast, topology) : of_the_makers(cast, topology);
}

std::string sets_in_words(const std::vector<RoleSet>& sets) {
  std::string text;
  for (const RoleSet& set : sets) {
    if (!text.empty()) text += ", or ";
    text += fmt::format("{}", fmt::join(set, " with "));
  }
  return text;
}

}  // namespace sotto::apps::bandit
