#include "sotto/protocol/party/rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto {
namespace {

template <class Lane>
void put_lanes(std::span<const std::uint64_t> lanes, std::byte* out) {
  if constexpr (sizeof(Lane) == sizeof(std::uint64_t)) {
    if (!lanes.empty()) std::memcpy(out, lanes.data(), lanes.size_bytes());
    return;
  }
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const Lane lane = static_cast<Lane>(lanes[i]);
    std::memcpy(out + i * sizeof(Lane), &lane, sizeof(Lane));
  }
}

struct Sum {
  static std::uint64_t of(std::uint64_t a, std::uint64_t b) { return a + b; }
};
struct ExclusiveOr {
  static std::uint64_t of(std::uint64_t a, std::uint64_t b) { return a ^ b; }
};

template <class Lane, class Operation>
void combine_by(std::uint64_t ring, const std::byte* in, std::span<std::uint64_t> lanes) {
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    Lane lane;
    std::memcpy(&lane, in + i * sizeof(Lane), sizeof(Lane));
    lanes[i] = Operation::of(lanes[i], lane) & ring;
  }
}

template <class Lane>
void combine_lanes(const Slot& slot, const std::byte* in, std::span<std::uint64_t> lanes) {
  const std::uint64_t ring = ring_mask(slot.bits);
  if (slot.group == Group::sum) return combine_by<Lane, Sum>(ring, in, lanes);
  combine_by<Lane, ExclusiveOr>(ring, in, lanes);
}

void put(const Slot& slot, std::span<const std::uint64_t> lanes, std::byte* out) {
  switch (slot.lane_bytes()) {
    case 1:
      return put_lanes<std::uint8_t>(lanes, out);
    case 2:
      return put_lanes<std::uint16_t>(lanes, out);
    case 4:
      return put_lanes<std::uint32_t>(lanes, out);
    default:
      return put_lanes<std::uint64_t>(lanes, out);
  }
}

void combine(const Slot& slot, const std::byte* in, std::span<std::uint64_t> lanes) {
  switch (slot.lane_bytes()) {
    case 1:
      return combine_lanes<std::uint8_t>(slot, in, lanes);
    case 2:
      return combine_lanes<std::uint16_t>(slot, in, lanes);
    case 4:
      return combine_lanes<std::uint32_t>(slot, in, lanes);
    default:
      return combine_lanes<std::uint64_t>(slot, in, lanes);
  }
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}

void check_registration(const Registration& r, const Topology& topology, NodeId self) {
  bool sends = false;
  bool receives = false;
  for (NodeId peer = 0; peer < topology.nodes(); ++peer) {
    sends = sends || r.slot.flows(topology, self, peer);
    receives = receives || r.slot.flows(topology, peer, self);
  }
  if ((sends && r.outgoing.size() != r.slot.lanes) || (receives && r.incoming.size() != r.slot.lanes)) {
    throw std::invalid_argument(fmt::format("slot '{}' of {} lanes is given {} to send and room for {}",
                                            r.slot.label.text(), r.slot.lanes, r.outgoing.size(), r.incoming.size()));
  }
}

}  // namespace

Rounds::Rounds(Topology topology, std::optional<NodeId> self)
    : topology_(topology),
      self_(self),
      ledger_(topology),
      frames_(topology.nodes()),
      frame_of_(topology.nodes()),
      expected_(topology.nodes()),
      accepted_(topology.nodes()) {
  if (self && *self >= topology.nodes()) throw std::invalid_argument("no such node in this topology");
}

void Rounds::bind_to(std::uint64_t run) noexcept { digest_ = mix(digest_, run); }

bool Rounds::gather() {
  registrations_.reserve(16);
  run_ready();
  // The dealer sends one chunk for every call of gather(), even if the chunk is empty.
  if (topology_.has_dealer()) ledger_.count_dealt(FrameHeader::size);
  if (registrations_.empty()) return false;
  slots_.clear();
  for (const Registration& r : registrations_) {
    slots_.push_back(r.slot);
    digest_ = mix(digest_, r.slot.label.hash());
    digest_ =
        mix(digest_, static_cast<std::uint64_t>(r.slot.source) << 40 | static_cast<std::uint64_t>(r.slot.kind) << 32 |
                         static_cast<std::uint64_t>(r.slot.group) << 24 | r.slot.bits << 8 | r.slot.endpoint);
    digest_ = mix(digest_, r.slot.lanes);
  }
  ledger_.count_round(slots_);
  if (self_) build_frames();
  return true;
}

NodeId Rounds::same_frame_peer(NodeId peer) const {
  for (NodeId earlier = 0; earlier < peer; ++earlier) {
    const bool same = std::all_of(slots_.begin(), slots_.end(), [&](const Slot& slot) {
      return slot.flows(topology_, *self_, earlier) == slot.flows(topology_, *self_, peer);
    });
    if (same) return earlier;
  }
  return peer;
}

