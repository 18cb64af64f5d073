// In mode apprentice, the agreement counts how often callers play the arm that the model rates best. This file has the
// part of the agreement that every role stores.
//
// In mode apprentice no caller receives an arm from the model. After each decide the parties have shares of a number:
// how many events of the decide agree with the model (apps/bandit/model/batch/decide.h). The parties add these shares
// up over a window of LiveSettings::agreement_window events. In the decide that fills a window, every party draws noise
// and adds it to its share. The noise is a discrete Laplace number of scale m / epsilon, sampled exactly
// (apps/kit/dp/samplers.h), where m is the most rows of one subject in a window
// (LiveSettings::agreement_rows_per_subject). The next decide in mode apprentice shows the sum to the actor, and to no
// other role, and begins a new window.
//
// The guarantee. Each party draws its own noise, so no single role knows the random numbers of all parties. Assume that
// the actor and all parties except one party P collude. Even then, the sum of a window is epsilon-differentially
// private in all features that P has of one subject, whatever arms the actor brings. The guarantee holds for two
// reasons. First, P puts at most m rows of a subject that P knows into a window. If the subject has further events, P
// compares its default row for them, and no other role sees this (WindowSubjects, roles/subjects.h). Second, an event
// changes the sum by at most 1, because the parties check the arms that the actor brings. If P has an account
// (apps/kit/account), each subject is charged epsilon in the account before the subject's first row goes into the
// window. If the budget of a subject is spent, P compares the default row.
//
// The limits of the guarantee. If P does not know the subject of an event, the event is treated as a separate subject.
// Then m events of one person cost up to m epsilon. A person with events in k windows pays k epsilon. The guarantee
// treats the model as given. The guarantee does not bound what a later sum reveals about events that the model has
// learned from.
//
// The actor counts the same events as the parties. For padding the actor brings "none" instead of an arm. The actor
// also brings "none" for an event whose subject is already in the window m times. The actor counts subjects by the
// pseudonyms in its entries. So the sum that the actor sees is about events for which the parties use the subjects' own
// rows. There are two exceptions: a party may count subjects by names of its own, and the budget of a subject may be
// spent.
//
// The noise is written to the disk before the sum is shown. A number that is rolled back and then repeated therefore
// shows the same sum again.
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
  // `events` and `is_full` are equal at the actor, the parties and the rewarder.
  std::uint64_t events = 0;  // events that were compared in the window, including padding with ids
  bool is_full = false;      // true: the next decide shows the sum, even if the window's setting was changed
  std::uint64_t opened = 0;  // number of windows whose sum was shown
  double spent = 0;          // sum of the epsilons of all filled windows
  // At a party: the party's share of the number of events that agree. The share of a full window includes the noise.
  std::uint64_t share = 0;
  // The values below are set at the actor only.
  std::uint64_t counted = 0;  // number of `events` that the actor compared, without padding and excess rows of subjects
  AgreedEvents last;          // the last window whose sum was shown
  AgreedEvents all;           // total of all windows whose sums were shown

  friend bool operator==(const Agreement&, const Agreement&) = default;
};

// The contribution of a decide to the agreement.
struct Compared {
  std::uint64_t events = 0;
  std::uint64_t share = 0;    // at a party: the share from the rounds, with noise if the decide fills the window
  std::uint64_t counted = 0;  // at the actor: number of events that the actor compared
  std::int64_t told = 0;      // at the actor: the sum of the previous window, if that window was full
};
struct AgreementTerms {
  std::uint64_t window = 10'000;
  double epsilon = .1;
  std::uint64_t rows_per_subject = 1;
};
[[nodiscard]] Agreement after(const Agreement& before, const Compared& decide, const AgreementTerms& terms);
// The warning for a window whose epsilon is above `weak_agreement_epsilon`; else empty. A service prints the warning
// wherever the service describes the window.
inline constexpr double weak_agreement_epsilon = 2;
[[nodiscard]] std::string weak_agreement_text(double epsilon);
// Returns the agreement with a new, empty window. After a recovery the roles' shares may come from different histories,
// so the current window is dropped and its sum is never shown. Figures of earlier windows stay, including the epsilon
// of a dropped window.
[[nodiscard]] Agreement with_new_window(const Agreement& before);

// write() and read_agreement() encode the agreement as a part of a larger message.
void write(ByteWriter& out, const Agreement& agreement);
[[nodiscard]] Agreement read_agreement(ByteReader& in);

}  // namespace sotto::apps::live
