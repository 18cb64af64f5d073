#include "sotto/apps/bandit/live/roles/features.h"

#include <utility>

#include "sotto/apps/bandit/live/roles/order_book.h"

namespace sotto::apps {
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

}  // namespace

std::vector<std::byte> encode(const PushedFeatures& features) {
  ByteWriter out;
  write(out, features);
  return out.take();
}

std::vector<std::byte> encode(const BatchFeatures& features) {
  ByteWriter out;
  out.number(std::uint64_t{features.size()});
  for (const auto& of_event : features) {
    out.octet(of_event ? 1 : 0);
    if (of_event) write(out, *of_event);
  }
  return out.take();
}

std::optional<PushedFeatures> decode_pushed_features(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  PushedFeatures features = read_pushed(in);
  if (!in.at_end()) return std::nullopt;
  return features;
}

std::optional<BatchFeatures> decode_batch_features(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  BatchFeatures features(in.length(1));
  for (auto& of_event : features) {
    if (in.flag()) of_event = read_pushed(in);
  }
  if (!in.at_end()) return std::nullopt;
  return features;
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

void FeatureQueue::take(RowDraft& draft, const EventId& event) {
  if (!find(draft, event)) return;
  draft.erase(key_of(LiveTable::features, event));
  --count_;
}

std::size_t FeatureQueue::drop_before(RowDraft& draft, LiveTime time) {
  std::size_t dropped = 0;
  while (const auto first = ages_.take_before(time)) {
    const auto features = find(draft, first->event);
    if (!features || features->at != first->at) continue;
    take(draft, first->event);
    ++dropped;
  }
  return dropped;
}

}  // namespace sotto::apps
