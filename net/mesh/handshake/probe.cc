#include "net/mesh/handshake/probe.h"

#include <fmt/format.h>

#include <string_view>

#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/wire/coding.h"

namespace sotto::net {
namespace {

constexpr std::string_view probe_magic = "sotto/pr";

}  // namespace

std::chrono::microseconds wall_clock() {
  return std::chrono::duration_cast<std::chrono::microseconds>(Probe::Clock::now().time_since_epoch());
}

std::vector<std::byte> encode(const Probe& probe) {
  if (probe.software.size() > longest_version || probe.parameters.size() > longest_text ||
      probe.announcement.size() > longest_text) {
    throw InputError(fmt::format("the parameters of a run are longer than {} bytes", longest_text));
  }
  ByteWriter writer;
  writer.text(probe_magic);
  writer.number(probe.version);
  writer.octet(probe.sender);
  writer.octet(static_cast<std::uint8_t>(probe.what));
  writer.zeros(2);
  writer.number(std::int64_t{probe.clock.count()});
  writer.long_text(probe.software);
  writer.long_text(probe.parameters);
  writer.long_text(probe.announcement);
  return writer.take();
}

std::optional<Probe> decode_probe(std::span<const std::byte> payload) {
  ByteReader reader(payload);
  reader.expect(probe_magic);
  Probe probe;
  probe.version = reader.number<std::uint32_t>();
  if (!reader.ok()) return std::nullopt;
  if (probe.version != wire_version) return probe;
  probe.sender = reader.octet();
  const std::uint8_t what = reader.octet();
  reader.zeros(2);
  probe.clock = std::chrono::microseconds(reader.number<std::int64_t>());
  probe.software = reader.long_text(longest_version);
  probe.parameters = reader.long_text();
  probe.announcement = reader.long_text();
  if (!reader.at_end() || what > static_cast<std::uint8_t>(Probe::What::inquirer)) return std::nullopt;
  probe.what = static_cast<Probe::What>(what);
  return probe;
}

}  // namespace sotto::net
