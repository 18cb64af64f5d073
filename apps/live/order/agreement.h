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
  // The same at actor, parties and rewarder.
  std::uint64_t events = 0;  // compared in the window, including padding that has ids
  bool is_full = false;      // the next decide shows its sum, even if the settings change the window meanwhile
  std::uint64_t opened = 0;  // windows whose sum was shown
  double spent = 0;          // epsilon of all filled windows, added up
  // At a party: its share of the number of events that agree. The share of a full window includes the noise.
  std::uint64_t share = 0;
  // At the actor.
  std::uint64_t counted = 0;  // the part of `events` that it compared: no padding, no events beyond a subject's rows
  AgreedEvents last;          // the last window that was shown
  AgreedEvents all;           // all windows that were shown, added up

  friend bool operator==(const Agreement&, const Agreement&) = default;
};

// The terms that a decide adds to the agreement.
struct Compared {
  std::uint64_t events = 0;
  std::uint64_t share = 0;    // at a party: from the rounds, with noise if the decide fills the window
  std::uint64_t counted = 0;  // at the actor
  std::int64_t told = 0;      // at the actor: the sum of the window before, if that window was full
};
struct AgreementTerms {
  std::uint64_t window = 10'000;
  double epsilon = .1;
  std::uint64_t rows_per_subject = 1;
};
[[nodiscard]] Agreement after(const Agreement& before, const Compared& decide, const AgreementTerms& terms);
// The warning that stamps a window whose epsilon is above `weak_agreement_epsilon`, wherever a service describes it;
// else empty.
inline constexpr double weak_agreement_epsilon = 2;
[[nodiscard]] std::string weak_agreement_text(double epsilon);
// After a recovery roles may come back with shares of different histories. So the window begins again, and its sum is
// not shown. The figures that were shown and spent before stay, including the epsilon of a window that was given up.
[[nodiscard]] Agreement with_new_window(const Agreement& before);

// Parts of larger messages.
void write(ByteWriter& out, const Agreement& agreement);
[[nodiscard]] Agreement read_agreement(ByteReader& in);

}  // namespace sotto::apps::live
