#include "apps/live/settings/live_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <set>
#include <utility>

#include "apps/bandit/model/batch/batch_plan.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::live {
namespace {

constexpr std::uint64_t second = 1000;
constexpr std::uint64_t day = 24 * 3600 * second;
constexpr std::size_t most_sizes = 4;
constexpr std::size_t most_live_arms = 1024;
constexpr std::size_t most_ahead = 32;
constexpr std::uint64_t least_window = 1000;
constexpr double least_agreement_epsilon = 0.001;
constexpr std::uint64_t most_window_rows = 1000;

[[noreturn]] void refuse(const char* key, const std::string& expected) {
  throw InputError(fmt::format("{} in [service] must be {}", key, expected));
}

template <class T>
void check_range(const char* key, T value, T least, T most, const char* unit) {
  if (value >= least && value <= most) return;
  refuse(key, fmt::format("from {} to {}{}, not {}", least, most, unit, value));
}

void check_arms(const LiveSettings& s) {
  if (s.arms.size() < 2 || s.arms.size() > most_live_arms) {
    refuse("arms", fmt::format("a list of 2 to {} names, not {}", most_live_arms, s.arms.size()));
  }
  std::set<std::string> names(s.arms.begin(), s.arms.end());
  if (names.size() != s.arms.size() || names.contains("")) refuse("arms", "a list of different names, none empty");
  if (s.baseline_arm && *s.baseline_arm >= s.arms.size()) refuse("baseline_arm", "one of the arms, or \"none\"");
}

void check_sizes(const LiveSettings& s, double max_norm) {
  const auto& sizes = s.batch_sizes;
  const auto most =
      static_cast<std::uint32_t>(std::min<std::size_t>(largest_decide, bandit::largest_event_batch(max_norm)));
  const bool ascending = std::adjacent_find(sizes.begin(), sizes.end(), std::greater_equal<>()) == sizes.end();
  if (sizes.empty() || sizes.size() > most_sizes || !ascending || sizes.front() < 1) {
    refuse("batch_sizes", fmt::format("a list of 1 to {} ascending sizes, each at least 1", most_sizes));
  }
  if (sizes.back() > most) {
    refuse("batch_sizes", fmt::format("at most {} each with max_norm {:g}, since a batch is learned at once, not {}",
                                      most, max_norm, sizes.back()));
  }
}

}  // namespace

void check(const LiveSettings& s, double max_norm) {
  check_arms(s);
  check_sizes(s, max_norm);
  check_range<std::uint64_t>("batch_wait", s.batch_wait, 0, 60 * second, " ms");
  if (s.cadence) check_range<std::uint64_t>("cadence", *s.cadence, 1, 3600 * second, " ms");
  if (s.cadence && s.padding == LivePadding::open) {
    refuse("padding", "\"hidden\" with a cadence: lists of ids would reveal what it hides");
  }
  check_range<std::uint64_t>("cut_off", s.cut_off, 0, longest_cut_off, " ms");
  check_range<std::uint64_t>("decision_deadline", s.decision_deadline, 1, 3600 * second, " ms");
  check_range<std::uint64_t>("reward_wait", s.reward_wait, second, 90 * day, " ms");
  if (s.default_reward && !(*s.default_reward >= -1 && *s.default_reward <= 1)) {
    refuse("default_reward", "a number from -1 to 1, or \"skip\"");
  }
  check_range<std::uint64_t>("agreement_window", s.agreement_window, least_window, 1'000'000'000, " events");
  check_range<std::uint64_t>("agreement_rows_per_subject", s.agreement_rows_per_subject, 1, most_window_rows, " rows");
  if (!(s.agreement_epsilon >= least_agreement_epsilon && s.agreement_epsilon <= 10)) {
    refuse("agreement_epsilon", fmt::format("from {:g} to 10, not {:g}", least_agreement_epsilon, s.agreement_epsilon));
  }
  if (s.remember < 2 * s.reward_wait || s.remember > 3650 * day) {
    refuse("remember", fmt::format("at least twice reward_wait, {} ms, and at most ten years, not {} ms",
                                   2 * s.reward_wait, s.remember));
  }
  if (s.archive > 0 && (s.archive < s.reward_wait || s.archive > s.remember)) {
    refuse("archive", fmt::format("\"0ms\", or at least reward_wait, {} ms, and at most remember, {} ms, not {} ms",
                                  s.reward_wait, s.remember, s.archive));
  }
  if (s.lift && !s.baseline_arm) refuse("lift", "off with baseline_arm = \"none\": the lift is over the baseline arm");
  if (s.lift && s.arms.size() > protocols::max_pairwise) {
    refuse("lift", fmt::format("off with more than {} arms: no bit says then whether the played arm was the best",
                               protocols::max_pairwise));
  }
  if (s.archive > 0 && s.arms.size() > protocols::max_pairwise) {
    refuse("archive",
           fmt::format("\"0ms\" with more than {} arms: no bit says then whether the played arm was the best",
                       protocols::max_pairwise));
  }
  check_range<std::uint64_t>("max_pending", s.max_pending, s.largest_batch(), 1'000'000'000, " events");
  check_range<std::uint64_t>("max_queue", s.max_queue, 1, 1'000'000, " events");
  check_range<std::uint64_t>("deal_ahead", s.deal_ahead, 1, most_ahead, " programs");
  check_range<std::uint64_t>("feature_wait", s.feature_wait, second, 30 * day, " ms");
}

std::vector<double> lift_levels(bool binary_rewards) {
  return binary_rewards ? std::vector<double>{0, 1} : std::vector<double>{-1, -.5, 0, .5, 1};
}

std::optional<std::uint64_t> parse_live_span(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  std::uint64_t factor = 0;
  if (unit == "ms") factor = 1;
  if (unit == "s") factor = second;
  if (unit == "m") factor = 60 * second;
  if (unit == "h") factor = 3600 * second;
  if (unit == "d") factor = day;
  if (factor == 0 || number > (std::uint64_t{1} << 53) / factor) return std::nullopt;
  return number * factor;
}

std::string live_span_text(std::uint64_t ms) {
  constexpr std::pair<std::uint64_t, const char*> units[] = {
      {day, "d"}, {3600 * second, "h"}, {60 * second, "m"}, {second, "s"}};
  for (const auto& [unit, name] : units) {
    if (ms > 0 && ms % unit == 0) return fmt::format("{}{}", ms / unit, name);
  }
  return fmt::format("{}ms", ms);
}

}  // namespace sotto::apps::live
