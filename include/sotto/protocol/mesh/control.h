// The small frames that any role may send at any time, between the frames of the rounds.
//
// `waiting` says that the sender is alive and whom it waits for. `failed` ends the run: it carries the exit code, who
// is at fault, who found out, the round, and a line of text without secrets, so that who receives it reports the root
// cause and not the messenger.
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

// No payload of a control frame is longer.
inline constexpr std::size_t longest_control = 1024;
inline constexpr std::size_t longest_failure = 512;  // bytes of its text

struct Failure {
  ExitCode code = ExitCode::internal;
  NodeId culprit = 0;
  NodeId reporter = 0;
  std::uint64_t round = 0;
  std::string text;
};

// Whether it is an exit code of a run that failed, as a peer may name it.
[[nodiscard]] bool is_failure(std::uint32_t code);

[[nodiscard]] std::vector<std::byte> encode(const Failure& failure);
// Nothing if the bytes are no failure. The round is in the frame's header.
[[nodiscard]] std::optional<Failure> decode_failure(std::span<const std::byte> payload, std::uint64_t round);

// A peer ended the run and said why. The exit code is that of the root cause; a peer that was interrupted counts as
// lost.
class RemoteFailure : public Error {
 public:
  // `teller`: the peer that said it, where that is another than the reporter.
  RemoteFailure(Failure failure, const std::string& reporter, std::optional<NodeId> teller = {});
  [[nodiscard]] const Failure& failure() const noexcept { return failure_; }
  [[nodiscard]] std::optional<NodeId> teller() const noexcept { return teller_; }

 private:
  Failure failure_;
  std::optional<NodeId> teller_;
};

}  // namespace sotto::net
