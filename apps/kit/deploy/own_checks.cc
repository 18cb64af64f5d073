#include "sotto/apps/kit/deploy/own_checks.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <system_error>

#include "sotto/apps/bandit/role/role_site.h"
#include "sotto/apps/kit/data/contexts.h"
#include "sotto/apps/kit/data/environment.h"
#include "sotto/apps/kit/deploy/role_keys.h"
#include "sotto/apps/kit/files/atomic_file.h"
#include "sotto/apps/o3m/role_site.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/text/count.h"
#include "sotto/net/transport/tls/identity.h"

namespace sotto::apps {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours soon{30 * 24};

std::string why(int error) { return std::error_code(error, std::generic_category()).message(); }

// Where a file that is not there yet would be made: the nearest folder above it that exists.
fs::path nearest_folder(const fs::path& path) {
  std::error_code ignored;
  fs::path folder = fs::absolute(path, ignored);
  while (folder.has_relative_path() && !fs::exists(folder, ignored)) folder = folder.parent_path();
  return folder;
}

std::optional<Finding> writable(const std::string& subject, const fs::path& folder) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) {
    return problem(subject, ExitCode::local_resource,
                   fmt::format("{}: {}", folder.string(), why(errno)), "name another folder");
  }
  if (!S_ISDIR(status.st_mode)) {
    return problem(subject, ExitCode::local_resource, fmt::format("{} is a file", folder.string()),
                   "name a folder");
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    return problem(subject, ExitCode::local_resource,
                   fmt::format("{} cannot be written to: {}", folder.string(), why(errno)),
                   "give this user the right to, or name another folder");
  }
  return std::nullopt;
}

Finding check_state(const fs::path& state) {
  std::error_code ignored;
  if (const auto bad = writable("state", nearest_folder(state))) return *bad;
  if (!fs::exists(state, ignored)) {
    return good("state", fmt::format("{} can be made", state.string()));
  }
  struct stat status {};
  if (::stat(state.c_str(), &status) == 0 && (status.st_mode & 077) != 0) {
    return problem("state", ExitCode::usage,
                   fmt::format("{} is open to other users", state.string()),
                   fmt::format("chmod 700 {}", state.string()));
  }
  return good("state", fmt::format("{} is this user's only", state.string()));
}

Finding check_report(const fs::path& report) {
  try {
    const OutputPlace place = output_place(fs::absolute(report));
    const fs::path written = place.by_rename ? place.path.parent_path() : place.path;
    if (place.by_rename) {
      if (const auto bad = writable("report", written)) return *bad;
    } else if (::access(written.c_str(), W_OK) != 0) {
      return problem("report", ExitCode::local_resource,
                     fmt::format("{} cannot be written to: {}", report.string(), why(errno)),
                     "give this user the right to, or name another file");
    }
    return good("report", fmt::format("{} can be written to", written.string()));
  } catch (const Error& error) {
    return problem("report", error.exit_code(), error.what());
  }
}

Findings check_o3m_data(const RoleConfig& config) {
  if (config.contexts.empty()) return {};
  try {
    const O3mRoleSite reads_and_checks(config);
    Findings findings{good("contexts", reads_and_checks.contexts_in_short())};
    if (config.environment.empty()) return findings;
    findings.push_back(good("environment", reads_and_checks.environment_in_short()));
    return findings;
  } catch (const Error& error) {
    return {problem("files", error.exit_code(), error.what())};
  }
}

}  // namespace

Findings check_security(const RunConfig& run) {
  Findings findings;
  if (run.insecure_plaintext) {
    findings.push_back(warning("links",
                               "insecure_plaintext: whoever is on the way reads and "
                               "changes everything, the dealer's seeds included",
                               "give every role a key with `sotto keys new`, and drop it"));
  }
  if (run.insecure_shared_keys) {
    findings.push_back(warning("keys",
                               "insecure_shared_keys: one hand made the keys of all roles "
                               "and can speak for each",
                               "let every role make its own with `sotto keys new`"));
  }
  if (run.insecure_seed) {
    findings.push_back(warning("seed", "insecure_seed: everybody can compute all masks",
                               "drop it from [run] at every role"));
  }
  if (run.o3m && run.o3m->insecure_blocks) {
    findings.push_back(warning("blocks",
                               "insecure_blocks: the active participant sees the masked block of "
                               "each participant",
                               "drop it from [run] at every role"));
  }
  return findings;
}

Findings check_key(const RoleConfig& config, net::WallTime now) {
  if (config.run.insecure_plaintext) return {};
  try {
    const net::Certificate certificate = read_role_identity(config).certificate();
    if (const auto invalid = net::invalid_at(certificate, now)) {
      return {problem("key", ExitCode::usage,
                      fmt::format("the certificate {} {}", certificate.fingerprint, *invalid),
                      "set the clock if it is wrong, else make a new key with `sotto keys new` and "
                      "have all other roles trust it")};
    }
    const std::string until = net::date_text(certificate.valid_until);
    if (certificate.valid_until < now + soon) {
      return {warning(
          "key",
          fmt::format("the certificate {} is valid until {} only", certificate.fingerprint, until),
          "make a new key with `sotto keys new`, and have all other roles trust it")};
    }
    return {good("key", fmt::format("{}, valid until {}", certificate.fingerprint, until))};
  } catch (const Error& error) {
    std::error_code ignored;
    return {problem("key", error.exit_code(), error.what(),
                    config.key.empty() || fs::exists(config.key, ignored)
                        ? ""
                        : "make one with `sotto keys new`, and have all other roles trust it")};
  }
}

Findings check_data(const RoleConfig& config) {
  if (config.run.o3m) return check_o3m_data(config);
  const bool has_features = config.role == Role::party;
  if (!has_features && config.environment.empty()) return {};
  const std::string subject = has_features ? "data" : "environment";
  try {
    const RoleSite reads_and_checks(config);
    if (has_features) {
      const Block block = read_block(config.data);
      return {good(subject,
                   fmt::format("{}: {}, {}", config.data.string(), counted(block.table.rows, "row"),
                               counted(block.table.columns.size(), "column")))};
    }
    const Environment environment = Environment::read(config.environment, config.run.arms);
    return {good(subject,
                 fmt::format("{}: {}, {}, rewards {}", config.environment.string(),
                             counted(environment.rows(), "row"), counted(environment.arms(), "arm"),
                             environment.binary_rewards() ? "0 or 1" : "in [-1, 1]"))};
  } catch (const Error& error) {
    return {problem(subject, error.exit_code(), error.what())};
  }
}

Findings check_folders(const RoleConfig& config) {
  Findings findings;
  if (!config.state.empty()) findings.push_back(check_state(config.state));
  if (!config.report.empty()) findings.push_back(check_report(config.report));
  return findings;
}

}  // namespace sotto::apps
