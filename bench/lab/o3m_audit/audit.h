// What O3M leaks, shown on data: every demonstration, and what secure summation prevents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/lab/o3m_audit/attacks.h"

namespace sotto::apps::lab {

struct AuditOptions {
  // Known contexts to recover from, each its own attempt; empty: all n that are needed, n - 1 and two thirds of n.
  std::vector<std::size_t> known;
  std::uint64_t seed = 1;  // of the mask
};

struct AuditResult {
  AuditData data;
  o3m::O3mParameters parameters;
  // The whole contexts, the passive participants' joint features, and, as --insecure-blocks gives it, those of each
  // passive participant.
  std::vector<GeometryReading> geometry;
  std::vector<SumReading> sums;
  std::size_t independent = 0;  // contexts of others that are linearly independent, at most n
  std::vector<RecoveryReading> recovery;
  std::vector<RecoveryReading> recovery_curve;  // for 0 .. n known contexts, at most 21 of them
  RecoveryReading wrong_block;                  // the control: with the block of another mask
  RecoveryReading mean_guess;                   // what the known contexts tell without any masked one: their mean
  Unmixed unmixed;
  MatchReading unmixing;
  double generator_error = 0;  // largest, of all features of all rows
};

// InputError where more contexts are to be known than are independent, or where there are no more contexts than
// features, so that none is left to recover.
[[nodiscard]] AuditResult run_audit(AuditData data, const AuditOptions& options);

[[nodiscard]] std::string to_text(const AuditResult& result);
[[nodiscard]] nlohmann::ordered_json to_json(const AuditResult& result);

// One page without outside parts; `command` is shown in it. It holds features: a scatter plot of recovered against true
// values.
[[nodiscard]] std::string audit_html(const AuditResult& result, const std::string& command);

}  // namespace sotto::apps::lab
