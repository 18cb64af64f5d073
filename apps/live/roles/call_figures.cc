#include "apps/live/roles/call_figures.h"

#include <utility>

#include "apps/live/roles/order_book.h"

namespace sotto::apps::live {
namespace {

RowKey key_of_figures() { return key_of(LiveTable::figures, OrderNumber{0}); }
RowKey key_of_ranges() { return key_of(LiveTable::figures, OrderNumber{1}); }

template <class Figures, class Take>
void each_count(Figures& figures, Take take) {
  take(figures.since);
  take(figures.decided);
  take(figures.baselines);
  take(figures.rejected);
  take(figures.features);
  take(figures.late_features);
  take(figures.dropped_features);
  for (auto& of_status : figures.rewards) take(of_status);
}

}  // namespace

std::vector<std::byte> encode(const CallFigures& figures) {
  ByteWriter out;
  each_count(figures, [&](const std::uint64_t& count) { out.number(count); });
  out.numbers(std::span(figures.arms));
  return out.take();
}

std::optional<CallFigures> decode_call_figures(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  CallFigures figures;
  each_count(figures, [&](std::uint64_t& count) { count = in.number<std::uint64_t>(); });
  figures.arms = in.numbers<std::uint64_t>();
  if (!in.at_end()) return std::nullopt;
  return figures;
}

KeptFigures::KeptFigures(const LiveRows& rows) : history_(rows) {
  if (const auto row = rows.get(key_of_figures())) {
    std::optional<CallFigures> figures = decode_call_figures(*row);
    if (!figures) refuse_damaged("figures");
    figures_ = std::move(*figures);
  }
  if (const auto row = rows.get(key_of_ranges())) {
    std::optional<ColumnRanges> ranges = decode_column_ranges(*row);
    if (!ranges) refuse_damaged("ranges of columns");
    ranges_ = std::move(*ranges);
  }
}

void KeptFigures::begin(LiveTime now) {
  if (figures_.since > 0) return;
  figures_.since = now;
  begins_ = true;
}

void KeptFigures::put(RowDraft& draft, bool alone) {
  const bool is_empty = draft.is_empty();
  if (is_empty && !alone) return;
  if (has_changed_ || (begins_ && !is_empty)) {
    draft.put(key_of_figures(), encode(figures_));
    begins_ = has_changed_ = false;
  }
  if (std::exchange(has_widened_, false)) draft.put(key_of_ranges(), encode(ranges_));
  history_.put(draft);
}

}  // namespace sotto::apps::live
