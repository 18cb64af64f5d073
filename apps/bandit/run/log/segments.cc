#include "apps/bandit/run/log/segments.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace sotto::apps::bandit::run {
namespace {

class LogSegment {
 public:
  LogSegment(const EvaluatedLog& whole, std::size_t segment, const WeightRule& rule)
      : log_(whole.log), range_(whole.range) {
    for (std::uint64_t event = whole.first; event < whole.rows.size(); ++event) {
      if (whole.log.segment(whole.rows[event]) != segment) continue;
      events_.push_back(event - whole.first);
      rows_.push_back(whole.rows[event]);
      weights_.weights.push_back(whole.weights.weights[event]);
      if (whole.weights.by_best()) weights_.otherwise.push_back(whole.weights.otherwise[event]);
    }
    weights_.full_support = rule.full_support || shows_own_support(whole, rule);
  }
  LogSegment(const LogSegment&) = delete;
  LogSegment& operator=(const LogSegment&) = delete;
  ~LogSegment() = default;

  [[nodiscard]] const std::vector<std::size_t>& events() const { return events_; }
  [[nodiscard]] EvaluatedLog evaluated() const { return {log_, rows_, 0, weights_, range_}; }

 private:
  [[nodiscard]] bool shows_own_support(const EvaluatedLog& whole, const WeightRule& rule) const {
    // Frequencies are computed from the whole log, so a segment has the support of the whole log.
    if (rule.propensities == Propensities::frequencies) return whole.weights.full_support;
    if (rows_.empty()) return false;
    return needs_best_bits(log_, rule) ? shows_support_by_best(log_, rows_, 0)
                                       : shows_support(log_, rows_, 0, weights_.weights, rule);
  }

  const EventLog& log_;
  std::optional<RewardRange> range_;
  std::vector<std::size_t> events_;
  std::vector<std::uint64_t> rows_;
  LogWeights weights_;
};

LogCells cells_of(const LogCells& all, const LogSegment& segment) {
  LogCells cells{all.weights, all.rewards, {}};
  cells.otherwise = all.otherwise;
  for (const std::size_t event : segment.events()) {
    cells.of_event.push_back(all.of_event[event] % all.of_a_segment());
  }
  return cells;
}

OpenedCounts counts_of(const OpenedCounts& all, const LogCells& cells, std::size_t segment, std::uint64_t events) {
  const auto own = [&](const std::vector<std::int64_t>& counts) {
    const auto first = counts.begin() + static_cast<std::ptrdiff_t>(segment * cells.of_a_segment());
    return std::vector<std::int64_t>(first, first + static_cast<std::ptrdiff_t>(cells.of_a_segment()));
  };
  OpenedCounts counts{events, own(all.agreed)};
  if (cells.by_best()) counts.otherwise = own(all.otherwise);
  return counts;
}

template <class Values>
std::vector<SegmentValues> of_each(const EvaluatedLog& evaluated, const WeightRule& rule, Values&& values) {
  std::vector<SegmentValues> all;
  EvaluatedLog whole = evaluated;
  whole.range = reward_range(whole.log, whole.rows);
  const std::vector<std::string>& names = evaluated.log.segments();
  for (std::size_t number = 0; number < names.size(); ++number) {
    const LogSegment segment(whole, number, rule);
    if (segment.events().empty()) continue;
    all.push_back(values(number, segment));
    all.back().segment = names[number];
    all.back().evaluated = segment.events().size();
  }
  return all;
}

}  // namespace

std::vector<SegmentValues> segment_values(const OpenedCounts& counts, const EvaluatedLog& evaluated,
                                          const LogCells& cells, const CountNoiseTerms& noise, const WeightRule& rule) {
  return of_each(evaluated, rule, [&](std::size_t number, const LogSegment& segment) {
    const EvaluatedLog own = segment.evaluated();
    const LogCells own_cells = cells_of(cells, segment);
    SegmentValues values;
    values.noise_half_width = noise_half_width(own, own_cells, noise);
    values.policies = policy_values(counts_of(counts, cells, number, segment.events().size()), own, own_cells, noise);
    if (noise_hides(own, own_cells, noise)) {
      values.policies.front() = {};
      values.policies.front().policy = "model";
      values.policies.front().support = Support::too_few_events;
    }
    return values;
  });
}

std::vector<SegmentValues> plaintext_segments(const std::vector<bool>& agreements, const EvaluatedLog& evaluated,
                                              std::uint64_t rows_of_subject, const WeightRule& rule) {
  return of_each(evaluated, rule, [&](std::size_t, const LogSegment& segment) {
    std::vector<bool> own;
    for (const std::size_t event : segment.events()) own.push_back(agreements[event]);
    SegmentValues values;
    values.policies = plaintext_values(own, segment.evaluated(), rows_of_subject);
    return values;
  });
}

}  // namespace sotto::apps::bandit::run
