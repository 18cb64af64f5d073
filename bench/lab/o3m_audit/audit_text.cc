// The audit for a terminal and for programs.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sotto/apps/o3m/leakage.h"
#include "sotto/bench/lab/o3m_audit/audit.h"
#include "sotto/core/text/count.h"
#include "sotto/core/text/terminal_safe.h"

namespace sotto::apps {
namespace {

std::string head(const AuditResult& result) {
  return fmt::format("{}\n{} of {} in {}; {} of them are the active participant's\n\n{}\n",
                     terminal_safe(result.data.source), counted(result.data.rows, "context"),
                     counted(result.data.dimension(), "feature"), counted(result.data.columns.size(), "participant"),
                     result.data.columns[0], leakage_headline());
}

std::string geometry_text(const AuditResult& result) {
  std::string text =
      fmt::format("\n1. Geometry, read off masked contexts: largest error\n{:<44}{:>10}{:>12}{:>12}  {}\n", "", "norms",
                  "products", "distances", "duplicates found");
  for (const GeometryReading& one : result.geometry) {
    text += fmt::format("   {:<41}{:>10.1e}{:>12.1e}{:>12.1e}  {} of {}{}\n", one.whose, one.norm_error,
                        one.inner_product_error, one.distance_error, one.duplicates_found, one.duplicates,
                        one.same_duplicates ? "" : ", not the same");
  }
  return text;
}

std::string sums_text(const AuditResult& result) {
  std::string text =
      fmt::format("\n2. Norms of one passive participant: correlation with the true ones\n{:<44}{:>20}{:>20}\n", "",
                  "--insecure-blocks", "summed securely");
  for (const SumReading& one : result.sums) {
    text += fmt::format("   passive participant {:<21}{:>20.4f}{:>20.4f}\n", one.participant, one.block_correlation,
                        one.sum_correlation);
  }
  return text + (result.sums.size() == 1
                     ? "   With two participants, secure summation hides nothing.\n"
                     : "   Secure summation hides each from the active participant, unless others help it.\n");
}

std::string recovery_row(const std::string& what, const RecoveryReading& one) {
  std::string text = fmt::format("   {:<41}{:>10.1e}{:>12.2g}{:>11.1f}%", what, one.largest_error, one.rms_error,
                                 100 * one.relative_error);
  if (one.rms_with_other_sign) {
    text += fmt::format("  up to a sign; with the other: rms {:.2g}", *one.rms_with_other_sign);
  }
  return text + "\n";
}

std::string recovery_text(const AuditResult& result) {
  std::string text = fmt::format(
      "\n3. Features of all passive participants and all users, from known contexts: error\n"
      "{:<44}{:>10}{:>12}{:>12}\n",
      "", "largest", "rms", "of norm");
  for (const RecoveryReading& one : result.recovery) {
    text += recovery_row(fmt::format("{} known of {}", one.known, result.independent), one);
  }
  return text + recovery_row("a guess: the mean of those known", result.mean_guess) +
         recovery_row("control: the block of another mask", result.wrong_block);
}

std::string unmixing_text(const AuditResult& result) {
  return fmt::format(
      "\n4. The same without any known context: independent component analysis\n"
      "   {} components, {} matched with features; correlation {:.4f} on average, {:.4f} at least; rms error "
      "{:.2g}{}\n",
      result.unmixed.components, result.unmixing.matched, result.unmixing.mean_correlation,
      result.unmixing.least_correlation, result.unmixing.rms_error,
      result.unmixed.converged
          ? ""
          : "\n   (not settled: features are Gaussian, depend on each other, or are many for so few contexts)");
}

std::string generator_text(const AuditResult& result) {
  return fmt::format(
      "\n5. Active participant and mask generator: all features of all users\n"
      "   largest error {:.1e}\n",
      result.generator_error);
}

std::string words_text(const AuditResult& result) {
  std::string text = "\nWhat each role can learn\n";
  std::string role;
  for (const auto& [name, sentence] : leakage_words(result.parameters)) {
    if (name != role) text += fmt::format("   {}\n", name);
    role = name;
    text += fmt::format("     - {}\n", sentence);
  }
  return text;
}

nlohmann::ordered_json json_of(const GeometryReading& one) {
  return {{"of", one.whose},
          {"norm_error", one.norm_error},
          {"inner_product_error", one.inner_product_error},
          {"distance_error", one.distance_error},
          {"duplicates", one.duplicates},
          {"duplicates_found", one.duplicates_found},
          {"same_duplicates", one.same_duplicates}};
}

nlohmann::ordered_json json_of(const RecoveryReading& one) {
  nlohmann::ordered_json json{{"known", one.known},
                              {"largest_error", one.largest_error},
                              {"rms_error", one.rms_error},
                              {"relative_error", one.relative_error}};
  if (one.rms_with_other_sign) json["rms_error_with_other_sign"] = *one.rms_with_other_sign;
  return json;
}

}  // namespace

std::string to_text(const AuditResult& result) {
  return head(result) + geometry_text(result) + sums_text(result) + recovery_text(result) + unmixing_text(result) +
         generator_text(result) + words_text(result);
}

nlohmann::ordered_json to_json(const AuditResult& result) {
  nlohmann::ordered_json json{{"source", result.data.source},
                              {"contexts", result.data.rows},
                              {"columns", result.data.columns},
                              {"headline", leakage_headline()}};
  json["geometry"] = nlohmann::ordered_json::array();
  for (const GeometryReading& one : result.geometry) json["geometry"].push_back(json_of(one));
  json["norms_of_one_participant"] = nlohmann::ordered_json::array();
  for (const SumReading& one : result.sums) {
    json["norms_of_one_participant"].push_back({{"passive_participant", one.participant},
                                                {"insecure_blocks_error", one.block_norm_error},
                                                {"insecure_blocks_correlation", one.block_correlation},
                                                {"secure_sum_correlation", one.sum_correlation}});
  }
  json["independent_contexts"] = result.independent;
  json["recovery"] = nlohmann::ordered_json::array();
  for (const RecoveryReading& one : result.recovery) json["recovery"].push_back(json_of(one));
  json["guess_of_the_mean"] = json_of(result.mean_guess);
  json["recovery_with_wrong_block"] = json_of(result.wrong_block);
  json["unmixing"] = {{"components", result.unmixed.components},
                      {"matched", result.unmixing.matched},
                      {"iterations", result.unmixed.iterations},
                      {"converged", result.unmixed.converged},
                      {"mean_correlation", result.unmixing.mean_correlation},
                      {"least_correlation", result.unmixing.least_correlation},
                      {"rms_error", result.unmixing.rms_error}};
  json["mask_generator_error"] = result.generator_error;
  json["leakage"] = leakage(result.parameters);
  return json;
}

}  // namespace sotto::apps
