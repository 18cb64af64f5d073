// The small frames that any role may send at any time, between the frames of the rounds.
//
// `waiting` says that the sender is alive, and for whom it waits. `failed` ends the run. It carries the exit code, the
// role at fault, the role that found the fault, the round, and a line of text without secrets. So its receiver reports
// the root cause and not the messenger.
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
inline constexpr std::size_t longest_failure = 512;  // bytes of a failure's text

struct Failure {
  ExitCode code = ExitCode::internal;
  NodeId culprit = 0;
  NodeId reporter = 0;
  std::uint64_t round = 0;
  std::string text;
};

// Whether `code` is an exit code of a failed run that a peer may name.
[[nodiscard]] bool is_failure(std::uint32_t code);

[[nodiscard]] std::vector<std::byte> encode(const Failure& failure);
// Nothing if the bytes are no failure. The round comes from the frame's header.
[[nodiscard]] std::optional<Failure> decode_failure(std::span<const std::byte> payload, std::uint64_t round);

// A peer ended the run and said why. The exit code is that of the root cause; a peer that was interrupted counts as
// lost.
class RemoteFailure : public Error {
 public:
  // `teller`: the peer that sent the failure, where that peer is not the reporter.
  RemoteFailure(Failure failure, const std::string& reporter, std::optional<NodeId> teller = {});
  [[nodiscard]] const Failure& failure() const noexcept { return failure_; }
  [[nodiscard]] std::optional<NodeId> teller() const noexcept { return teller_; }

 private:
  Failure failure_;
  std::optional<NodeId> teller_;
};

}  // namespace sotto::net
