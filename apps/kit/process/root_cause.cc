#include "sotto/apps/kit/process/root_cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>

namespace sotto::apps {
namespace {

// The round in which the others missed a role, from what they say: " in round 12"; empty if none says.
std::string round_of_loss(const std::vector<RoleEnd>& ends, const std::string& role) {
  constexpr std::string_view mark = " was lost in round ";
  for (const RoleEnd& end : ends) {
    const std::size_t found = end.message.find(role + std::string(mark));
    if (found == std::string::npos) continue;
    const std::size_t begin = found + role.size() + mark.size();
    const std::size_t stop = end.message.find_first_not_of("0123456789", begin);
    return " in round " + end.message.substr(begin, stop - begin);
  }
  return {};
}

bool is_crash(int signal) {
  return signal == SIGSEGV || signal == SIGABRT || signal == SIGBUS || signal == SIGFPE || signal == SIGILL;
}

bool failed(const RoleEnd& end) { return end.signal || end.exit_code.value_or(0) != 0; }

bool interrupted_from_outside(const RoleEnd& end) {
  return end.exit_code == static_cast<int>(ExitCode::interrupted) && !end.asked_to_end;
}

// A smaller number is the likelier cause.
int rank(const RoleEnd& end) {
  if (end.signal || interrupted_from_outside(end)) return 0;
  const bool hearsay = end.message.find(" reports: ") != std::string::npos;
  switch (static_cast<ExitCode>(end.exit_code.value_or(0))) {
    case ExitCode::peer_lost:
      return hearsay ? 5 : 4;
    case ExitCode::interrupted:
      return 6;
    default:
      return hearsay ? 3 : 1;
  }
}

// A role's name is "dealer" to the launcher and "the dealer" on the links.
std::string link_name(const std::string& role) { return role == "dealer" ? "the dealer" : role; }

Error describe(const RoleEnd& end, const std::vector<RoleEnd>& ends) {
  if (end.signal) {
    return Error(is_crash(*end.signal) ? ExitCode::internal : ExitCode::peer_lost,
                 fmt::format("{} was killed by signal {} ({}){}", link_name(end.role), *end.signal,
                             ::strsignal(*end.signal), round_of_loss(ends, link_name(end.role))));
  }
  if (interrupted_from_outside(end)) {
    return Error(ExitCode::peer_lost, fmt::format("{} was interrupted by a signal from outside", link_name(end.role)));
  }
  const int code = end.exit_code.value_or(static_cast<int>(ExitCode::internal));
  const std::string message =
      end.message.empty() ? fmt::format("it ended with code {} and no message", code) : end.message;
  return Error(static_cast<ExitCode>(code), fmt::format("{}: {}", end.role, message));
}

}  // namespace

std::optional<Error> root_cause(const std::vector<RoleEnd>& ends) {
  const RoleEnd* cause = nullptr;
  for (const RoleEnd& end : ends) {
    if (failed(end) && (cause == nullptr || rank(end) < rank(*cause))) cause = &end;
  }
  if (cause == nullptr) return std::nullopt;
  return describe(*cause, ends);
}

}  // namespace sotto::apps
