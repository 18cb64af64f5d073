#include "bench/lab/p2b/point.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>

#include "apps/kit/files/json.h"

namespace sotto::apps::lab {

namespace {

using nlohmann::ordered_json;

// Student's t at .975, for 1 to 30 degrees of freedom.
constexpr std::array<double, 30> quantiles{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                           2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                           2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};

double t_quantile(std::size_t freedom) {
  if (freedom <= quantiles.size()) return quantiles[freedom - 1];
  return 1.96 + 2.4 / static_cast<double>(freedom);
}

template <class Figure>
std::vector<double> of_repeats(const std::vector<PlayOutcome>& repeats, Figure figure) {
  std::vector<double> values;
  for (const PlayOutcome& outcome : repeats) {
    if (const std::optional<double> value = figure(outcome)) values.push_back(*value);
  }
  return values;
}

ordered_json banded_json(const std::vector<double>& values) {
  if (values.empty()) return nullptr;
  const Banded figure = banded(values);
  return {{"mean", figure.mean}, {"sd", figure.sd}, {"band95", figure.band}, {"repeats", values}};
}

ordered_json paired_json(const std::vector<double>& more, const std::vector<double>& less) {
  const Paired difference = paired(more, less);
  ordered_json json{{"mean", difference.mean}};
  json["standard_error"] = difference.repeats < 2 ? ordered_json() : ordered_json(difference.error);
  return json;
}

std::uint64_t rounded(double value) { return static_cast<std::uint64_t>(std::llround(value)); }

}  // namespace

std::string VariantKey::name() const { return fmt::format("P2B, {}, k = {}", context_kind_name(context), codes); }

std::string VariantKey::key() const {
  return fmt::format("{}_{}", context == ContextKind::one_hot ? "one_hot" : "centroid", codes);
}

Banded banded(const std::vector<double>& values) {
  const MeanAndSd both = mean_and_sd(values);
  Banded out{both.mean, both.sd, 0};
  if (values.size() < 2) return out;
  const auto n = static_cast<double>(values.size());
  out.band = t_quantile(values.size() - 1) * both.sd / std::sqrt(n);
  return out;
}

Paired paired(const std::vector<double>& more, const std::vector<double>& less) {
  std::vector<double> differences;
  std::transform(more.begin(), more.end(), less.begin(), std::back_inserter(differences), std::minus<>());
  const MeanAndSd both = mean_and_sd(differences);
  return {both.mean, both.sd / std::sqrt(static_cast<double>(differences.size())), differences.size()};
}

std::string difference_text(const Paired& difference) { return fmt::format("{:+.4f}", difference.mean); }

std::string error_text(const Paired& difference) {
  return difference.repeats < 2 ? std::string() : fmt::format("+- {:.4f}", difference.error);
}

std::vector<double> SimulatePoint::cold() const {
  return of_repeats(repeats, [](const PlayOutcome& o) { return std::optional(o.cold.reward); });
}

std::vector<double> SimulatePoint::warm() const {
  return of_repeats(repeats, [](const PlayOutcome& o) { return std::optional(o.warm.reward); });
}

std::vector<double> SimulatePoint::variant(std::size_t v) const {
  return of_repeats(repeats, [&](const PlayOutcome& o) { return std::optional(o.variants.at(v).late.reward); });
}

std::vector<double> SimulatePoint::best() const {
  return of_repeats(repeats, [](const PlayOutcome& o) { return o.best; });
}

std::vector<double> SimulatePoint::uniform() const {
  return of_repeats(repeats, [](const PlayOutcome& o) { return o.uniform; });
}

std::optional<std::size_t> SimulatePoint::find(const VariantKey& key) const {
  const auto found = std::find(settings.variants.begin(), settings.variants.end(), key);
  if (found == settings.variants.end()) return std::nullopt;
  return static_cast<std::size_t>(found - settings.variants.begin());
}

VariantOutcome SimulatePoint::mean_outcome(std::size_t v) const {
  VariantOutcome mean;
  const auto over = [&](std::uint64_t VariantOutcome::*figure) {
    double sum = 0;
    for (const PlayOutcome& outcome : repeats) {
      sum += static_cast<double>(outcome.variants.at(v).*figure);
    }
    return rounded(sum / static_cast<double>(repeats.size()));
  };
  mean.late.reward = banded(variant(v)).mean;
  mean.received = over(&VariantOutcome::received);
  mean.kept = over(&VariantOutcome::kept);
  mean.dropped = over(&VariantOutcome::dropped);
  mean.codes_dropped = over(&VariantOutcome::codes_dropped);
  return mean;
}

ordered_json to_json(const SimulatePoint& point) {
  const PointSettings& s = point.settings;
  ordered_json json{{"users", s.users},
                    {"early_users", point.repeats.front().early},
                    {"late_users", point.repeats.front().late},
                    {"dimension", s.dimension},
                    {"arms", s.arms},
                    {"steps", s.steps},
                    {"repeats", point.repeats.size()},
                    {"tuple_choice", tuple_choice_name(s.choice)},
                    {"best_arm", banded_json(point.best())},
                    {"uniform_play", banded_json(point.uniform())},
                    {"cold", banded_json(point.cold())},
                    {"warm_nonprivate", banded_json(point.warm())}};
  json["interactions"] = point.repeats.front().cold.kept;
  json["events"] = point.repeats.front().cold.events;
  json["p2b"] = ordered_json::array();
  for (std::size_t v = 0; v < s.variants.size(); ++v) {
    const VariantOutcome mean = point.mean_outcome(v);
    json["p2b"].push_back({{"context", context_kind_name(s.variants[v].context)},
                           {"codes", s.variants[v].codes},
                           {"reward", banded_json(point.variant(v))},
                           {"over_cold", paired_json(point.variant(v), point.cold())},
                           {"over_warm", paired_json(point.variant(v), point.warm())},
                           {"tuples_received", mean.received},
                           {"tuples_kept", mean.kept},
                           {"tuples_dropped", mean.dropped},
                           {"codes_dropped", mean.codes_dropped}});
  }
  return json;
}

}  // namespace sotto::apps::lab
