// The messages between the aggregator and the clients of a ROBIN run, as bytes.
//
//   join      client      the clients that this process plays, and the shape of their data
//   settings  aggregator  the answer: everything about the run that a client needs to know
//   play      aggregator  play until the next release is due, on this broadcast estimate
//   estimates client      the local estimates of that release, one for each client
//   finished  aggregator  no release follows; the budget that the run has spent
//   failed    aggregator  the run ends here, or this client cannot take part: exit code and one line
//
// The messages of a run are: `join` and `settings`, then `play` and `estimates` for each release, then a last `play`,
// and `finished`. The aggregator receives only the estimates of a client. It receives no rewards and no regret, and
// does not learn how many features were clipped. A client receives only the broadcast estimate, which is differentially
// private.
//
// Numbers are little-endian, 8 bytes each (f64 as IEEE 754); flags are one byte. Decoders return nothing for bytes that
// the encoder does not make: too short, too long, a count that does not fit the length, an invalid flag. Decoders
// allocate no more memory than the received bytes need. The caller checks whether the numbers make sense for the run
// (gathering.h, client_role.cc); a decoded estimate may be NaN.
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
  std::uint64_t first = 0;  // number of the first client that this process plays
  std::uint64_t count = 1;  // number of clients that this process plays
  // `dimension`, `arms`, `steps` and `columns` describe logged clients; all are 0 if the clients are simulated.
  std::uint64_t dimension = 0;
  std::uint64_t arms = 0;
  std::uint64_t steps = 0;
  std::uint64_t columns = 0;  // FNV-1a hash of the names of the features, each followed by a newline
  // The largest epsilon and delta that these clients accept; the clients join no run that promises less.
  double most_epsilon = std::numeric_limits<double>::infinity();
  double most_delta = std::numeric_limits<double>::infinity();

  [[nodiscard]] bool simulated() const { return dimension == 0; }
  friend bool operator==(const RobinJoin&, const RobinJoin&) = default;
};

struct RobinPlay {
  std::uint64_t release = 0;      // number of releases so far
  std::vector<double> broadcast;  // the estimate of the last release; empty before the first
  friend bool operator==(const RobinPlay&, const RobinPlay&) = default;
};

struct RobinEstimates {
  std::uint64_t release = 0;   // number of the release that these values are for, from 0
  std::vector<double> values;  // the estimates of the process's clients, one after the other
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

// The terms of a ROBIN run: decided by the aggregator, and sent to every client that joins.
struct RobinTerms {
  RobinSettings settings;         // resolved(); public to all clients
  bool simulated = true;          // contexts and rewards come from the seed; otherwise clients bring data
  bool local = false;             // true: there are no releases, and each client plays local LinUCB on its own
  double deadline_seconds = 600;  // time for all clients to join, and then for the estimates of each release
};

// The longest deadline: a week.
inline constexpr double longest_robin_deadline = 7 * 24 * 3600.0;

// The phases of a run: phases_of() or local_phases_of() for the settings of the run.
[[nodiscard]] std::vector<Phase> phases_of(const RobinTerms& terms);
[[nodiscard]] std::size_t releases_of(const RobinTerms& terms);

// Encodes a `settings` message. A launcher passes the bytes of such a message to its aggregator in a file.
[[nodiscard]] std::vector<std::byte> encode(const RobinTerms& terms);
// Returns nothing for bytes that encode() does not make from valid terms. Examples: another length, unknown
// enumerators, numbers that checked() refuses or fills in, a lambda_min or deadline that is not above 0.
[[nodiscard]] std::optional<RobinTerms> decode_terms(std::span<const std::byte> payload);

// "client 3", "clients 0 to 49999".
[[nodiscard]] std::string clients_text(std::uint64_t first, std::uint64_t count);

// The largest size in bytes of the line that ends a run; encode() cuts longer lines.
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
// Replaces control characters by spaces, because the text is shown to people.
[[nodiscard]] std::optional<RobinFailed> decode_failed(std::span<const std::byte> payload);

// The largest size in bytes of a payload that the aggregator accepts: the payload with the estimates of `clients`
// clients.
[[nodiscard]] std::size_t longest_robin_payload(std::size_t clients, std::size_t dimension);

}  // namespace sotto::apps::robin
