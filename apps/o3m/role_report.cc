#include "sotto/apps/o3m/role_report.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "sotto/apps/kit/files/atomic_file.h"
#include "sotto/apps/kit/files/input_file.h"
#include "sotto/apps/kit/files/json_file.h"
#include "sotto/apps/kit/report/json_text.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

// One list of the fields, for both directions.
template <class Report, class F>
void for_each_field(Report& r, F f) {
  f("role", r.role);
  f("insecure", r.insecure);
  f("leakage", r.leakage);
  f("rounds", r.rounds);
  f("bytes_sent", r.bytes_sent);
  f("planned_bytes_sent", r.planned_bytes_sent);
  f("bytes_received", r.bytes_received);
  f("setup_seconds", r.setup_seconds);
  f("masking_seconds", r.masking_seconds);
  f("waiting_seconds", r.waiting_seconds);
  f("total_seconds", r.total_seconds);
  f("cpu_seconds", r.cpu_seconds);
  f("peak_memory_bytes", r.peak_memory_bytes);
}

// Of the active participant alone.
template <class Report, class F>
void for_each_field_of_play(Report& r, F f) {
  f("arms", r.arms);
  f("rewards", r.rewards);
  f("play_seconds", r.play_seconds);
  f("prefetched", r.prefetched);
  f("stream_seed", r.stream_seed);
}

std::filesystem::path scores_file(std::filesystem::path report) { return report += ".scores"; }

std::string bytes_of(const std::vector<double>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)};
}

std::vector<double> read_scores(const std::filesystem::path& path, std::size_t count) {
  const std::string bytes = read_file(path, count * sizeof(double));
  if (bytes.size() != count * sizeof(double)) {
    throw InputError(path.string(), "not the scores of the report beside it");
  }
  std::vector<double> scores(count);
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(scores.data()));
  return scores;
}

}  // namespace

void write_o3m_report(const std::filesystem::path& path, const O3mRoleReport& report) {
  nlohmann::json json;
  const auto write = [&](const char* name, const auto& value) { json[name] = value; };
  for_each_field(report, write);
  if (report.average_reward) {
    for_each_field_of_play(report, write);
    json["average_reward"] = *report.average_reward;
    if (report.cumulative_regret) json["cumulative_regret"] = *report.cumulative_regret;
  }
  if (!report.scores.empty()) {
    write_file(scores_file(path), bytes_of(report.scores));
    json["scores"] = report.scores.size();
  }
  write_file(path, json_text(json));
}

O3mRoleReport read_o3m_report(const std::filesystem::path& path) {
  O3mRoleReport report;
  try {
    const nlohmann::json json = read_json(path, "the report of a role", longest_report);
    const auto read = [&](const char* name, auto& value) { json.at(name).get_to(value); };
    for_each_field(report, read);
    if (json.contains("average_reward")) {
      for_each_field_of_play(report, read);
      report.average_reward = json.at("average_reward").get<double>();
    }
    if (json.contains("cumulative_regret")) {
      report.cumulative_regret = json.at("cumulative_regret").get<double>();
    }
    if (json.contains("scores")) {
      report.scores = read_scores(scores_file(path), json.at("scores").get<std::size_t>());
    }
  } catch (const nlohmann::json::exception& error) {
    throw InputError(path.string(), std::string("not the report of a role: ") + error.what());
  }
  return report;
}

}  // namespace sotto::apps
