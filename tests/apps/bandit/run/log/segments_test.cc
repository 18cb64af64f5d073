#include "apps/bandit/run/log/segments.h"

#include "tests/apps/bandit/run/log/logs.h"

namespace sotto::apps::bandit::run::testing {
namespace {

constexpr std::uint64_t learned = 200;

// Two in three events belong to segment `b`. Only the last event belongs to segment `late`.
std::string rows_of_log(std::uint64_t events) {
  std::string text = "arm,place,n,reward,propensity,id\n";
  for (std::uint64_t t = 0; t < events; ++t) {
    const char* const place = t + 1 == events ? "late" : t % 3 == 0 ? "a" : "b";
    text += fmt::format("{},{},{},{},{},e{:05}\n", t % 2, place, t % 100, t * t % 5 < 2 ? 1 : 0, t % 4 < 2 ? .5 : .25,
                        (t * 7919) % events);
  }
  return text;
}

EventLog read_log(std::uint64_t events, const std::string& segment) {
  const TestFolder folder;
  return EventLog::read(folder.put("log.csv", rows_of_log(events)), {.arms = 2, .segment = segment});
}

struct SegmentedLog {
  explicit SegmentedLog(std::uint64_t events, const std::string& segment = "place")
      : log(read_log(events, segment)),
        rows(rows_in_turn(events, events - learned, false)),
        weights(log_weights(log, rows, learned, rule)) {
    cells = log_cells(log, rows, learned, weights, 64, [] { return .5; });
  }
  [[nodiscard]] EvaluatedLog evaluated() const { return {log, rows, learned, weights}; }

  WeightRule rule{.least_propensity = .01, .arms_offered = 4};
  EventLog log;
  std::vector<std::uint64_t> rows;
  LogWeights weights;
  LogCells cells;
};

TEST(Segments, AreThoseOfTheColumn) {
  const SegmentedLog log(1000);
  EXPECT_EQ(log.log.segments(), (std::vector<std::string>{"a", "b", "late"}));
  EXPECT_EQ(log.log.segment(0), 0u);
  EXPECT_EQ(log.log.segment(1), 1u);
  EXPECT_EQ(log.log.segment(999), 2u);
  EXPECT_TRUE(read_log(1000, "").segments().empty());
}

TEST(Segments, GoWithTheirRowsWhereTheseAreSorted) {
  EventLog log = read_log(1000, "place");
  std::optional<std::string> sorted;
  std::size_t asked = 0;
  ASSERT_TRUE(log.put_in_order([&](const std::string&) { return ++asked == 2; }).value());
  // Event t has the id 7919 t mod 1000. After sorting by id, row i is the event with id i.
  for (std::uint64_t t = 0; t < 999; ++t) EXPECT_EQ(log.segment(t * 7919 % 1000), t % 3 == 0 ? 0u : 1u);
}

TEST(Segments, DivideTheCells) {
  const SegmentedLog with(1000);
  const SegmentedLog without(1000, "");
  ASSERT_EQ(with.cells.count(), 3 * without.cells.count());
  for (std::size_t i = 0; i < with.cells.of_event.size(); ++i) {
    const std::size_t cell = with.cells.of_event[i];
    EXPECT_EQ(cell % without.cells.count(), without.cells.of_event[i]);
    EXPECT_EQ(with.cells.segment(cell), with.log.segment(with.rows[learned + i]));
    EXPECT_EQ(with.cells.weight(cell), without.cells.weight(without.cells.of_event[i]));
    EXPECT_EQ(with.cells.reward(cell), without.cells.reward(without.cells.of_event[i]));
  }
}

void expect_same(const std::vector<PolicyValue>& values, const std::vector<PolicyValue>& expected) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(values[i].policy, expected[i].policy);
    EXPECT_EQ(values[i].support, expected[i].support);
    const Bounds none{-1, -1};
    EXPECT_NEAR(values[i].bounds.value_or(none).low, expected[i].bounds.value_or(none).low, 1e-9);
    const Estimate nothing{-1, -1, -1};
    EXPECT_NEAR(values[i].value.value_or(nothing).high, expected[i].value.value_or(nothing).high, 1e-9);
  }
}

