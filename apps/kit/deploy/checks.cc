#include "apps/kit/deploy/checks.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <system_error>

#include "apps/kit/deploy/role_mesh.h"
#include "apps/kit/files/output_file.h"
#include "core/text/count.h"
#include "core/text/terminal_safe.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/handshake/hello.h"
#include "sotto/protocol/mesh/peers.h"
#include "sotto/protocol/transport/tls/identity.h"

namespace sotto::apps {
namespace {

namespace fs = std::filesystem;

std::string why(int error) { return std::error_code(error, std::generic_category()).message(); }

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

using State = net::Inquiry::State;

Finding not_answered(const PeerSeen& peer) {
  const bool no_word = peer.trouble.empty();
  const std::string text = fmt::format("{}: {}", peer.address, no_word ? "no answer" : printable(peer.trouble));
  switch (peer.state) {
    case State::not_trusted:
      return problem(peer.name, ExitCode::not_trusted, text);
    case State::no_sotto:
      return problem(peer.name, ExitCode::protocol_violation, text,
                     "check the address in [peers], and what holds that port there (ss -ltnp)");
    case State::silent:
      return problem(peer.name, ExitCode::peer_lost, text,
                     "see the output of the role there; an older sotto does not know this question");
    default:
      break;
  }
  if (!peer.resolved && !no_word) {
    return problem(peer.name, ExitCode::peer_lost, text,
                   "check the spelling of the name in [peers], or this machine's name server");
  }
  return problem(
      peer.name, ExitCode::peer_lost, text,
      "start the role or `sotto doctor` there; if one runs, check the address in [peers] and the firewalls on the way");
}

std::string seconds(std::chrono::microseconds time) {
  return fmt::format("{:.3g} s", std::chrono::duration<double>(time).count());
}

Finding clock(const PeerSeen& peer) {
  const std::chrono::microseconds apart = std::chrono::abs(peer.ahead);
  const std::string text = fmt::format("{} {} this machine's, give or take {}", seconds(apart),
                                       peer.ahead.count() < 0 ? "behind" : "ahead of", seconds(peer.uncertainty));
  if (apart > clocks_apart + peer.uncertainty) {
    return warning(peer.name + " clock", text, "set both by a time server (timedatectl)");
  }
  return good(peer.name + " clock", text);
}

// Removes the lines that describe the user's own program. The config does not describe this program, so the doctor
// cannot compare the lines.
std::string without_the_program(std::string_view parameters) {
  std::string rest;
  while (!parameters.empty()) {
    const std::size_t end = std::min(parameters.find('\n'), parameters.size() - 1) + 1;
    const std::string_view line = parameters.substr(0, end);
    if (!line.starts_with("program ") || line.starts_with("program = ")) rest += line;
    parameters.remove_prefix(end);
  }
  return rest;
}

Finding parameters(const PeerSeen& peer, const net::Probe& mine) {
  const std::string theirs = without_the_program(peer.answer.parameters);
  if (const auto differs = net::first_difference(mine.parameters, theirs, peer.name)) {
    return problem(peer.name + " config", ExitCode::disagreement, *differs,
                   "[run], [service], [link] and [trust] must be the same at every role");
  }
  return good(peer.name + " config", "the same run");
}

Finding certificate(const PeerSeen& peer) {
  const std::string subject = peer.name + " certificate";
  if (const auto ends = certificate_end(peer.name, peer.valid_until.value_or(net::WallTime::max()),
                                        std::chrono::system_clock::now())) {
    return warning(subject, *ends,
                   "ask its owner for the fingerprint of a new key, and enter it with `sotto keys trust`");
  }
  return good(subject, fmt::format("{}, as in [{}]", peer.fingerprint, peer.is_next ? "next_trust" : "trust"));
}

Finding version(const PeerSeen& peer, const net::Probe& mine) {
  const std::string theirs = printable(peer.answer.software);
  if (theirs == mine.software) return good(peer.name + " version", "sotto " + theirs);
  return warning(peer.name + " version", fmt::format("sotto {} here, {} at {}", mine.software, theirs, peer.name),
                 "install the same sotto everywhere");
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
  if (const auto ends = certificate_end("this role", certificate.valid_until, now)) {
    return warning("key", *ends, "make a new key with `sotto keys new`, and have all other roles trust it");
  }
  return good("key",
              fmt::format("{}, valid until {}", certificate.fingerprint, net::date_text(certificate.valid_until)));
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

PeerSeen seen(const net::Inquiry& inquiry, const std::string& name) {
  PeerSeen peer{name,
                inquiry.peer(),
                inquiry.address().text(),
                inquiry.state(),
                inquiry.resolved(),
                inquiry.trouble(),
                inquiry.fingerprint(),
                inquiry.valid_until(),
                inquiry.shows_next(),
                {},
                inquiry.ahead(),
                inquiry.uncertainty()};
  if (peer.state == State::answered) peer.answer = inquiry.answer();
  return peer;
}

Findings judge(const PeerSeen& peer, const net::Probe& mine, const Topology& topology) {
  if (peer.state != State::answered) return {not_answered(peer)};
  if (peer.answer.version != mine.version) {
    return {problem(peer.name + " version", ExitCode::disagreement,
                    fmt::format("wire version {} here, {} at {}", mine.version, peer.answer.version, peer.name),
                    "install the same sotto everywhere")};
  }
  if (peer.answer.sender != peer.id) {
    return {problem(peer.name, ExitCode::disagreement,
                    fmt::format("{} answers at {}", net::peer_name(topology, peer.answer.sender), peer.address),
                    "check the ids, and the addresses in [peers]")};
  }
  Findings findings;
  findings.push_back(
      good(peer.name,
           fmt::format("{} answers at {}",
                       peer.answer.what == net::Probe::What::inquirer ? "its doctor" : "it waits for its peers and",
                       peer.address)));
  if (!peer.fingerprint.empty()) {
    findings.push_back(certificate(peer));
  }
  findings.push_back(version(peer, mine));
  findings.push_back(clock(peer));
  findings.push_back(parameters(peer, mine));
  return findings;
}

std::optional<std::string> certificate_end(const std::string& whose, net::WallTime until, net::WallTime now) {
  if (until >= now + certificate_warning_time) return std::nullopt;
  const std::string what = fmt::format("the certificate of {} ", whose);
  if (until < now) return what + "ended on " + net::date_text(until);
  const auto days = std::chrono::duration_cast<std::chrono::hours>(until - now).count() / 24;
  return what + fmt::format("ends on {}, in {}", net::date_text(until), counted(static_cast<std::size_t>(days), "day"));
}

}  // namespace sotto::apps
