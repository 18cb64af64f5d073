#include "sotto/apps/robin/role_report.h"

#include "sotto/apps/kit/report/described.h"

namespace sotto::apps {

void write_robin_report(const std::filesystem::path& path, const RobinAggregatorReport& report) {
  write_described(path, report);
}
void write_robin_report(const std::filesystem::path& path, const RobinClientReport& report) {
  write_described(path, report);
}

RobinAggregatorReport read_robin_aggregator_report(const std::filesystem::path& path) {
  return read_described_file<RobinAggregatorReport>(path, "the report of a role");
}
RobinClientReport read_robin_client_report(const std::filesystem::path& path) {
  return read_described_file<RobinClientReport>(path, "the report of a role");
}

}  // namespace sotto::apps
