// One private mean of the estimates in a file: `sotto robin aggregate`.
//
// The file has one estimate a row, with or without a header line (apps/kit/files/table.h). The whole budget goes into
// one release. Without a choice of composition, the better of zcdp and basic is taken, by what they would do to these
// settings and never by the estimates.
//
// Errors are InputError, those of aggregate.h and of the reader; then nothing is drawn or released.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "sotto/apps/kit/dp/budget.h"
#include "sotto/apps/robin/aggregate/aggregate.h"

namespace sotto::apps {

struct AggregateFileOptions {
  std::filesystem::path estimates;
  double bound = 1;
  double tau = 0;
  double epsilon = 1;
  double delta = 1e-5;
  std::optional<Composition> composition;
  std::optional<NoiseKind> noise;              // gaussian with zcdp, laplace otherwise
  std::filesystem::path around;                // a file of one estimate; empty: a private range
  std::optional<std::uint64_t> insecure_seed;  // coins that everybody knows
};

struct AggregateFileResult {
  AggregateFileOptions options;  // composition and noise as they were used
  std::size_t estimates = 0;
  AggregateSettings settings;
  AggregateResult result;
  double epsilon_spent = 0;
  double delta_spent = 0;
  double rho_spent = 0;
  double misfire = 0;  // misfire_chance()
};

[[nodiscard]] AggregateFileResult aggregate_file(const AggregateFileOptions& options);

// Why the mean is hardly worth anything, in one line, where the chance of a misfire is above 1%, more than half of the
// estimates were clipped by the bound, or the noise is larger than that. It tells something of the exact count: for
// whoever may see the estimates.
[[nodiscard]] std::optional<std::string> doubt_of(const AggregateFileResult& result);

// The exact counts are in both: they are for whoever may see the estimates.
[[nodiscard]] nlohmann::json to_json(const AggregateFileResult& result);
[[nodiscard]] std::string to_text(const AggregateFileResult& result, bool colour);

}  // namespace sotto::apps
