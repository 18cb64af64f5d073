// How often callers play the arm that the model holds best, in mode apprentice: what each role keeps of it.
//
// In that mode no arm is told. Each decide leaves the parties with shares of how many of its events agree
// (apps/bandit/model/batch/decide.h), which they add up over a window of so many events
// (LiveSettings::agreement_window). In the decide that fills a window every party adds noise of its own to its share, a
// discrete Laplace number of scale 1 / epsilon, exactly sampled (apps/kit/dp/samplers.h); the next decide of that mode
// shows the sum to the actor, and to nobody else, and begins a new window. So nobody knows all coins, and against the
// actor with all parties but one the sum of a window is epsilon-differentially private in whether one of its events
// agrees: an event is in one window, and moves its sum by 1 at most. That is for an event and not for a person: m
// events of one person cost m epsilon, in one window or in several. And it is for the model as it was: what a later sum
// tells of events that the model has learned from is not bounded by it.
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
  std::uint64_t events = 0;  // without padding
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
  std::uint64_t counted = 0;  // of `events`, those that are no padding; also those that it lacked and was restated
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
  std::uint64_t window = 1000;
  double epsilon = 1;
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
