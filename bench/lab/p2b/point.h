// One setting of an experiment, played several times: the figures of each agent with their means and 95% bands over the
// repeats.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/kit/learn/mean.h"
#include "bench/lab/p2b/play.h"

namespace sotto::apps::lab {

// A way of playing P2B, before there is an encoder.
struct VariantKey {
  p2b::ContextKind context = p2b::ContextKind::centroid;
  std::size_t codes = 1024;

  [[nodiscard]] std::string name() const;  // "P2B, one-hot, k = 32"
  [[nodiscard]] std::string key() const;   // "one_hot_32"
  friend bool operator==(const VariantKey&, const VariantKey&) = default;
};

struct PointSettings {
  std::size_t users = 0;
  std::size_t dimension = 0;
  std::size_t arms = 0;
  std::size_t steps = 0;  // of a user, at most
  p2b::TupleChoice choice = p2b::TupleChoice::uniform;
  std::vector<VariantKey> variants;
  std::size_t parts = 0;  // as of PlaySettings
};

// A mean over the repeats and the half width of its 95% band, by Student's t; 0 for one repeat.
struct Banded {
  double mean = 0;
  double sd = 0;  // over the repeats
  double band = 0;
};

[[nodiscard]] Banded banded(const std::vector<double>& values);

// How much more one system earns than another: all of them play the same users, contexts and rewards of a repeat, so
// that how good a world is drops out of the differences, one a repeat.
struct Paired {
  double mean = 0;
  double error = 0;  // its standard error, over the repeats; 0 for one repeat
  std::size_t repeats = 0;
};

// Of as many numbers each, one a repeat.
[[nodiscard]] Paired paired(const std::vector<double>& more, const std::vector<double>& less);
// "+0.0634", and "+- 0.0051" or nothing for one repeat.
[[nodiscard]] std::string difference_text(const Paired& difference);
[[nodiscard]] std::string error_text(const Paired& difference);

struct SimulatePoint {
  PointSettings settings;
  std::vector<PlayOutcome> repeats;

  // One number a repeat.
  [[nodiscard]] std::vector<double> cold() const;
  [[nodiscard]] std::vector<double> warm() const;
  [[nodiscard]] std::vector<double> variant(std::size_t v) const;
  [[nodiscard]] std::vector<double> best() const;     // empty in a log
  [[nodiscard]] std::vector<double> uniform() const;  // empty in a log
  // Place of the variant, if it was played.
  [[nodiscard]] std::optional<std::size_t> find(const VariantKey& key) const;
  // Means over the repeats of what the shuffler did.
  [[nodiscard]] VariantOutcome mean_outcome(std::size_t v) const;
};

[[nodiscard]] nlohmann::ordered_json to_json(const SimulatePoint& point);

}  // namespace sotto::apps::lab
