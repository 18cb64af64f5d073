#include "apps/live/order/chain.h"

#include <cmath>

namespace sotto::apps::live {

void write(ByteWriter& out, const OrderMark& mark) {
  out.number(mark.number);
  out.bytes(mark.id);
  out.number(mark.epoch);
  out.bytes(mark.entry);
}

OrderMark read_mark(ByteReader& in) {
  OrderMark mark;
  mark.number = in.number<OrderNumber>();
  mark.id = in.array<sizeof(bandit::CheckpointId)>();
  mark.epoch = in.number<std::uint32_t>();
  mark.entry = in.array<sizeof(net::Digest)>();
  return mark;
}

namespace {

void write(ByteWriter& out, const OrderTally& tally) {
  for (const std::uint64_t count :
       {tally.model, tally.decides, tally.learns, tally.padding, tally.missing, tally.rewards_learned, tally.clipped}) {
    out.number(count);
  }
  out.number(tally.reward_sum);
}

OrderTally read_tally(ByteReader& in) {
  OrderTally tally;
  for (std::uint64_t* const count : {&tally.model, &tally.decides, &tally.learns, &tally.padding, &tally.missing,
                                     &tally.rewards_learned, &tally.clipped}) {
    *count = in.number<std::uint64_t>();
  }
  tally.reward_sum = in.number<double>();
  return tally;
}

}  // namespace

namespace {

// The optional end of a row: `from`, and the lift if it is not empty.
bool read_end(ByteReader& in, ChainRow& row) {
  row.from = read_optional_sum_bits(in);
  if (in.left() > 0) row.lift = read_lift_window(in);
  return row.from.any() || row.lift != LiftWindow{};
}

}  // namespace

std::vector<std::byte> encode(const ChainRow& row) {
  ByteWriter out;
  write(out, row.mark);
  out.number(row.mode);
  out.octet(row.restated ? 1 : 0);
  out.number(row.decided);
  out.number(row.learned);
  write(out, row.agreement);
  write(out, row.tally);
  out.octet(row.mark.number > 0 ? 1 : 0);
  if (row.mark.number > 0) write(out, row.entry);
  out.numbers(std::span(row.lanes));
  if (row.from.any()) write(out, row.from);
  if (row.lift == LiftWindow{}) return out.take();
  // A row without `from` has zeros in its place.
  if (!row.from.any()) out.number(std::uint16_t{0});
  write(out, row.lift);
  return out.take();
}

std::optional<ChainRow> decode_chain_row(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  ChainRow row;
  row.mark = read_mark(in);
  row.mode = static_cast<LiveMode>(in.octet());
  row.restated = in.flag();
  row.decided = in.number<std::uint64_t>();
  row.learned = in.number<std::uint64_t>();
  row.agreement = read_agreement(in);
  row.tally = read_tally(in);
  const bool has_entry = in.flag();
  if (has_entry) row.entry = read_entry(in);
  row.lanes = in.numbers<std::byte>();
  if (in.ok() && in.left() > 0 && !read_end(in, row)) return std::nullopt;
  const bool fits = has_entry == (row.mark.number > 0) && (!has_entry || row.entry.number == row.mark.number);
  if (!std::isfinite(row.tally.reward_sum)) return std::nullopt;
  if (!in.at_end() || !fits || row.mode < LiveMode::online || row.mode > LiveMode::frozen) return std::nullopt;
  return row;
}

}  // namespace sotto::apps::live
