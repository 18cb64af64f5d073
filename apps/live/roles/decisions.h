// What the actor stores of an event, and what it answers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/live/rows/live_rows.h"

namespace sotto::apps::live {

// `lost`: it was decided before, and the actor no longer has its arm: its store was lost, or it has forgotten the event
// and a party has not.
enum class DecisionState : std::uint8_t { decided = 1, baseline = 2, padding = 3, lost = 4 };

// What became of the arm that the caller named as its own.
enum class OwnArm : std::uint8_t {
  unknown = 0,  // the row is of a version that did not say
  none = 1,     // it named none
  played = 2,   // it is the arm of the answer: in mode apprentice
  ignored = 3,  // the service chose by itself
};

// Written before the answer leaves, and then never another arm.
struct DecisionRow {
  DecisionState state = DecisionState::decided;
  std::uint16_t arm = 0;
  OrderNumber number = 0;  // of the decide; 0 of a baseline that is in none
  LiveTime at = 0;
  bool active = true;  // it is to be learned
  net::Digest body{};  // of the request; zeros where that was lost: the next one is taken for it
  OwnArm own = OwnArm::none;
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

  friend bool operator==(const DecisionRequest&, const DecisionRequest&) = default;

  // Of all but the event and the deadline: who asks again may have less time.
  [[nodiscard]] net::Digest digest() const;
  // Whether that is the body of the row: also of rows whose version took the deadline into the digest.
  [[nodiscard]] bool has_body(const net::Digest& body) const;
};

// A call that was taken and has no answer yet, as the actor keeps it over a restart.
struct AskedRow {
  DecisionRequest request;
  LiveTime asked = 0;
  LiveTime deadline = 0;

  friend bool operator==(const AskedRow&, const AskedRow&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const AskedRow& row);
// Nothing if the bytes are no such row of that event.
[[nodiscard]] std::optional<AskedRow> decode_asked_row(std::span<const std::byte> bytes, const EventId& event);

struct LiveAnswer {
  EventId event{};
  DecisionState state = DecisionState::decided;  // not padding; of a lost one no arm is told
  std::uint16_t arm = 0;
  OrderNumber number = 0;
  OwnArm own = OwnArm::none;

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
  subject_waits,    // another event of its subject is here, and a batch takes one
  invalid,          // an arm that there is not, all arms barred, the own arm barred, a subject that is none
};

struct AskResult {
  AskStatus status = AskStatus::pending;
  std::optional<LiveAnswer> answer{};
};

// `not_learned`: its event is never learned, whether it is active or not.
enum class ActivateStatus : std::uint8_t { active, unknown, late, not_decided, not_learned };

}  // namespace sotto::apps::live
