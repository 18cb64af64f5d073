// Control frames are small frames that any role may send at any time, between the frames of the rounds.
//
// A `waiting` frame says that the sender is alive, and which peer the sender waits for. A `failed` frame ends the run.
// A `failed` frame carries the exit code, the role at fault, the role that found the fault, the round, and a line of
// text without secrets. So the receiver of a `failed` frame reports the root cause, and not the role that sent the
// frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/party/topology.h"

namespace sotto::net {

// The longest payload of a control frame.
inline constexpr std::size_t longest_control = 1024;
inline constexpr std::size_t longest_failure = 512;  // the longest text of a failure, in bytes

struct Failure {
  ExitCode code = ExitCode::internal;
  NodeId culprit = 0;
  NodeId reporter = 0;
  std::uint64_t round = 0;
  std::string text;
};

// True if a peer may name `code` as the exit code of a failed run.
[[nodiscard]] bool is_failure(std::uint32_t code);

[[nodiscard]] std::vector<std::byte> encode(const Failure& failure);
// Returns nothing if the bytes are not a failure. The round comes from the frame's header.
[[nodiscard]] std::optional<Failure> decode_failure(std::span<const std::byte> payload, std::uint64_t round);

// A peer ended the run and said why. The exit code is that of the root cause; a peer that was interrupted is treated as
// a lost peer.
class RemoteFailure : public Error {
 public:
  // `teller` is the peer that sent the failure, if this peer is not the reporter.
  RemoteFailure(Failure failure, const std::string& reporter, std::optional<NodeId> teller = {});
  [[nodiscard]] const Failure& failure() const noexcept { return failure_; }
  [[nodiscard]] std::optional<NodeId> teller() const noexcept { return teller_; }

 private:
  Failure failure_;
  std::optional<NodeId> teller_;
};

}  // namespace sotto::net
