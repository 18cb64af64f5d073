#include "sotto/apps/kit/deploy/own_checks.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <system_error>

#include "sotto/apps/kit/deploy/role_keys.h"
#include "sotto/apps/kit/files/atomic_file.h"
#include "sotto/core/error/errors.h"
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
    return problem(subject, ExitCode::local_resource, fmt::format("{}: {}", folder.string(), why(errno)),
                   "name another folder");
  }
  if (!S_ISDIR(status.st_mode)) {
    return problem(subject, ExitCode::local_resource, fmt::format("{} is a file", folder.string()), "name a folder");
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    return problem(subject, ExitCode::local_resource,
                   fmt::format("{} cannot be written to: {}", folder.string(), why(errno)),
                   "give this user the right to, or name another folder");
  }
  return std::nullopt;
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

}  // namespace

Finding check_state(const fs::path& state) {
  std::error_code ignored;
  if (const auto bad = writable("state", nearest_folder(state))) return *bad;
  if (!fs::exists(state, ignored)) {
    return good("state", fmt::format("{} can be made", state.string()));
  }
  struct stat status {};
  if (::stat(state.c_str(), &status) == 0 && (status.st_mode & 077) != 0) {
    return problem("state", ExitCode::usage, fmt::format("{} is open to other users", state.string()),
                   fmt::format("chmod 700 {}", state.string()));
  }
  return good("state", fmt::format("{} is this user's only", state.string()));
}

Findings check_security(const Settings& config) {
  Findings findings;
  for (const ConfigLine& line : config_lines(config)) {
    const Setting& setting = *line.setting;
    if (setting.danger.empty() || line.value == "false") continue;
    findings.push_back(warning(setting.name.substr(setting.name.rfind('_') + 1),
                               fmt::format("{}: {}", setting.name, setting.danger), setting.remedy));
  }
  return findings;
}

Finding check_certificate(const net::Certificate& certificate, net::WallTime now) {
  if (const auto invalid = net::invalid_at(certificate, now)) {
    return problem(
        "key", ExitCode::usage, fmt::format("the certificate {} {}", certificate.fingerprint, *invalid),
        "set the clock if it is wrong, else make a new key with `sotto keys new` and have all other roles trust it");
  }
  const std::string until = net::date_text(certificate.valid_until);
  if (certificate.valid_until < now + soon) {
    return warning("key", fmt::format("the certificate {} is valid until {} only", certificate.fingerprint, until),
                   "make a new key with `sotto keys new`, and have all other roles trust it");
  }
  return good("key", fmt::format("{}, valid until {}", certificate.fingerprint, until));
}

Findings check_key(const RoleSettings& config, net::WallTime now) {
  if (config.insecure_plaintext) return {};
  try {
    return {check_certificate(read_role_identity(config).certificate(), now)};
  } catch (const Error& error) {
    std::error_code ignored;
    return {problem("key", error.exit_code(), error.what(),
                    config.key.empty() || fs::exists(config.key, ignored)
                        ? ""
                        : "make one with `sotto keys new`, and have all other roles trust it")};
  }
}

Findings check_folders(const RoleSettings& config) {
  if (config.report.empty()) return {};
  return {check_report(config.report)};
}

}  // namespace sotto::apps
