#include "apps/live/roles/decisions.h"

#include <string_view>

namespace sotto::apps::live {

std::vector<std::byte> encode(const DecisionRow& row) {
  ByteWriter out;
  out.number(row.state);
  out.number(row.arm);
  out.number(row.number);
  out.number(row.at);
  out.octet(row.active ? 1 : 0);
  out.bytes(row.body);
  if (row.own != OwnArm::unknown) out.number(row.own);
  if (row.own != OwnArm::unknown && row.offered > 0) out.number(row.offered);
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
  row.own = OwnArm::unknown;
  if (in.left() > 0) {
    row.own = static_cast<OwnArm>(in.octet());
    if (row.own < OwnArm::none || row.own > OwnArm::ignored) return std::nullopt;
  }
  if (in.left() > 0) {
    row.offered = in.number<std::uint16_t>();
    if (row.offered == 0) return std::nullopt;
  }
  if (!in.at_end() || row.state < DecisionState::decided || row.state > DecisionState::lost) return std::nullopt;
  return row;
}

namespace {

net::Digest digest_of(ByteWriter& out, const DecisionRequest& request) {
  out.octet(request.activate ? 1 : 0);
  out.octet(request.own_arm ? 1 : 0);
  out.number(request.own_arm.value_or(0));
  out.numbers(std::span(request.barred));
  const std::vector<std::byte> bytes = out.take();
  return net::sha256(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace

net::Digest DecisionRequest::digest() const {
  ByteWriter out;
  out.text("sotto request 2");
  out.long_text(subject);
  return digest_of(out, *this);
}

bool DecisionRequest::has_body(const net::Digest& body) const {
  if (body == digest()) return true;
  ByteWriter out;
  out.text("sotto request");
  out.long_text(subject);
  out.number(deadline);
  return body == digest_of(out, *this);
}

std::vector<std::byte> encode(const AskedRow& row) {
  const DecisionRequest& request = row.request;
  ByteWriter out;
  out.number(row.asked);
  out.number(row.deadline);
  out.long_text(request.subject);
  out.number(request.deadline);
  out.octet(request.activate ? 1 : 0);
  out.octet(request.own_arm ? 1 : 0);
  if (request.own_arm) out.number(*request.own_arm);
  out.numbers(std::span(request.barred));
  return out.take();
}

std::optional<AskedRow> decode_asked_row(std::span<const std::byte> bytes, const EventId& event) {
  ByteReader in(bytes);
  AskedRow row;
  row.asked = in.number<LiveTime>();
  row.deadline = in.number<LiveTime>();
  row.request.event = event;
  row.request.subject = in.long_text(longest_subject);
  row.request.deadline = in.number<std::uint64_t>();
  row.request.activate = in.flag();
  if (in.flag()) row.request.own_arm = in.number<std::uint16_t>();
  row.request.barred = in.numbers<std::uint16_t>();
  if (!in.at_end()) return std::nullopt;
  return row;
}

}  // namespace sotto::apps::live
