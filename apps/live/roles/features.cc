#include "apps/live/roles/features.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "apps/live/roles/order_book.h"
#include "sotto/protocol/wire/coding.h"

namespace sotto::apps::live {
namespace {

void write(ByteWriter& out, const PushedFeatures& features) {
  out.number(features.at);
  out.numbers(std::span(features.values));
}

PushedFeatures read_pushed(ByteReader& in) {
  PushedFeatures features;
  features.at = in.number<LiveTime>();
  features.values = in.numbers<double>();
  return features;
}

constexpr std::uint8_t nothing = 0, alone = 1, with_subject = 2;

}  // namespace

std::vector<std::byte> encode(const PushedFeatures& features) {
  ByteWriter out;
  write(out, features);
  if (!features.subject.empty()) out.long_text(features.subject);
  return out.take();
}

std::vector<std::byte> encode(const BatchFeatures& features) {
  ByteWriter out;
  out.number(std::uint64_t{features.size()});
  for (const auto& of_event : features) {
    out.octet(!of_event ? nothing : of_event->subject.empty() ? alone : with_subject);
    if (!of_event) continue;
    write(out, *of_event);
    if (!of_event->subject.empty()) out.long_text(of_event->subject);
  }
  return out.take();
}

std::optional<PushedFeatures> decode_pushed_features(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  PushedFeatures features = read_pushed(in);
  if (in.ok() && in.left() > 0) features.subject = in.long_text(longest_own_subject);
  if (!in.at_end()) return std::nullopt;
  return features;
}

std::optional<BatchFeatures> decode_batch_features(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  BatchFeatures features(in.length(1));
  for (auto& of_event : features) {
    const std::uint8_t kind = in.octet();
    if (kind > with_subject) return std::nullopt;
    if (kind == nothing) continue;
    of_event = read_pushed(in);
    if (kind == with_subject) of_event->subject = in.long_text(longest_own_subject);
  }
  if (!in.at_end()) return std::nullopt;
  return features;
}

FeatureDigest digest_of(const FeatureValues& values) {
  ByteWriter out;
  out.text("sotto features");
  for (const double value : values) out.number(value + 0.0);  // turns -0.0 into 0.0
  const std::vector<std::byte> bytes = out.take();
  const net::Digest whole = net::sha256(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  FeatureDigest digest;
  std::copy_n(whole.begin(), digest.size(), digest.begin());
  return digest;
}

std::vector<std::byte> encode(const UsedRow& row) {
  ByteWriter out;
  out.number(row.number);
  if (!row.says_used) return out.take();
  out.octet(row.digest ? 1 : 0);
  if (row.digest) out.bytes(*row.digest);
  return out.take();
}

std::optional<UsedRow> decode_used_row(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  UsedRow row;
  row.number = in.number<OrderNumber>();
  row.says_used = in.left() > 0;
  if (row.says_used && in.flag()) row.digest = in.array<sizeof(FeatureDigest)>();
  if (!in.at_end()) return std::nullopt;
  return row;
}

FeatureQueue::FeatureQueue(const LiveRows& rows) {
  std::vector<EventAge> ages;
  rows.each(LiveTable::features, [&](const RowKey& key, const LiveRow& bytes) {
    const std::optional<PushedFeatures> features = decode_pushed_features(bytes);
    if (!features) refuse_damaged("features");
    ages.push_back(EventAge{key.key, features->at});
    return true;
  });
  count_ = ages.size();
  ages_ = EventAges(std::move(ages));
}

std::optional<PushedFeatures> FeatureQueue::find(const RowDraft& draft, const EventId& event) const {
  const auto bytes = draft.get(key_of(LiveTable::features, event));
  if (!bytes) return std::nullopt;
  std::optional<PushedFeatures> features = decode_pushed_features(*bytes);
  if (!features) refuse_damaged("features");
  return features;
}

void FeatureQueue::put(RowDraft& draft, const EventId& event, const PushedFeatures& features) {
  draft.put(key_of(LiveTable::features, event), encode(features));
  ages_.put(event, features.at);
  ++count_;
}

bool FeatureQueue::take(RowDraft& draft, const EventId& event) {
  if (!find(draft, event)) return false;
  draft.erase(key_of(LiveTable::features, event));
  --count_;
  return true;
}

std::size_t FeatureQueue::drop_before(RowDraft& draft, LiveTime time) {
  std::size_t dropped = 0;
  while (const auto first = ages_.take_before(time)) {
    const auto features = find(draft, first->event);
    if (!features || features->at != first->at) continue;
    dropped += take(draft, first->event) ? 1 : 0;
  }
  return dropped;
}

bool widen(ColumnRanges& ranges, const FeatureValues& row) {
  bool is_wider = ranges.size() < row.size();
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i == ranges.size()) ranges.push_back({row[i], row[i]});
    ColumnRange& range = ranges[i];
    is_wider = is_wider || row[i] < range.least || row[i] > range.largest;
    range.least = std::min(range.least, row[i]);
    range.largest = std::max(range.largest, row[i]);
  }
  return is_wider;
}

std::vector<std::byte> encode(const ColumnRanges& ranges) {
  ByteWriter out;
  out.number(std::uint64_t{ranges.size()});
  for (const ColumnRange& range : ranges) {
    out.number(range.least);
    out.number(range.largest);
  }
  return out.take();
}

std::optional<ColumnRanges> decode_column_ranges(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  ColumnRanges ranges(in.length(2 * sizeof(double)));
  for (ColumnRange& range : ranges) {
    range.least = in.number<double>();
    range.largest = in.number<double>();
    if (!(range.least <= range.largest)) return std::nullopt;
  }
  if (!in.at_end()) return std::nullopt;
  return ranges;
}

}  // namespace sotto::apps::live
