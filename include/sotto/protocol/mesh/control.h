// Control frames: small frames that any role may send between the frames of the rounds.
//
// A `waiting` frame names the peer that the sender waits for, and shows that the sender is alive. A `failed` frame ends
// the run, and names the role at fault and the role that found the fault. A `failed` frame contains no secrets.
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
// Decodes a failure; nothing if the bytes are not a failure.
[[nodiscard]] std::optional<Failure> decode_failure(std::span<const std::byte> payload, std::uint64_t round);

// A peer ended the run with a `failed` frame. The exit code is that of the root cause; an interrupted peer counts as
// lost.
class RemoteFailure : public Error {
 public:
  // `relayed_by` is the peer that forwarded the failure, if any.
  RemoteFailure(Failure failure, const std::string& reporter, std::optional<NodeId> relayed_by = {});
  [[nodiscard]] const Failure& failure() const noexcept { return failure_; }
  [[nodiscard]] std::optional<NodeId> relayed_by() const noexcept { return relayed_by_; }

 private:
  Failure failure_;
  std::optional<NodeId> relayed_by_;
};

}  // namespace sotto::net
