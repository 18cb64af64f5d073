// In mode apprentice, the agreement counts how often callers play the arm that the model rates best.
//
// No caller receives an arm from the model in this mode. After each decide the parties have shares of the number of
// events that agree with the model (apps/bandit/model/batch/decide.h). The parties add these shares up over a window of
// LiveSettings::agreement_window events. In the decide that fills a window, every party draws noise and adds it to its
// share. The noise is a discrete Laplace number of scale m / epsilon, sampled exactly (apps/kit/dp/samplers.h), where m
// is the most rows of one subject in a window (LiveSettings::agreement_rows_per_subject). The next decide in mode
// apprentice shows the sum to the actor, and to no other role, and begins a new window.
//
// The guarantee. Assume that the actor and all parties except one party P collude. Even then, the sum of a window is
// epsilon-differentially private in all features that P has of one subject, for any arms that the actor sends. The
// guarantee holds for two reasons. First, P puts at most m rows of a subject that P knows into a window. For further
// events of the subject, P uses its default row instead of the subject's row, and no other role sees which row P uses
// (WindowSubjects, roles/subjects.h). Second, an event changes the sum by at most 1, because the parties check the arms
// that the actor sends. If P has an account (apps/kit/account), each subject is charged epsilon in the account before
// the subject's first row goes into the window. If the budget of a subject is spent, P uses the default row.
//
// The limits of the guarantee. If P does not know the subject of an event, the event is treated as a separate subject.
// Then n events of one person cost up to n epsilon. If P knows the subject, each window with events of the subject
// costs epsilon. The guarantee holds for a fixed model. It does not bound what a later sum reveals about events that
// the model has learned from.
//
// The actor sends "none" instead of an arm for padding, and for an event whose subject already has m events in the
// window. The actor counts subjects by the pseudonyms in its entries. A party may count subjects by its own names for
// them.
//
// The party writes the noise to its disk before the sum is shown. So a decide that is rolled back and then repeated
// shows the same sum again.
#pragma once

#include <cstdint>
#include <string>

#include "sotto/protocol/wire/coding.h"

namespace sotto::apps::live {

// The sum includes noise, so `agreed` may be below 0 or above `events`.
struct AgreedEvents {
  std::uint64_t events = 0;
  std::int64_t agreed = 0;

  friend bool operator==(const AgreedEvents&, const AgreedEvents&) = default;
};

struct Agreement {
  // The actor, the parties and the rewarder store the same `events` and `is_full`.
  std::uint64_t events = 0;  // events that were compared in the window, including padding with ids
  bool is_full = false;      // true: the next secret decide shows the sum
  std::uint64_t opened = 0;
  double spent = 0;  // sum of the epsilons of all filled windows
  // At a party. The share of a full window includes the noise.
  std::uint64_t share = 0;
  // The values below are set at the actor only.
  std::uint64_t counted = 0;  // events without padding, and without rows beyond a subject's limit
  AgreedEvents last;
  AgreedEvents all;

  friend bool operator==(const Agreement&, const Agreement&) = default;
};

struct Compared {
  std::uint64_t events = 0;
  std::uint64_t share = 0;
  std::uint64_t counted = 0;
  std::int64_t shown = 0;
};
struct AgreementTerms {
  std::uint64_t window = 10'000;
  double epsilon = .1;
  std::uint64_t rows_per_subject = 1;
};
[[nodiscard]] Agreement after(const Agreement& before, const Compared& decide, const AgreementTerms& terms);
// Empty unless `epsilon` is above `weak_agreement_epsilon`.
inline constexpr double weak_agreement_epsilon = 2;
[[nodiscard]] std::string weak_agreement_text(double epsilon);
// After a recovery the roles' shares may come from different histories, so the sum of the current window is never
// shown. Figures of earlier windows stay, including the epsilon of a dropped window.
[[nodiscard]] Agreement with_new_window(const Agreement& before);

void write(ByteWriter& out, const Agreement& agreement);
[[nodiscard]] Agreement read_agreement(ByteReader& in);

}  // namespace sotto::apps::live
