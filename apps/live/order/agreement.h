// How often callers play the arm that the model rates best, in mode apprentice: the part that each role keeps.
//
// In that mode no caller receives an arm of the model. Each decide leaves the parties with shares of how many of its
// events agree with the model (apps/bandit/model/batch/decide.h). The parties add these shares up over a window of
// LiveSettings::agreement_window events. In the decide that fills a window, every party adds noise of its own to its
// share. The noise is a discrete Laplace number of scale m / epsilon, sampled exactly (apps/kit/dp/samplers.h). Here m
// is the number of rows that a window takes of one subject (LiveSettings::agreement_rows_per_subject). The next decide
// of that mode shows the sum to the actor, and to no other role, and begins a new window.
//
// The guarantee. No role knows all coins. Consider the actor together with all parties except one, which is called P
// here. Against them the sum of a window is epsilon-differentially private in all features that P has of one subject,
// whatever arms the actor brings. This has two reasons. P puts at most m rows of a subject that P knows into a window.
// For further events of the subject P compares its default row, and no other role sees that (WindowSubjects,
// roles/subjects.h). An event moves the sum by at most 1, because the parties check the arms that the actor brings. If
// P has an account (apps/kit/account), each subject is charged epsilon before its first row goes in. A subject whose
// budget is spent has the default row.
//
// The limits of the guarantee. An event whose subject P does not know counts as a subject of its own, so m events of
// such a person cost up to m epsilon. A person who is in k windows pays k epsilon. The guarantee holds for the model as
// it was. It does not bound what a later sum reveals about events that the model has learned from.
//
// The actor counts the same events. It says "none" for padding, and for each event whose subject is already in the
// window m times by the pseudonyms of its entries. So the sum that the actor sees is about events that the parties
// compare with their own rows. The exceptions are a party with its own names of subjects, and a budget that is spent.
//
// The noise is on the disk before the sum is shown. So a number that is rolled back and done again shows the same sum.
#pragma once

#include <cstdint>
#include <string>

#include "sotto/protocol/wire/coding.h"

namespace sotto::apps::live {

// A sum that the actor was shown. The sum includes noise, so `agreed` may be below 0 or above `events`.
struct AgreedEvents {
  std::uint64_t events = 0;  // events that were compared
  std::int64_t agreed = 0;

  friend bool operator==(const AgreedEvents&, const AgreedEvents&) = default;
};

struct Agreement {
  // These two values are the same at actor, parties and rewarder.
  std::uint64_t events = 0;  // events that were compared in the window, including padding with ids
  bool is_full = false;      // true: the next decide shows the sum, even if the settings change the window meanwhile
  std::uint64_t opened = 0;  // number of windows whose sum was shown
  double spent = 0;          // sum of the epsilons of all filled windows
  // At a party: its share of the number of events that agree. The share of a full window includes the noise.
  std::uint64_t share = 0;
  // The values below are set at the actor only.
  std::uint64_t counted = 0;  // those of `events` that the actor compared: no padding, nothing beyond a subject's rows
  AgreedEvents last;          // the last window whose sum was shown
  AgreedEvents all;           // all windows whose sums were shown, added up

  friend bool operator==(const Agreement&, const Agreement&) = default;
};

// The contribution of a decide to the agreement.
struct Compared {
  std::uint64_t events = 0;
  std::uint64_t share = 0;    // at a party: its share from the rounds, with noise if the decide fills the window
  std::uint64_t counted = 0;  // at the actor: number of events that it compared
  std::int64_t told = 0;      // at the actor: the sum of the previous window, if that window was full
};
struct AgreementTerms {
  std::uint64_t window = 10'000;
  double epsilon = .1;
  std::uint64_t rows_per_subject = 1;
};
[[nodiscard]] Agreement after(const Agreement& before, const Compared& decide, const AgreementTerms& terms);
// The warning for a window whose epsilon is above `weak_agreement_epsilon`; else empty. A service prints it wherever it
// describes the window.
inline constexpr double weak_agreement_epsilon = 2;
[[nodiscard]] std::string weak_agreement_text(double epsilon);
// The agreement with a new, empty window. After a recovery roles may come back with shares of different histories, so
// the window begins again and its sum is not shown. Figures of earlier windows stay, including the epsilon of a window
// that was given up.
[[nodiscard]] Agreement with_new_window(const Agreement& before);

// Read and write the agreement as a part of a larger message.
void write(ByteWriter& out, const Agreement& agreement);
[[nodiscard]] Agreement read_agreement(ByteReader& in);

}  // namespace sotto::apps::live
