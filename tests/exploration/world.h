// A decision service on disks in memory, its callers, and its possible next steps, for the exploration of all
// interleavings (exploration_test.cc). The service has an actor, two parties, a rewarder and a dealer.
//
// Some interleavings are merged, as follows. Receiving a frame changes only the memory of one role, and commutes with
// the death of any other role. So the order "the frame came, then its sender died" also covers the order "the sender
// died, then its frame came". A lost frame is modelled by a receiver that leaves the epoch before it acts on the frame.
// A transaction is atomic: a crash happens before or after the transaction.
//
// The arm of a decide is the number of its epoch, so a second decision of an event is visible. A model is the list of
// learned events, and both parties keep this list as their shares.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/live/roles/actor.h"
#include "apps/live/roles/party.h"
#include "apps/live/roles/rewarder.h"
#include "apps/live/roles/witness.h"
#include "tests/apps/live/memory_rows.h"
#include "tests/framework.h"

namespace sotto::apps::testing {

using namespace sotto::apps::live;
using namespace sotto::apps::live::testing;

enum LiveRole : std::size_t { actor_role, party_0, party_1, rewarder_role, dealer_role, live_roles };
inline constexpr std::array<const char*, live_roles> role_names{"actor", "party 0", "party 1", "rewarder", "dealer"};

enum class Stage : std::uint8_t { setting_up, agreed, open };

// The violation of a property. The text begins with the property's name.
struct Violation : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A deliberate error in the service.
enum class Seeded : std::uint8_t {
  nothing,
  told_before_commit,
  arms_before_disk,
  done_before_prepare,  // the actor accepts `done` from parties that have written nothing
  baseline_not_stored,
  learned_not_stored,
  batches_in_memory,      // the actor loses its batches when it dies
  features_erased_early,  // party 0 erases a batch's features when it commits the learn, one number too early
  told_before_all_ready,  // the actor answers callers with restated arms before all roles have opened the epoch
  epoch_without_dealer,   // the next epoch is one above the latest epoch of all roles except the dealer
  matched_by_number,      // order marks are compared only by number, not by id
  no_floor,               // the newest common number is accepted, however old it is
  rewards_not_closed,
  no_catch_up,
  ids_not_kept,
  model_not_gone_back,  // party 0's disk loses the model that a recovery brought back from a copy
  drop_not_stored,
  batches_not_adopted,
  witness_is_silent,
  learned_early,     // party 0 uses a learn's result in decides that come before the learn's number
  kept_over_epochs,  // party 0 keeps a learn's result after its epoch has ended, and uses it for the next learn
  learned_half,      // party 0 writes a learn's number with the model from before the learn's rounds
  mode_not_stored,
  frozen_not_stored,
  asked_not_stored,
  skip_not_dropped,  // party 0 uses the randomness of a skipped program for the next program
  refusals_not_said,
};

struct Bounds {
  std::size_t events = 2;
  std::size_t crashes = 1;
  bool baseline = false;
  bool reward = false;
  std::optional<LiveRole> restored{};
  bool snapshot = false;
  // The role whose store may be lost. A party that loses its store continues with an empty store, or with a backup that
  // was made together with the copy of the model.
  std::optional<LiveRole> lost{};
  bool rollback = false;  // old copies of all disks except the dealer's may come back
  bool kept = false;  // callers leave once the actor has accepted their call, and do not ask again when the actor dies
  bool frozen = false;  // the mode may be changed to frozen, and back to online
  // If true, the dealer may deal a planned program at any time, up to two decides ahead. If false, the dealer deals a
  // program as soon as the program is planned.
  bool deals_ahead = false;
  // If true, actor, party 0 and rewarder forget event 0 at different times after the event is learned, and a caller
  // asks for the event again. Party 1 does not forget event 0.
  bool forgets = false;
  Seeded seeded = Seeded::nothing;
};

inline constexpr LiveTime at_first = 1'000'000;
inline constexpr LiveTime at_deadline = at_first + 10;
inline constexpr LiveTime when_due = at_first + 10'000;

inline LiveSettings explored_settings(const Bounds& bounds) {
  LiveSettings settings;
  settings.arms = {"a", "b", "c", "d", "e", "f", "g", "h"};
  settings.batch_sizes = {1, 2};
  settings.deal_ahead = bounds.deals_ahead ? 2 : 1;
  settings.decision_deadline = 3'600'000;
  settings.baseline_arm = 7;
  settings.reward_wait = 5'000;
  settings.cut_off = 0;
  return settings;
}

inline EventId event_id(std::size_t event) { return EventId{static_cast<std::byte>(event + 1)}; }
inline std::size_t event_of(const EventId& id) { return std::to_integer<std::size_t>(id[0]) - 1; }

inline DecisionRequest request_of(std::size_t event) {
  DecisionRequest request;
  request.event = event_id(event);
  if (event == 0) request.deadline = 5;
  return request;
}

struct LearnedEvent {
  std::uint8_t event;
  std::uint8_t arm;  // 255: the event's arm is not learned
  std::uint8_t rewarded;
};

struct World {
  static constexpr std::size_t most_events = 4;

