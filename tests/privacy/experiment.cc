#include "tests/privacy/experiment.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/sharing/share_access.h"
#include "sotto/protocol/wire/label.h"
#include "tests/framework.h"
#include "tests/privacy/view.h"

namespace sotto::privacy {
namespace {

std::vector<NodeId> possible_owners(const Experiment& experiment, std::size_t parties) {
  if (experiment.owned_by_actor || experiment.outside_owners > 0) return {static_cast<NodeId>(parties)};
  if (parties == 5) return {0, 2, 4};
  // For each party, at least one of the two possible owners is another party. So each party is examined in some run in
  // which another party owns the secret.
  if (experiment.without_dealer()) return {0, static_cast<NodeId>(parties - 1)};
  std::vector<NodeId> owners;
  for (NodeId p = 0; p < parties; ++p) owners.push_back(p);
  return owners;
}

// Removes groups that are part of a larger group, because the larger group sees everything that the smaller group sees.
void keep_largest(std::vector<Members>& groups) {
  const std::vector<Members> all = groups;
  std::erase_if(groups, [&](Members group) {
    return std::any_of(all.begin(), all.end(), [&](Members other) { return other != group && (group & ~other) == 0; });
  });
}

std::vector<Members> groups_without(const Experiment& experiment, const Topology& topology,
                                    const std::vector<NodeId>& owners) {
  const Members all = (1u << topology.parties()) - 1;
  const Members makers = topology.has_helper() ? all | 1u << topology.helper() : all;
  Members outside = 0;
  for (const NodeId owner : owners) outside |= 1u << owner;
  const bool with_actor = !experiment.owned_by_actor && !experiment.actor_learns;
  const Members actor = 1u << topology.outside_node();
  const bool one_alone = experiment.without_dealer();
  const Members second_owner = topology.owners() > 1 ? 1u << topology.owner(1) : 0;
  std::vector<Members> groups;
  for (Members group = 0; group <= makers; ++group) {
    const bool proper = (group & outside) == 0 && group != all && (!one_alone || std::popcount(group) <= 1);
    const bool chosen =
        topology.parties() < 5 || group == (all & ~outside) || (experiment.owned_by_actor && group == (all >> 1));
    if (!proper || !chosen) continue;
    if ((group != 0 || second_owner != 0) && !(one_alone && with_actor))
      // If the condition above is false, the same group with the actor, which sees more, is added below.
      groups.push_back(group | second_owner);
    if (!with_actor) continue;
    groups.push_back(group | second_owner | actor);
    if (topology.has_further_node()) groups.push_back(group | 1u << topology.further_node());
  }
  if (!takes_all_samples()) keep_largest(groups);
  return groups;
}

Runs record_all(const Experiment& experiment, const Layout& layout, const std::vector<NodeId>& owners) {
  Runs runs;
  const std::size_t held_bytes =
      experiment.without_dealer() ? 0 : experiment.held_bytes * (layout.topology.parties() == 2 ? 8 : 1);
  std::uint64_t seed = fnv1a(experiment.name) + 1'000'000 * owners.front();
  for (unsigned secret = 0; secret < 2; ++secret) {
    Secret held{owners, secret == 0 ? experiment.first : experiment.second};
    const Program program = [&](Party& party) { return experiment.program(party, held); };
    for (std::size_t i = 0; i < repetitions; ++i) {
      held.run = seed++;
      runs[secret].push_back(record(layout, program, held.run, held_bytes));
    }
  }
  return runs;
}

Words clear_lanes(const Party& party, const Secret& secret, std::size_t owner, std::size_t first, std::size_t lanes) {
  Words words(lanes, 0);
  if (party.is(secret.owners.at(owner))) {
    for (std::size_t i = 0; i < lanes; ++i) words[i] = secret.words.at(first + i);
  }
  return words;
}

}  // namespace

Outcome carry_out(const Experiment& experiment, std::size_t parties) {
  const Topology without_owners = experiment.without_dealer()
                                      ? topology_of(experiment.randomness, parties, true, experiment.separate_rewarder)
                                      : Topology(parties, experiment.separate_rewarder);
  const Topology topology = without_owners.with_owners(experiment.outside_owners);
  Outcome outcome;
  for (const NodeId first : possible_owners(experiment, parties)) {
    std::vector<NodeId> owners{first};
    while (owners.size() < experiment.owners) owners.push_back(static_cast<NodeId>((owners.back() + 1u) % parties));
    const Secret shape_alone{owners, experiment.first};
    const Layout layout = lay_out(topology, [&](Party& party) { return experiment.program(party, shape_alone); });
    const Runs runs = record_all(experiment, layout, owners);
    for (const Members group : groups_without(experiment, topology, owners)) {
      Examination examination;
      examine(layout, runs, group, experiment.outputs, examination);
      std::vector<std::string> findings = examination.findings();
      if (experiment.without_dealer()) append_relations(layout, runs, group, experiment.outputs, findings);
      ++outcome.views;
      outcome.members |= group;
      outcome.decisions += examination.decisions();
      for (const std::string& finding : findings) {
        outcome.findings.push_back("to " + describe(topology, group) + ", secret of " + topology.name(first) + ": " +
                                   finding);
      }
    }
  }
  return outcome;
}

Arith clear_words(const Party& party, const Secret& secret, std::size_t owner, std::size_t first, Shape shape,
                  unsigned scale, unsigned bits) {
  if (!party.holds_shares()) return Arith(shape, scale, bits);
  Words words = clear_lanes(party, secret, owner, first, shape.lanes());
  for (std::uint64_t& word : words) word &= ~std::uint64_t{0} >> (64 - bits);
  return Arith(shape, scale, std::move(words), bits);
}

Bool clear_bits(const Party& party, const Secret& secret, std::size_t first, Shape shape, unsigned width) {
  if (!party.holds_shares()) return Bool(shape, width);
  return Bool(shape, width, clear_lanes(party, secret, 0, first, shape.lanes()));
}

Words clear_summands(const Party& party, const Secret& secret, std::size_t lanes) {
  Words words(party.holds_shares() ? lanes : 0, 0);
  for (std::size_t owner = 0; owner < secret.owners.size(); ++owner) {
    if (!party.is(secret.owners[owner])) continue;
    for (std::size_t i = 0; i < lanes; ++i) words[i] = secret.words.at(owner * lanes + i);
  }
  return words;
}

Seed seed_of_run(Party& party) {
  std::array<std::byte, Seed::size> bytes{};
  for (NodeId node = 0; node < party.topology().parties(); ++node) {
    const Words known = party.preprocessing().input_mask(node, 2).known;
    if (party.is(node)) std::memcpy(bytes.data(), known.data(), bytes.size());
  }
  return Seed::from_bytes(bytes);
}

Task<Masked> brought(Party& party, const Secret& secret, std::size_t owner, std::size_t first, Shape shape,
                     unsigned scale) {
  const NodeId node = secret.owners.at(owner);
  protocols::Input input = protocols::input_at(party, node, shape, scale, [&](std::span<std::uint64_t> out) {
    std::copy_n(secret.words.begin() + static_cast<std::ptrdiff_t>(first), out.size(), out.begin());
  });
  co_return co_await protocols::share_input(party, node, std::move(input), "secret");
}

void hold(Numbers& held, const Words& words) { held.insert(held.end(), words.begin(), words.end()); }
void hold(Numbers& held, const Arith& value) { hold(held, ShareAccess::words(value)); }
void hold(Numbers& held, const Bool& value) { hold(held, ShareAccess::words(value)); }
void hold(Numbers& held, const Masked& value) { hold(held, ShareAccess::mask(value).words); }
void hold(Numbers& held, const Public& value) {
  value.if_known([&](const Words& words) { hold(held, words); });
}

std::vector<Experiment> all_experiments() {
  std::vector<Experiment> all = protocol_experiments();
  for (Experiment& bandit : bandit_experiments()) all.push_back(std::move(bandit));
  return all;
}

std::string joined(const std::vector<std::string>& findings) {
  std::string text = std::to_string(findings.size()) + " findings";
  for (const std::string& finding : findings) text += "\n  " + finding;
  return text;
}

bool any_says(const std::vector<std::string>& findings, const std::string& what) {
  return std::any_of(findings.begin(), findings.end(),
                     [&](const std::string& finding) { return finding.find(what) != std::string::npos; });
}

std::uint64_t fixed(double value, unsigned f) {
  return static_cast<std::uint64_t>(std::llround(std::ldexp(value, static_cast<int>(f))));
}

}  // namespace sotto::privacy
