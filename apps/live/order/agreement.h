// How often callers play the arm that the model holds best, in mode apprentice: what each role keeps of it.
//
// In that mode no arm is told. Each decide leaves the parties with shares of how many of its events agree
// (apps/bandit/model/batch/decide.h), which they add up over a window of so many events
// (LiveSettings::agreement_window). In the decide that fills a window every party adds noise of its own to its share, a
// discrete Laplace number of scale m / epsilon, exactly sampled (apps/kit/dp/samplers.h), with m the rows that a window
// takes of a subject (LiveSettings::agreement_rows_per_subject); the next decide of that mode shows the sum to the
// actor, and to nobody else, and begins a new window.
//
// The guarantee. Nobody knows all coins. Against the actor with all parties but one, P, the sum of a window is
// epsilon-differentially private in all features that P has of one subject, whatever arms the actor brings. For P puts
// at most m rows of a subject that it knows into a window and its default row into the comparison for the others, which
// nobody sees (WindowSubjects, roles/subjects.h); and an event moves the sum by 1 at most, since the parties check the
// arms that the actor brings. Where P has an account (apps/kit/account) each subject is charged epsilon before its
// first row goes in, and has the default row where its budget is spent.
//
// What it is not. An event whose subject P does not know counts as a subject of its own: m events of such a person
// cost up to m epsilon. A person who is in k windows pays k epsilon. And it holds for the model as it was: what a
// later sum tells of events that the model has learned from is not bounded by it.
//
// The actor counts the same events: it says "none" for those of a subject that is in the window m times already, by the
// pseudonyms of its entries, and for padding. So what it is shown is of events that parties compare with their own
// rows, but where a party's own names of subjects differ or a budget is spent.
//
// The noise is on the disk before the sum is shown: a number that is rolled back, and done once more, shows the same
// sum.
#pragma once

#include <cstdint>
#include <string>

#include "sotto/protocol/wire/coding.h"

namespace sotto::apps::live {

// Of a sum that the actor was shown: with its noise, so it may be below 0 or above the events.
struct AgreedEvents {
  std::uint64_t events = 0;  // that were compared
  std::int64_t agreed = 0;

  friend bool operator==(const AgreedEvents&, const AgreedEvents&) = default;
};

struct Agreement {
  // Alike at actor, parties and rewarder.
  std::uint64_t events = 0;  // compared in the window, padding that has ids included
  bool is_full = false;      // its sum is shown next; also where settings of another window come into force
  std::uint64_t opened = 0;  // windows whose sum was shown
  double spent = 0;          // epsilon of all windows that were filled, added up
  // A party: its share of how many of them agree; of a full window with its noise.
  std::uint64_t share = 0;
  // The actor.
  std::uint64_t counted = 0;  // of `events`, those that it had compared: no padding, none beyond a subject's rows
  AgreedEvents last;          // of the last window that was shown
  AgreedEvents all;           // of all of them

  friend bool operator==(const Agreement&, const Agreement&) = default;
};

// What a decide adds to it.
struct Compared {
  std::uint64_t events = 0;
  std::uint64_t share = 0;    // a party: from the rounds, with noise where it fills the window
  std::uint64_t counted = 0;  // the actor
  std::int64_t told = 0;      // the actor: the sum of the window before, where that was full
};
struct AgreementTerms {
  std::uint64_t window = 10'000;
  double epsilon = .1;
  std::uint64_t rows_per_subject = 1;
};
[[nodiscard]] Agreement after(const Agreement& before, const Compared& decide, const AgreementTerms& terms);
// What a window of more than `weak_agreement_epsilon` is stamped with, wherever a service says what it is; else empty.
inline constexpr double weak_agreement_epsilon = 2;
[[nodiscard]] std::string weak_agreement_text(double epsilon);
// After a recovery: roles may have come back with shares of different pasts, so the window begins anew, unshown. What
// was shown and spent before stays, that of the window that was given up included.
[[nodiscard]] Agreement with_new_window(const Agreement& before);

// Parts of larger messages.
void write(ByteWriter& out, const Agreement& agreement);
[[nodiscard]] Agreement read_agreement(ByteReader& in);

}  // namespace sotto::apps::live
