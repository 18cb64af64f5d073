#include "apps/live/roles/figure_history.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "apps/live/roles/order_book.h"

namespace sotto::apps::live {
namespace {

RowKey key_of_history() { return key_of(LiveTable::figures, OrderNumber{3}); }

// The least time between two points.
LiveTime spacing_of(const HistoryPoints& points) {
  LiveTime spacing = FigureHistory::first_spacing;
  if (points.size() < 2) return spacing;
  const LiveTime duration = points.back().at - points.front().at;
  while (spacing * FigureHistory::most_points < duration) spacing *= 2;
  return spacing;
}

// Keeps the first point, the last point, and every other point between.
void thin_out(HistoryPoints& points) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i % 2 == 0 || i + 1 == points.size()) points[kept++] = points[i];
  }
  points.resize(kept);
}

}  // namespace

std::vector<std::byte> encode(const HistoryPoints& points) {
  ByteWriter out;
  for (const HistoryPoint& point : points) {
    out.number(point.at);
    for (const double total : point.totals) out.number(std::bit_cast<std::uint64_t>(total));
  }
  return out.take();
}

std::optional<HistoryPoints> decode_history(std::span<const std::byte> bytes) {
  constexpr std::size_t point_size = 3 * sizeof(std::uint64_t);
  if (bytes.size() % point_size != 0 || bytes.size() / point_size > FigureHistory::most_points) return std::nullopt;
  ByteReader in(bytes);
  HistoryPoints points(bytes.size() / point_size);
  for (HistoryPoint& point : points) {
    point.at = in.number<std::uint64_t>();
    for (double& total : point.totals) total = std::bit_cast<double>(in.number<std::uint64_t>());
  }
  const auto is_late = [](const HistoryPoint& a, const HistoryPoint& b) { return a.at >= b.at; };
  if (!in.at_end() || std::adjacent_find(points.begin(), points.end(), is_late) != points.end()) return std::nullopt;
  return points;
}

FigureHistory::FigureHistory(const LiveRows& rows) {
  std::optional<HistoryPoints> points = HistoryPoints{};
  if (const auto row = rows.get(key_of_history())) points = decode_history(*row);
  if (!points) refuse_damaged("history of figures");
  points_ = std::make_shared<const HistoryPoints>(std::move(*points));
}

void FigureHistory::note(LiveTime now, const HistoryPoint::Totals& totals) {
  const auto is_after = [now](const HistoryPoint& point) { return point.at > now; };
  HistoryPoints points(points_->begin(), std::find_if(points_->begin(), points_->end(), is_after));
  if (points.empty() && totals == HistoryPoint::Totals{}) return;  // a role that has counted nothing writes nothing
  if (!points.empty() && (points.back().totals == totals || now < points.back().at + spacing_of(points))) return;
  points.push_back({now, totals});
  if (points.size() > most_points) thin_out(points);
  points_ = std::make_shared<const HistoryPoints>(std::move(points));
  has_changed_ = true;
}

void FigureHistory::put(RowDraft& draft) {
  if (std::exchange(has_changed_, false)) draft.put(key_of_history(), encode(*points_));
}

}  // namespace sotto::apps::live
