#include "apps/bandit/run/result/role_report.h"

#include "apps/kit/report/described.h"

namespace sotto::apps::bandit::run {

void write_role_report(const std::filesystem::path& path, const RoleReport& report) { write_described(path, report); }

RoleReport read_role_report(const std::filesystem::path& path) {
  return read_described_file<RoleReport>(path, "the report of a role");
}

}  // namespace sotto::apps::bandit::run
