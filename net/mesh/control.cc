#include "sotto/protocol/mesh/control.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text/terminal_safe.h"
#include "sotto/protocol/wire/coding.h"

namespace sotto::net {
namespace {

ExitCode seen_from_afar(ExitCode code) { return code == ExitCode::interrupted ? ExitCode::peer_lost : code; }

}  // namespace

bool is_failure(std::uint32_t code) {
  using enum ExitCode;
  constexpr std::array failures{usage,          peer_lost,   protocol_violation, disagreement,
                                local_resource, not_trusted, internal,           interrupted};
  return std::find(failures.begin(), failures.end(), static_cast<ExitCode>(code)) != failures.end();
}

std::vector<std::byte> encode(const Failure& failure) {
  ByteWriter writer;
  writer.octet(static_cast<std::uint8_t>(failure.code));
  writer.octet(failure.culprit);
  writer.octet(failure.reporter);
  writer.text(terminal_safe(failure.text, longest_failure));
  return writer.take();
}

std::optional<Failure> decode_failure(std::span<const std::byte> payload, std::uint64_t round) {
  ByteReader reader(payload);
  const std::uint8_t code = reader.octet();
  const NodeId culprit = reader.octet();
  const NodeId reporter = reader.octet();
  if (!reader.ok() || !is_failure(code)) return std::nullopt;
  const auto text = reader.bytes(reader.left());
  return Failure{static_cast<ExitCode>(code), culprit, reporter, round,
                 terminal_safe({reinterpret_cast<const char*>(text.data()), text.size()}, longest_failure)};
}

RemoteFailure::RemoteFailure(Failure failure, const std::string& reporter, std::optional<NodeId> relayed_by)
    : Error(seen_from_afar(failure.code), fmt::format("{} reports: {}", reporter, failure.text)),
      failure_(std::move(failure)),
      relayed_by_(relayed_by) {}

}  // namespace sotto::net