TEST(Segments, HaveTheValuesOfTheirEventsAlone) {
  constexpr std::uint64_t events = 3001;
  const SegmentedLog whole(events);
  std::vector<bool> agreements;
  OpenedCounts counts{events - learned, std::vector<std::int64_t>(64, 0)};  // 64 is more than the number of cells
  for (std::uint64_t i = 0; i < events - learned; ++i) {
    agreements.push_back(i % 7 < 3);
    counts.agreed[whole.cells.of_event[i]] += agreements.back() ? 1 : 0;
  }
  const auto by_counts = segment_values(counts, whole.evaluated(), whole.cells, {0, 1}, whole.rule);
  const auto by_twin = plaintext_segments(agreements, whole.evaluated(), 1, whole.rule);
  ASSERT_EQ(by_counts.size(), 3u);
  ASSERT_EQ(by_twin.size(), 3u);
  EXPECT_EQ(by_counts[2].evaluated, 1u);
  for (std::size_t segment = 0; segment < 2; ++segment) {
    std::vector<std::uint64_t> rows;
    std::vector<bool> own;
    LogWeights weights;
    for (std::uint64_t t = learned; t < events; ++t) {
      if (whole.log.segment(t) != segment) continue;
      rows.push_back(t);
      own.push_back(agreements[t - learned]);
      weights.weights.push_back(whole.weights.weights[t]);
    }
    const EvaluatedLog alone{whole.log, rows, 0, weights};
    const std::vector<PolicyValue> expected = plaintext_values(own, alone, 1);
    EXPECT_EQ(by_counts[segment].segment, segment == 0 ? "a" : "b");
    EXPECT_EQ(by_counts[segment].evaluated, rows.size());
    expect_same(by_counts[segment].policies, expected);
    expect_same(by_twin[segment].policies, expected);
  }
}

TEST(Segments, OfFewEventsHaveNoValue) {
  const SegmentedLog log(9001);
  const OpenedCounts counts{9001 - learned, std::vector<std::int64_t>(log.cells.count(), 100)};
  const CountNoiseTerms noise = noise_terms({{.5, 1}, {.5, 1}});
  const auto values = segment_values(counts, log.evaluated(), log.cells, noise, log.rule);
  ASSERT_EQ(values.size(), 3u);
  EXPECT_NE(values[0].policies.front().support, Support::too_few_events);
  const PolicyValue& late = values[2].policies.front();
  EXPECT_EQ(late.policy, "model");
  EXPECT_EQ(late.support, Support::too_few_events);
  EXPECT_FALSE(late.has_value() || late.value || late.bounds || late.mean_weight);
  EXPECT_TRUE(values[2].policies.back().value);
  EXPECT_GT(values[2].noise_half_width, values[0].noise_half_width);
}

TEST(Segments, NeedCellsForEach) {
  const SegmentedLog log(1000);
  const auto refused = [&](const EventLog& of, std::size_t most) {
    return error_of<InputError>([&] { return log_cells(of, log.rows, learned, log.weights, most, [] { return .5; }); });
  };
  EXPECT_EQ(log.cells.count(), 12u);
  EXPECT_THAT(refused(log.log, 11), HasSubstr("12 cells at least, not 11: set --cells 12"));
  EXPECT_THAT(
      refused(read_log(1000, "n"), 64),
      HasSubstr("100 segments of 4 cells each are more than the 64 that an evaluation has: join segments until 16"));
}

TEST(Segments, AreAColumnWithNoOtherMeaning) {
  const auto refused = [](const char* column) { return error_of<InputError>([&] { return read_log(1000, column); }); };
  EXPECT_THAT(refused("region"), HasSubstr("log.csv:1: there is no column 'region'"));
  for (const char* column : {"arm", "reward", "propensity", "id"}) {
    EXPECT_THAT(refused(column), HasSubstr("--segment: '" + std::string(column) + "' has a meaning of its own"));
  }
}

}  // namespace
}  // namespace sotto::apps::bandit::run::testing
