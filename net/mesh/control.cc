#include "sotto/net/mesh/control.h"
#include "sotto/core/text/printable.h"

#include <fmt/format.h>

#include <algorithm>

namespace sotto::net {
namespace {

constexpr std::size_t fixed_part = 3;

ExitCode seen_from_afar(ExitCode code) { return code == ExitCode::interrupted ? ExitCode::peer_lost : code; }

}  // namespace

bool is_failure(std::uint32_t code) {
  switch (static_cast<ExitCode>(code)) {
    case ExitCode::usage:
    case ExitCode::peer_lost:
    case ExitCode::protocol_violation:
    case ExitCode::disagreement:
    case ExitCode::local_resource:
    case ExitCode::not_trusted:
    case ExitCode::internal:
    case ExitCode::interrupted:
      return true;
    case ExitCode::done:
      return false;
  }
  return false;
}

std::vector<std::byte> encode(const Failure& failure) {
  const std::string text = printable(failure.text);
  std::vector<std::byte> payload(fixed_part + text.size());
  payload[0] = static_cast<std::byte>(failure.code);
  payload[1] = static_cast<std::byte>(failure.culprit);
  payload[2] = static_cast<std::byte>(failure.reporter);
  std::transform(text.begin(), text.end(), payload.begin() + fixed_part,
                 [](char c) { return static_cast<std::byte>(c); });
  return payload;
}

std::optional<Failure> decode_failure(std::span<const std::byte> payload, std::uint64_t round) {
  if (payload.size() < fixed_part || !is_failure(static_cast<std::uint32_t>(payload[0]))) return std::nullopt;
  std::string text(payload.size() - fixed_part, ' ');
  std::transform(payload.begin() + fixed_part, payload.end(), text.begin(),
                 [](std::byte b) { return static_cast<char>(b); });
  return Failure{static_cast<ExitCode>(payload[0]), static_cast<NodeId>(payload[1]), static_cast<NodeId>(payload[2]),
                 round, printable(text)};
}

RemoteFailure::RemoteFailure(Failure failure, const std::string& reporter)
    : Error(seen_from_afar(failure.code), fmt::format("{} reports: {}", reporter, failure.text)),
      failure_(std::move(failure)) {}

}  // namespace sotto::net
