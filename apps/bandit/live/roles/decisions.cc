#include "sotto/apps/bandit/live/roles/decisions.h"

#include <string_view>

namespace sotto::apps {

std::vector<std::byte> encode(const DecisionRow& row) {
  ByteWriter out;
  out.number(row.state);
  out.number(row.arm);
  out.number(row.number);
  out.number(row.at);
  out.octet(row.active ? 1 : 0);
  out.bytes(row.body);
  return out.take();
}

std::optional<DecisionRow> decode_decision_row(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  DecisionRow row;
  row.state = static_cast<DecisionState>(in.octet());
  row.arm = in.number<std::uint16_t>();
  row.number = in.number<OrderNumber>();
  row.at = in.number<LiveTime>();
  row.active = in.flag();
  row.body = in.array<sizeof(net::Digest)>();
  if (!in.at_end() || row.state < DecisionState::decided || row.state > DecisionState::lost) return std::nullopt;
  return row;
}

net::Digest DecisionRequest::digest() const {
  ByteWriter out;
  out.text("sotto request");
  out.long_text(subject);
  out.number(deadline);
  out.octet(activate ? 1 : 0);
  out.octet(own_arm ? 1 : 0);
  out.number(own_arm.value_or(0));
  out.numbers(std::span(barred));
  const std::vector<std::byte> bytes = out.take();
  return net::sha256(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace sotto::apps