void Rounds::build_frames() {
  for (const Registration& r : registrations_) check_registration(r, topology_, *self_);
  for (NodeId peer = 0; peer < topology_.nodes(); ++peer) {
    std::size_t outgoing = 0;
    std::size_t incoming = 0;
    for (const Slot& slot : slots_) {
      outgoing += slot.payload_bytes(topology_, *self_, peer);
      incoming += slot.payload_bytes(topology_, peer, *self_);
    }
    if (outgoing > std::numeric_limits<std::uint32_t>::max() || incoming > std::numeric_limits<std::uint32_t>::max()) {
      throw std::invalid_argument("a round of more than 4 GiB to one peer: split it");
    }
    expected_[peer] = incoming;
    accepted_[peer] = incoming == 0;
    frame_of_[peer] = same_frame_peer(peer);
    if (frame_of_[peer] != peer) continue;
    Bytes& frame = frames_[peer];
    frame.resize(outgoing == 0 ? 0 : FrameHeader::size + outgoing);
    if (outgoing == 0) continue;
    const FrameHeader header{static_cast<std::uint32_t>(outgoing), FrameType::round, round_, digest_};
    write_header(header, std::span(frame).first<FrameHeader::size>());
    std::byte* out = frame.data() + FrameHeader::size;
    for (const Registration& r : registrations_) {
      if (!r.slot.flows(topology_, *self_, peer)) continue;
      put(r.slot, r.outgoing, out);
      out += r.slot.lanes * r.slot.lane_bytes();
    }
  }
}

void Rounds::check_header(NodeId peer, const FrameHeader& header) const {
  const auto fail = [&](ProtocolError::Kind kind, const std::string& what) {
    throw ProtocolError(
        kind, topology_.name(peer), round_,
        fmt::format("{} sent {} in round {} ('{}'): it runs another program, another version, or the link is damaged",
                    topology_.name(peer), what, round_,
                    slots_.empty() ? "before the first" : slots_.front().label.text()));
  };
  if (header.type != FrameType::round) {
    fail(ProtocolError::Kind::unexpected, fmt::format("a frame of type {}", static_cast<unsigned>(header.type)));
  }
  if (accepted_[peer]) fail(ProtocolError::Kind::unexpected, "a frame that nobody waits for");
  if (header.round != round_) fail(ProtocolError::Kind::wrong_round, fmt::format("a frame of round {}", header.round));
  if (header.digest != digest_) fail(ProtocolError::Kind::wrong_digest, "a frame of other slots or of another run");
  if (header.length != expected_[peer]) {
    fail(header.length < expected_[peer] ? ProtocolError::Kind::truncated : ProtocolError::Kind::oversized,
         fmt::format("{} instead of {}", counted(header.length, "byte"), expected_[peer]));
  }
}

void Rounds::accept(NodeId peer, std::span<const std::byte> payload) {
  if (accepted_[peer] || payload.size() != expected_[peer]) {
    throw ProtocolError(
        payload.size() < expected_[peer] ? ProtocolError::Kind::truncated : ProtocolError::Kind::oversized,
        topology_.name(peer), round_,
        fmt::format("{} sent {} in round {} where {} were due", topology_.name(peer), counted(payload.size(), "byte"),
                    round_, accepted_[peer] ? 0 : expected_[peer]));
  }
  const std::byte* in = payload.data();
  for (const Registration& r : registrations_) {
    if (!r.slot.flows(topology_, peer, *self_)) continue;
    combine(r.slot, in, r.incoming);
    in += r.slot.lanes * r.slot.lane_bytes();
  }
  accepted_[peer] = true;
}

void Rounds::scatter() {
  for (NodeId peer = 0; self_ && peer < topology_.nodes(); ++peer) {
    if (!accepted_[peer]) throw std::logic_error("a round was ended before all its frames were accepted");
  }
  if (openings_) {
    for (const Registration& r : registrations_) hash_opened(r);
  }
  ++round_;
  // The ready queue is a stack, so the last coroutine is added first.
  for (std::size_t i = registrations_.size(); i-- > 0;) make_ready(registrations_[i].waiting);
  registrations_.clear();
}

void Rounds::hash_opened(const Registration& registration) {
  const Slot& slot = registration.slot;
  if (slot.kind != SlotKind::open && slot.kind != SlotKind::broadcast) return;
  const bool sends = slot.kind == SlotKind::broadcast && slot.endpoint == self_;
  std::span<const std::uint64_t> lanes = registration.incoming;
  if (sends) lanes = registration.outgoing;
  if (slot.bits == 64) return openings_->add(std::as_bytes(lanes));
  packed_.resize(lanes.size() * slot.lane_bytes());
  put(slot, lanes, packed_.data());
  openings_->add(packed_);
}

std::array<std::byte, 32> Rounds::openings() {
  if (!openings_) return {};
  const std::array<std::byte, 32> digest = openings_->finish();
  openings_.reset();
  return digest;
}

void Rounds::abandon() noexcept { registrations_.clear(); }

}  // namespace sotto
