// What the actor stores of an event, and what it answers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/apps/bandit/live/rows/live_rows.h"

namespace sotto::apps {

// `lost`: it was decided before, and the actor no longer has its arm: its store was lost, or it has forgotten the event and
// a party has not.
enum class DecisionState : std::uint8_t { decided = 1, baseline = 2, padding = 3, lost = 4 };

// Written before the answer leaves, and then never another arm.
struct DecisionRow {
  DecisionState state = DecisionState::decided;
  std::uint16_t arm = 0;
  OrderNumber number = 0;  // of the decide; 0 of a baseline that is in none
  LiveTime at = 0;
  bool active = true;  // it is to be learned
  net::Digest body{};  // of the request; zeros where that was lost: the next one is taken for it
  friend bool operator==(const DecisionRow&, const DecisionRow&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const DecisionRow& row);
[[nodiscard]] std::optional<DecisionRow> decode_decision_row(std::span<const std::byte> bytes);

// A call for a decision.
struct DecisionRequest {
  EventId event{};
  std::string subject{};                   // a pseudonym, or empty
  std::uint64_t deadline = 0;              // ms from now; 0: that of the settings
  bool activate = true;                    // else another call activates it
  std::optional<std::uint16_t> own_arm{};  // that the caller plays, in mode apprentice
  std::vector<std::uint16_t> barred{};     // arms that it must not get

  // Of all but the event.
  [[nodiscard]] net::Digest digest() const;
};

struct LiveAnswer {
  EventId event{};
  DecisionState state = DecisionState::decided;  // not padding; of a lost one no arm is told
  std::uint16_t arm = 0;
  OrderNumber number = 0;

  friend bool operator==(const LiveAnswer&, const LiveAnswer&) = default;
};

enum class AskStatus : std::uint8_t {
  answered,
  pending,   // it waits, now or since an earlier call
  conflict,  // the id is known with another body
  queue_full,
  draining,
  lacks_own_arm,    // in mode apprentice
  already_decided,  // the actor no longer has its arm
  invalid,          // an arm that there is not, all arms barred, the own arm barred, a subject that is none
};

struct AskResult {
  AskStatus status = AskStatus::pending;
  std::optional<LiveAnswer> answer{};
};

// `not_learned`: its event is never learned, whether it is active or not.
enum class ActivateStatus : std::uint8_t { active, unknown, late, not_decided, not_learned };

}  // namespace sotto::apps
