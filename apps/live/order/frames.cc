#include "apps/live/order/frames.h"

#include <algorithm>
#include <functional>
#include <string_view>

namespace sotto::apps::live {
namespace {

// The first byte of a frame. The values are the indices of the types in OrderFrame, counted from 1.
enum class FrameKind : std::uint8_t { plan = 1, skip, propose, done, restate, settled, opened, known, begin, ran };

void write(ByteWriter& out, const PlanFrame& plan) {
  out.number(FrameKind::plan);
  out.number(plan.first);
  out.number(plan.settled);
  out.number(std::uint64_t{plan.shapes.size()});
  for (const ProgramShape& shape : plan.shapes) write(out, shape);
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
  out.numbers(std::span(done.refused));
}

void write(ByteWriter& out, const RestateFrame& restate) {
  out.number(FrameKind::restate);
  out.bytes(restate.id);
  out.number(restate.epoch);
  write(out, restate.entry);
  out.numbers(std::span(restate.lanes));
  out.numbers(std::span(restate.refused));
}

void write(ByteWriter& out, const SettledFrame& settled) {
  out.number(FrameKind::settled);
  out.number(settled.number);
  out.bytes(settled.id);
}

void write(ByteWriter& out, const OpenedFrame& opened) {
  out.number(FrameKind::opened);
  out.number(opened.epoch);
}

void write(ByteWriter& out, const KnownFrame& known) {
  out.number(FrameKind::known);
  out.octet(known.last ? 1 : 0);
  out.number(known.decided);
  out.number(known.learned);
  out.number(known.model);
  out.octet(known.from.any() ? 1 : 0);
  if (known.from.any()) live::write(out, known.from);
  out.number(std::uint64_t{known.batches.size()});
  for (const KnownBatch& batch : known.batches) {
    out.number(batch.number);
    out.number(batch.at);
    out.octet(batch.open ? 1 : 0);
    out.number(std::uint64_t{batch.events.size()});
    for (const EventId& event : batch.events) out.bytes(event);
  }
}

void write(ByteWriter& out, const BeginFrame& begin) {
  out.number(FrameKind::begin);
  out.number(begin.program);
  write(out, begin.shape);
  out.numbers(std::span(begin.batches));
}

void write(ByteWriter& out, const RanFrame& ran) {
  out.number(FrameKind::ran);
  out.number(ran.program);
}

bool is_shape(const ProgramShape& shape) {
  return (shape.kind == EntryKind::decide || shape.kind == EntryKind::learn) && shape.size >= 1 &&
         shape.size <= largest_decide;
}

bool is_number(OrderNumber number) { return number >= 1 && number <= last_number; }

bool are_places(const RefusedPlaces& places) {
  const bool ascending = std::adjacent_find(places.begin(), places.end(), std::greater_equal<>()) == places.end();
  return ascending && (places.empty() || places.back() < largest_decide);
}

std::optional<OrderFrame> read_plan(ByteReader& in) {
  PlanFrame plan;
  plan.first = in.number<std::uint64_t>();
  plan.settled = in.number<OrderNumber>();
  plan.shapes.resize(in.length(1 + sizeof(std::uint32_t)));
  for (ProgramShape& shape : plan.shapes) shape = read_shape(in);
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
  done.refused = in.numbers<std::uint32_t>();
  if (!is_number(done.number) || !are_places(done.refused)) return std::nullopt;
  return done;
}

std::optional<OrderFrame> read_restate(ByteReader& in) {
  RestateFrame restate;
  restate.id = in.array<sizeof(bandit::CheckpointId)>();
  restate.epoch = in.number<std::uint32_t>();
  restate.entry = read_entry(in);
  restate.lanes = in.numbers<std::byte>();
  restate.refused = in.numbers<std::uint32_t>();
  if (restate.epoch < 1 || !are_places(restate.refused)) return std::nullopt;
  return restate;
}

std::optional<OrderFrame> read_settled(ByteReader& in) {
  SettledFrame settled;
  settled.number = in.number<OrderNumber>();
  settled.id = in.array<sizeof(bandit::CheckpointId)>();
  if (!is_number(settled.number)) return std::nullopt;
  return settled;
}

std::optional<OrderFrame> read_opened(ByteReader& in) {
  const OpenedFrame opened{in.number<std::uint32_t>()};
  if (opened.epoch < 1) return std::nullopt;
  return opened;
}

KnownBatch read_known_batch(ByteReader& in) {
  KnownBatch batch;
  batch.number = in.number<OrderNumber>();
  batch.at = in.number<LiveTime>();
  batch.open = in.flag();
  batch.events.resize(in.length(sizeof(EventId)));
  for (EventId& event : batch.events) event = in.array<sizeof(EventId)>();
  return batch;
}

std::optional<OrderFrame> read_known(ByteReader& in) {
  KnownFrame known;
  known.last = in.flag();
  known.decided = in.number<std::uint64_t>();
  known.learned = in.number<std::uint64_t>();
  known.model = in.number<OrderNumber>();
  if (in.flag()) known.from = read_sum_bits(in);
  const std::size_t batches = in.length(sizeof(OrderNumber) + sizeof(LiveTime) + 1 + sizeof(std::uint64_t));
  if (batches > most_known) return std::nullopt;
  known.batches.reserve(batches);
  OrderNumber before = 0;
  for (std::size_t i = 0; i < batches; ++i) {
    known.batches.push_back(read_known_batch(in));
    const KnownBatch& batch = known.batches.back();
    if (batch.number <= before || batch.number > last_number || batch.events.size() > largest_decide) {
      return std::nullopt;
    }
    before = batch.number;
  }
  return known;
}

std::optional<OrderFrame> read_begin(ByteReader& in) {
  BeginFrame begin;
  begin.program = in.number<std::uint64_t>();
  begin.shape = read_shape(in);
  begin.batches = in.numbers<OrderNumber>();
  OrderEntry entry;
  entry.number = last_number;
  entry.program = begin.program;
  entry.shape = begin.shape;
  entry.batches = begin.batches;
  if (begin.shape.kind != EntryKind::learn || !is_valid(entry)) return std::nullopt;
  return begin;
}

std::optional<OrderFrame> read_ran(ByteReader& in) {
  const RanFrame ran{in.number<std::uint64_t>()};
  if (!is_number(ran.program)) return std::nullopt;
  return ran;
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
    case FrameKind::opened:
      return read_opened(in);
    case FrameKind::known:
      return read_known(in);
    case FrameKind::begin:
      return read_begin(in);
    case FrameKind::ran:
      return read_ran(in);
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::byte> encode(const OrderFrame& frame) {
  ByteWriter out;
  std::visit([&](const auto& of_kind) { write(out, of_kind); }, frame);
  return out.take();
}

namespace {

net::Digest digest_of_frame(const OrderFrame& frame) {
  const std::vector<std::byte> bytes = encode(frame);
  return net::sha256(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace

net::Digest digest_of(const BeginFrame& begin) { return digest_of_frame(begin); }
net::Digest digest_of(const PlanFrame& plan) { return digest_of_frame(plan); }

bool is_of(const OrderEntry& entry, const BeginFrame& begin) {
  return entry.program == begin.program && entry.shape == begin.shape && entry.batches == begin.batches;
}

std::optional<OrderFrame> decode_order_frame(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  std::optional<OrderFrame> frame = read_frame(in);
  if (!in.at_end()) return std::nullopt;
  return frame;
}

}  // namespace sotto::apps::live
