// An experiment: a program, two secrets with the same outputs, and every group of roles that must not be able to tell
// the secrets apart.
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

// Data of the owners that the group must not learn. The secret and the program must outlive the roles' tasks.
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
  bool owned_by_actor = false;     // the actor owns the secret, so no group includes the actor
  bool actor_learns = false;       // outputs to the actor differ between the secrets, so no group includes the actor
  bool separate_rewarder = false;  // the rewarder is a separate role, and a group may include it instead of the actor
  std::size_t outside_owners = 0;  // 0 or 2 owners outside: the first owns the secret, and the second is in every group
  // The roles that make the randomness. Without a dealer, the secret belongs to the first party, then to the last.
  // Without a dealer, a group includes the actor and only one role that makes randomness: a party or the helper. Two
  // such roles may together know everything. Without a dealer, views are also examined for relations of words (view.h).
  RandomnessBy randomness = RandomnessBy::dealer;
  [[nodiscard]] bool without_dealer() const { return randomness != RandomnessBy::dealer; }
  // Number of bytes that a recorded run keeps of each expansion, for the comparison with fresh words (view.h). Runs of
  // two parties keep eight times as many bytes.
  std::size_t held_bytes = 256;
};

struct Outcome {
  std::uint64_t views = 0;
  Members members = 0;
  std::uint64_t decisions = 0;
  std::vector<std::string> findings;
};

[[nodiscard]] Outcome carry_out(const Experiment& experiment, std::size_t parties);

inline constexpr Shape two{1, 2};
// Shares of the owner's secret words from `first` on: the owner's share is the words themselves, and all other shares
// are zero. If a protocol hides these shares, it hides all other shares of the words too.
[[nodiscard]] Arith clear_words(const Party& party, const Secret& secret, std::size_t owner, std::size_t first,
                                Shape shape, unsigned scale, unsigned bits = 64);
[[nodiscard]] Bool clear_bits(const Party& party, const Secret& secret, std::size_t first, Shape shape, unsigned width);
// Summands for sums. The owner has its `lanes` secret words, all other parties have zeros, and all other roles have no
// words.
[[nodiscard]] Words clear_summands(const Party& party, const Secret& secret, std::size_t lanes);
[[nodiscard]] Seed seed_of_run(Party& party);
// The words of clear_words, which the owner inputs by share_input.
[[nodiscard]] Task<Masked> brought(Party& party, const Secret& secret, std::size_t owner, std::size_t first,
                                   Shape shape, unsigned scale);
void hold(Numbers& held, const Words& words);
void hold(Numbers& held, const Arith& value);
void hold(Numbers& held, const Bool& value);
void hold(Numbers& held, const Masked& value);
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
[[nodiscard]] std::vector<Experiment> bandit_experiments();
[[nodiscard]] std::vector<Experiment> bandit_experiments_without_dealer();
[[nodiscard]] inline std::size_t parties_of(RandomnessBy by) { return by == RandomnessBy::replicated ? 3 : 2; }
[[nodiscard]] Experiment bandit_of_three_arms();

[[nodiscard]] std::vector<Experiment> all_experiments();

// An experiment whose leak must be found, and a text that one of the findings must contain.
struct Control {
  Experiment experiment;
  std::string finding;
  // True if whole words of a view are related. In other controls words are biased, too short, or related nonlinearly.
  bool related = false;
};
[[nodiscard]] std::vector<Control> negative_controls();
[[nodiscard]] std::vector<Control> controls_without_dealer();
// Controls for the rank of transcripts, with relations of three words. No two of these words are related, so pairs do
// not show the relation.
[[nodiscard]] std::vector<Experiment> controls_of_many_words();
// A control with a relation of three words, which are sent before and after two steps of a bandit with three arms. The
// control has one secret.
[[nodiscard]] Experiment control_around_steps();

using ExperimentOf = std::tuple<std::size_t, std::size_t>;

[[nodiscard]] inline const std::string& name_of(const Experiment& experiment) { return experiment.name; }
[[nodiscard]] inline const std::string& name_of(const Control& control) { return control.experiment.name; }

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

// A program whose parties make its randomness themselves. Three parties, or two and a helper, use replicated keys, and
// two parties use transfers. The keys and the set-up of transfers follow from the number of the run. The tests of
// protocols/preprocessing/ examine how roles agree on keys and on the set-up.

// Deliberate faults. With same_keys and same_transfers, the program runs twice.
enum class Flaw {
  none,
  no_zeros,        // with three parties: no message and no share includes a sharing of zero
  same_keys,       // the counters of requests begin again under the same keys
  same_transfers,  // with two parties: the rows and tweaks of transfers begin again from the first
};

// Makes the randomness of `recorded`, then runs `program` (protocols/preprocessing/recorded/run_recorded.h). If three
// roles make the randomness, each role returns the first word of each of its keys for every request.
[[nodiscard]] Task<Numbers> made_by_parties(Party& party, std::uint64_t run, Flaw flaw, Program program,
                                            Program recorded);

}  // namespace sotto::privacy
