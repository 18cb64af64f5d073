#include "apps/live/roles/figure_history.h"

#include <limits>

#include "apps/live/roles/call_figures.h"
#include "tests/apps/live/memory_rows.h"
#include "tests/apps/support.h"

namespace sotto::apps::live {
namespace {

using testing::Disk;
using testing::MemoryRows;
using Totals = HistoryPoint::Totals;

void write(FigureHistory& history, LiveRows& rows) {
  RowDraft draft(rows);
  history.put(draft);
  draft.commit();
}

TEST(FigureHistory, KeepsPointsOverRestarts) {
  Disk disk;
  MemoryRows rows(disk);
  FigureHistory history(rows);
  history.note(500, Totals{0, 0});
  write(history, rows);
  EXPECT_TRUE(disk.rows().empty()) << "nothing was counted";
  EXPECT_TRUE(history.points()->empty());
  history.note(1'000, Totals{1, .5});
  history.note(10'999, Totals{2, 1});  // too soon
  history.note(11'000, Totals{3, 1.5});
  history.note(40'000, Totals{3, 1.5});  // nothing has changed
  history.note(41'000, Totals{4, -1});
  const HistoryPoints expected{{1'000, {1, .5}}, {11'000, {3, 1.5}}, {41'000, {4, -1}}};
  EXPECT_EQ(*history.points(), expected);
  EXPECT_TRUE(FigureHistory(rows).points()->empty()) << "not written yet";
  write(history, rows);
  EXPECT_EQ(*FigureHistory(rows).points(), expected);
}

TEST(FigureHistory, CoversALongLifeWithFewPoints) {
  Disk disk;
  MemoryRows rows(disk);
  FigureHistory history(rows);
  constexpr std::size_t notes = 20'000;
  for (std::size_t i = 0; i < notes; ++i) {
    history.note(5'000 + i * 10'000, Totals{static_cast<double>(i + 1), 0});
    ASSERT_LE(history.points()->size(), FigureHistory::most_points);
    if (i % 977 == 0) write(history, rows);
  }
  const HistoryPoints& points = *history.points();
  EXPECT_GT(points.size(), FigureHistory::most_points / 3);
  EXPECT_EQ(points.front().at, 5'000U);
  EXPECT_GT(points.back().totals[0], .98 * notes);
  // The points are spread over the whole life: no gap is longer than three mean gaps.
  const LiveTime mean = (points.back().at - points.front().at) / (points.size() - 1);
  for (std::size_t i = 1; i < points.size(); ++i) {
    EXPECT_LE(points[i].at - points[i - 1].at, 3 * mean) << i;
    EXPECT_EQ(points[i].at, 5'000 + static_cast<LiveTime>(points[i].totals[0] - 1) * 10'000);
  }
}

TEST(FigureHistory, DropsPointsOfTheFutureWhenTheClockWasSetBack) {
  Disk disk;
  MemoryRows rows(disk);
  FigureHistory history(rows);
  history.note(10'000, Totals{1, 0});
  history.note(90'000'000, Totals{2, 0});
  history.note(20'000, Totals{3, 0});
  const HistoryPoints expected{{10'000, {1, 0}}, {20'000, {3, 0}}};
  EXPECT_EQ(*history.points(), expected);
}

TEST(FigureHistory, RefusesDamagedRows) {
  const HistoryPoints points{{1, {1, 2}}, {2, {3, std::numeric_limits<double>::max()}}};
  const std::vector<std::byte> bytes = encode(points);
  EXPECT_EQ(decode_history(bytes), points);
  EXPECT_EQ(decode_history({}), HistoryPoints{});
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    const auto part = std::span(bytes).first(size);
    EXPECT_EQ(decode_history(part).has_value(), size == bytes.size() / 2) << size;
  }
  EXPECT_EQ(decode_history(encode(HistoryPoints{{2, {}}, {1, {}}})), std::nullopt);
  EXPECT_EQ(decode_history(encode(HistoryPoints{{2, {}}, {2, {}}})), std::nullopt);
  HistoryPoints many;
  for (std::size_t i = 0; i <= FigureHistory::most_points; ++i) many.push_back({i, {}});
  EXPECT_EQ(decode_history(encode(many)), std::nullopt);
  Disk disk;
  MemoryRows rows(disk);
  RowDraft draft(rows);
  draft.put(key_of(LiveTable::figures, OrderNumber{3}), encode(many));
  draft.commit();
  EXPECT_THAT(error_of<InputError>([&] { return FigureHistory(rows); }), HasSubstr("history of figures"));
}

}  // namespace
}  // namespace sotto::apps::live
