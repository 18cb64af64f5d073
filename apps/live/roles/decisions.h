// The rows that the actor stores about events, and the answers that the actor gives.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/live/rows/live_rows.h"

namespace sotto::apps::live {

// `lost`: the event was decided before, and the actor no longer has its arm. Either the actor's store was lost, or the
// actor has forgotten the event while a party still knows it.
enum class DecisionState : std::uint8_t { decided = 1, baseline = 2, padding = 3, lost = 4 };

// How the answer relates to the arm that the caller named as its own.
enum class OwnArm : std::uint8_t {
  unknown = 0,  // an older version, which did not record this, wrote the row
  none = 1,     // the caller named no own arm
  played = 2,   // in mode apprentice: the caller's arm is the arm of the answer
  ignored = 3,  // the service chose the arm by itself
};

// The row of an event. The row is written before the answer is sent. A written arm never changes.
struct DecisionRow {
  DecisionState state = DecisionState::decided;
  std::uint16_t arm = 0;
  OrderNumber number = 0;  // number of the decide; 0 for a baseline that is in no decide
  LiveTime at = 0;
  bool active = true;  // whether the event is to be learned
  net::Digest body{};  // digest of the request; zeros: lost, so the next request replaces it
  OwnArm own = OwnArm::none;
  friend bool operator==(const DecisionRow&, const DecisionRow&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const DecisionRow& row);
[[nodiscard]] std::optional<DecisionRow> decode_decision_row(std::span<const std::byte> bytes);

// A call for a decision.
struct DecisionRequest {
  EventId event{};
  std::string subject{};                   // a pseudonym, or empty
  std::uint64_t deadline = 0;              // ms from now; 0: the deadline of the settings applies
  bool activate = true;                    // false: another call will activate the event
  std::optional<std::uint16_t> own_arm{};  // the arm that the caller plays, in mode apprentice
  std::vector<std::uint16_t> barred{};     // arms that the event must not get

  friend bool operator==(const DecisionRequest&, const DecisionRequest&) = default;

  // The digest of all fields except the event and the deadline. The deadline may be shorter when a caller asks again.
  [[nodiscard]] net::Digest digest() const;
  // Whether `body` is the digest of this request. In rows of an older version the digest includes the deadline.
  [[nodiscard]] bool has_body(const net::Digest& body) const;
};

// A request without an answer. The actor stores the request so that it survives a restart.
struct AskedRow {
  DecisionRequest request;
  LiveTime asked = 0;
  LiveTime deadline = 0;

  friend bool operator==(const AskedRow&, const AskedRow&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const AskedRow& row);
// Returns nothing if the bytes are not an encoded AskedRow of this event.
[[nodiscard]] std::optional<AskedRow> decode_asked_row(std::span<const std::byte> bytes, const EventId& event);

struct LiveAnswer {
  EventId event{};
  DecisionState state = DecisionState::decided;  // never `padding`; `lost`: there is no arm
  std::uint16_t arm = 0;
  OrderNumber number = 0;
  OwnArm own = OwnArm::none;

  friend bool operator==(const LiveAnswer&, const LiveAnswer&) = default;
};

enum class AskStatus : std::uint8_t {
  answered,
  pending,   // the event waits, now or since an earlier call
  conflict,  // the id is known with another body
  queue_full,
  draining,
  lacks_own_arm,    // in mode apprentice: the request names no own arm
  already_decided,  // the event was decided, and the actor no longer has its arm
  subject_waits,    // another event of the subject waits or runs; a batch may contain only one
  invalid,          // an unknown arm, all arms barred, the caller's own arm barred, or a bad subject
};

struct AskResult {
  AskStatus status = AskStatus::pending;
  std::optional<LiveAnswer> answer{};
};

// `not_learned`: the event will never be learned, whether it is active or not.
enum class ActivateStatus : std::uint8_t { active, unknown, late, not_decided, not_learned };

}  // namespace sotto::apps::live
