// The messages between the aggregator and the clients of a ROBIN run, as bytes.
//
//   type      sender      content
//   join      client      the clients that this process plays, and the shape of their data
//   settings  aggregator  the answer: everything about the run that a client needs to know
//   play      aggregator  the broadcast estimate, on which the clients play until the next release
//   estimates client      the local estimates for this release, one for each client
//   finished  aggregator  no release follows; the budget that the run spent
//   failed    aggregator  exit code and one line of text: the run ends, or the aggregator refuses this client
//
// The aggregator receives no rewards and no regret. A client receives only the broadcast estimate, which is
// differentially private.
//
// Numbers are little-endian, 8 bytes each (f64 as IEEE 754); flags are one byte. Decoders return nothing for bytes that
// the encoder does not make: too short, too long, a count that does not fit the length, an invalid flag. Decoders
// allocate no more memory than the received bytes need. Decoders do not check the values of a message: an estimate may
// be NaN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/robin/settings.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::robin {

enum class RobinMessage : std::uint16_t {
  join = 1,
  settings = 2,
  play = 3,
  estimates = 4,
  finished = 5,
  failed = 6,
};

struct RobinJoin {
  std::uint64_t first = 0;
  std::uint64_t count = 1;
  // The next four members describe logged clients. If the clients are simulated, these members are 0.
  std::uint64_t dimension = 0;
  std::uint64_t arms = 0;
  std::uint64_t steps = 0;
  std::uint64_t columns = 0;  // FNV-1a hash of the names of the features, each followed by a newline
  // These clients refuse a run that promises a larger epsilon or delta.
  double most_epsilon = std::numeric_limits<double>::infinity();
  double most_delta = std::numeric_limits<double>::infinity();

  [[nodiscard]] bool simulated() const { return dimension == 0; }
  friend bool operator==(const RobinJoin&, const RobinJoin&) = default;
};

struct RobinPlay {
  std::uint64_t release = 0;      // number of releases so far
  std::vector<double> broadcast;  // empty before the first release
  friend bool operator==(const RobinPlay&, const RobinPlay&) = default;
};

struct RobinEstimates {
  std::uint64_t release = 0;  // number of the release, from 0
  std::vector<double> values;
};

struct RobinFinished {
  std::uint64_t releases = 0;
  double epsilon_spent = 0;
  friend bool operator==(const RobinFinished&, const RobinFinished&) = default;
};

struct RobinFailed {
  ExitCode code = ExitCode::internal;
  std::string text;
  friend bool operator==(const RobinFailed&, const RobinFailed&) = default;
};

struct RobinTerms {
  RobinSettings settings;  // as resolved() returns them; public to all clients
  bool simulated = true;
  bool local = false;
  double deadline_seconds = 600;  // time for all clients to join, and for the estimates of each release
};

inline constexpr double longest_robin_deadline = 7 * 24 * 3600.0;

[[nodiscard]] std::vector<Phase> phases_of(const RobinTerms& terms);
[[nodiscard]] std::size_t releases_of(const RobinTerms& terms);

[[nodiscard]] std::vector<std::byte> encode(const RobinTerms& terms);
// Returns nothing for bytes that encode() does not make from valid terms.
[[nodiscard]] std::optional<RobinTerms> decode_terms(std::span<const std::byte> payload);

// Returns a text such as "client 3" or "clients 0 to 49999".
[[nodiscard]] std::string clients_text(std::uint64_t first, std::uint64_t count);

// Number of bytes. encode() cuts longer texts.
inline constexpr std::size_t longest_robin_failure = 1000;

[[nodiscard]] std::vector<std::byte> encode(const RobinJoin& join);
[[nodiscard]] std::vector<std::byte> encode(const RobinPlay& play);
[[nodiscard]] std::vector<std::byte> encode(const RobinEstimates& estimates);
[[nodiscard]] std::vector<std::byte> encode(const RobinFinished& finished);
[[nodiscard]] std::vector<std::byte> encode(const RobinFailed& failed);

[[nodiscard]] std::optional<RobinJoin> decode_join(std::span<const std::byte> payload);
[[nodiscard]] std::optional<RobinPlay> decode_play(std::span<const std::byte> payload);
[[nodiscard]] std::optional<RobinEstimates> decode_estimates(std::span<const std::byte> payload);
[[nodiscard]] std::optional<RobinFinished> decode_finished(std::span<const std::byte> payload);
// Replaces control characters in the text by spaces.
[[nodiscard]] std::optional<RobinFailed> decode_failed(std::span<const std::byte> payload);

[[nodiscard]] std::size_t longest_robin_payload(std::size_t clients, std::size_t dimension);

}  // namespace sotto::apps::robin
