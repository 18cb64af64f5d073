#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/live/rows/live_rows.h"

namespace sotto::apps::live {

// `lost`: the event was decided before, and the actor no longer has its arm.
enum class DecisionState : std::uint8_t { decided = 1, baseline = 2, padding = 3, lost = 4 };

enum class OwnArm : std::uint8_t {
  unknown = 0,
  none = 1,
  played = 2,  // in mode apprentice: the answer is the caller's own arm
  ignored = 3,
};

// The actor writes this row before it sends the answer. A written arm never changes.
struct DecisionRow {
  DecisionState state = DecisionState::decided;
  std::uint16_t arm = 0;
  OrderNumber number = 0;
  LiveTime at = 0;
  bool active = true;
  net::Digest body{};  // digest of the request; zeros: lost, so the next request replaces it
  OwnArm own = OwnArm::none;
  std::uint16_t offered = 0;  // number of arms that the event allowed; 0: not recorded (LiveSettings::archive)
  friend bool operator==(const DecisionRow&, const DecisionRow&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const DecisionRow& row);
[[nodiscard]] std::optional<DecisionRow> decode_decision_row(std::span<const std::byte> bytes);

struct DecisionRequest {
  EventId event{};
  std::string subject{};                   // a pseudonym, or empty
  std::uint64_t deadline = 0;              // ms from now; 0: the deadline of the settings applies
  bool activate = true;                    // false: another call will activate the event
  std::optional<std::uint16_t> own_arm{};  // the arm that the caller plays, in mode apprentice
  std::vector<std::uint16_t> barred{};

  friend bool operator==(const DecisionRequest&, const DecisionRequest&) = default;

  // The digest leaves out the event and the deadline, because a caller that asks again may name a shorter deadline.
  [[nodiscard]] net::Digest digest() const;
  // In rows of an older version the digest includes the deadline.
  [[nodiscard]] bool has_body(const net::Digest& body) const;
};

struct AskedRow {
  DecisionRequest request;
  LiveTime asked = 0;
  LiveTime deadline = 0;

  friend bool operator==(const AskedRow&, const AskedRow&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const AskedRow& row);
[[nodiscard]] std::optional<AskedRow> decode_asked_row(std::span<const std::byte> bytes, const EventId& event);

struct LiveAnswer {
  EventId event{};
  DecisionState state = DecisionState::decided;
  std::uint16_t arm = 0;
  OrderNumber number = 0;
  OwnArm own = OwnArm::none;

  friend bool operator==(const LiveAnswer&, const LiveAnswer&) = default;
};

enum class AskStatus : std::uint8_t {
  answered,
  pending,
  conflict,  // the id is known with another body
  queue_full,
  draining,
  lacks_own_arm,  // in mode apprentice: the request names no own arm
  already_decided,
  subject_waits,  // another event of the subject waits or runs; a batch may contain only one
  invalid,        // an unknown arm, all arms barred, the caller's own arm barred, or a bad subject
};

struct AskResult {
  AskStatus status = AskStatus::pending;
  std::optional<LiveAnswer> answer{};
};

enum class ActivateStatus : std::uint8_t { active, unknown, late, not_decided, not_learned };

}  // namespace sotto::apps::live
