#include "apps/live/roles/order_book.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::live {

std::vector<std::byte> encode(const BatchRow& row) {
  ByteWriter out;
  out.number(row.number);
  out.number(row.at);
  out.number(row.state);
  out.number(std::uint64_t{row.events.size()});
  for (const EventId& event : row.events) out.bytes(event);
  return out.take();
}

std::optional<BatchRow> decode_batch_row(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  BatchRow row;
  row.number = in.number<OrderNumber>();
  row.at = in.number<LiveTime>();
  row.state = static_cast<BatchState>(in.octet());
  row.events.resize(in.length(sizeof(EventId)));
  for (EventId& event : row.events) event = in.array<sizeof(EventId)>();
  if (!in.at_end() || row.number < 1 || row.number > last_number) return std::nullopt;
  if (row.state < BatchState::pending || row.state > BatchState::never) return std::nullopt;
  return row;
}

std::vector<std::byte> encode(const EpochRow& row) {
  ByteWriter out;
  out.number(row.epoch);
  out.bytes(row.session);
  out.number(row.settled);
  out.number(row.dropped);
  out.number(row.gone_back_to);
  out.number(row.gone_back_at);
  return out.take();
}

std::optional<EpochRow> decode_epoch_row(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  EpochRow row;
  row.epoch = in.number<std::uint32_t>();
  row.session = in.array<sizeof(net::SessionId)>();
  row.settled = in.number<OrderNumber>();
  row.dropped = in.number<std::uint64_t>();
  row.gone_back_to = in.number<OrderNumber>();
  row.gone_back_at = in.number<OrderNumber>();
  if (!in.at_end() || row.settled > last_number) return std::nullopt;
  return row;
}

std::vector<std::byte> encode(const SnapshotRow& row) {
  ByteWriter out;
  out.number(row.name.number);
  out.bytes(row.name.id);
  out.number(row.name.learned);
  out.octet(row.imported ? 1 : 0);
  out.numbers(std::span(row.model));
  if (row.name.from.any()) write(out, row.name.from);
  return out.take();
}

std::optional<SnapshotRow> decode_snapshot_row(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  SnapshotRow row;
  row.name.number = in.number<OrderNumber>();
  row.name.id = in.array<sizeof(bandit::CheckpointId)>();
  row.name.learned = in.number<std::uint64_t>();
  row.imported = in.flag();
  row.model = in.numbers<std::byte>();
  if (in.ok() && in.left() > 0) row.name.from = read_sum_bits(in);
  if (!in.at_end() || row.name.number > last_number) return std::nullopt;
  return row;
}

void refuse_damaged(const char* what) {
  throw InputError(std::string("the store of the service is damaged (") + what +
                   "): nothing was changed; bring back a copy of the folder");
}

EpochRow read_epoch_row(const LiveRows& rows) {
  const auto bytes = rows.get(key_of(LiveTable::epoch, OrderNumber{0}));
  if (!bytes) return {};
  const std::optional<EpochRow> row = decode_epoch_row(*bytes);
  if (!row) refuse_damaged("epoch");
  return *row;
}

}  // namespace sotto::apps::live
