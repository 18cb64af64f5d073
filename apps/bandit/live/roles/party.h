// A compute party of the decision service: it keeps the features of its own side, follows the order of the actor, and
// keeps its shares of the model. A state machine without clock, thread or link.
//
// push() stores features until their event is proposed. propose() takes the next entry; until the cut-off features still
// come in, and freeze() ends that: where they are missing the party's default row stands, which nobody else sees.
// prepare() writes what the number did, and only then returns the `done` that may leave. What was not prepared when the
// epoch ended has left nothing; what was may be rolled back as the next one opens, and then its features wait again.
//
// After an exception make a new one from the rows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sotto/apps/bandit/live/live_settings.h"
#include "sotto/apps/bandit/live/order/frames.h"
#include "sotto/apps/bandit/live/roles/features.h"
#include "sotto/apps/bandit/live/roles/order_book.h"

namespace sotto::apps {

struct FeaturePush {
  EventId event{};
  FeatureValues values;  // of the party's columns, within its bounds: the caller has checked
};

enum class PushStatus : std::uint8_t {
  stored,
  same,      // as they were pushed, or used, before
  too_late,  // their event was decided without them
  conflict,  // others than were pushed before
  full,
};

// What a number did at a party, from the rounds.
struct PartyOutcome {
  net::Digest public_words{};    // SHA-256; of a change of mode zeros
  std::vector<std::byte> lanes;  // of a decide: its arm lanes, an arm a byte for each place of the shape
  std::vector<std::byte> model;  // of a learn: its shares of the model, as the program encodes them
};

class LiveParty {
 public:
  // `defaults`: the party's default row, a number a column.
  LiveParty(LiveRows& rows, const LiveSettings& settings, FeatureValues defaults);

  // ---- the epoch
  [[nodiscard]] LiveStanding standing() const { return book_.standing(); }
  // On the disk when this returns: what is above the opening's number is rolled back. Throws DisagreementError where
  // this role has not done that number.
  void open(const LiveOpening& opening, const net::SessionId& session);
  // What the actor, or without the lanes the rewarder, is told of the opening's number, above 0.
  [[nodiscard]] RestateFrame restate(bool with_lanes) const;
  void leave_epoch() { running_.reset(); }

  // ---- calls
  // All in one transaction, in the order of the calls.
  [[nodiscard]] std::vector<PushStatus> push(std::span<const FeaturePush> calls, LiveTime now);
  // Features that waited too long, and ids of long ago, are dropped. Returns the number of events whose features were.
  std::size_t forget(LiveTime now);

  // ---- the order
  // Throws ProtocolError where it cannot be the next entry: the epoch is over then.
  void propose(const OrderEntry& entry, LiveTime now);
  [[nodiscard]] const OrderEntry* running() const { return running_ ? &running_->entry : nullptr; }
  // When features come too late for the decide on its way; before, if all are there.
  [[nodiscard]] LiveTime cut_off() const;
  [[nodiscard]] bool has_all_features() const;
  // The rows of the decide on its way, an event a row; empty places have the default row. From now on what comes is late.
  [[nodiscard]] std::vector<FeatureValues> freeze();
  // The rows of the learn on its way, as they were used, an event of its batches a row.
  [[nodiscard]] std::vector<FeatureValues> learned_rows() const;
  // On the disk when this returns.
  [[nodiscard]] DoneFrame prepare(PartyOutcome outcome, LiveTime now);
  // The last number stays. Throws ProtocolError where it is another one.
  void settle(const SettledFrame& frame);

  // Its shares of the newest model; nothing before the first learn.
  [[nodiscard]] std::optional<std::vector<std::byte>> model() const;
  [[nodiscard]] LiveMode mode() const { return book_.mode(); }
  [[nodiscard]] std::uint64_t pending() const { return book_.pending(); }
  [[nodiscard]] std::size_t waiting() const { return queue_.waiting(); }
  // Events that were decided with the default row, since this object was made.
  [[nodiscard]] std::uint64_t missing() const { return missing_; }

 private:
  struct Running {
    OrderEntry entry;
    LiveTime cut_off = 0;
    std::optional<BatchFeatures> frozen;
  };

  [[nodiscard]] PushStatus push_one(RowDraft& draft, const FeaturePush& call, LiveTime now);
  [[nodiscard]] std::optional<PushStatus> status_of_used(const RowDraft& draft, const FeaturePush& call) const;
  [[nodiscard]] BatchFeatures used(const RowDraft& draft, OrderNumber number) const;
  void erase_learned(RowDraft& draft);
  void roll_back(RowDraft& draft);
  void put_model(RowDraft& draft, OrderNumber number, std::vector<std::byte> model);

  LiveRows& rows_;
  LiveSettings settings_;
  FeatureValues defaults_;
  OrderBook book_;
  FeatureQueue queue_;
  std::optional<Running> running_;
  std::uint64_t last_program_ = 0;  // of this epoch
  bool is_open_ = false;
  std::uint64_t missing_ = 0;
};

}  // namespace sotto::apps
