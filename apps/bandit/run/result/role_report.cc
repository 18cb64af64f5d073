#include "apps/bandit/run/result/role_report.h"

#include <fmt/format.h>

#include "apps/kit/report/described.h"
#include "apps/kit/report/human.h"

namespace sotto::apps::bandit::run {

std::string charged_text(const ChargedAccount& account) {
  const std::string learning =
      account.learning_epsilon == 0 ? "" : fmt::format(", {:g} for learning", account.learning_epsilon);
  return fmt::format("charged {:g} to {}{}, most spent {:g} of {:g}", account.epsilon,
                     human_count(account.subjects, "subject"), learning, account.most_spent, account.budget);
}

void write_role_report(const std::filesystem::path& path, const RoleReport& report) { write_described(path, report); }

RoleReport read_role_report(const std::filesystem::path& path) {
  return read_described_file<RoleReport>(path, "the report of a role");
}

}  // namespace sotto::apps::bandit::run