  std::array<Disk, live_roles> disks;
  std::shared_ptr<LiveActor> actor;
  std::array<std::shared_ptr<LiveParty>, 2> parties;
  std::shared_ptr<LiveRewarder> rewarder;
  std::shared_ptr<LiveDealer> dealer;

  std::array<Stage, live_roles> stage{};
  LiveOpening opening{};
  bool all_open = false;
  // The progress of each role with the current number: 1 if the role is in its rounds, 2 if the number is on its disk.
  std::array<std::uint8_t, live_roles> phase{};
  std::uint64_t dealt = 0;
  // The learn that has begun: `concurrent` is 1 for a role that is in the learn's rounds, and 2 for a role that has
  // done them. `stood_on` contains the parties' models before the learn, and `ran` the results of the learn.
  std::array<std::uint8_t, live_roles> concurrent{};
  std::vector<std::byte> lesson;
  std::array<std::vector<std::byte>, 2> stood_on{};
  std::array<std::optional<std::vector<std::byte>>, 2> ran{};
  std::vector<ProgramShape> planned;
  std::uint8_t asked = 0;   // one bit for each event
  std::uint8_t forgot = 0;  // one bit for each role

  std::size_t crashes = 0;
  bool baseline = false;
  bool reward = false;
  std::uint8_t copied = 0;
  std::uint8_t restored = 0;  // 1 + the number of committed numbers that the copy lacks (at most 2)
  std::shared_ptr<const Disk> copy;
  bool snapshot = false;
  bool lost = false;
  std::array<RecoveryRequest, live_roles> wishes{};
  OrderNumber recovered = 0;
  std::uint8_t refused = 0;        // one bit for each event whose arm the actor reports as lost
  std::uint8_t changes = 0;        // number of requested changes of the mode: first to frozen, then to online
  std::optional<LiveMode> wanted;  // the mode of the last request, while the actor knows it
  std::uint32_t frozen = 0;        // one bit for each number whose decide was proposed while the mode was frozen
  bool is_copied = false;
  bool rolled_back = false;
  std::shared_ptr<const std::array<Disk, live_roles>> copies;

  std::array<std::optional<LiveAnswer>, most_events> told{};
  std::array<std::optional<std::uint16_t>, most_events> shown{};
  bool acknowledged = false;
  bool given = false;  // whether the rewarder gave the reward of event 0 to the learn in progress
  struct Use {
    std::uint64_t program;
    net::Digest entry;
    std::uint64_t model;
  };
  std::uint32_t used_epoch = 0;
  std::vector<Use> used;
  std::vector<std::uint64_t> skipped;
};

}  // namespace sotto::apps::testing
