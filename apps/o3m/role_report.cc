#include "sotto/apps/o3m/role_report.h"

#include <algorithm>

#include "sotto/apps/kit/files/input_file.h"
#include "sotto/apps/kit/report/described.h"

namespace sotto::apps {
namespace {

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

void write_o3m_report(const std::filesystem::path& path, O3mRoleReport report) {
  if (!report.scores.empty()) {
    write_file(scores_file(path), bytes_of(report.scores));
    report.scores_beside = report.scores.size();
  }
  write_described(path, report);
}

O3mRoleReport read_o3m_report(const std::filesystem::path& path) {
  auto report = read_described_file<O3mRoleReport>(path, "the report of a role");
  if (report.scores_beside) report.scores = read_scores(scores_file(path), *report.scores_beside);
  return report;
}

}  // namespace sotto::apps
