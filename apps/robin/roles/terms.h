// The terms of a ROBIN run: what the aggregator decided, and tells every client that joins.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "sotto/apps/robin/schedule.h"
#include "sotto/apps/robin/settings.h"

namespace sotto::apps {

struct RobinTerms {
  RobinSettings settings;         // resolved(); clients know them all
  bool simulated = true;          // contexts and rewards from the seed; else clients bring data
  bool local = false;             // no releases: each client plays local LinUCB by itself
  double deadline_seconds = 600;  // for all to join, and then for the estimates of each release
};

// Waiting longer than a week is no deadline.
inline constexpr double longest_robin_deadline = 7 * 24 * 3600.0;

// phases_of() or local_phases_of() the settings.
[[nodiscard]] std::vector<Phase> phases_of(const RobinTerms& terms);
[[nodiscard]] std::size_t releases_of(const RobinTerms& terms);

// As in a `settings` message (apps/robin/roles/messages.h); also a file between a launcher and its aggregator.
[[nodiscard]] std::vector<std::byte> encode(const RobinTerms& terms);
// Nothing for bytes that encode() does not make of sound terms: of another length, enumerators that are none, numbers
// that checked() refuses or fills in, a lambda_min or a deadline that is not above 0.
[[nodiscard]] std::optional<RobinTerms> decode_terms(std::span<const std::byte> payload);

}  // namespace sotto::apps
