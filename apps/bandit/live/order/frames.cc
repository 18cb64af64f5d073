#include "sotto/apps/bandit/live/order/frames.h"

#include <algorithm>

namespace sotto::apps {
namespace {

// The first byte of a frame: the place of its type in OrderFrame, from 1.
enum class FrameKind : std::uint8_t { plan = 1, skip, propose, done, restate, settled };

void write(ByteWriter& out, const PlanFrame& plan) {
  out.number(FrameKind::plan);
  out.number(plan.first);
  out.number(plan.settled);
  out.number(std::uint64_t{plan.shapes.size()});
  for (const ProgramShape& shape : plan.shapes) {
    out.number(shape.kind);
    out.number(shape.size);
  }
}

void write(ByteWriter& out, const SkipFrame& skip) {
  out.number(FrameKind::skip);
  out.number(skip.program);
}

void write(ByteWriter& out, const ProposeFrame& propose) {
  out.number(FrameKind::propose);
  write(out, propose.entry);
}

void write(ByteWriter& out, const DoneFrame& done) {
  out.number(FrameKind::done);
  out.number(done.number);
  out.bytes(done.digest);
}

void write(ByteWriter& out, const RestateFrame& restate) {
  out.number(FrameKind::restate);
  out.bytes(restate.id);
  out.number(restate.epoch);
  write(out, restate.entry);
  out.numbers(std::span(restate.lanes));
}

void write(ByteWriter& out, const SettledFrame& settled) {
  out.number(FrameKind::settled);
  out.number(settled.number);
  out.bytes(settled.id);
}

bool is_shape(const ProgramShape& shape) {
  return (shape.kind == EntryKind::decide || shape.kind == EntryKind::learn) && shape.size >= 1 &&
         shape.size <= largest_decide;
}

bool is_number(OrderNumber number) { return number >= 1 && number <= last_number; }

std::optional<OrderFrame> read_plan(ByteReader& in) {
  PlanFrame plan;
  plan.first = in.number<std::uint64_t>();
  plan.settled = in.number<OrderNumber>();
  plan.shapes.resize(in.length(1 + sizeof(std::uint32_t)));
  for (ProgramShape& shape : plan.shapes) {
    shape.kind = static_cast<EntryKind>(in.octet());
    shape.size = in.number<std::uint32_t>();
  }
  if (plan.first < 1 || plan.first > last_number || plan.settled > last_number || plan.shapes.empty() ||
      plan.shapes.size() > most_planned || !std::all_of(plan.shapes.begin(), plan.shapes.end(), is_shape)) {
    return std::nullopt;
  }
  return plan;
}

std::optional<OrderFrame> read_skip(ByteReader& in) {
  const SkipFrame skip{in.number<std::uint64_t>()};
  if (!is_number(skip.program)) return std::nullopt;
  return skip;
}

std::optional<OrderFrame> read_done(ByteReader& in) {
  DoneFrame done;
  done.number = in.number<OrderNumber>();
  done.digest = in.array<sizeof(net::Digest)>();
  if (!is_number(done.number)) return std::nullopt;
  return done;
}

std::optional<OrderFrame> read_restate(ByteReader& in) {
  RestateFrame restate;
  restate.id = in.array<sizeof(CheckpointId)>();
  restate.epoch = in.number<std::uint32_t>();
  restate.entry = read_entry(in);
  restate.lanes = in.numbers<std::byte>();
  if (restate.epoch < 1) return std::nullopt;
  return restate;
}

std::optional<OrderFrame> read_settled(ByteReader& in) {
  SettledFrame settled;
  settled.number = in.number<OrderNumber>();
  settled.id = in.array<sizeof(CheckpointId)>();
  if (!is_number(settled.number)) return std::nullopt;
  return settled;
}

std::optional<OrderFrame> read_frame(ByteReader& in) {
  switch (static_cast<FrameKind>(in.octet())) {
    case FrameKind::plan:
      return read_plan(in);
    case FrameKind::skip:
      return read_skip(in);
    case FrameKind::propose:
      return ProposeFrame{read_entry(in)};
    case FrameKind::done:
      return read_done(in);
    case FrameKind::restate:
      return read_restate(in);
    case FrameKind::settled:
      return read_settled(in);
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::byte> encode(const OrderFrame& frame) {
  ByteWriter out;
  std::visit([&](const auto& of_kind) { write(out, of_kind); }, frame);
  return out.take();
}

std::optional<OrderFrame> decode_order_frame(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  std::optional<OrderFrame> frame = read_frame(in);
  if (!in.at_end()) return std::nullopt;
  return frame;
}

}  // namespace sotto::apps
