#include "apps/kit/account/seen_accounts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "apps/kit/files/input_file.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/store/database.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps {
namespace {

constexpr const char* seen_schema =
    "CREATE TABLE IF NOT EXISTS seen (account TEXT PRIMARY KEY, role TEXT NOT NULL, entries INTEGER NOT NULL,"
    " head TEXT NOT NULL) WITHOUT ROWID;";

struct Seen {
  std::uint64_t entries = 0;
  std::string head;
};

std::optional<Seen> seen_of(Database& database, const std::string& account) {
  Statement query(database, "SELECT entries, head FROM seen WHERE account = ?");
  query.bind(std::string_view(account));
  if (!query.next()) return std::nullopt;
  return Seen{static_cast<std::uint64_t>(query.number(0)), query.text(1)};
}

void require_newer(const SeenAccount& met, const Seen& seen, const std::filesystem::path& file) {
  const AccountPosition& now = met.position;
  if (now.entries < seen.entries) {
    throw DisagreementError(
        fmt::format("the account of {} is an old copy: {}, this role has seen {}; bring the newest back there, or "
                    "begin one with the possible spending (`sotto account begin --spent`)",
                    met.role, counted(now.entries, "entry"), seen.entries));
  }
  if (seen.entries == 0 || std::find(now.heads.begin(), now.heads.end(), seen.head) != now.heads.end()) return;
  if (seen.entries + AccountPosition::window <= now.entries) {
    throw DisagreementError(
        fmt::format("the account of {} came on by {} since this role met it, and nothing shows that it lost none: "
                    "where all is well there, remove {} here",
                    met.role, counted(now.entries - seen.entries, "entry"), file.string()));
  }
  throw DisagreementError(fmt::format(
      "the account of {} is one of two copies that were both used, and this role met the other: put both together "
      "there (`sotto account merge`)",
      met.role));
}

bool is_another(Database& database, const SeenAccount& met) {
  Statement query(database, "SELECT 1 FROM seen WHERE role = ?");
  query.bind(std::string_view(met.role));
  return query.next();
}

}  // namespace

std::vector<std::string> check_seen_accounts(const std::filesystem::path& file, std::span<const SeenAccount> met) {
  std::vector<std::string> warnings;
  if (met.empty()) return warnings;
  if (!file_exists(file)) make_private_file(file);
  if (!std::filesystem::is_regular_file(file) || !may_be_database(file)) {
    throw InputError(file.string(), "is not what a role remembers of accounts: name another file, or remove it");
  }
  Database database(file, "start the role again; nothing was opened", "remove it, and the role remembers from then on");
  database.check_pages();
  database.execute(seen_schema);
  Transaction transaction(database);
  for (const SeenAccount& one : met) {
    const AccountPosition& position = one.position;
    const auto seen = seen_of(database, position.account);
    if (seen) {
      require_newer(one, *seen, file);
    } else if (is_another(database, one)) {
      warnings.push_back(
          fmt::format("{} has another account than before: what the one before has counted may be lost", one.role));
    }
    const std::string head = position.heads.empty() ? std::string() : position.heads.front();
    Statement(database, "INSERT OR REPLACE INTO seen VALUES (?, ?, ?, ?)")
        .bind(std::string_view(position.account))
        .bind(std::string_view(one.role))
        .bind(static_cast<std::int64_t>(position.entries))
        .bind(std::string_view(head))
        .run();
  }
  transaction.commit();
  return warnings;
}

}  // namespace sotto::apps
