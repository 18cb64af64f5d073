// What the aggregator and the clients of a ROBIN run say to each other, as bytes.
//
//   join      client      which clients this process plays, and the shape of their data
//   settings  aggregator  the answer: everything of the run that a client needs to know
//   play      aggregator  play until the next release is due, on this broadcast estimate
//   estimates client      the local estimates of that release, one a client
//   finished  aggregator  no release follows; what the run has spent
//   failed    aggregator  the run ends here, or this client cannot take part: exit code and one line
//
// A run is: join, settings, then play and estimates once a release, a last play, finished. Nothing of a client's data
// goes to the aggregator but its estimates: not rewards, not regret, not how many of its features were clipped. Nothing
// of the estimates goes to a client but the broadcast estimate, which is differentially private.
//
// Numbers are little-endian, 8 bytes each (f64 as IEEE 754); flags are one byte. Decoders give nothing for bytes that
// the encoder does not make: too short, too long, a count that does not fit the length, a flag that is none. They
// allocate no more than the bytes that are there. Whether numbers make sense for the run is checked by who asked for
// them (gathering.h, client_role.h); an estimate may be NaN here.
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
  std::uint64_t first = 0;  // number of the first client
  std::uint64_t count = 1;  // of clients that this process plays
  // Of logged clients; all 0 where the clients are simulated.
  std::uint64_t dimension = 0;
  std::uint64_t arms = 0;
  std::uint64_t steps = 0;
  std::uint64_t columns = 0;  // fnv1a of the names of the features, each followed by a newline
  // They join no run that promises less: a larger epsilon or delta.
  double most_epsilon = std::numeric_limits<double>::infinity();
  double most_delta = std::numeric_limits<double>::infinity();

  [[nodiscard]] bool simulated() const { return dimension == 0; }
  friend bool operator==(const RobinJoin&, const RobinJoin&) = default;
};

struct RobinPlay {
  std::uint64_t release = 0;      // how many there have been
  std::vector<double> broadcast;  // the last one's estimate; empty before the first
  friend bool operator==(const RobinPlay&, const RobinPlay&) = default;
};

struct RobinEstimates {
  std::uint64_t release = 0;   // that these are for, from 0
  std::vector<double> values;  // a client of the process after the other
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

// The terms of a ROBIN run: what the aggregator decided, and tells every client that joins.
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

// A `settings` message; also a file between a launcher and its aggregator.
[[nodiscard]] std::vector<std::byte> encode(const RobinTerms& terms);
// Nothing for bytes that encode() does not make of sound terms: of another length, enumerators that are none, numbers
// that checked() refuses or fills in, a lambda_min or a deadline that is not above 0.
[[nodiscard]] std::optional<RobinTerms> decode_terms(std::span<const std::byte> payload);

// "client 3", "clients 0 to 49999".
[[nodiscard]] std::string clients_text(std::uint64_t first, std::uint64_t count);

// No line that ends a run is longer, in bytes; encode() cuts it.
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
// Control characters become spaces: the text is shown to people.
[[nodiscard]] std::optional<RobinFailed> decode_failed(std::span<const std::byte> payload);

// The longest payload that the aggregator takes: the estimates of so many clients.
[[nodiscard]] std::size_t longest_robin_payload(std::size_t clients, std::size_t dimension);

}  // namespace sotto::apps::robin
