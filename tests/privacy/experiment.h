// An experiment: a program, two secrets with the same outputs, and every group of roles that must not tell the secrets
// apart.
//
// For 2 and 3 parties, the secret belongs to each party in turn. The groups are all subsets of the other parties, with
// and without the actor, and the actor by itself. For 5 parties, the secret belongs to the first, the middle and the
// last party, and the group is all other parties, with and without the actor. A group that is part of a larger group is
// left out, unless all samples are taken (tests/framework.h), because the larger group sees everything that the smaller
// group sees.
#pragma once

#include "sotto/protocol/preprocessing/randomness_by.h"
#include "sotto/protocol/random/seed.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/bool.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/sharing/public.h"
#include "tests/privacy/statistics.h"
#include "tests/privacy/transcript.h"
#include "tests/privacy/view.h"

namespace sotto::privacy {

// Data that the owners hold and the group must not learn. The secret and the program must outlive the roles' tasks.
struct Secret {
  std::vector<NodeId> owners;
  Numbers words;
  // The number of this run among all recorded runs. Without a dealer, this number determines what the roles draw.
  std::uint64_t run = 0;
};

struct Experiment {
  std::string name;
  std::function<Task<Numbers>(Party&, const Secret&)> program;
  Numbers first;
  Numbers second;
  Outputs outputs{};
  std::size_t owners = 1;  // number of consecutive parties that own the secret and are in no group
  std::size_t fewest_parties = 2;
  std::size_t most_parties = 5;
  bool owned_by_actor = false;     // the actor owns the secret, so no group has the actor
  bool actor_learns = false;       // the outputs to the actor differ between the secrets, so no group has the actor
  bool separate_rewarder = false;  // the rewarder is a role of its own, so groups may have it instead of the actor
  std::size_t outside_owners = 0;  // 0 or 2 owners outside: the first has the secret, and the second is in every group
  // The roles that make the randomness. Without a dealer, the secret belongs to the first party, then to the last.
  // Without a dealer, a group has the actor and one other party or the helper, because two roles that make the
  // randomness may together know everything. Without a dealer, views are also examined for relations of words
  // (view.h).
  RandomnessBy randomness = RandomnessBy::dealer;
  [[nodiscard]] bool without_dealer() const { return randomness != RandomnessBy::dealer; }
  // Number of bytes of expansions and corrections with which fresh words are compared. For two parties, the number of
  // these bytes is eight times as large.
  std::size_t held_bytes = 256;
};

struct Outcome {
  std::uint64_t views = 0;
  Members members = 0;  // the roles that were in any group
  std::uint64_t decisions = 0;
  std::vector<std::string> findings;
};

[[nodiscard]] Outcome carry_out(const Experiment& experiment, std::size_t parties);

// A shape that programs use: a row of two lanes.
inline constexpr Shape two{1, 2};
// Shares of the owner's secret words from `first` on, which the owner holds in clear: the worst possible shares.
[[nodiscard]] Arith clear_words(const Party& party, const Secret& secret, std::size_t owner, std::size_t first,
                                Shape shape, unsigned scale, unsigned bits = 64);
[[nodiscard]] Bool clear_bits(const Party& party, const Secret& secret, std::size_t first, Shape shape, unsigned width);
// Summands for sums: at each owner the owner's `lanes` secret words, at all other parties zeros, at all other roles
// no words.
[[nodiscard]] Words clear_summands(const Party& party, const Secret& secret, std::size_t lanes);
// This party's own seed, which follows from the seed of the run.
[[nodiscard]] Seed seed_of_run(Party& party);
// The words of clear_words, as an input that the owner brings with share_input.
[[nodiscard]] Task<Masked> brought(Party& party, const Secret& secret, std::size_t owner, std::size_t first,
                                   Shape shape, unsigned scale);
// Appends what this role holds of a value to `held`.
void hold(Numbers& held, const Words& words);
void hold(Numbers& held, const Arith& value);
void hold(Numbers& held, const Bool& value);
void hold(Numbers& held, const Masked& value);  // the role's share of the mask
void hold(Numbers& held, const Public& value);
template <class... Values>
[[nodiscard]] Numbers held_of(const Values&... values) {
  Numbers held;
  (hold(held, values), ...);
  return held;
}

[[nodiscard]] std::uint64_t fixed(double value, unsigned f = 20);

// One experiment for each row of docs/explain/privacy.md.
[[nodiscard]] std::vector<Experiment> protocol_experiments();
// Whole steps of the bandit.
[[nodiscard]] std::vector<Experiment> bandit_experiments();
// Steps and batches of the bandit without a dealer, in each mode.
[[nodiscard]] std::vector<Experiment> bandit_experiments_without_dealer();
// Number of compute parties in a mode without a dealer.
[[nodiscard]] inline std::size_t parties_of(RandomnessBy by) { return by == RandomnessBy::replicated ? 3 : 2; }
// Two steps of a bandit with three arms and one secret, for the rank of transcripts.
[[nodiscard]] Experiment bandit_of_three_arms();

// The experiments of the protocols and of the bandit.
[[nodiscard]] std::vector<Experiment> all_experiments();

// An experiment whose leak must be found, and a text that one of the findings must contain.
struct Control {
  Experiment experiment;
  std::string finding;
  // True if whole words of a view are related. In other controls words are biased, too short, or related nonlinearly.
  bool related = false;
};
[[nodiscard]] std::vector<Control> negative_controls();
// The controls of modes without a dealer.
[[nodiscard]] std::vector<Control> controls_without_dealer();
// Controls for the rank of transcripts, with relations of three words. No two of these words are related, so pairs do
// not show the relation.
[[nodiscard]] std::vector<Experiment> controls_of_many_words();
// A control with a relation of three words, which are sent before and after two steps of a bandit with three arms.
// The control has one secret.
[[nodiscard]] Experiment control_around_steps();

// The parameters of a test: the number of the experiment, and the number of parties.
using ExperimentOf = std::tuple<std::size_t, std::size_t>;

[[nodiscard]] inline const std::string& name_of(const Experiment& experiment) { return experiment.name; }
[[nodiscard]] inline const std::string& name_of(const Control& control) { return control.experiment.name; }

// A name in the form of the names of tests.
[[nodiscard]] inline std::string identifier(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

template <auto all>
struct NameOf {
  std::string operator()(const testing::TestParamInfo<ExperimentOf>& chosen) const {
    return identifier(name_of(all().at(std::get<0>(chosen.param))) + " among " +
                      std::to_string(std::get<1>(chosen.param)));
  }
};

[[nodiscard]] std::string joined(const std::vector<std::string>& findings);
[[nodiscard]] bool any_says(const std::vector<std::string>& findings, const std::string& what);

// A program whose parties make its randomness themselves: three parties use replicated keys, two parties use transfers,
// or two parties and a helper use replicated keys. The keys and the set-up of transfers follow from the number of the
// run. The tests of protocols/preprocessing/ examine how roles agree on keys and on the set-up.

// Deliberate faults. With same_keys and same_transfers, the program runs twice.
enum class Flaw {
  none,
  no_zeros,        // with three parties: no message and no share includes a sharing of zero
  same_keys,       // the counters of requests begin again under the same keys
  same_transfers,  // with two parties: rows and tweaks begin again
};

// Makes the randomness of `recorded`, then runs `program` (protocols/preprocessing/recorded/run_recorded.h). In the
// modes with three roles, each role returns the first word of each of its keys for every request.
[[nodiscard]] Task<Numbers> made_by_parties(Party& party, std::uint64_t run, Flaw flaw, Program program,
                                            Program recorded);

}  // namespace sotto::privacy
